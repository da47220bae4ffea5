"""Series of any length as rows of the same length: windows, summaries, spectra."""

from __future__ import annotations

import numpy as np

BANDS = 12
"""Of a spectrum: as many for a slow movement of the wrist as for a motor."""
_SHARES = (5, 25, 50, 75, 95)


def windows(series: np.ndarray, length: int, step: int) -> list[np.ndarray]:
    """Stretches of a series (time, channels), the next one a step later; the rest is dropped.

    >>> [w[:, 0].tolist() for w in windows(np.arange(5)[:, None], 3, 2)]
    [[0, 1, 2], [2, 3, 4]]
    """
    return [series[i : i + length] for i in range(0, len(series) - length + 1, step)]


def summary(series: np.ndarray) -> np.ndarray:
    """A series (time, channels) as one row: percentiles of values and of steps, and the spectrum's bands.

    Bands are logarithms of the spread in equal parts of the logarithmic frequency axis, so that a series of
    any length has the same number of them.

    >>> summary(np.random.default_rng(0).normal(size=(100, 2))).shape
    (44,)
    """
    values = np.percentile(series, _SHARES, axis=0)
    steps = np.percentile(np.abs(np.diff(series, axis=0)), _SHARES, axis=0)
    amplitudes = np.abs(np.fft.rfft(series - series.mean(axis=0), axis=0))[1:] / len(series)
    frequencies = np.fft.rfftfreq(len(series))[1:]
    edges = np.geomspace(frequencies[0], frequencies[-1], BANDS + 1)[1:-1]
    bands = np.zeros((BANDS, series.shape[1]))
    np.add.at(bands, np.searchsorted(edges, frequencies), amplitudes**2)
    return np.concatenate([values, steps, np.log(1e-6 + np.sqrt(bands))]).ravel()


def resampled(series: np.ndarray, points: int) -> np.ndarray:
    """A series (time, channels) as one row: its values at so many points in time, between them linearly.

    >>> resampled(np.array([[0.0], [1.0], [4.0]]), 5).tolist()
    [0.0, 0.5, 1.0, 2.5, 4.0]
    """
    then, now = np.arange(len(series)), np.linspace(0, len(series) - 1, points)
    return np.stack([np.interp(now, then, channel) for channel in series.T], axis=1).ravel()
