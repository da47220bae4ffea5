"""The compiled half of :class:`.patches.Patches`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.compiling.kernels import allocating_kernel, entry_kernel, kernel
from ..engine.numbers import two_words
from .image_kernels import blur, compress_and_inhibit

PLACES = np.uint64(100)
"""What random numbers are used for here: to choose places. Networks use the numbers from 1 on."""


class Retina(NamedTuple):
    """On and off cells, and the patches of them that a neuron of the layer sees."""

    centre: np.ndarray
    """Weights of the narrow blur of the difference of Gaussians."""
    surround: np.ndarray
    side: int
    """Of a patch, in pixels."""
    faintest: float
    """A patch counts if it is at least so long, as a share of the longest one in its image."""


class Answers(NamedTuple):
    """How neurons answer to a patch, and how their answers are pooled."""

    weights: np.ndarray
    """(inputs of a patch, neurons)."""
    n_strongest: int
    rows: np.ndarray
    columns: np.ndarray
    n_roots: int
    inhibition: float


@kernel
def see(image: np.ndarray, retina: Retina, drafts: np.ndarray, cells: np.ndarray) -> None:
    """On and off cells (2, height + side − 1, width + side − 1), silent beyond the image's border."""
    height, width = image.shape
    blur(image, retina.centre, drafts[0], drafts[1])
    blur(image, retina.surround, drafts[0], drafts[2])
    margin, zero = retina.side // 2, np.float32(0.0)
    for i in range(height):
        for j in range(width):
            difference = drafts[1, i, j] - drafts[2, i, j]
            cells[0, i + margin, j + margin] = max(difference, zero)
            cells[1, i + margin, j + margin] = max(-difference, zero)


@kernel
def find_patches(
    cells: np.ndarray, retina: Retina, energies: np.ndarray, lengths: np.ndarray
) -> None:
    """The length of the patch at each place of the image, 0 where it is too faint to count.

    ``energies`` has room for the sums of squares over the columns of a patch, in all rows of ``cells``.
    """
    height, width = lengths.shape
    for i in range(cells.shape[1]):
        for j in range(width):
            energies[i, j] = np.float32(0.0)
        for b in range(retina.side):
            for j in range(width):
                on, off = cells[0, i, j + b], cells[1, i, j + b]
                energies[i, j] += on * on + off * off
    longest = np.float32(0.0)
    for i in range(height):
        for j in range(width):
            lengths[i, j] = np.float32(0.0)
        for a in range(retina.side):
            for j in range(width):
                lengths[i, j] += energies[i + a, j]
        for j in range(width):
            lengths[i, j] = np.sqrt(lengths[i, j])
            longest = max(longest, lengths[i, j])
    for i in range(height):
        for j in range(width):
            if lengths[i, j] < retina.faintest * longest:
                lengths[i, j] = np.float32(0.0)


@kernel
def copy_patch(cells: np.ndarray, side: int, i: int, j: int, patch: np.ndarray) -> None:
    """The patch whose upper left corner is (i, j)."""
    k = 0
    for sign in range(2):
        for a in range(side):
            for b in range(side):
                patch[k] = cells[sign, i + a, j + b]
                k += 1


@kernel
def load_image(images: np.ndarray, s: int, image: np.ndarray) -> None:
    """Image s in grey: the mean over its channels."""
    _, height, width, n_channels = images.shape
    for i in range(height):
        for j in range(width):
            total = np.float32(0.0)
            for c in range(n_channels):
                total += images[s, i, j, c]
            image[i, j] = total / np.float32(n_channels)


@allocating_kernel
def room_for(height: int, width: int, side: int) -> tuple[np.ndarray, ...]:
    """Memory for an image, its blurs, its on and off cells, and the energies and lengths of patches."""
    tall, wide = height + side - 1, width + side - 1
    return (
        np.empty((height, width), np.float32),
        np.empty((3, height, width), np.float32),
        np.zeros((2, tall, wide), np.float32),
        np.empty((tall, width), np.float32),
        np.empty((height, width), np.float32),
    )


@entry_kernel
def draw_patches(
    images: np.ndarray, retina: Retina, seed: np.uint64, first: int, patches: np.ndarray
) -> None:
    """Patches (n, per image, inputs) from places drawn at random, blank where an image has none.

    What is drawn from an image depends on the seed and the image's number, ``first`` for the first.
    """
    n, height, width, _ = images.shape
    image, drafts, cells, energies, lengths = room_for(height, width, retina.side)
    places = np.empty(height * width, np.int64)
    for s in range(n):
        load_image(images, s, image)
        see(image, retina, drafts, cells)
        find_patches(cells, retina, energies, lengths)
        n_places = 0
        for place in range(height * width):
            if lengths[place // width, place % width] > 0:
                places[n_places] = place
                n_places += 1
        patches[s] = np.float32(0.0)
        for k in range(patches.shape[1] if n_places > 0 else 0):
            word, _ = two_words(seed, np.uint64(first + s), PLACES, np.uint64(k))
            place = places[word % np.uint64(n_places)]
            copy_patch(cells, retina.side, place // width, place % width, patches[s, k])


@kernel
def add_up(patch: np.ndarray, weights: np.ndarray, potentials: np.ndarray) -> None:
    """Potentials of all neurons: weights times patch; silent cells are left out."""
    for j in range(len(potentials)):
        potentials[j] = np.float32(0.0)
    for k in range(len(patch)):
        value = patch[k]
        if value != 0:
            for j in range(len(potentials)):
                potentials[j] += value * weights[k, j]


@kernel
def strongest(potentials: np.ndarray, who: np.ndarray, strengths: np.ndarray) -> None:
    """The neurons with the highest potentials, in order; the first among equals comes first."""
    last = len(who) - 1
    for rank in range(last + 1):
        who[rank], strengths[rank] = 0, np.float32(0.0)
    for j in range(len(potentials)):
        if potentials[j] > strengths[last]:
            rank = last
            while rank > 0 and potentials[j] > strengths[rank - 1]:
                who[rank], strengths[rank] = who[rank - 1], strengths[rank - 1]
                rank -= 1
            who[rank], strengths[rank] = j, potentials[j]


@kernel
def spread_answer(
    i: int, j: int, neuron: int, strength: np.float32, answers: Answers, pooled: np.ndarray
) -> None:
    """Add what a neuron answers at pixel (i, j) to all pooled places around it."""
    n_across = answers.columns.shape[0]
    for a in range(answers.rows.shape[0]):
        down = answers.rows[a, i]
        if down != 0:
            for b in range(n_across):
                across = answers.columns[b, j]
                if across != 0:
                    pooled[a * n_across + b, neuron] += down * across * strength


@entry_kernel
def answer_everywhere(
    images: np.ndarray, retina: Retina, answers: Answers, features: np.ndarray
) -> None:
    """Features (n, places, neurons) of images (n, height, width, channels), in single precision.

    A neuron's answer to a patch is the cosine between its weights and the patch. Lateral inhibition leaves
    the ``n_strongest``, less what the next one has.
    """
    n, height, width, _ = images.shape
    image, drafts, cells, energies, lengths = room_for(height, width, retina.side)
    patch = np.empty(answers.weights.shape[0], np.float32)
    potentials = np.empty(answers.weights.shape[1], np.float32)
    last = answers.n_strongest
    who, strengths = np.empty(last + 1, np.int64), np.empty(last + 1, np.float32)
    inhibition = np.float32(answers.inhibition)
    for s in range(n):
        load_image(images, s, image)
        see(image, retina, drafts, cells)
        find_patches(cells, retina, energies, lengths)
        features[s] = np.float32(0.0)
        for i in range(height):
            for j in range(width):
                if lengths[i, j] > 0:
                    copy_patch(cells, retina.side, i, j, patch)
                    add_up(patch, answers.weights, potentials)
                    strongest(potentials, who, strengths)
                    for rank in range(last):
                        left = (strengths[rank] - strengths[last]) / lengths[i, j]
                        if left > 0:
                            spread_answer(i, j, who[rank], left, answers, features[s])
        for place in range(features.shape[1]):
            compress_and_inhibit(features[s, place], answers.n_roots, inhibition)
