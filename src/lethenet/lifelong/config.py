"""What an experiment is: everything that decides its outcome, and how it is carried out."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast, get_args

from .._schema import is_text
from ..model.parameters import Parameters
from ..model.presets import PRESETS, preset_parameters, preset_readout
from .setting_checks import (
    OWN,
    WITHOUT_NEURONS,
    check_given,
    check_together,
    known_classes,
    read_settings,
    require,
    unknown_setting,
    warn_of_blank_samples,
    whole,
    whole_classes,
)

if TYPE_CHECKING:
    from ..data import Dataset
    from ..model import Rule

Order = Literal["sequential", "interleaved"]
InterimLabels = Literal["online", "assigned"]
FirstLayer = Literal["none", "edges", "patches", "on-off"]

MODEL_FIELDS = tuple(f.name for f in fields(Parameters))
MAX_NEURONS = 10_000_000  # more is a slip of the finger
_CHOICES = {"order": Order, "layer": FirstLayer, "interim_labels": InterimLabels}
_MAY_BE_NONE = ("train_per_class", "test_per_class", "checkpoint_samples")
_BOUNDS = {"epochs": (1, 1_000_000), "seed": (0, 2**64 - 1), "n_jobs": (-1, 4096)}
_BOUNDS |= dict.fromkeys(_MAY_BE_NONE, (1, 2**62))


@dataclass(frozen=True, kw_only=True)
class Config:
    """One lifelong experiment.

    Parameters
    ----------
    dataset : str, default="mnist"
        mnist, fashion-mnist, digits, or a file or folder of your own: see
        :func:`lethenet.data.load`.
    layer : {"none", "edges", "patches", "on-off"}, default="none"
        What stands before the network: nothing, edge detectors (:class:`lethenet.layers.Edges`), one
        that learns from the first 1000 samples and is frozen (:class:`lethenet.layers.Patches`), or on and
        off inputs (:class:`lethenet.layers.OnOff`), which signed data get by themselves.
    label_column : str or None, default=None
        Of a table (CSV, Parquet): the column with the labels; None takes one that is called label,
        class, target or y, else the last.
    learner : str, default="cfn"
        Who learns: the network, or one to compare with (:mod:`lethenet.baselines`), with settings of
        its own behind a colon: "fuzzy-art:vigilance=0.8".
    neurons : int, default=400
        Size of the layer; of other learners, the number of prototypes.
    epochs : int, default=1
        How often each task is gone through before the next one starts.
    order : {"sequential", "interleaved"}, default="sequential"
        Task after task, or all samples mixed in a single one.
    stream : str, default="classes"
        The tasks: a class each, "split:2" for two classes each, or a world that changes:
        "returning", "drifting" or "changing-looks" (:mod:`lethenet.data`).
    classes : tuple of int or str, or None, default=None
        The classes, by number or name, in the order in which they come; all of them, rising, if left out.
    preset : str, default="annealed"
        Named setting of the model's constants to start from: "annealed", "paper" for the paper's
        rule, or one of its ablations.
    parameters : Parameters or None, default=None
        The model's constants; None takes the preset's.
    fit_threshold : bool or None, default=None
        Take the threshold from the data, without labels; None does so unless one is given, or the paper's.
    seed : int, default=0
        Key of all random numbers.
    twin : bool, default=False
        Run the same network on the same samples interleaved afterwards, to compare with.
    readout : str or None, default=None
        How output spikes vote: "dominant", for their neuron's dominant class (the paper's),
        "histogram", for all it fired for, or "evidence", in logarithms; None takes the preset's.
    interim_labels : {"online", "assigned"} or None, default=None
        Labels in evaluations before the last, which always assigns them: counted while learning, or by
        recognising all training samples met so far (the paper's); None takes the preset's.
    train_per_class : int or None, default=None
        Take only the first so many training samples of each class, for quick runs.
    test_per_class : int or None, default=None
        Take only the first so many test samples of each class.
    checkpoint_seconds : float, default=20.0
        Save after so many seconds of work, and at the end of each task.
    checkpoint_samples : int or None, default=None
        Save after so many samples, too.
    n_jobs : int, default=-1
        Threads for evaluation; −1 takes all cores. The result does not depend on it.

    Examples
    --------
    >>> Config(preset="paper", neurons=1600).parameters.threshold
    13.5
    >>> Config.of(threshold=14.0).parameters.annealed
    True
    >>> Config(neurons=0)
    Traceback (most recent call last):
    ...
    ValueError: neurons=0: expected a whole number from 1 to 10000000.
    """

    dataset: str = "mnist"
    layer: FirstLayer = "none"
    label_column: str | None = None
    learner: str = "cfn"
    neurons: int = 400
    epochs: int = 1
    order: Order = "sequential"
    stream: str = "classes"
    classes: tuple[Any, ...] | None = None
    preset: str = "annealed"
    # None is the preset's; __post_init__ puts it in, so nobody ever reads None
    parameters: Parameters = field(default=cast(Parameters, None))
    fit_threshold: bool = field(default=cast(bool, None))
    seed: int = 0
    twin: bool = False
    readout: str = field(default=cast(str, None))
    interim_labels: InterimLabels = field(default=cast("InterimLabels", None))
    train_per_class: int | None = None
    test_per_class: int | None = None
    checkpoint_seconds: float = 20.0
    checkpoint_samples: int | None = None
    n_jobs: int = -1

    def __post_init__(self) -> None:
        """Check every value, and put in what is left open."""
        require(self.preset in PRESETS, "preset", self.preset, f"one of {', '.join(PRESETS)}")
        ours = self.learner == "cfn"
        if self.learner.partition(":")[0] in WITHOUT_NEURONS:
            self._set("neurons", 0)
        elif self.stream != OWN:
            self._set("neurons", whole("neurons", self.neurons, 1, MAX_NEURONS))
        if self.fit_threshold is None:
            by_data = ours and (self.preset == "annealed" or self.layer in ("edges", "patches"))
            self._set("fit_threshold", by_data and self.parameters is None)
        size = self.neurons if ours else 1  # parameters mean nothing to other learners
        p = (ours and self.parameters) or preset_parameters(self.preset, size)
        self._set("parameters", p)
        if not isinstance(p, Parameters):
            raise TypeError(f"parameters={p!r}: expected Parameters; Config.of takes them by name.")
        if not isinstance(self.dataset, str | Path) or not is_text(str(self.dataset) or None):
            raise TypeError(f"dataset={self.dataset!r}: expected a name or a path, in Unicode.")
        self._set("dataset", str(self.dataset))
        if self.interim_labels is None:
            online = ours and self.preset == "annealed"
            self._set("interim_labels", "online" if online else "assigned")
        for name, kind in _CHOICES.items():
            value, choices = getattr(self, name), get_args(kind)
            require(value in choices, name, value, f"one of {', '.join(choices)}")
        if self.readout is None:
            self._set("readout", preset_readout(self.preset) if ours else "dominant")
        elif self.readout not in ("dominant", "evidence"):  # --help must not need the table of all
            from ..estimators.readout import readout_rule

            readout_rule(self.readout)
        for name, bounds in _BOUNDS.items():
            if name not in _MAY_BE_NONE or getattr(self, name) is not None:
                self._set(name, whole(name, getattr(self, name), *bounds))
        for name in ("twin", "fit_threshold"):
            value = getattr(self, name)
            require(isinstance(value, bool), name, value, "true or false")
        s = self.checkpoint_seconds
        positive = isinstance(s, numbers.Real) and 0 < s < 1e9
        require(positive, "checkpoint_seconds", s, "a number of seconds above 0")
        require(self.n_jobs != 0, "n_jobs", 0, "1 or more threads, or -1 for all cores")
        if self.classes is not None:
            named = self.stream == OWN  # whose classes may have names
            self._set("classes", tuple(self.classes) if named else whole_classes(self.classes))
        check_together(self)

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """A configuration from settings by name, the model's constants among them.

        Constants start from the preset's. This is what the command line and TOML files use.
        """
        own = {f.name for f in fields(cls)} - {"parameters"}
        constants = {name: settings.pop(name) for name in MODEL_FIELDS if name in settings}
        for name in settings:
            if name not in own:
                raise ValueError(unknown_setting(name, [*own, *MODEL_FIELDS]))
        check_given(settings, list(constants))
        if "threshold" in constants:
            settings.setdefault("fit_threshold", False)
        bare = cls(**settings)
        return replace(bare, parameters=replace(bare.parameters, **constants))

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> Self:
        """A configuration from a TOML file, with settings of your own on top.

        Settings stand at the top or in a table of any name (``[experiment]``, ``[parameters]``);
        dashes count as underscores.
        """
        settings = read_settings(Path(path))
        try:
            return cls.of(**{**settings, **overrides})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from error

    @classmethod
    def from_json(cls, document: Mapping[str, Any], rule: Rule | None = None) -> Self:
        """The configuration that :meth:`to_json` wrote; ``rule`` if it has a rule of one's own."""
        from ..interchange import parameters_from_json

        known, given = {field.name for field in fields(cls)}, document.keys()
        later = {"layer", "label_column", "learner", "stream", "fit_threshold"}
        for name in (given - known) | (known - later - given):
            raise ValueError(f"config.{name:.60} is missing, or not known to this version.")
        own = document["parameters"]  # other learners have none
        parameters = parameters_from_json(own, rule) if own else None
        return cls(**{**document, "parameters": parameters})

    def to_json(self) -> dict[str, Any]:
        """The configuration in numbers, strings, lists and dictionaries."""
        from ..interchange import parameters_to_json

        document = {field.name: getattr(self, field.name) for field in fields(self)}
        ours = self.learner == "cfn"
        document["parameters"] = parameters_to_json(self.parameters) if ours else {}
        if self.classes is not None:
            document["classes"] = list(self.classes)
        return document

    def resolved(self, data: Dataset) -> Self:
        """The same with what only the data can tell: the classes, where files lie, a threshold."""
        from ..data.registry import BUILT_IN, REMOTE

        warn_of_blank_samples(data)
        dataset, parameters = self.dataset, self.parameters
        if dataset not in (
            *BUILT_IN,
            *REMOTE,
        ):  # a run may be resumed from another working directory
            dataset = str(Path(dataset).expanduser().resolve())
        if self.fit_threshold:
            from ..theory import auto_threshold

            found = auto_threshold(data.X_train, self.neurons, complete=True, parameters=parameters)
            parameters = replace(parameters, threshold=found)
        known: dict[str, Any] = {"dataset": dataset, "layer": self.layer_for(data)}
        classes = known_classes(self.classes, data)
        return replace(self, **known, classes=classes, parameters=parameters, fit_threshold=False)

    def layer_for(self, data: Dataset) -> FirstLayer:
        """The first layer: signed samples get one if none is named."""
        return "on-off" if self.layer == "none" and hasattr(data, "layer") else self.layer

    def interleaved_twin(self) -> Self:
        """The same experiment with all classes mixed."""
        return replace(self, order="interleaved", stream="classes", twin=False)

    def command(self, out: str | Path | None = None) -> list[str]:
        """The command line that runs this experiment again.

        >>> import shlex
        >>> shlex.join(Config.of(dataset="digits", threshold=15.0, twin=True).command())
        'lethenet run --dataset digits --twin --threshold 15.0'
        """
        from .command_line import command_line

        return command_line(self, out)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
