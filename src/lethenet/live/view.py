"""What a page needs to know, made by the worker now and then, and sent as what a page has not seen yet.

A view is never changed once it is made, so any number of pages can be served from it while the worker goes
on. Each neuron carries the number of the view in which it last changed: a page says which view it has seen
last, and gets the neurons that changed since. Views between are left out, so a slow page misses frames and
nothing is ever queued for it.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.dopamine import normalised_weights
from .learner import Learner
from .presentation import packed

FORMER_LIVES = 4


@dataclass(frozen=True, eq=False)
class Shown:
    """A network as pages see it; changed, fired, imprinted: the view in which each neuron last did."""

    head: dict[str, Any]
    pictures: np.ndarray
    owners: np.ndarray
    changed: np.ndarray
    fired: np.ndarray
    imprinted: np.ndarray


@dataclass(frozen=True, eq=False)
class View:
    """All that pages see at a moment."""

    number: int
    head: dict[str, Any]
    last: dict[str, Any] | None
    last_number: int
    now: bytes
    networks: tuple[Shown, ...]

    def frame(self, seen: int, seen_last: int) -> bytes:
        """What changed since a page's view ``seen``: the length of a JSON head, the head, and bytes.

        The bytes are the present sample and, for each network: owners (int16), whether each neuron fired
        (1) or was imprinted (2), the numbers of changed neurons (uint16) and their pictures.
        """
        parts, networks = [self.now], []
        for shown in self.networks:
            rows = np.flatnonzero(shown.changed > seen)
            flags = (shown.fired > seen) + 2 * (shown.imprinted > seen)
            parts += [shown.owners.tobytes(), flags.astype(np.uint8).tobytes()]
            parts += [rows.astype("<u2").tobytes(), shown.pictures[rows].tobytes()]
            networks.append({**shown.head, "neurons": len(shown.owners), "rows": len(rows)})
        head = {
            **self.head,
            "number": self.number,
            "networks": networks,
            "presented": self.last_number,
        }
        if self.last_number > seen_last:
            head["last"] = self.last
        text = json.dumps(head, separators=(",", ":")).encode()
        return b"".join([len(text).to_bytes(4, "little"), text, *parts])


class Watched:
    """What the worker remembers of a network between two views."""

    def __init__(self, learner: Learner, number: int) -> None:
        n = len(learner.counts)
        self.learner, self._counted = learner, learner.fired()
        self.pictures = learner.pictures(slice(None))
        self._changed = np.full(n, number, np.int64)
        self._fired, self._imprinted = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._former: dict[int, deque[tuple[int, str]]] = {}

    def shown(self, number: int, samples: int, head: dict[str, Any]) -> Shown:
        """The network as it is now."""
        counted = self.learner.fired()
        fired, imprinted = counted != self._counted
        rows = np.flatnonzero(fired | imprinted)
        for neuron in np.flatnonzero(imprinted & (self._counted.sum(axis=0) > 0)):
            lives = self._former.setdefault(int(neuron), deque(maxlen=FORMER_LIVES))
            lives.append((samples, packed(self.pictures[neuron])))
        # new arrays: the old ones belong to a view
        self.pictures = self.pictures.copy()
        self.pictures[rows] = self.learner.pictures(rows)
        self._changed = np.where(fired | imprinted, number, self._changed)
        self._fired = np.where(fired, number, self._fired)
        self._imprinted = np.where(imprinted, number, self._imprinted)
        self._counted = counted.copy()
        owners = self.learner.owners()
        owned = np.bincount(owners[owners >= 0], minlength=self.learner.counts.shape[1]).tolist()
        head = {
            **head,
            "title": self.learner.title,
            "settings": self.learner.settings,
            "owned": owned,
        }
        return Shown(head, self.pictures, owners, self._changed, self._fired, self._imprinted)

    def history(self, neuron: int, classes: list[str]) -> dict[str, Any]:
        """What is known of a neuron: whom it answered to, its former lives, when its turn to be forgotten is."""
        state, counts = self.learner.network.state, self.learner.counts[neuron]
        found: dict[str, Any] = {
            "number": neuron,
            "spikes": int(state.spike_counts[neuron]),
            "answered": [(classes[n], int(counts[n])) for n in np.argsort(-counts) if counts[n]][
                :6
            ],
            "former": list(self._former.get(neuron, ())),
        }
        if self.learner.forgets_on_purpose:
            weights = normalised_weights(state.usage, self.learner.network.parameters.depression)
            found["imprints"] = int(state.imprint_counts[neuron])
            found["since"] = int(state.spikes_since_imprint[neuron])
            found["line"] = 1 + int(np.count_nonzero(weights > weights[neuron]))
        return found
