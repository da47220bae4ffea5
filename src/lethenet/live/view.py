"""What a page needs to know, made by the worker now and then, and sent as what a page has not seen yet.

A view is never changed once it is made, so any number of pages can be served from it while the worker goes
on. Each neuron carries the number of the view in which it last changed: a page says which view it has seen
last, and gets the neurons that changed since. Views between are left out, so a slow page misses frames and
nothing is ever queued for it.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from typing import Any, NamedTuple

import numpy as np

from ..estimators.readout import dominant_classes
from ..model.dopamine import normalised_weights
from .learner import Learner
from .presentation import packed

FORMER_LIVES = 4


class Shown(NamedTuple):
    """A network as pages see it, and the views in which each neuron last fired and was imprinted."""

    head: dict[str, Any]
    pictures: np.ndarray
    owners: np.ndarray
    stamps: np.ndarray


class View(NamedTuple):
    """All that pages see at a moment."""

    number: int
    head: dict[str, Any]
    last: dict[str, Any]
    presented: int
    now: bytes
    networks: list[Shown]

    def frame(self, seen: int, presented: int) -> bytes:
        """What changed since a page's view ``seen``: the length of a JSON head, the head, and bytes.

        The bytes are the present sample and, for each network: owners (int16), whether each neuron fired
        (1) or was imprinted (2), the numbers of changed neurons (uint16) and their pictures.
        """
        parts, networks = [self.now], []
        for shown in self.networks:
            rows = np.flatnonzero(np.maximum(shown.stamps.max(axis=0), shown.head["since"]) > seen)
            flags = np.array([1, 2]) @ (shown.stamps > seen) * (seen > 0)
            parts += [shown.owners.tobytes(), flags.astype(np.uint8).tobytes()]
            parts += [rows.astype("<u2").tobytes(), shown.pictures[rows].tobytes()]
            networks.append({**shown.head, "neurons": len(shown.owners), "rows": len(rows)})
        head = self.head | {"number": self.number, "networks": networks}
        head["presented"] = self.presented
        if self.presented != presented:
            head["last"] = self.last
        text = json.dumps(head, separators=(",", ":")).encode()
        return b"".join([len(text).to_bytes(4, "little"), text, *parts])


class Watched:
    """What the worker remembers of a network between two views."""

    def __init__(self, learner: Learner, number: int) -> None:
        self.learner, self._counted = learner, learner.fired()
        self.pictures = learner.pictures(slice(None))
        self._since, self._stamps = number, np.zeros((2, len(self.pictures)), np.int64)
        self._former: Any = defaultdict(lambda: deque(maxlen=FORMER_LIVES))

    def shown(self, number: int, samples: int, classes: list[str], head: dict[str, Any]) -> Shown:
        """The network as it is now, in arrays of its own."""
        counted, model = self.learner.fired(), self.learner.model
        fresh = counted != self._counted
        for neuron in np.flatnonzero(fresh[1] & self._counted.any(axis=0)):
            self._former[int(neuron)].append((samples, packed(self.pictures[neuron])))
        rows = np.flatnonzero(fresh.any(axis=0))
        self.pictures = self.pictures.copy()
        self.pictures[rows] = self.learner.pictures(rows)
        self._counted, self._stamps = counted, np.where(fresh, number, self._stamps)
        places = np.array([classes.index(name) for name in model.classes_], np.int16)
        owners = np.full(counted.shape[1], -1, np.int16)
        if len(places):
            dominant = dominant_classes(model.label_counts_)
            owners = np.where(dominant < 0, owners, places[dominant])
        owned = np.bincount(owners[owners >= 0], minlength=len(classes)).tolist()
        head |= {"title": self.learner.title, "settings": self.learner.settings, "owned": owned}
        head |= {"since": self._since, "layered": bool(self.learner.layers)}
        return Shown(head, self.pictures, owners, self._stamps)

    def history(self, neuron: int) -> dict[str, Any]:
        """What is known of a neuron: what it answered to and was before, and its turn to be forgotten."""
        model, state = self.learner.model, self.learner.network.state
        counts = model.label_counts_[neuron]
        best = [n for n in np.argsort(-counts, kind="stable")[:6].tolist() if counts[n]]
        answered = [(str(model.classes_[n]), int(counts[n])) for n in best]
        found = {"number": neuron, "answered": answered, "former": list(self._former[neuron])}
        found["spikes"] = int(state.spike_counts[neuron])
        if self.learner.ours:
            weights = normalised_weights(state.usage, self.learner.network.parameters.depression)
            found["imprints"] = int(state.imprint_counts[neuron])
            found["since"] = int(state.spikes_since_imprint[neuron])
            found["line"] = 1 + int(np.count_nonzero(weights > weights[neuron]))
        return found
