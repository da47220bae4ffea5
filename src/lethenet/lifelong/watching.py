"""A network that watches lines from outside: a line in, an answer out.

What a :class:`Watcher` knows depends on the lines alone, not on when or how they arrive. Its state is one
file: the model, how far the input was read, and the lines that still wait for the threshold to be settled.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Self

import numpy as np

from ..data.lines import BadLineError, LineFormat, Sample
from ..estimators import ControlledForgettingClassifier, make_pipeline
from ..estimators.readout import dominant_classes
from ..interchange import read_arrays, write_arrays
from ..layers import OnOff
from ..saving import load, save
from ..theory import auto_threshold
from .watch_settings import Progress, WatchSettings

FORMAT = "lethenet-watch"
"""Of a state without a model: nothing is settled yet."""
MOST_WEIGHTS, MOST_CLASSES = 2**28, 1000
"""A line that asks for more is a bad one."""
SIGNED = 0.1
"""If more of the first samples have a negative number, samples are signed; if fewer, these are mistakes."""
Answers = list[dict[str, Any]]


class Watcher:
    """Learns from lines and answers each.

    Parameters
    ----------
    model : fitted classifier, or pipeline of lethenet's layers that ends in one, optional
        What to go on with. Otherwise a new one begins, by the settings.
    frozen : bool, default=False
        Only answer, do not learn.
    say, on_bad : callable, optional
        Hear, in a sentence, what the first samples settled; and of lines that cannot be used, by number and
        :class:`lethenet.data.lines.BadLineError`.
    **settings
        Those of :class:`WatchSettings`.

    Attributes
    ----------
    model : estimator, None until the first samples have settled what it is
    progress : Progress

    Examples
    --------
    >>> from lethenet.lifelong import Watcher
    >>> watcher = Watcher(neurons=4, threshold=14.0, layer="none")
    >>> [answer] = watcher.take(b'{"x": [9, 0, 0, 0, 0, 1], "id": 17}')
    >>> answer["line"], answer["id"], answer["novel"]
    (1, 17, True)
    >>> watcher.take(b"what?"), watcher.progress.bad
    ([], {'json': 1})
    """

    def __init__(
        self,
        *,
        model: Any = None,
        frozen: bool = False,
        say: Callable[[str], None] = lambda text: None,
        on_bad: Callable[[int, BadLineError], None] = lambda number, bad: None,
        **settings: Any,
    ) -> None:
        self.settings = given = WatchSettings(**settings)
        self.model, self.frozen, self._say, self._on_bad = model, frozen, say, on_bad
        self.progress = Progress()
        keep = [name.strip() for name in given.keep.split(",")]
        self.lines = LineFormat(given.format, given.label, keep)
        self._waiting: list[tuple[int, bytes]] = []
        self._widths: Counter[int] = Counter()  # of those that wait
        self._labels: set[str] = set()
        self._width, self._signed = 0, given.layer != "none"
        if frozen and model is None:
            raise ValueError("frozen, but nothing was learned yet: give a state or a model.")
        if model is not None:
            if not isinstance(self.classifier, ControlledForgettingClassifier):
                raise ValueError(f"{self.classifier!r:.60} cannot watch: expected a classifier.")
            _make_text(self.classifier)
            self._labels = set(self.classifier.classes_.tolist())
            self._width = model.n_features_in_
            self._signed = model is not self.classifier and isinstance(model[0], OnOff)

    @classmethod
    def open(cls, path: str | os.PathLike[str], **arguments: Any) -> Self:
        """Go on where the watcher was that saved this state; settings, if given, must be the same."""
        arrays, metadata = read_arrays(path)
        model = None if metadata.get("format") == FORMAT else load(path)
        notes = metadata.get("watch")
        if not isinstance(notes, dict):
            raise ValueError(f"{path} is no state: begin with it as --model, and another --state.")
        try:
            kept = WatchSettings(**notes["settings"])
            for name in vars(kept).keys() & arguments:
                asked = getattr(WatchSettings(**{name: arguments.pop(name)}), name)
                if asked != getattr(kept, name):
                    raise ValueError(
                        f"it was begun with {name}={getattr(kept, name)!r}, not {asked!r}"
                    )
            watcher = cls(model=model, **arguments, **notes["settings"])
            watcher.progress = Progress(**notes["progress"])
            watcher.lines = known = LineFormat(**notes["lines"])
            words = (known.kind, known.label, known.delimiter, *known.keep, *(known.columns or ()))
            if not all(isinstance(word, str) for word in words):
                raise ValueError(f"{known} is not possible")
            if "waiting.lines" in arrays:
                lines = arrays["waiting.lines"].tobytes().split(b"\n")
                for number, line in zip(arrays["waiting.numbers"].tolist(), lines, strict=True):
                    watcher._wait(number, line)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} cannot be used: {error}") from error
        return watcher

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state, atomically; once there is a model, ``lethenet.load`` reads it as that."""
        parts: dict[str, Any] = {"settings": self.settings, "lines": self.lines}
        parts["progress"] = self.progress
        notes = {"watch": {name: asdict(part) for name, part in parts.items()}}
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
        """Samples that wait until there are enough of them to settle the rest."""
        return len(self._waiting)

    def take(self, line: bytes | None, size: int | None = None) -> Answers:
        """Answer a line, without its end, None if it was too long; and those that waited for it.

        ``size`` is how many bytes it took, with its end.
        """
        progress = self.progress
        progress.lines += 1
        progress.bytes += len(line or b"") + 1 if size is None else size
        sample = self._sample(progress.lines, line)
        if sample is None or line is None:
            return []
        if self.model is not None:
            return [self._answer(progress.lines, sample)]
        return self.settle() if self._wait(progress.lines, line) else []

    def _wait(self, number: int, line: bytes) -> bool:
        """Let a sample wait; whether enough do: so many of one width, or twice as many of any."""
        self._waiting.append((number, line))
        sample = self.lines.parse(line)
        self._widths[0 if sample is None else len(sample.values)] += 1
        given = self.settings
        needed = given.settle if "auto" in (given.threshold, given.layer) else 1
        return max(self._widths.values()) >= needed or len(self._waiting) >= 2 * needed

    def settle(self) -> Answers:
        """Settle what is not settled yet by the samples that wait, and answer them."""
        waiting, self._waiting = self._waiting, []
        first = [self.lines.parse(line) for _, line in waiting]
        self._begin([sample.values for sample in first if sample is not None])
        samples = [(number, self._sample(number, line)) for number, line in waiting]
        return [self._answer(n, sample) for n, sample in samples if sample is not None]

    def _begin(self, values: list[np.ndarray]) -> None:
        """A new model, by what most of these samples have in common."""
        given = self.settings
        width = self._widths.most_common(1)[0][0]
        X = np.stack([row for row in values if len(row) == width])
        positive = X.min(axis=1) >= 0
        signed = given.layer == "on-off" or (given.layer == "auto" and positive.mean() < 1 - SIGNED)
        layers = [OnOff().fit(X)] if signed else []
        X = layers[0].transform(X) if signed else X[positive]
        threshold = given.threshold
        if threshold == "auto":
            threshold = auto_threshold(X, given.neurons, parameters=given.parameters(1.0))
        classifier = ControlledForgettingClassifier.from_preset(
            given.preset, n_neurons=given.neurons, threshold=threshold, random_state=given.seed
        )
        self.model = make_pipeline(*layers, classifier) if layers else classifier
        self._width, self._signed = width, signed
        on_off = ", signed, so each is an on and an off input" if signed else ""
        self._say(f"{width} numbers a sample{on_off}; threshold {threshold:g}.")

    def _sample(self, number: int, line: bytes | None) -> Sample | None:
        """What a line says, if that can be used."""
        try:
            if line is None:
                raise BadLineError("long", "longer than a line may be")
            sample = self.lines.parse(line)
            if sample is not None:
                self._check(sample)
            return sample
        except BadLineError as bad:
            self.progress.bad[bad.reason] = self.progress.bad.get(bad.reason, 0) + 1
            self._on_bad(number, bad)
            return None

    def _check(self, sample: Sample) -> None:
        """BadLineError if the network cannot take a sample."""
        values, label = sample.values, sample.label
        most = self._width or MOST_WEIGHTS // (2 * self.settings.neurons)
        if len(values) > most or len(values) < self._width:
            raise BadLineError("width", f"{len(values)} numbers, expected {most}")
        if not self._signed and values.min() < 0:
            raise BadLineError("negative", f"{values.min()} is negative: that needs --layer on-off")
        if not values.any():
            raise BadLineError("blank", "all numbers are 0")
        if label is not None and self.model is not None and label not in self._labels:
            if len(self._labels) >= MOST_CLASSES:
                raise BadLineError("label", f"more than {MOST_CLASSES} classes")
            self._labels.add(label)

    def _answer(self, number: int, sample: Sample) -> dict[str, Any]:
        """What the network takes a sample for; then it learns it, unless it is frozen."""
        x, classifier, overwritten = sample.values, self.classifier, None
        if self.model is not classifier:
            x = self.model[:-1].transform(x[None])[0]
        classes = getattr(classifier, "classes_", ())
        took_for = classifier.predict_one(x) if len(classes) else None
        if self.frozen:
            seen = classifier.network_.recognise(x[None])
            winners, novel = seen.winners[0].tolist(), bool(seen.raises[0])
            neuron = max(winners, key=winners.count)
            surprise = 1 - classifier.score_one(x)
        else:
            stood_for = dominant_classes(classifier.label_counts_) if len(classes) else ()
            learned = classifier.learn_one(x, sample.label)
            neuron, novel, surprise = learned.neuron, learned.novel, learned.surprise
            if learned.overwritten >= 0:
                known = len(classes) and stood_for[neuron] >= 0
                was = str(classes[stood_for[neuron]]) if known else None
                overwritten = {"answer": was, "spikes": learned.overwritten}
        self.progress.answers += 1
        self.progress.novel += novel
        return {
            **sample.kept,
            "line": number,
            "answer": took_for,
            "label": sample.label,
            "neuron": neuron,
            "novel": novel,
            "surprise": round(surprise, 6),
            "overwritten": overwritten,
        }


def _make_text(classifier: Any) -> None:
    """Labels from outside are text: let a classifier's classes be, too."""
    if not len(classifier.classes_):
        return
    names = np.array([str(label) for label in classifier.classes_.tolist()])
    order = np.argsort(names)
    classifier.classes_, classifier.class_counts_ = names[order], classifier.class_counts_[order]
    classifier.label_counts_ = classifier.label_counts_[:, order]
