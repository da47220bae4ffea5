"""The learning rule, once: small pure functions of scalars.

At an output spike of neuron j, with pre_i the pre-synaptic trace of input i and α the neuron's rate::

    w_ij ← step(w_ij, pre_i/τ_pre, α, offset)        for every input i
    w_j  ← w_j / ‖w_j‖₂                              (``normalise_weights``)
    usage_j ← usage(usage_j, amount, ρ, mean)        log d_j = −η usage_j: its dopaminergic weight

The paper's step is Oja's, Δw = α (pre/τ_pre − w): the offset is tied to the weight (paper, "Stabilizing
STDP"). The traditional one has the same offset in every dimension and keeps weights at zero or above.
``mean`` is what all spikes of the layer have counted so far, per neuron.

:mod:`.reference` calls these functions as Python; the engine compiles them into its loop. So can a rule of
one's own: ``Parameters(stdp=Rule(step=f))``.

The engine's contract
---------------------
Whatever the rule, the engine relies on this, and gets the same bits as the reference by it:

* **weights ≥ 0**, finite: potentials never fall between two output spikes. A step that gives anything else
  is an error, where the rule is made if a few trial values show it, and where it happens otherwise.
* **only the winner changes**: a step sees one weight of the neuron that fired, nothing else.
* **one threshold** for the layer: a rule has no say in it.
* **unit length**, for the certificate that leaves out unlikely neurons: with ``normalise_weights=False``
  all neurons are simulated.
* **the same arithmetic in Python and compiled**: +, −, ×, /, comparisons, ``min``, ``max``, ``abs``,
  ``math.sqrt``. Exponentials and logarithms of the standard library differ in the last bit from machine to
  machine: with them, agreement holds up to that.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from types import CodeType, FunctionType
from typing import Any


def oja_step(weight: Any, pre: Any, rate: Any, offset: Any) -> Any:
    """Δw = α (pre − w)."""
    return weight + rate * (pre - weight)


def static_step(weight: Any, pre: Any, rate: Any, offset: Any) -> Any:
    """Δw = α (pre − offset), not below zero."""
    return max(weight + rate * (pre - offset), 0.0)


def rate_after(learning_rate: float, n_spikes: int, annealed: bool) -> float:
    """The rate of a neuron at its n-th spike since its imprint, which counts as the first.

    Annealed, it falls as 1/n down to ``learning_rate``: the weights are a running mean of what it won.

    >>> rate_after(0.002, 4, True), rate_after(0.002, 4, False)
    (0.25, 0.002)
    """
    return max(learning_rate, 1.0 / n_spikes) if annealed else learning_rate


def usage_after(usage: float, amount: float, age_weight: float, mean: float) -> float:
    """The usage of a neuron after a spike that counts ``amount``.

    ``age_weight`` ρ erases that share of what set it apart from the layer's ``mean`` before.

    >>> usage_after(5.0, 1.0, 0.0, 2.0), usage_after(5.0, 1.0, 1.0, 2.0)
    (6.0, 3.0)
    """
    return (usage + amount) + age_weight * (mean - usage)


@dataclass(frozen=True)
class Rule:
    """How an output spike changes its neuron.

    Parameters
    ----------
    step : callable (weight, pre, rate, offset) -> weight
        How one weight moves, in plain Python that numba can compile. ``pre`` is the pre-synaptic trace as
        a rate (its mean is the input's rate λ_i), ``rate`` the neuron's rate α, ``offset``
        the parameter ``static_offset`` / √n_features.
    rate : callable (learning_rate, n_spikes, annealed) -> float
        The rate at the n-th spike since the last imprint. An imprint itself has ``imprint_rate``.
    usage : callable (usage, amount, age_weight, mean) -> float
        How a spike raises the usage of its neuron.
    name : str
        What to call it in model files; the name of ``step`` if left empty.

    Examples
    --------
    >>> def slow_decay(weight, pre, rate, offset):
    ...     return weight + rate * (pre - 0.5 * weight)
    >>> Rule(step=slow_decay).name
    'slow_decay'
    >>> Rule(step=lambda weight, pre, rate, offset: weight - rate)
    Traceback (most recent call last):
    ...
    ValueError: step(weight=0.0, pre=0.0, rate=0.002, offset=0.0) gives -0.002: the engine needs ...
    """

    step: Callable[[Any, Any, Any, Any], Any]
    rate: Callable[[float, int, bool], float] = rate_after
    usage: Callable[[float, float, float, float], float] = usage_after
    name: str = ""

    def __post_init__(self) -> None:
        for part, n_arguments in (("step", 4), ("rate", 3), ("usage", 4)):
            _check_function(part, getattr(self, part), n_arguments)
        if not self.name:
            object.__setattr__(self, "name", self.step.__name__)
        for trial in product(
            (0.0, 0.01, 0.3, 1.0), (0.0, 0.05, 1.0), (0.0, 0.002, 1.0), (0.0, 0.05)
        ):
            check_weight(self.step(*trial), trial)

    @property
    def single(self) -> bool:
        """Whether ``step`` computes in single precision: built-in rules do, others in double."""
        return self in RULES.values()

    @property
    def fingerprint(self) -> str:
        """Changes when the code of the rule does, or a constant that it uses."""
        digest = hashlib.sha256(self.name.encode())
        for function in (self.step, self.rate, self.usage):
            digest.update(repr(_content(function)).encode())
        return digest.hexdigest()


def check_weight(weight: Any, trial: tuple[float, ...] | None = None) -> None:
    """Refuse what a step may not give."""
    try:
        fine = 0.0 <= float(weight) < math.inf
    except (TypeError, ValueError):
        fine = False
    if not fine:
        names = ("weight", "pre", "rate", "offset")
        given = ", ".join(f"{n}={v!r}" for n, v in zip(names, trial or (), strict=False))
        raise ValueError(f"step({given or '…'}) gives {weight!r}: {BROKEN_CONTRACT}")


BROKEN_CONTRACT = (
    "the engine needs weights >= 0, finite, at every step of a rule. Keep them there with max(…, 0.0); the "
    "contract is in lethenet.model.rule."
)


def _check_function(part: str, function: Any, n_arguments: int) -> None:
    if not isinstance(function, FunctionType):
        raise TypeError(f"{part}={function!r}: expected a plain Python function.")
    try:
        inspect.signature(function).bind(*range(n_arguments))
    except TypeError:
        raise TypeError(
            f"{part}={function.__name__}{inspect.signature(function)}: expected {n_arguments} positional "
            "arguments, see lethenet.model.Rule."
        ) from None


def _content(value: Any) -> Any:
    """What a function computes with, as something that can be printed and hashed."""
    if isinstance(value, FunctionType):
        used = {n: value.__globals__[n] for n in _names(value.__code__) if n in value.__globals__}
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return (
            _content(value.__code__),
            repr(value.__defaults__),
            sorted((name, _content(part)) for name, part in used.items()),
            [_content(cell) for cell in cells],
        )
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, [_content(constant) for constant in value.co_consts]
    if hasattr(value, "tobytes"):  # a constant array
        return value.dtype.str, value.shape, value.tobytes()
    return getattr(value, "__name__", None) or repr(value)


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


OJA = Rule(step=oja_step, name="oja")
STATIC = Rule(step=static_step, name="static")

RULES = {"oja": OJA, "static": STATIC}
"""The rules that parameters and model files know by name."""


def rule_of(stdp: str | Rule) -> Rule:
    """The rule that a name stands for, or the rule itself."""
    if isinstance(stdp, Rule):
        return stdp
    if stdp not in RULES:
        raise ValueError(
            f"stdp={stdp!r} is unknown: expected one of {', '.join(RULES)}, or a lethenet.model.Rule."
        )
    return RULES[stdp]
