"""Have the neurons of a finished run named: what to ask, what was answered, and what it bought.

Answers are kept in ``labels.csv`` of the run directory, a line ``neuron,label`` each; an empty label means
that there was no answer. Of several lines for a neuron the last one counts. The run itself stays as it is.
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._limits import check_file
from ..data import load
from .config import Config
from .reading import read_run

if TYPE_CHECKING:
    from ..data import Dataset

LABELS, LABELLED = "labels.csv", "labelled.safetensors"
"""Answers, and the model that has learned them, in the run directory."""
LIKE = 10
"""A neuron's picture is the mean of so many samples, those most like it."""
_LOOKED_AT = 10_000  # training samples among which these are sought
_HEADER = ["neuron", "label"]
MOST_CSV_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Question:
    """A neuron to be named, and its picture (rows of a grey image, 0 to 1), if it has one."""

    neuron: int
    picture: np.ndarray | None


class Labelling:
    """A finished run whose neurons are being named.

    Parameters
    ----------
    folder : path
        The directory of a finished run that learned with ``links``.
    answers : path, optional
        A CSV file of further answers, ``neuron,label``.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.lifelong import run
    >>> config = Config.of(dataset="digits", neurons=40, threshold=15.0, links=8, train_per_class=40)
    >>> labelling = Labelling(run(config, tempfile.mkdtemp() + "/run").folder)
    >>> first, second = labelling.ask(2)
    >>> labelling.answer(first.neuron, "7")
    >>> labelling.answer(second.neuron, "")
    >>> labelling.n_labels, labelling.accuracy() > 0
    (1, True)
    """

    def __init__(
        self, folder: str | os.PathLike[str], answers: str | os.PathLike[str] | None = None
    ) -> None:
        from ..saving import load as load_model

        self.folder = Path(folder)
        document = read_run(self.folder)
        model = load_model(self.folder)
        self._layers = model[:-1] if hasattr(model, "steps") else None
        self._classifier: Any = model[-1] if hasattr(model, "steps") else model
        self._model = model
        if not self._classifier.network_.state.link_partners.shape[1]:
            raise ValueError(
                f"{self.folder} has learned without links between neurons, over which labels would "
                "spread: run it with --links 16."
            )
        self.data = _data_of(document)
        self._test_winners: np.ndarray | None = None
        self.answers: dict[int, str] = {}
        for path in (self.folder / LABELS, answers):
            if path is not None and (path == answers or Path(path).exists()):
                self.answers |= read_answers(path, self._classifier.network_.state.n_neurons)
        self._teach()

    @property
    def n_labels(self) -> int:
        """How many neurons have got a name."""
        return sum(bool(label) for label in self.answers.values())

    def ask(self, n: int) -> list[Question]:
        """The next n neurons to be named; fewer, or none, if there is nothing left to learn by that."""
        neurons = self._classifier.ask(n).numbers
        return list(map(Question, neurons.tolist(), self.pictures(neurons)))

    def answer(self, neuron: int, label: str) -> None:
        """Take the answer to a question; an empty one is none, and the neuron is not asked for again."""
        self.answers[neuron] = label.strip()
        self._teach()

    def save(self) -> Path:
        """Write answers and model into the run directory; the path of the model."""
        from ..interchange import replacing
        from ..saving import save

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([_HEADER, *self.answers.items()])
        with replacing(self.folder / LABELS) as draft:
            draft.write_text(text.getvalue(), "utf-8")
        save(self._model, self.folder / LABELLED)
        return self.folder / LABELLED

    def accuracy(self) -> float | None:
        """The share of test samples that are recognised; None without any of such classes."""
        model = self._classifier
        if self.data is None or not self.n_labels or model.classes_.dtype.kind not in "iu":
            return None
        from ..estimators.readout import decide

        if self._test_winners is None:
            X = self._features(self.data.X_test)
            self._test_winners = model.network_.recognise(X, n_threads=os.cpu_count() or 1).winners
        guesses = model.classes_[decide(self._test_winners, *model.decision_inputs())]
        truth = [self.data.name_of(label) for label in self.data.y_test.tolist()]
        return float(np.mean(guesses == np.array(truth)))

    def pictures(self, neurons: np.ndarray) -> list[np.ndarray | None]:
        """Pictures of neurons: the mean of the training samples most like them; else their weights."""
        weights = self._classifier.weights_[neurons]
        if self.data is not None and self.data.image_shape is not None:
            channels = (*self.data.image_shape, 1)[2]
            shown = self.data.X_train[:: -(-len(self.data.X_train) // _LOOKED_AT)]
            features = np.asarray(self._features(shown), np.float64)
            lengths = np.linalg.norm(features, axis=1)
            likeness = weights @ (features / np.where(lengths > 0, lengths, 1)[:, None]).T
            most = np.argsort(-likeness, axis=1, kind="stable")[:, :LIKE]
            images = shown[most].mean(axis=1).reshape(-1, *self.data.image_shape[:2], channels)
            images = images.mean(axis=3)
        elif self._layers is None and int(weights.shape[1] ** 0.5) ** 2 == weights.shape[1]:
            images = weights.reshape(len(weights), int(weights.shape[1] ** 0.5), -1)
        else:
            return [None] * len(neurons)
        return [image / max(float(image.max()), 1e-12) for image in images]

    def _features(self, X: np.ndarray) -> np.ndarray:
        return X if self._layers is None else np.asarray(self._layers.transform(X))

    def _teach(self) -> None:
        """Give the model the answers, and nothing else."""
        model = self._classifier
        n = model.network_.state.n_neurons
        model.classes_ = model.class_counts_ = np.zeros(0, np.int64)
        model.label_counts_, model.asked_ = np.zeros((n, 0), np.int64), np.zeros(n, bool)
        whole = all(label.isdecimal() for label in self.answers.values() if label)
        labels = [None if not a else int(a) if whole else a for a in self.answers.values()]
        if labels:
            model.teach(list(self.answers), labels)


def read_answers(path: str | os.PathLike[str], n_neurons: int) -> dict[int, str]:
    """The answers in a CSV file, checked; ValueError with the line that is wrong.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("neuron,label\\n3,cat\\n5,\\n3,dog\\n")
    >>> read_answers(path, n_neurons=6)
    {3: 'dog', 5: ''}
    """
    answers: dict[int, str] = {}
    check_file(path, MOST_CSV_BYTES)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a CSV file: {error}.") from error
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[:2] == _HEADER):
            continue
        if (
            len(cells) != 2
            or not cells[0].isdecimal()
            or len(cells[0]) > 9
            or int(cells[0]) >= n_neurons
        ):
            raise ValueError(
                f"{path}, line {number}: {','.join(row)!r}; expected neuron,label with a neuron from 0 to "
                f"{n_neurons - 1}."
            )
        answers[int(cells[0])] = cells[1]
    return answers


def _data_of(document: dict[str, Any]) -> Dataset | None:
    """The data set of a run as it is before any layer, if it can still be had: it goes without."""
    try:
        config = Config.from_json(document["config"])
        data = load(config.dataset, label_column=config.label_column)
        data = data.limited(config.train_per_class, config.test_per_class)
    except (OSError, ValueError, KeyError):
        return None
    train, test = (np.isin(y, list(config.classes or ())) for y in (data.y_train, data.y_test))
    return data.rows(train, test)
