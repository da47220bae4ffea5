"""A film of the weights as a model learns."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..report.figures.weight_grid import FATES
from ..report.style import styled
from .models import axes_or_new, model_of
from .networks import draw_weights


@styled
def animate(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    path: str | os.PathLike[str] = "learning.gif",
    frames: int = 40,
    fps: int = 8,
    neurons: Any = None,
    image_shape: tuple[int, ...] | None = None,
    ax: Any = None,
) -> Path:
    """Write a film of the weights while a copy of the model learns X; the model stays as it is.

    The model may be new. ``path`` ends with ``.gif``, or with ``.mp4`` where ffmpeg is installed; the
    rest is as in :func:`weights`. Outlined neurons fired since the picture before: solid by
    themselves, dashed those that learned a novelty. Returns the path.

    >>> import tempfile
    >>> from lethenet.report.example import example_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate(example_model(), np.eye(64), path=f"{folder}/film.gif", frames=2).name
    'film.gif'
    """
    from matplotlib.animation import FFMpegWriter, PillowWriter

    path = Path(path)
    writer: Any = {".gif": PillowWriter, ".mp4": FFMpegWriter}.get(path.suffix.lower())
    if writer is None:
        raise ValueError(f"path={str(path)!r}: expected a name that ends with .gif or .mp4.")
    if not writer.isAvailable():
        raise ValueError(
            f"path={str(path)!r}: .mp4 needs the program ffmpeg, which is not on PATH. Install it "
            "(apt-get install ffmpeg, brew install ffmpeg), or choose a name that ends with .gif."
        )
    learner, X, y = copy.deepcopy(model), np.asarray(X), y if y is None else np.asarray(y)
    n, spikes = len(X), None
    ax = axes_or_new(ax, 6.0, 6.3)
    film = writer(fps=fps)
    with film.saving(ax.figure, path, dpi=100):
        for rows in np.array_split(np.arange(n), min(frames, n)):
            if hasattr(learner, "partial_fit"):
                learner.partial_fit(X[rows], *(() if y is None else (y[rows],)))
            else:
                learner.learn(X[rows])
            state = model_of(learner).network.state
            now = np.stack([state.imprint_counts, state.spike_counts])
            marks = None if spikes is None else np.select(list(now > spikes), [1, 0], -1)
            spikes = now
            ax.clear()
            draw_weights(learner, ax, neurons, image_shape, marks, FATES[:2])
            words = f"{rows[-1] + 1:,} of {n:,} samples; dashed: learned a novelty"
            ax.set_title(words, loc="center")
            film.grab_frame()
    return path


__test__ = {"animate": animate}
