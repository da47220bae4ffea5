"""The constants of the traditional network, each with its meaning and unit, and the tuned setting.

Units are those of :mod:`lethenet.model.parameters`: the rate vector of a sample has length one, and
potentials are in units of one weight. Diehl & Cook (2015, "Unsupervised learning of digit recognition using
spike-timing-dependent plasticity") give theirs in millivolts and milliseconds; the roles are the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Literal, NamedTuple, get_type_hints

from lethenet.model.parameters import checked, require

Normalisation = Literal["sum", "length", "none"]


@dataclass(frozen=True, kw_only=True)
class TraditionalParameters:
    """Everything that determines how the traditional network behaves, apart from size, seed and inputs.

    Parameters
    ----------
    threshold : float
        Firing threshold v_th of a neuron that has not fired for a long time.
    theta_plus : float
        By how much a spike raises its neuron's own threshold.
    tau_theta : float
        Decay time of that rise, in time units of presentation. Not below ``tau_mem``.
    tau_mem : float
        Decay time of the membrane potential.
    tau_pre : float
        Decay time of the pre-synaptic traces.
    learning_rate : float
        η of the STDP rule.
    target_trace : float
        x_tar, the static offset: inputs whose trace, as a rate (trace/τ_pre), lies below it are
        depressed at an output spike, the others potentiated. Spikes per time unit.
    max_weight : float
        w_max, where weights stop to change.
    weight_dependence : float
        μ: how fast changes fade towards ``max_weight``; 0 leaves a hard bound.
    normalisation : {"sum", "length", "none"}
        What is kept constant of a neuron's weights after each change: their sum (Diehl & Cook), their
        L2 length, or nothing.
    norm : float
        To which value; also what the initial weights have (their length, with "none").
    n_output_spikes : int
        A sample is shown until this many output spikes, while learning too.
    recognition_time : float
        How long the layer may be silent before the input rates are raised.
    rate_gain : float
        Factor by which they are raised, each time.
    max_rate_gain : float
        A sample that gets no answer at this many times its rate is given up.

    Examples
    --------
    >>> TraditionalParameters(theta_plus=0.1).theta_plus
    0.1
    """

    threshold: float = 3.22
    theta_plus: float = 0.0553
    tau_theta: float = 8.13e6
    tau_mem: float = 15.0
    tau_pre: float = 98.5
    learning_rate: float = 0.0735
    target_trace: float = 0.00377
    max_weight: float = 0.294
    weight_dependence: float = 1.0
    normalisation: Normalisation = "length"
    norm: float = 1.0
    n_output_spikes: int = 5
    recognition_time: float = 200.0
    rate_gain: float = 1.1
    max_rate_gain: float = 100.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = checked(field.name, getattr(self, field.name), _HINTS[field.name])
            object.__setattr__(self, field.name, value)
        for name in ("threshold", "tau_mem", "tau_pre", "recognition_time", "max_weight", "norm"):
            self._check(name, getattr(self, name) > 0, "a number above 0")
        for name in ("theta_plus", "learning_rate", "target_trace"):
            self._check(name, getattr(self, name) >= 0, "0 or more")
        self._check("weight_dependence", 0 <= self.weight_dependence <= 10, "0 to 10")
        # Otherwise a threshold could fall faster than a potential does, and be crossed in silence.
        at_least = f"at least tau_mem ({self.tau_mem:g})"
        self._check("tau_theta", self.tau_theta >= self.tau_mem, at_least)
        self._check("n_output_spikes", 1 <= self.n_output_spikes <= 1000, "1 to 1000")
        self._check("rate_gain", 1 < self.rate_gain <= 10, "above 1, at most 10")
        gains = f"from rate_gain ({self.rate_gain}) to 10000"
        self._check("max_rate_gain", self.rate_gain <= self.max_rate_gain <= 1e4, gains)
        # Potentials are kept as u = v e^(t/τ) between output spikes, in single precision.
        at_least = f"at least recognition_time / 60 = {self.recognition_time / 60:g}"
        for name in ("tau_mem", "tau_pre"):
            self._check(name, self.recognition_time <= 60 * getattr(self, name), at_least)

    def _check(self, name: str, fine: bool, expected: str) -> None:
        require(fine, name, getattr(self, name), expected)


_HINTS = get_type_hints(TraditionalParameters)


TRADITIONAL = TraditionalParameters()
"""What :mod:`..studies.comparison_tuning` found on interleaved MNIST, for 400 neurons."""

TUNED_AT = 400


def traditional_for(n_neurons: int) -> TraditionalParameters:
    """:data:`TRADITIONAL` for a layer of this size.

    In a layer twice as large each neuron fires half as often, so each spike has to count twice: its step
    of the threshold and its step of the weights grow with the size. (The best of what was tried at 1600.)

    >>> traditional_for(400) == TRADITIONAL
    True
    >>> traditional_for(800).theta_plus / TRADITIONAL.theta_plus
    2.0
    """
    times = n_neurons / TUNED_AT
    return replace(
        TRADITIONAL,
        theta_plus=TRADITIONAL.theta_plus * times,
        learning_rate=TRADITIONAL.learning_rate * times,
    )


class TraditionalConstants(NamedTuple):
    """:class:`TraditionalParameters` as the kernels take them: numbers only, inverses taken once."""

    threshold: float
    theta_plus: float
    inverse_tau_theta: float
    inverse_tau_mem: float
    inverse_tau_pre: float
    learning_rate: float
    target_trace: float
    max_weight: float
    weight_dependence: float
    keep_sum: bool
    keep_length: bool
    norm: float
    n_output_spikes: int
    recognition_time: float
    rate_gain: float
    max_rate_gain: float


def traditional_constants(parameters: TraditionalParameters) -> TraditionalConstants:
    """The kernels' view of the parameters."""
    values = asdict(parameters)
    for tau in ("tau_theta", "tau_mem", "tau_pre"):
        values[f"inverse_{tau}"] = 1.0 / values.pop(tau)
    kept = values.pop("normalisation")
    return TraditionalConstants(**values, keep_sum=kept == "sum", keep_length=kept == "length")
