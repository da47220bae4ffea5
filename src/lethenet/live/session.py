"""A session: the networks on the page, the stream they learn from, and all that was done to them.

Everything that changes a network is a command, and the session's log holds each with the number of samples
that the stream had given before. So a log can be replayed (:func:`.log.replay`) to the same bits.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..data import Dataset
from ..estimators.readout import count_labels
from ..model import Network
from ..saving import load
from .learner import Learner
from .log import Log
from .presentation import Presentation, present
from .stream import Stream
from .testing import Tests

COMMANDS = ("new", "alone", "change", "stream", "choose", "recognise", "learn", "name", "load")
"""What changes a network, or is needed to understand a later change."""
MOST_CLASSES = 64
LONGEST_NAME = 24


class Session:
    """One or two networks that meet the same stream and the same drawings.

    Parameters
    ----------
    data : Dataset
        Where the stream comes from.
    networks : sequence of dict
        The settings of each network (:data:`.learner.SETTINGS`).
    seed : int
        Key of all random numbers.

    Examples
    --------
    >>> from lethenet.data import load
    >>> session = Session(load("digits"), [{"neurons": 20, "threshold": 15.5}])
    >>> session.advance(64)
    64
    >>> session.do({"do": "choose", "name": "7"})
    >>> _ = session.advance(1)
    >>> session.stream.phase, session.n_streamed
    ('7', 65)
    """

    def __init__(
        self, data: Dataset, networks: Sequence[Mapping[str, Any]] = ({},), *, seed: int = 0
    ) -> None:
        self.data, self.seed = data, seed
        self.log = Log({"dataset": data.name, "seed": seed})
        self.classes: list[str] = []
        self.learners: list[Learner] = []
        self.last: Presentation | None = None
        self.n_streamed, self.n_presented = 0, 0
        self.now: np.ndarray = data.X_train[0]
        self.stream = Stream(data, seed=seed)
        self.do({"do": "new", "networks": [dict(settings) for settings in networks]})

    def do(self, command: Mapping[str, Any]) -> None:
        """Carry out a command and write it down; ValueError, and nothing has happened, if it is wrong."""
        arguments = dict(command)
        name = arguments.pop("do", None)
        if name not in COMMANDS:
            raise ValueError(
                f"{name!r:.40} is not a command: expected one of {', '.join(COMMANDS)}."
            )
        self.log.check_room()
        try:
            getattr(self, f"_{name}")(**arguments)
        except TypeError as error:
            raise ValueError(f"{name} cannot be done like this: {error}") from error
        if name == "change":  # a threshold that was looked for is looked for once
            command = {**command, "settings": self.learners[0].settings}
        elif name == "new":
            command = {**command, "networks": [learner.settings for learner in self.learners]}
        self.log.write({"at": self.n_streamed, **command})

    def advance(self, n: int, *, watched: bool = False) -> int:
        """Learn up to n samples of the stream; how many. A single one can be ``watched`` from inside."""
        X, y = self.stream.take(n)
        labels = np.searchsorted(self.data.classes, y)
        self.tests.met[labels] = True
        if self.stream.test is not self.tests.source:
            self.tests.take(self.stream.test)
        imprints = []
        for learner in self.learners:
            if watched and len(X) == 1 and learner is self.learners[0]:
                self._present(X[0], learn=True, label=int(labels[0]))
                imprints.append(np.array([self.last.imprint if self.last else -1]))
            else:
                learned = learner.learn(X, labels)
                imprints.append(getattr(learned, "imprints", np.full(len(X), -1)))
        self.n_streamed += len(X)
        self.now = X[-1]
        self.tests.novelties(self.n_streamed, imprints)
        return len(X)

    def digest(self) -> str:
        """What a replay must end with."""
        return " ".join(learner.digest() for learner in self.learners)

    def save(self, path: Path) -> None:
        """Write the first network with its names to a model file."""
        from ..saving import save

        save(self.learners[0].model(self.classes), path)

    def _new(self, networks: Sequence[Mapping[str, Any]]) -> None:
        if not isinstance(networks, list) or not 1 <= len(networks) <= 2:
            raise ValueError("expected the settings of one or two networks.")
        if not all(isinstance(settings, dict) for settings in networks):
            raise ValueError("the settings of a network are names with values.")
        made = [Learner.made(self.data, settings, self.seed) for settings in networks]
        self.stream = Stream(self.data, self.stream.kind, self.stream.turn, self.seed)
        self.classes = [str(label) for label in self.data.classes]
        self._start(made)

    def _start(self, learners: list[Learner]) -> None:
        self.learners, self.last = learners, None
        self.drawn: list[tuple[np.ndarray, int]] = []
        self.tests = Tests(self.data, self.stream.test, len(learners))

    def _alone(self) -> None:
        del self.learners[1:]
        self.tests.keep_first()

    def _change(self, settings: Mapping[str, Any]) -> None:
        learner = self.learners[0]
        if not isinstance(learner.network, Network) or not isinstance(settings, dict):
            raise ValueError(
                "only threshold and habituation of a Controlled Forgetting Network change."
            )
        given = {
            k: settings[k] for k in ("threshold", "habituation") if settings.get(k) is not None
        }
        changed = replace(learner.network.parameters, **given)
        learner.network = Network(changed, learner.network.state)
        learner.retitle(given)

    def _stream(self, kind: str, turn: int) -> None:
        self.stream = Stream(self.data, kind, turn, self.seed)
        self.tests.take(self.stream.test)

    def _choose(self, name: str) -> None:
        known = dict(zip(map(str, self.data.classes), self.data.classes, strict=True))
        if name not in known:
            raise ValueError(f"{name!r:.40} is no class of {self.data.name}.")
        self.stream.choose(known[name])

    def _recognise(self, image: str) -> None:
        self._present(self._decoded(image), learn=False)
        self.drawn = [(self.last.winners, -1)] if self.last else []

    def _learn(self, image: str) -> None:
        x = self._decoded(image)
        self._present(x, learn=True)
        self.drawn = [(self.last.winners, self.last.imprint)] if self.last else []
        for learner in self.learners[1:]:
            learned = learner.learn(x[None], np.array([-1]))
            imprint = int(learned.imprints[0]) if learner.forgets_on_purpose else -1
            self.drawn.append((learned.winners[0], imprint))

    def _name(self, name: str) -> None:
        name = " ".join(name.split()) if isinstance(name, str) else ""
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise ValueError(f"a name has 1 to {LONGEST_NAME} letters.")
        if not self.drawn or self.last is None:
            raise ValueError("draw something first, and let it be recognised or learned.")
        if name not in self.classes:
            if len(self.classes) >= MOST_CLASSES:
                raise ValueError(f"there are {MOST_CLASSES} classes already.")
            self.classes.append(name)
        place = self.classes.index(name)
        for learner, (winners, imprint) in zip(self.learners, self.drawn, strict=False):
            learner.make_room(len(self.classes))
            if imprint >= 0:  # as much as a presentation for which it alone fires
                learner.counts[imprint] = 0
                learner.counts[imprint, place] = learner.network.parameters.n_readout_spikes
            elif learner.forgets_on_purpose:
                learner.counts += count_labels(
                    winners[None], np.array([place]), *learner.counts.shape
                )
        self.last = replace(self.last, name=name)
        self.n_presented += 1

    def _load(self, model: str) -> None:
        """Take a model file, as base64, in place of the first network."""
        with tempfile.TemporaryDirectory(prefix="lethenet-") as folder:
            path = Path(folder) / "model.safetensors"
            path.write_bytes(_decoded(model))
            try:
                found = load(path)
            except ValueError as error:
                raise ValueError(str(error).replace(str(path), "the file")) from None
        learner, names = Learner.of_model(found, self.data.n_features)
        classes = [str(label) for label in self.data.classes]
        classes += [name[:LONGEST_NAME] for name in names if name not in classes]
        if len(set(classes)) < len(classes) or len(classes) > MOST_CLASSES:
            raise ValueError(
                f"the model has {len(names)} classes: too many, or too alike, to show."
            )
        order, counts = [classes.index(name[:LONGEST_NAME]) for name in names], learner.counts
        learner.counts = np.zeros((len(counts), len(classes)), np.int64)
        learner.counts[:, order] = counts
        self.classes = classes
        self._start([learner])
        self.tests.met |= learner.counts[:, : len(self.tests.met)].any(axis=0)

    def _present(self, x: np.ndarray, *, learn: bool, label: int = -1) -> None:
        self.last = present(self.learners[0], x, self.classes, learn=learn, label=label)
        self.last = replace(self.last, others=[
            present(learner, x, self.classes, learn=False).answer for learner in self.learners[1:] if label < 0
        ])  # fmt: skip
        self.n_presented += 1

    def _decoded(self, image: str) -> np.ndarray:
        pixels = np.frombuffer(_decoded(image), np.uint8)
        if len(pixels) != self.data.n_features or not pixels.any():
            raise ValueError(
                f"expected a drawing of {self.data.n_features} bytes that is not blank."
            )
        return pixels


def _decoded(text: str) -> bytes:
    with suppress(TypeError, binascii.Error, ValueError):
        return base64.b64decode(text, validate=True)
    raise ValueError("expected base64.")
