"""Filters of images, compiled: blurring, pooling, lateral inhibition. Strict single precision throughout.

Every sum runs in a fixed order, so an image has the same features whatever the batch it comes in, the
number of threads or the machine.
"""

from __future__ import annotations

import numpy as np

from ..engine.compiling.kernels import kernel


@kernel
def blur(image: np.ndarray, taps: np.ndarray, draft: np.ndarray, blurred: np.ndarray) -> None:
    """Blur along both axes; pixels beyond the border are like those at it."""
    height, width = image.shape
    reach = len(taps) // 2
    for i in range(height):
        for j in range(width):
            draft[i, j] = np.float32(0.0)
        for k in range(len(taps)):
            row, weight = min(max(i + k - reach, 0), height - 1), taps[k]
            for j in range(width):
                draft[i, j] += weight * image[row, j]
    for i in range(height):
        for j in range(width):
            blurred[i, j] = np.float32(0.0)
        for k in range(len(taps)):
            shift, weight = k - reach, taps[k]
            first, end = max(0, -shift), min(width, width - shift)
            for j in range(min(first, width)):
                blurred[i, j] += weight * draft[i, 0]
            for j in range(first, end):
                blurred[i, j] += weight * draft[i, j + shift]
            for j in range(max(end, 0), width):
                blurred[i, j] += weight * draft[i, width - 1]


@kernel
def pool(
    maps: np.ndarray,
    shown: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    draft: np.ndarray,
    pooled: np.ndarray,
) -> None:
    """Weighted sums of maps (height, width · n) around each place, into ``pooled`` (places, n).

    ``shown`` says which rows of the image hold anything; ``draft`` has room for one row of maps.
    """
    n_across, n_maps = columns.shape[0], pooled.shape[1]
    for a in range(rows.shape[0]):
        for k in range(len(draft)):
            draft[k] = np.float32(0.0)
        for i in range(maps.shape[0]):
            weight = rows[a, i]
            if weight != 0 and shown[i]:
                for k in range(len(draft)):
                    draft[k] += weight * maps[i, k]
        for b in range(n_across):
            place = pooled[a * n_across + b]
            for d in range(n_maps):
                place[d] = np.float32(0.0)
            for j in range(columns.shape[1]):
                weight = columns[b, j]
                if weight != 0:
                    for d in range(n_maps):
                        place[d] += weight * draft[j * n_maps + d]


@kernel
def compress_and_inhibit(place: np.ndarray, n_roots: int, inhibition: np.float32) -> None:
    """Square roots, then what lateral inhibition leaves: f − inhibition · mean(f), at least zero."""
    n_maps = len(place)
    for _ in range(n_roots):
        for d in range(n_maps):
            place[d] = np.sqrt(place[d])
    if inhibition == 0:
        return
    total = np.float32(0.0)
    for d in range(n_maps):
        total += place[d]
    lost = inhibition * (total / np.float32(n_maps))
    for d in range(n_maps):
        place[d] = max(place[d] - lost, np.float32(0.0))
