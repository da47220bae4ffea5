"""The thread that owns the session: it learns in small pieces, and takes commands in between."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from ..model import PRESETS
from .learner import MOST_NEURONS, as_grey, other_networks
from .session import COMMANDS, Session
from .stream import KINDS
from .view import View, Watched

PIECE = 256
FRAME_SECONDS = 0.1
FASTEST = 1_000_000
TEST_SHARE = 0.02
"""Of the time that is spent on tests while learning."""
WATCHED_SPEED = 4
"""Samples per second up to which each presentation is shown from inside."""
FIRST_TIME = "Preparing the network: the first time on a machine, that takes about a minute."


class Worker(threading.Thread):
    """Owns a session. Others give it jobs and look at its latest :class:`View`, nothing else."""

    def __init__(self, session: Session) -> None:
        super().__init__(name="lethenet-live", daemon=True)
        self.session = session
        self.view: View | None = None
        self._jobs: queue.Queue[tuple[Callable[[], Any], Future[Any]]] = queue.Queue(256)
        self._end = threading.Event()
        self.busy: str | None = FIRST_TIME
        self.watchers, self.wanted = 0, False  # how many pages there are, and whether one waits
        self.playing, self.speed = False, 100
        self._neuron: tuple[int, int] | None = None
        self._watched: list[Watched] = []
        self._number, self._rate = 0, 0.0

    def ask(self, job: Callable[[], Any]) -> Future[Any]:
        """Let something be done between two pieces: what it will return, or its error."""
        answer: Future[Any] = Future()
        try:
            self._jobs.put_nowait((job, answer))
        except queue.Full:
            answer.set_exception(ValueError("too much to do at the moment: try again."))
        return answer

    def stop(self) -> None:
        """End after the piece at hand."""
        self._end.set()

    def run(self) -> None:
        """Learn, test, show and obey until the end."""
        self._quietly(self._warm_up)
        session, self.busy, tested, learned = self.session, None, 0.0, 0.0
        due = shown = measured = time.perf_counter()
        samples = session.n_streamed
        while not self._end.is_set():
            now = time.perf_counter()
            if self.playing and now >= due:
                step = min(max(int(self.speed * FRAME_SECONDS), 1), PIECE)
                self._quietly(session.advance, step, watched=self.speed <= WATCHED_SPEED)
                due = max(due + step / self.speed, now - 0.2)
                learned += time.perf_counter() - now
            testing = self.watchers and session.tests.pending
            idle = not self.playing or due - now > 0.01
            if testing and (idle or tested < TEST_SHARE * learned):
                start = time.perf_counter()
                self._quietly(session.tests.some, session.learners, session.samples)
                tested += time.perf_counter() - start
            if now - measured > 0.5:
                self._rate = (session.n_streamed - samples) / (now - measured)
                samples, measured = session.n_streamed, now
            if self.wanted and now - shown > FRAME_SECONDS:
                self.wanted, shown = False, now
                self.show()
            wait = max(due - now, 0.0) if self.playing else 0.0 if testing else FRAME_SECONDS
            self._do_jobs(min(wait, FRAME_SECONDS))

    def show(self) -> None:
        """Make a new view of what there is now."""
        session, tests, self._number = self.session, self.session.tests, self._number + 1
        if [watched.learner for watched in self._watched] != session.learners:
            self._watched = [Watched(learner, self._number) for learner in session.learners]
            self._neuron = None
        networks = []
        for place, watched in enumerate(self._watched):
            head: dict[str, Any] = {"by_class": tests.by_class(place)}
            novelty = [*tests.novelty[place]] if watched.learner.ours else []
            head |= {"accuracy": [*tests.accuracy[place]], "novelty": novelty}
            networks.append(watched.shown(self._number, session.samples, session.classes, head))
        place, number = self._neuron or (0, -1)
        neuron = self._watched[place].history(number) | {"network": place} if number >= 0 else None
        shape, stream = session.data.image_shape, session.stream
        head = {
            "dataset": session.data.name, "shape": shape or (1, session.data.n_features),
            "drawable": shape is not None, "classes": session.classes[:],
            "stream_classes": [str(label) for label in session.data.classes],
            "samples": session.samples, "rate": round(self._rate), "speed": self.speed,
            "playing": self.playing, "phase": stream.phase, "kind": stream.kind, "turn": stream.turn,
            "neuron": neuron, "presets": [*PRESETS, *other_networks()], "kinds": KINDS,
            "most_neurons": MOST_NEURONS,
        }  # fmt: skip
        last, now = session.last, as_grey(session.now).tobytes()
        self.view = View(self._number, head, last, session.n_presented, now, networks)

    def obey(self, command: Mapping[str, Any]) -> None:
        """Carry out what a page asks for, in this thread; ValueError if it cannot be done."""
        session, what, self.busy = self.session, command.get("do"), None
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
            self.speed = _whole("speed", command.get("value"), 1, FASTEST)
        elif what == "inspect":
            place = _whole("network", command.get("network"), 0, len(session.learners) - 1)
            last = session.learners[place].network.state.n_neurons - 1
            self._neuron = (place, _whole("neuron", command.get("neuron"), 0, last))
        else:
            raise ValueError(f"{what!r:.40} is not a command.")

    def _do_jobs(self, wait: float) -> None:
        try:
            job, answer = self._jobs.get(timeout=wait) if wait else self._jobs.get_nowait()
        except queue.Empty:
            return
        answer.set_running_or_notify_cancel()
        try:
            tell = partial(answer.set_result, job())
        except Exception as error:  # whatever a page asks for, the session goes on
            tell = partial(answer.set_exception, error)
        if self.watchers:
            self.show()
        if not answer.cancelled():
            tell()

    def _quietly(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Go on whatever happens: an error stops the stream, not the page."""
        try:
            work(*arguments, **named)
        except Exception as error:
            self.playing, self.busy = False, f"The stream has stopped: {error}"

    def _warm_up(self) -> None:
        """Compile the kernels before the first sample, without learning anything."""
        for learner in self.session.learners:
            few, network = learner.features(self.session.data.X_train[:2]), learner.network
            network.recognise(few)
            type(network)(network.parameters, network.state.copy()).learn(few)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} {value!r:.20}: expected {low} to {high}.")
    return value
