"""The thread that owns the session: it learns in small pieces, and takes commands in between."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..model import PRESETS
from .learner import MOST_NEURONS, other_networks
from .session import COMMANDS, Session
from .stream import KINDS
from .view import View, Watched

PIECE = 128
FRAME_SECONDS = 0.05
FASTEST = 1_000_000
TEST_SHARE = 0.04
"""Of the time that is spent on tests while learning."""
WATCHED_SPEED = 4
"""Samples per second up to which each presentation is shown from inside."""

Answer = Callable[[Any], None]


class Worker(threading.Thread):
    """Owns a session. Others give it commands and look at its latest :class:`View`, nothing else."""

    def __init__(self, session: Session) -> None:
        super().__init__(name="lethenet-live", daemon=True)
        self.session = session
        self._jobs: queue.Queue[tuple[Callable[[], Any], Answer]] = queue.Queue(maxsize=256)
        self._stop_asked = threading.Event()
        self.watchers = 0
        self.view: View | None = None
        self.busy: str | None = (
            "Preparing the network. The first time on a machine takes about a minute."
        )
        self.playing, self.speed = False, 100
        self._neuron: tuple[int, int] | None = None
        self._watched: list[Watched] = []
        self._number = 0

    def ask(self, job: Callable[[], Any], answer: Answer) -> None:
        """Let something be done between two pieces; ``answer`` gets what it returns, or its error."""
        try:
            self._jobs.put_nowait((job, answer))
        except queue.Full:
            answer(ValueError("too much to do at the moment: try again."))

    def stop(self) -> None:
        """End after the piece at hand."""
        self._stop_asked.set()

    def run(self) -> None:
        """Learn, test, show and obey until the end."""
        self._quietly(self._warm_up)
        self.busy = None
        tested, learned = 0.0, 0.0
        due = shown = measured = time.perf_counter()
        samples, self._rate = self.session.n_streamed, 0.0
        while not self._stop_asked.is_set():
            now = time.perf_counter()
            if self.playing and now >= due:
                step = min(max(int(self.speed * FRAME_SECONDS), 1), PIECE)
                self._quietly(
                    lambda: self.session.advance(step, watched=self.speed <= WATCHED_SPEED)
                )
                due = max(due + step / self.speed, now - 0.2)
                learned += time.perf_counter() - now
            pending = self.session.tests.pending and self.watchers
            if pending and (not self.playing or tested < TEST_SHARE * learned):
                now = time.perf_counter()
                self._quietly(
                    lambda: self.session.tests.some(self.session.learners, self.session.n_streamed)
                )
                tested += time.perf_counter() - now
            elif not self.playing:
                tested = learned = 0.0
            if now - measured > 0.5:
                self._rate = (self.session.n_streamed - samples) / (now - measured)
                samples, measured = self.session.n_streamed, now
            if self.watchers and now - shown > FRAME_SECONDS:
                self.show()
                shown = now
            self._obey(min(max(due - now, 0.0), 0.05) if self.playing else 0.0 if pending else 0.05)

    def show(self) -> None:
        """Make a new view of what there is now."""
        session, self._number = self.session, self._number + 1
        if [watched.learner for watched in self._watched] != session.learners:
            self._watched = [Watched(learner, self._number) for learner in session.learners]
            self._neuron = None
        tests = session.tests
        networks = tuple(
            watched.shown(self._number, session.n_streamed, {
                "accuracy": tests.accuracy[place].points, "novelty": tests.novelty[place].points,
                "by_class": tests.by_class(place),
            })
            for place, watched in enumerate(self._watched)
        )  # fmt: skip
        shape = session.data.image_shape
        neuron = None
        if self._neuron is not None:
            place, number = self._neuron
            neuron = {"network": place, **self._watched[place].history(number, session.classes)}
        head = {
            "dataset": session.data.name, "shape": shape or (1, session.data.n_features),
            "drawable": shape is not None, "classes": session.classes,
            "stream_classes": [str(label) for label in session.data.classes],
            "samples": session.n_streamed, "rate": round(self._rate), "speed": self.speed,
            "playing": self.playing, "phase": session.stream.phase, "kind": session.stream.kind,
            "turn": session.stream.turn, "neuron": neuron,
            "presets": [*PRESETS, *other_networks()], "kinds": KINDS, "most_neurons": MOST_NEURONS,
        }  # fmt: skip
        now = (session.now * (255 / max(float(session.now.max()), 1e-12))).astype(np.uint8)
        last = session.last.to_json() if session.last else None
        presented = session.n_presented
        self.view = View(self._number, head, last, presented, now.tobytes(), networks)

    def _obey(self, wait: float) -> None:
        try:
            job, answer = self._jobs.get(timeout=wait) if wait else self._jobs.get_nowait()
        except queue.Empty:
            return
        try:
            answer(job())
        except Exception as error:  # whatever a page asks for, the session goes on
            answer(error)
        if self.watchers:
            self.show()

    def obey(self, command: Mapping[str, Any]) -> None:
        """Carry out what a page asks for; ValueError if it cannot be done."""
        session, what = self.session, command.get("do")
        if what in COMMANDS:
            if what in ("new", "load"):
                self.playing, self.busy = False, "Preparing the networks."
            try:
                session.do(command)
            finally:
                self.busy = None
        elif what in ("play", "pause"):
            self.playing = what == "play"
        elif what == "step":
            self.playing = False
            session.advance(1, watched=True)
        elif what == "speed":
            speed = command.get("value")
            if not isinstance(speed, int) or not 1 <= speed <= FASTEST:
                raise ValueError(
                    f"speed {speed!r:.20}: expected 1 to {FASTEST} samples per second."
                )
            self.speed = speed
        elif what == "inspect":
            place, neuron = command.get("network"), command.get("neuron")
            sizes = [len(learner.counts) for learner in session.learners]
            if place not in range(len(sizes)) or neuron not in range(sizes[place]):
                raise ValueError("there is no such neuron.")
            self._neuron = (int(place), int(neuron))
        else:
            raise ValueError(f"{what!r:.40} is not a command.")

    def _quietly(self, work: Callable[[], Any]) -> None:
        """Go on whatever happens: an error stops the stream, not the page."""
        try:
            work()
        except Exception as error:
            self.playing, self.busy = False, f"The stream has stopped: {error}"

    def _warm_up(self) -> None:
        """Compile all kernels before the first sample, without learning anything."""
        for learner in self.session.learners:
            few = learner.features(self.session.data.X_train[:2])
            learner.network.recognise(few)
            state = learner.network.state
            type(learner.network)(learner.network.parameters, state.copy()).learn(few)
