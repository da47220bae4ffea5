"""A network that watches lines from outside: a line in, an answer out.

What a :class:`Watcher` knows depends on the lines alone, not on when or how they arrive. Its state is one
file: the model, how far the input was read, and the lines that still wait for the threshold to be settled.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from ..data.line_reader import Line
from ..data.lines import BadLine, LineFormat, Sample
from ..estimators import ControlledForgettingClassifier, make_pipeline
from ..estimators.readout import decide, dominant_classes, voted
from ..interchange import read_arrays, write_arrays
from ..layers import OnOff
from ..model import Network, Parameters, Presented, initial_state, preset_parameters, preset_readout
from ..saving import load, save
from ..theory import auto_threshold

FORMAT = "lethenet-watch"
"""Of a state without a model: nothing is settled yet."""
MOST_WEIGHTS, MOST_CLASSES = 2**28, 1000
"""A line that asks for more is a bad one."""
SIGNED = 0.1
"""If more of the first samples have a negative number, samples are signed; if fewer, these are mistakes."""


@dataclass(frozen=True)
class WatchSettings:
    """How a watcher begins; its state keeps them. ``lethenet watch --help`` says what they mean."""

    neurons: int = 400
    preset: str = "annealed"
    seed: int = 0
    threshold: float | str = "auto"
    layer: str = "auto"
    settle: int = 200
    format: str = "auto"
    label: str | None = None
    keep: str = "id,time"
    features: str = ""

    def __post_init__(self) -> None:
        for name, least in (("neurons", 1), ("seed", 0), ("settle", 2)):
            number = getattr(self, name)
            if not isinstance(number, int) or not least <= number < 2**64:
                raise ValueError(f"{name}={number!r}: expected a whole number of {least} or more.")
        for name, words in (
            ("layer", ("auto", "none", "on-off")),
            ("format", ("auto", "json", "csv")),
        ):
            if getattr(self, name) not in words:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected {', '.join(words)}.")
        self.parameters(1.0 if self.threshold == "auto" else self.threshold)

    def parameters(self, threshold: Any) -> Parameters:
        """The network's parameters with this threshold."""
        return replace(preset_parameters(self.preset, self.neurons), threshold=threshold)


@dataclass
class Progress:
    """How far the input was read, and what became of it.

    ``last_size`` and ``last_sum``, a checksum, are those of the last line: by them another file is noticed.
    """

    lines: int = 0
    bytes: int = 0
    last_size: int = 0
    last_sum: int = 0
    answers: int = 0
    novel: int = 0
    output_bytes: int | None = None
    bad: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [*self.bad.values(), *(v for k, v in vars(self).items() if k != "bad")]
        if not all(n is None or (type(n) is int and n >= 0) for n in numbers):
            raise ValueError(f"{self} is not possible.")


class Watcher:
    """Learns from lines and answers each.

    Parameters
    ----------
    model : fitted classifier, or pipeline of lethenet's layers that ends in one, optional
        What to go on with. Otherwise a new one begins, by the settings.
    frozen : bool, default=False
        Only answer, do not learn.
    on_bad : callable, optional
        Hears of lines that cannot be used: the number, and a :class:`lethenet.data.lines.BadLine`.
    on_settled : callable, optional
        Hears once, in a sentence, what was settled by the first samples.
    **settings
        Those of :class:`WatchSettings`.

    Attributes
    ----------
    model : estimator or None
        None until the first samples have settled what it is.
    progress : Progress
        How far the input was read, and what became of it.

    Examples
    --------
    >>> from lethenet.lifelong import Watcher
    >>> watcher = Watcher(neurons=4, threshold=10.0, layer="none")
    >>> [answer] = watcher.take(b'{"x": [1, 0, 2, 5], "id": 17}', b"what?")
    >>> answer["line"], answer["id"], answer["novel"]
    (1, 17, True)
    >>> watcher.progress.bad
    {'json': 1}
    """

    def __init__(
        self,
        *,
        model: Any = None,
        frozen: bool = False,
        on_bad: Callable[[int, BadLine], None] | None = None,
        on_settled: Callable[[str], None] | None = None,
        **settings: Any,
    ) -> None:
        self.settings = given = WatchSettings(**settings)
        self.model, self.frozen = model, frozen
        self.on_bad, self.on_settled = on_bad, on_settled
        self.progress = Progress()
        self.lines = LineFormat(
            given.format, given.label, _words(given.keep), list(_words(given.features)) or None
        )
        self._waiting: list[tuple[int, bytes]] = []
        if model is None:
            self._labels: set[str] = set()
            if frozen:
                raise ValueError("frozen, but nothing was learned: give a state with a model.")
        elif not isinstance(self.classifier, ControlledForgettingClassifier):
            raise ValueError(f"{self.classifier!r:.60} cannot watch: expected a classifier.")
        else:
            self._labels = set(map(str, self.classifier.classes_.tolist()))

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        frozen: bool = False,
        listeners: Any = None,
        **settings: Any,
    ) -> Self:
        """Go on where the watcher that saved this state was; or with any model file, from the start."""
        arrays, metadata = read_arrays(path)
        model = None if metadata.get("format") == FORMAT else load(path)
        notes = metadata.get("watch", {"settings": settings})
        for name, value in settings.items():
            if value != notes["settings"].get(name):
                raise ValueError(
                    f"{name}={value!r}: {path} was begun with {notes['settings'].get(name)!r}. Leave it out, "
                    "or begin anew with another state."
                )
        try:
            watcher = cls(model=model, frozen=frozen, **(listeners or {}), **notes["settings"])
            watcher.progress = Progress(**notes.get("progress", {}))
            watcher.lines = LineFormat(**notes.get("lines", asdict(watcher.lines)))
            if "waiting.lines" in arrays:
                lines = arrays["waiting.lines"].tobytes().split(b"\n")
                numbers = arrays["waiting.numbers"].tolist()
                watcher._waiting = list(zip(numbers, lines, strict=True))
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from error
        return watcher

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state, atomically: a model file that ``lethenet.load`` reads, once there is a model."""
        kept = {"settings": self.settings, "lines": self.lines, "progress": self.progress}
        notes = {"watch": {name: asdict(part) for name, part in kept.items()}}
        if self.model is not None:
            save(self.model, path, notes=notes)
            return
        arrays = {}
        if self._waiting:
            joined = b"\n".join(line for _, line in self._waiting)
            arrays["waiting.lines"] = np.frombuffer(joined, np.uint8)
            arrays["waiting.numbers"] = np.array([number for number, _ in self._waiting])
        write_arrays(path, arrays, {"format": FORMAT, **notes})

    @property
    def classifier(self) -> Any:
        """The model without its layers."""
        return self.model[-1] if hasattr(self.model, "steps") else self.model

    @property
    def n_waiting(self) -> int:
        """Samples that wait until there are enough to settle the threshold."""
        return len(self._waiting)

    def take(self, *lines: bytes) -> list[dict[str, Any]]:
        """Take lines without their ends: the answers to them, and to those that waited for them."""
        return self.read([(line, len(line) + 1) for line in lines])

    def read(self, lines: Sequence[Line]) -> list[dict[str, Any]]:
        """Take lines as a :class:`~lethenet.data.line_reader.LineReader` gives them."""
        automatic = "auto" in (self.settings.threshold, self.settings.layer)
        needed = self.settings.settle if automatic else 1
        answers, samples, progress = [], [], self.progress
        for line, size in lines:
            progress.lines += 1
            progress.bytes += size
            progress.last_size, progress.last_sum = size, zlib.crc32(line or b"")
            sample = self._sample(progress.lines, line)
            if sample is not None and self.model is not None:
                samples.append((progress.lines, sample))
            elif sample is not None and line is not None:
                self._waiting.append((progress.lines, line))
                if len(self._waiting) >= needed:
                    answers += self.settle()
        return answers + self._answers(samples)

    def settle(self) -> list[dict[str, Any]]:
        """Settle what is not settled yet by the samples that wait, and answer them."""
        waiting, self._waiting = self._waiting, []
        first = [self.lines.parse(line) for _, line in waiting]
        self._begin([sample.values for sample in first if sample is not None])
        samples = [(number, self._sample(number, line)) for number, line in waiting]
        return self._answers([(n, sample) for n, sample in samples if sample is not None])

    def _begin(self, values: list[np.ndarray]) -> None:
        """A new model, by what most of these samples have in common."""
        given = self.settings
        width = Counter(map(len, values)).most_common(1)[0][0]
        X = np.stack([row for row in values if len(row) == width])
        positive = X.min(axis=1) >= 0
        layers = []
        if given.layer == "on-off" or (given.layer == "auto" and 1 - positive.mean() > SIGNED):
            layers = [OnOff().fit(X)]
            X = layers[0].transform(X)
        else:
            X = X[positive]
        threshold = given.threshold
        if threshold == "auto":
            parameters = preset_parameters(given.preset, given.neurons)
            threshold = auto_threshold(X, given.neurons, parameters=parameters)
        classifier: Any = ControlledForgettingClassifier.from_preset(
            given.preset, n_neurons=given.neurons, threshold=threshold, random_state=given.seed
        )
        state = initial_state(given.neurons, X.shape[1], given.seed)
        classifier.network_ = Network(given.parameters(threshold), state)
        classifier.n_features_in_, classifier.threshold_ = X.shape[1], threshold
        classifier.classes_ = np.zeros(0, np.int64)
        classifier.label_counts_ = np.zeros((given.neurons, 0), np.int64)
        classifier.class_counts_ = np.zeros(0, np.int64)
        self.model = make_pipeline(*layers, classifier) if layers else classifier
        if self.on_settled is not None:
            signed = ", signed: each as an on and an off input" if layers else ""
            self.on_settled(f"{width} numbers a sample{signed}; threshold {threshold:g}.")

    def _sample(self, number: int, line: bytes | None) -> Sample | None:
        """What a line says, if that can be used."""
        try:
            if line is None:
                raise BadLine("long", "longer than a line may be")
            sample = self.lines.parse(line)
            if sample is not None:
                self._check(sample)
            return sample
        except BadLine as bad:
            self.progress.bad[bad.reason] = self.progress.bad.get(bad.reason, 0) + 1
            if self.on_bad is not None:
                self.on_bad(number, bad)
            return None

    def _check(self, sample: Sample) -> None:
        """BadLine if the network cannot take a sample."""
        values, label = sample.values, sample.label
        signed = self.settings.layer != "none"
        if self.model is None:
            if 2 * len(values) * self.settings.neurons > MOST_WEIGHTS:
                raise BadLine("width", f"{len(values)} numbers are too many")
        else:
            signed = self.model is not self.classifier and isinstance(self.model[0], OnOff)
            if len(values) != self.model.n_features_in_:
                expected = self.model.n_features_in_
                raise BadLine("width", f"{len(values)} numbers, expected {expected}")
        if not signed and values.min() < 0:
            raise BadLine("negative", f"{values.min()} is negative, which needs --layer on-off")
        if not values.any():
            raise BadLine("blank", "all numbers are 0")
        if label is not None and label not in self._labels and self.model is not None:
            self._as_class(label)
            if len(self._labels) >= MOST_CLASSES:
                raise BadLine("label", f"more than {MOST_CLASSES} classes")
            self._labels.add(label)

    def _as_class(self, label: str) -> Any:
        """A label in the type of the classes so far."""
        classes = self.classifier.classes_
        if not classes.size or classes.dtype.kind in "OUS":
            return label
        try:
            return classes.dtype.type(label)
        except ValueError:
            raise BadLine("label", f"{label!r:.40}: the classes are numbers") from None

    def _answers(self, samples: list[tuple[int, Sample]]) -> list[dict[str, Any]]:
        """Learn samples, unless frozen, and answer them."""
        if not samples:
            return []
        X = np.stack([sample.values for _, sample in samples])
        if self.model is not self.classifier:
            X = self.model[:-1].transform(X)
        network, known = self.classifier.network_, None
        if self.frozen:
            seen, known = network.recognise(X), self.classifier._known_labels()
        else:
            seen = network.learn(X)
        return [
            self._answer(number, sample, seen, row, known)
            for row, (number, sample) in enumerate(samples)
        ]

    def _answer(
        self, number: int, sample: Sample, seen: Presented, row: int, known: np.ndarray | None
    ) -> dict[str, Any]:
        classifier = self.classifier
        counts = classifier.label_counts_ if known is None else known
        imprint, fired = int(seen.imprints[row]), seen.winners[row]
        fired = fired[fired >= 0]
        natural = fired if imprint < 0 else fired[:-1]  # an imprint ends a presentation
        novel = imprint >= 0 or bool(seen.raises[row])
        neuron = imprint if novel else int(natural[0]) if len(natural) else None
        answer = {
            "line": number,
            **sample.kept,
            "answer": self._vote(natural, counts),
            **({} if sample.label is None else {"label": sample.label}),
            "neuron": neuron,
            "novel": novel,
        }
        self.progress.answers += 1
        self.progress.novel += novel
        if not self.frozen:
            if imprint >= 0:
                counts[imprint] = 0
            if sample.label is not None:
                label = self._as_class(sample.label)
                classifier._join(np.array([label]))
                column = np.searchsorted(classifier.classes_, label)
                np.add.at(classifier.label_counts_, (fired, column), 1)
                classifier.class_counts_[column] += 1
        return answer

    def _vote(self, fired: np.ndarray, counts: np.ndarray) -> Any:
        """The class of the neurons that fired by themselves, None if none of them has a label."""
        classifier, own = self.classifier, np.arange(len(fired))[None]
        counts = counts[fired]
        if not voted(own, counts)[0]:
            return None
        number = decide(own, counts, classifier.class_counts_, classifier.readout)[0]
        return classifier.classes_[number : number + 1].tolist()[0]


def _words(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(word.strip() for word in text.split(",") if word.strip())
