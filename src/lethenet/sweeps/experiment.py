"""An experiment of a sweep, with everything that decides its outcome and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from ..lifelong.config import MODEL_FIELDS, Config
from ..lifelong.setting_checks import require
from ..model.parameters import Parameters, Stdp

Evaluate = Literal["end", "each task"]

_NOT_SWEPT = {
    "label_column": "call the column label, or let it be the last",
    "twin": "add order = interleaved as a value of its own",
    "stream": "a sweep takes one class per task, or all mixed",
    "learner": "a sweep takes the network",
    "readout": "each result holds the accuracies of all",
    "interim_labels": "its evaluations assign labels; label_per_class makes them cheaper",
    "n_jobs": "an experiment computes on one core, and a sweep on many of them",
    "checkpoint_seconds": "a sweep that is stopped loses only its running experiments",
    "checkpoint_samples": "a sweep that is stopped loses only its running experiments",
}

_LATER = {"layer": "none", "fit_threshold": False}
CONFIG_FIELDS = tuple(f.name for f in fields(Config) if f.name not in ("parameters", *_NOT_SWEPT))
OWN = ("evaluate", "validation", "label_per_class")
SETTINGS = (*CONFIG_FIELDS, *OWN, *MODEL_FIELDS)
"""The names of all settings of an experiment: each can be an axis of a grid."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One experiment of a sweep.

    Parameters
    ----------
    config : Config
        What is learned and how. Its ``twin``, ``readout``, ``n_jobs`` and checkpoints must be left
        alone: they do not decide the outcome.
    evaluate : {"end", "each task"}, default="end"
        Label and test the network once, after the last task, or after each one.
    validation : int, default=0
        Test on so many training samples of each class, the last ones, which are not learned. For
        choosing constants without a look at the test samples; 0 tests on those.
    label_per_class : int or None, default=None
        Assign labels with the first so many training samples of each class instead of all, which
        makes evaluations cheaper. Training accuracy is that of these samples, then.

    Examples
    --------
    >>> experiment = Experiment.of(dataset="digits", neurons=50, threshold=15, seed=3)
    >>> experiment.config.parameters.threshold, experiment.evaluate
    (15.0, 'end')
    >>> Experiment.from_json(experiment.to_json()) == experiment
    True
    """

    config: Config
    evaluate: Evaluate = "end"
    validation: int = 0
    label_per_class: int | None = None

    def __post_init__(self) -> None:
        """Check every value."""
        default = Config(preset=self.config.preset)
        for name, why in _NOT_SWEPT.items():
            if getattr(self.config, name) != getattr(default, name):
                raise ValueError(f"{name} is not a setting of a sweep: {why}.")
        rule = self.config.parameters.stdp
        if not isinstance(rule, str):
            raise TypeError(
                f"stdp={rule!r}: a sweep takes rules by name ({', '.join(get_args(Stdp))}), because it "
                "writes its settings down; a rule of your own runs in lethenet.model.Network."
            )
        known, held, labels = get_args(Evaluate), self.validation, self.label_per_class
        require(self.evaluate in known, "evaluate", self.evaluate, f"one of {', '.join(known)}")
        fine = type(held) is int and held >= 0
        require(fine, "validation", held, "a number of samples per class, 0 for the test samples")
        fine = labels is None or (type(labels) is int and labels >= 1)
        require(fine, "label_per_class", labels, "1 or more samples per class, or nothing for all")

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """An experiment from settings by name, the model's constants among them."""
        own = {name: settings.pop(name) for name in OWN if name in settings}
        for name, why in _NOT_SWEPT.items():
            if name in settings:
                raise ValueError(f"{name} is not a setting of a sweep: {why}.")
        if settings.get("layer", "none") == "none":  # as keys have it: a preset's own threshold
            settings.setdefault("fit_threshold", False)
        return cls(config=Config.of(**settings), **own)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The experiment that :meth:`to_json` wrote."""
        settings = dict(document)
        own = {name: settings.pop(name) for name in OWN if name in settings}
        parameters = Parameters(**settings.pop("parameters"))
        return cls(config=Config(**settings, parameters=parameters), **own)

    def to_json(self) -> dict[str, Any]:
        """The experiment in numbers, strings, lists and dictionaries."""
        document: dict[str, Any] = {name: getattr(self.config, name) for name in CONFIG_FIELDS}
        for name, neutral in _LATER.items():
            if document[name] == neutral:  # keys from before it was there stay
                del document[name]
        if self.config.classes is not None:
            document["classes"] = list(self.config.classes)
        document |= {"evaluate": self.evaluate, "validation": self.validation}
        if self.label_per_class is not None:  # else left out: keys from before it was there stay
            document["label_per_class"] = self.label_per_class
        return {**document, "parameters": asdict(self.config.parameters)}

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name, the model's constants among them."""
        own = {name: getattr(self, name) for name in OWN}
        config = {name: getattr(self.config, name) for name in CONFIG_FIELDS}
        return {**config, **own, **asdict(self.config.parameters)}

    @property
    def key(self) -> str:
        """A hash of everything that decides the outcome: equal keys, equal results.

        Settings are resolved first: a preset or the same constants given by name, all classes or
        their list, make no difference. The data count by content, and what the network does by
        its :func:`.behaviour`.

        >>> experiment = Experiment.of(dataset="digits", preset="paper")
        >>> experiment.key == Experiment.of(dataset="digits", preset="paper", threshold=13.5).key
        True
        """
        from .fingerprint import key_of

        return key_of(self)

    def resolved(self) -> Self:
        """The same with what only the data can tell: which classes there are, where a file lies."""
        from .samples import dataset

        # the threshold is fitted where the experiment runs: its key must not need the features
        config = replace(self.config, fit_threshold=False).resolved(dataset(self.config.dataset))
        return replace(self, config=replace(config, fit_threshold=self.config.fit_threshold))
