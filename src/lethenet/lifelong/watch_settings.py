"""What a watcher begins with, and how far it has come: both are part of its state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from ..model.parameters import Parameters
from ..model.presets import preset_parameters
from .setting_checks import require, whole

Layers = Literal["auto", "none", "on-off"]
Formats = Literal["auto", "json", "csv"]


@dataclass(frozen=True)
class WatchSettings:
    """How a watcher begins.

    Parameters
    ----------
    neurons : int
        Size of the layer.
    preset : str
        As in ``lethenet run``.
    seed : int
        Key of all random numbers.
    threshold : str or float
        A number, or auto: settled by the first samples.
    layer : str
        on-off takes signed numbers; auto does so if one in ten of the first samples has a negative one.
    settle : int
        How many samples settle what is auto. Until then they wait for their answers.
    format : str
        What lines are; auto: the first sample tells.
    label : str
        Column or key of the label, if there is one.
    keep : str
        Columns or keys, with commas between them, to pass on to the answer. All others are numbers.

    Examples
    --------
    >>> WatchSettings(threshold="15").threshold
    15.0
    """

    neurons: int = 400
    preset: str = "annealed"
    seed: int = 0
    threshold: str | float = "auto"
    layer: Layers = "auto"
    settle: int = 1000
    format: Formats = "auto"
    label: str = "y"
    keep: str = "id,time"

    def __post_init__(self) -> None:
        for name, least in (("neurons", 1), ("seed", 0), ("settle", 120)):
            whole(name, getattr(self, name), least, 2**63)
        for name, words in (("layer", get_args(Layers)), ("format", get_args(Formats))):
            require(getattr(self, name) in words, name, getattr(self, name), " or ".join(words))
        if self.threshold != "auto":
            try:  # the command line gives text
                object.__setattr__(self, "threshold", float(self.threshold))
            except ValueError:
                require(False, "threshold", self.threshold, "a number or auto")
        self.parameters(1.0 if self.threshold == "auto" else self.threshold)

    def parameters(self, threshold: Any) -> Parameters:
        """The network's, with this threshold; ValueError if there are none."""
        return replace(preset_parameters(self.preset, self.neurons), threshold=threshold)


@dataclass
class Progress:
    """How far the input was read and the output written, and what became of the lines."""

    lines: int = 0
    bytes: int = 0
    answers: int = 0
    novel: int = 0
    output_bytes: int | None = None
    bad: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [*self.bad.values(), *(v for k, v in vars(self).items() if k != "bad")]
        if not all(n is None or (type(n) is int and n >= 0) for n in numbers):
            raise ValueError(f"{self} is not possible.")
