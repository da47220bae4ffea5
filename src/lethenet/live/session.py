"""A session: the networks on the page, the stream they learn from, and all that was done to them.

Everything that changes a network is a command, and the session's log holds each with the number of samples
that the stream had given before. So a log can be replayed (:func:`.log.replay`) to the same bits.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..data import Dataset
from ..saving import load, save
from .learner import Learner
from .log import Log
from .presentation import present
from .stream import Stream
from .testing import Tests

COMMANDS = ("new", "alone", "change", "stream", "choose", "recognise", "learn", "name", "load")
"""What changes a network, or is needed to understand a later change."""
MOST_CLASSES, LONGEST_NAME = 64, 24


class Session:
    """One or two networks, given by their settings, that meet the same stream and the same drawings.

    >>> from lethenet.data import load
    >>> session = Session(load("digits"), [{"neurons": 20, "threshold": 15.5}])
    >>> session.advance(64)
    >>> session.do({"do": "choose", "name": "7"})
    >>> session.advance(1)
    >>> session.stream.phase, session.n_streamed
    ('7', 65)
    """

    def __init__(
        self, data: Dataset, networks: Sequence[Mapping[str, Any]] = ({},), *, seed: int = 0
    ) -> None:
        self.data, self.seed, self.now = data, seed, data.X_train[0]
        self.log = Log({"dataset": data.name, "seed": seed})
        self.stream = Stream(data, seed=seed)
        self.n_streamed = self.n_presented = 0
        self.do({"do": "new", "networks": [dict(settings) for settings in networks]})

    def do(self, command: Mapping[str, Any]) -> None:
        """Carry out a command and write it down; ValueError, and nothing has happened, if it is wrong."""
        arguments = dict(command)
        name = arguments.pop("do", None)
        if name not in COMMANDS:
            known = ", ".join(COMMANDS)
            raise ValueError(f"{name!r:.40} is not a command: expected one of {known}.")
        self.log.check_room()
        try:
            getattr(self, f"_{name}")(**arguments)
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"{name} cannot be done like this: {error}") from error
        if name == "new":  # a threshold that was looked for is looked for once
            command = {**command, "networks": [learner.settings for learner in self.learners]}
        self.log.write({"at": self.n_streamed, **command})

    def advance(self, n: int, *, watched: bool = False) -> None:
        """Learn the next samples of the stream, at most n; a single one can be watched from inside."""
        X, y = self.stream.take(n)
        if self.stream.test is not self.tests.source:
            self.tests.take(self.stream.test)
        names, novel, first = y.astype(str), [], self.learners[0]
        for learner in self.learners:
            if watched and len(X) == 1 and learner is first and learner.ours:
                self._present(X[0], learn=True, name=names[0])
                novel.append(int(self.last["imprint"] >= 0))
            else:
                novel.append(learner.learn(X, names))
        self.n_streamed, self.now = self.n_streamed + len(X), X[-1]
        self.tests.note(self.samples, y, novel)

    @property
    def samples(self) -> int:
        """How many samples of the stream these networks have learned."""
        return self.n_streamed - self._begun

    def digest(self) -> str:
        """What a replay must end with."""
        return " ".join(learner.digest() for learner in self.learners)

    def save(self, path: Path) -> None:
        """Write the first network with its names to a model file."""
        save(self.learners[0].saved(), path)

    def _new(self, networks: Sequence[Mapping[str, Any]]) -> None:
        if not isinstance(networks, list) or not 1 <= len(networks) <= 2:
            raise ValueError("expected the settings of one or two networks.")
        made = [Learner.made(self.data, settings, self.seed) for settings in networks]
        if not made[0].ours:
            raise ValueError(f"{made[0].title} can only stand beside another network.")
        self.stream = Stream(self.data, self.stream.kind, self.stream.turn, self.seed)
        self._start(made)

    def _start(self, learners: list[Learner]) -> None:
        self.learners = learners
        self.last: dict[str, Any] = {}
        self.classes = [str(label) for label in self.data.classes]
        self.tests = Tests(self.data, self.stream.test, len(learners))
        self.n_presented, self._begun = self.n_presented + 1, self.n_streamed

    def _alone(self) -> None:
        del self.learners[1:]

    def _change(self, settings: Mapping[str, Any]) -> None:
        self.learners[0].change(settings)

    def _stream(self, kind: str, turn: int) -> None:
        self.stream = Stream(self.data, kind, turn, self.seed)

    def _choose(self, name: str) -> None:
        known = {str(label): label for label in self.data.classes}
        if name not in known:
            raise ValueError(f"{name!r:.40} is no class of {self.data.name}.")
        self.stream.choose(known[name])

    def _recognise(self, image: str) -> None:
        x = self._decoded(image)
        self._present(x, learn=False)
        for learner in self.learners[1:]:
            answer = ["nothing"]
            if len(learner.model.classes_):
                answer = learner.model.predict(learner.features(x[None]))
            self.last["others"].append(str(answer[0]))

    def _learn(self, image: str) -> None:
        x = self._decoded(image)
        self._present(x, learn=True)
        for learner in self.learners[1:]:
            learner.learn(x[None], [None])

    def _name(self, name: str) -> None:
        name = " ".join(name.split())
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise ValueError(f"a name has 1 to {LONGEST_NAME} letters.")
        if not self.last.get("drawn"):
            raise ValueError("draw something first, and let it be recognised or learned.")
        if name not in self.classes and len(self.classes) >= MOST_CLASSES:
            raise ValueError(f"there are {MOST_CLASSES} classes already.")
        imprint, first = self.last["imprint"], self.learners[0]
        for learner in self.learners:
            new = learner is first and imprint >= 0  # its neuron is nothing else
            what = np.array([imprint]) if new else learner.features(self.drawn[None])
            if learner.ours:
                learner.model.teach(what, name)
        self.classes += [name] if name not in self.classes else []
        self.last = {**self.last, "name": name}
        self.n_presented += 1

    def _load(self, model: str) -> None:
        """Take a model file, as base64, in place of all networks."""
        with tempfile.TemporaryDirectory(prefix="lethenet-") as folder:
            path = Path(folder) / "model.safetensors"
            path.write_bytes(base64.b64decode(model, validate=True))
            try:
                learner = Learner.of_model(load(path), self.data)
            except ValueError as error:
                raise ValueError(str(error).replace(str(path), "the file")) from None
        names = [str(name) for name in learner.model.classes_]
        if len(names) > MOST_CLASSES or any(len(name) > LONGEST_NAME for name in names):
            raise ValueError(f"the model has {len(names)} classes: too many, or of too long names.")
        self._start([learner])
        self.classes += [name for name in names if name not in self.classes]
        self.tests.met = {label for label in self.data.classes if str(label) in names}

    def _present(self, x: np.ndarray, *, learn: bool, name: str | None = None) -> None:
        self.last, self.drawn = present(self.learners[0], x, learn=learn, name=name), x
        self.n_presented += 1

    def _decoded(self, image: str) -> np.ndarray:
        pixels = np.frombuffer(base64.b64decode(image, validate=True), np.uint8)
        if len(pixels) != self.data.n_features or not pixels.any():
            n = self.data.n_features
            raise ValueError(f"expected a drawing of {n} bytes that is not blank.")
        return pixels
