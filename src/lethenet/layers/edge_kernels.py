"""The compiled half of :class:`.edges.Edges`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.compiling.kernels import entry_kernel, kernel
from .image_kernels import blur, compress_and_inhibit, pool


class EdgeConstants(NamedTuple):
    """What the layer is made of, in single precision."""

    taps: np.ndarray
    """Of the blur."""
    directions: np.ndarray
    """(2, n_directions): the unit vector of each, across and down."""
    sharpness: int
    rows: np.ndarray
    """(places down, height): how much each row of pixels counts for each row of places."""
    columns: np.ndarray
    n_roots: int
    inhibition: float


@kernel
def detect(
    across: float, down: float, directions: np.ndarray, sharpness: int, answers: np.ndarray
) -> None:
    """How strongly the detector of each direction answers to a gradient: its length · cos(angle)ᵖ."""
    length = np.sqrt(across * across + down * down)
    inverse = np.float32(1.0) / length
    for d in range(len(answers)):
        cosine = (across * directions[0, d] + down * directions[1, d]) * inverse
        answers[d] = np.float32(0.0)
        if cosine > 0:
            answer = length
            for _ in range(sharpness):
                answer *= cosine
            answers[d] = answer


@kernel
def gradients(image: np.ndarray, best: np.ndarray, first: bool) -> None:
    """Central differences (height, width, 2) into ``best``, where they are larger than what is there."""
    height, width = image.shape
    half = np.float32(0.5)
    for i in range(height):
        above, below = max(i - 1, 0), min(i + 1, height - 1)
        for j in range(width):
            across = half * (image[i, min(j + 1, width - 1)] - image[i, max(j - 1, 0)])
            down = half * (image[below, j] - image[above, j])
            held = best[i, j, 0] * best[i, j, 0] + best[i, j, 1] * best[i, j, 1]
            if first or across * across + down * down > held:
                best[i, j, 0], best[i, j, 1] = across, down


@entry_kernel
def detect_edges(images: np.ndarray, constants: EdgeConstants, features: np.ndarray) -> None:
    """Features (n, places, directions) of images (n, height, width, channels), in single precision.

    Of several channels, the one with the longest gradient counts at each pixel.
    """
    n, height, width, n_channels = images.shape
    channel = np.empty((height, width), np.float32)
    draft, blurred = np.empty_like(channel), np.empty_like(channel)
    best = np.zeros((height, width, 2), np.float32)
    n_maps = features.shape[2]
    maps = np.zeros((height, width * n_maps), np.float32)
    row_of_maps = np.empty(width * n_maps, np.float32)
    shown = np.zeros(height, np.bool_)
    inhibition, zero = np.float32(constants.inhibition), np.float32(0.0)
    for s in range(n):
        for c in range(n_channels):
            for i in range(height):
                for j in range(width):
                    channel[i, j] = images[s, i, j, c]
            blur(channel, constants.taps, draft, blurred)
            gradients(blurred, best, c == 0)
        for i in range(height):
            shown[i] = False
            for j in range(width):
                across, down = best[i, j, 0], best[i, j, 1]
                answers = maps[i, j * n_maps : (j + 1) * n_maps]
                if across == zero and down == zero:
                    answers[:] = zero
                else:
                    shown[i] = True
                    detect(across, down, constants.directions, constants.sharpness, answers)
        pool(maps, shown, constants.rows, constants.columns, row_of_maps, features[s])
        for place in range(features.shape[1]):
            compress_and_inhibit(features[s, place], constants.n_roots, inhibition)
