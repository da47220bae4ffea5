"""The constants of the model, each with its meaning and unit, and the named settings.

Time is in units in which the rate vector of a sample has length one (paper, "Timing and Time Constants"):
an image of norm 1 sends Σ λᵢ spikes per time unit. Potentials are in units of one weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args, get_type_hints

from .rule import Rule, rule_of

Stdp = Literal["oja", "static"]
Push = Literal["leftover", "usage"]
Target = Literal["trained", "random"]
LATER = {"later": True}
"""Marks a parameter that came after results had been made. Its default changes nothing."""


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Everything that determines how the network behaves, apart from its size, seed and inputs.

    Parameters
    ----------
    threshold : float, default=13.5
        Firing threshold v_th. Close to ``tau_mem``; larger networks want it higher.
    tau_mem : float, default=15.0
        Decay time of the membrane potential.
    tau_pre : float, default=200.0
        Decay time of the pre-synaptic traces.
    learning_rate : float, default=0.01
        α, the plasticity at an ordinary output spike. With ``annealed`` it is the lowest rate.
    annealed : bool, default=False
        Let each neuron's rate fall as 1/n with its n spikes since its imprint, down to
        ``learning_rate``: a running mean of the samples it won. (Not in the paper.)
    imprint_rate : float, default=1.0
        The raised learning rate after a dopaminergic spike; 1 imprints the sample in one shot.
    stdp : {"oja", "static"} or Rule, default="oja"
        "oja": Δw = α (pre/τ_pre − w). "static": the traditional Δw = α (pre/τ_pre − offset), with
        weights kept at zero or above. Or a rule of your own: a :class:`~lethenet.model.Rule`.
    static_offset : float, default=1.0
        Length of the static offset vector (the same value in every dimension).
    normalise_weights : bool, default=True
        Scale a neuron's weight vector to length one after each change.
    inhibition : float, default=1.0
        Share of its potential that a neuron loses when another one fires; 1 resets the layer.
    n_output_spikes : int, default=5
        While learning, a sample is shown until this many output spikes.
    n_readout_spikes : int, default=5
        In a frozen network, a sample is shown until this many: more of them vote more exactly, and
        cost more. (The paper has five in both.)
    recognition_time : float, default=200.0
        How long the layer may be silent before the dopaminergic neuron fires or, in a frozen network,
        the input rates are raised.
    dopamine : bool, default=True
        Whether there is a dopaminergic neuron. Without it, rates are raised while learning, too.
    tau_dopamine : float, default=200.0
        Membrane time constant of the dopaminergic neuron.
    dopaminergic_rest : float, default=1.0
        Its resting potential. Its threshold lies below, where ``recognition_time`` puts it.
    dopaminergic_target : {"trained", "random"}, default="trained"
        Whether the push follows the trained dopaminergic weights or hits any neuron.
    push : {"leftover", "usage"}, default="usage"
        "leftover": the repeated push adds to what is left of the potentials, and reaches first the
        neuron with the smallest (v_th − v)/d. "usage": it outweighs them: the largest d fires.
    depression : float, default=0.3
        η: a spike multiplies the neuron's dopaminergic weight by e^(−η).
    forced_depression : float, default=0.3
        Share of η by which a spike that dopamine forced counts.
    age_weight : float, default=0.0
        Mix of firing age and firing frequency in the dopaminergic weights: 0 frequency alone, as in
        the paper's experiments; 1 age alone (the neuron silent for longest is the first target).
    habituation : float, default=0.0
        Share of all usage that fades with each learning presentation: 0.001 remembers what fired
        over about the last thousand samples. 0 never forgets how often a neuron was of use. (Not in
        the paper; for worlds that change.)
    dopaminergic_floor : float, default=0.0
        A dopaminergic weight that falls below this share of the largest is zero from then on: its
        neuron is never overwritten any more. 0 for none; 2**-149 is what single precision does to
        weights that are not kept in logarithms. Only without ``age_weight`` and ``habituation``.
    links : int, default=0
        How many links each neuron has room for: associations with neurons that fire for the same
        samples, over which a few labels spread (:mod:`.links`). 0 for none; 16 is good. They change no
        weight and no spike. Only with ``stop_after_imprint``. (Not in the paper.)
    stop_after_imprint : bool, default=True
        Whether an imprint ends the presentation.
    carry_trace : bool, default=False
        Keep the pre-synaptic traces from one sample to the next.
    rate_gain : float, default=1.1
        Factor by which input rates rise after each silent ``recognition_time`` without dopamine.
    max_rate_gain : float, default=100.0
        A sample that is not recognised at this many times its rate is given up.

    Examples
    --------
    >>> Parameters(threshold=14.0).threshold
    14.0
    >>> PAPER.learning_rate
    0.01
    """

    threshold: float = 13.5
    tau_mem: float = 15.0
    tau_pre: float = 200.0
    learning_rate: float = 0.01
    annealed: bool = False
    imprint_rate: float = 1.0
    stdp: Stdp | Rule = "oja"
    static_offset: float = 1.0
    normalise_weights: bool = True
    inhibition: float = 1.0
    n_output_spikes: int = 5
    n_readout_spikes: int = field(default=5, metadata=LATER)
    recognition_time: float = 200.0
    dopamine: bool = True
    tau_dopamine: float = 200.0
    dopaminergic_rest: float = 1.0
    dopaminergic_target: Target = "trained"
    push: Push = "usage"
    depression: float = 0.3
    forced_depression: float = 0.3
    age_weight: float = 0.0
    habituation: float = field(default=0.0, metadata=LATER)
    dopaminergic_floor: float = field(default=0.0, metadata=LATER)
    links: int = field(default=0, metadata=LATER)
    stop_after_imprint: bool = True
    carry_trace: bool = False
    rate_gain: float = 1.1
    max_rate_gain: float = 100.0

    def __post_init__(self) -> None:
        for name, hint in _HINTS.items():
            object.__setattr__(self, name, checked(name, getattr(self, name), hint))
        for names, fits, expected in _RANGES:
            for name in names.split():
                require(fits(getattr(self, name)), name, getattr(self, name), expected)
        floor, gain, longest = self.dopaminergic_floor, self.rate_gain, self.recognition_time
        if floor > 0 and (self.age_weight > 0 or self.habituation > 0):
            raise ValueError(
                f"dopaminergic_floor={floor!r} does not go with age_weight ({self.age_weight!r}) or "
                f"habituation ({self.habituation!r}): with these, weights rise again."
            )
        if self.links > 0 and not self.stop_after_imprint:
            raise ValueError(
                f"links={self.links} needs stop_after_imprint=True: an imprint ends a neuron's links, and "
                "it could not be told which spikes came before."
            )
        expected = f"from rate_gain ({gain}) to 10000"
        require(gain <= self.max_rate_gain <= 1e4, "max_rate_gain", self.max_rate_gain, expected)
        # A sample that nobody answers to is shown at rising rates: all in all for this many silences
        effort, most = self.max_rate_gain / (gain - 1), 1e5
        expected = f"max_rate_gain / (rate_gain - 1) of at most {most:g}, or a sample takes minutes"
        require(effort <= most, "rate_gain", gain, expected)
        # Potentials are kept as u = v e^(t/τ) between output spikes, in single precision.
        # The dopaminergic neuron's threshold has to be told from its resting potential in double precision.
        for name, times in (("tau_mem", 60), ("tau_pre", 60), ("tau_dopamine", 30)):
            expected = f"at least recognition_time / {times} = {longest / times:g}"
            require(longest <= times * getattr(self, name), name, getattr(self, name), expected)

    @property
    def rule(self) -> Rule:
        """The learning rule that ``stdp`` stands for."""
        return rule_of(self.stdp)

    @property
    def dopaminergic_threshold(self) -> float:
        """Where the dopaminergic neuron's threshold must lie to fire after ``recognition_time``.

        From v(t) = rest (1 − e^(−t/τ)), reset at 0, below the resting potential.
        """
        return -self.dopaminergic_rest * math.expm1(-self.recognition_time / self.tau_dopamine)


_HINTS = get_type_hints(Parameters)
_RANGES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    (
        "threshold tau_mem tau_pre recognition_time tau_dopamine",
        lambda x: 1e-6 <= x <= 1e6,
        "a number above 0 (from 1e-6 to 1e6)",
    ),
    ("dopaminergic_rest", lambda x: 1e-6 <= x <= 1e6, "above 0 (from 1e-6 to 1e6)"),
    ("learning_rate imprint_rate inhibition", lambda x: 0 <= x <= 1, "between 0 and 1"),
    ("age_weight habituation", lambda x: 0 <= x <= 1, "between 0 and 1"),
    ("depression forced_depression static_offset", lambda x: 0 <= x <= 1e6, "0 or more, up to 1e6"),
    ("dopaminergic_floor", lambda x: 0 <= x < 1, "0 or more, below 1"),
    ("n_output_spikes n_readout_spikes", lambda x: 1 <= x <= 1000, "1 to 1000"),
    ("links", lambda x: 0 <= x <= 1000, "0 to 1000"),
    ("rate_gain", lambda x: 1.001 <= x <= 10, "above 1 (from 1.001 on), at most 10"),
)


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """ValueError that names the value and what was expected, unless the condition holds."""
    if not condition:
        raise ValueError(f"{name}={value!r} is out of range: expected {expected}.")


def checked(name: str, value: Any, hint: Any) -> Any:
    """The value in the field's own type, or an error that says which type that is."""
    if name == "stdp":
        rule_of(value)
        return value
    choices = get_args(hint)
    if choices:
        if value not in choices:
            raise ValueError(f"{name}={value!r} is unknown: expected one of {', '.join(choices)}.")
        return value
    if hint is bool:
        if value not in (True, False):
            raise TypeError(f"{name}={value!r}: expected True or False.")
        return bool(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}={value!r}: expected a number.") from None
    if not math.isfinite(number) or (hint is int and number != int(number)):
        raise ValueError(
            f"{name}={value!r}: expected a {'whole' if hint is int else 'finite'} number."
        )
    return int(number) if hint is int else number


PAPER = Parameters()
"""The faithful setting: the paper's values. Where it gives none, docs/interpretation.md says whence they
are; ``push`` and ``forced_depression`` are fitted to its Table 1 (results/paper)."""

ANNEALED = replace(
    PAPER,
    threshold=13.0,
    annealed=True,
    learning_rate=0.002,
    n_readout_spikes=10,
)
"""Past the paper: annealed plasticity."""
