"""Links: neurons that fire for the same sample become associated.

While the network learns, at an output spike of neuron j, for every output spike before it in the same
presentation, of a neuron i ≠ j::

    c_ij ← c_ij + 1        (and c_ji, which is the same link)

An imprint makes its neuron stand for something new: all c_j· ← 0 first. The rule is local, needs no labels
and shows nothing twice. It changes no weight and no spike.

Every neuron has room for a fixed number of links, ``Parameters.links``. Where one is full, a new link takes
the place of its weakest (the first one among equals), which ends for both neurons. So a link is always
known to both of its ends, with the same count, and what is strong stays.

:mod:`.reference` calls these functions as Python; the engine compiles them.
"""

from __future__ import annotations

from typing import Any

NO_PARTNER = -1
"""In the table of partners: an empty place. Its count is 0."""


def place_of(partners: Any, neuron: int, other: int) -> int:
    """Where a neuron's table has another one, −1 if nowhere."""
    for k in range(partners.shape[1]):
        if partners[neuron, k] == other:
            return k
    return -1


def weakest_place(counts: Any, neuron: int) -> int:
    """Where a neuron's table has its weakest link, or an empty place."""
    weakest = 0
    for k in range(1, counts.shape[1]):
        if counts[neuron, k] < counts[neuron, weakest]:
            weakest = k
    return weakest


def end_link(partners: Any, counts: Any, neuron: int, k: int) -> None:
    """Empty place k of a neuron's table, and the place of that link at its other end."""
    other = partners[neuron, k]
    if other != NO_PARTNER:
        there = place_of(partners, other, neuron)
        partners[other, there] = NO_PARTNER
        counts[other, there] = 0
        partners[neuron, k] = NO_PARTNER
        counts[neuron, k] = 0


def strengthen(partners: Any, counts: Any, i: int, j: int) -> None:
    """c_ij ← c_ij + 1; a new link takes the place of the weakest at either end."""
    at_i = place_of(partners, i, j)
    if at_i >= 0:
        at_j = place_of(partners, j, i)
    else:
        at_i, at_j = weakest_place(counts, i), weakest_place(counts, j)
        end_link(partners, counts, i, at_i)
        end_link(partners, counts, j, at_j)
        partners[i, at_i] = j
        partners[j, at_j] = i
    counts[i, at_i] += 1
    counts[j, at_j] += 1


def link_winners(partners: Any, counts: Any, winners: Any, n_spikes: int, imprinted: int) -> None:
    """Change the links after a presentation whose first ``n_spikes`` winners fired, in order.

    An imprint, if there was one, is the last of these spikes.

    >>> import numpy as np
    >>> partners, counts = np.full((3, 2), NO_PARTNER), np.zeros((3, 2), int)
    >>> link_winners(partners, counts, [0, 2, 0], 3, imprinted=-1)
    >>> counts.tolist()
    [[2, 0], [0, 0], [2, 0]]
    >>> link_winners(partners, counts, [1, 2], 2, imprinted=2)
    >>> partners.tolist()
    [[-1, -1], [2, -1], [1, -1]]
    """
    for k in range(n_spikes):
        j = winners[k]
        if k == n_spikes - 1 and imprinted >= 0:
            for place in range(partners.shape[1]):
                end_link(partners, counts, j, place)
        for earlier in range(k):
            if winners[earlier] != j:
                strengthen(partners, counts, winners[earlier], j)


def check_links(partners: Any, counts: Any) -> None:
    """ValueError unless every link is known to both of its ends with the same count, once.

    >>> import numpy as np
    >>> check_links(np.array([[1], [-1]]), np.array([[2], [0]]))
    Traceback (most recent call last):
    ...
    ValueError: the links of the two ends differ.
    """
    neurons, places = (partners != NO_PARTNER).nonzero()
    others, strengths = partners[neurons, places], counts[neurons, places]
    if partners.size and (partners.min() < NO_PARTNER or partners.max() >= len(partners)):
        raise ValueError("links lead to neurons that are not there.")
    ends = list(zip(neurons.tolist(), others.tolist(), strict=True))
    known = dict(zip(ends, strengths.tolist(), strict=True))
    mirrored = all(known.get((j, i)) == count > 0 for (i, j), count in known.items())
    if len(known) < len(ends) or not mirrored or counts[partners == NO_PARTNER].any():
        raise ValueError("the links of the two ends differ.")
    if (neurons == others).any():
        raise ValueError("a neuron is linked with itself.")
