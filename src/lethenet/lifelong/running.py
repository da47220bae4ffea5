"""Carry out an experiment in a run directory: begin it, or go on with it."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..model import Rule
from .config import Config
from .events import Listener
from .learner_experiment import LearnerExperiment, experiment_of
from .open_streams import as_stream
from .protocol import load_data
from .reading import read_run
from .results import Result
from .rundir import RunDirectory, check_target
from .session import Session, finished_summary
from .setting_checks import OWN


def run(config: Any, *given: Any, **more: Any) -> Result:
    """Run an experiment: ``run(config, out)``, or ``run(stream, learner)``, which is :func:`run_stream`.

    Parameters
    ----------
    config : Config
        What to do.
    out : path, optional
        Where to; ``runs/`` and a name of its own if None. It must not hold a run yet.
    progress : callable, optional
        Hears of every :mod:`event <lethenet.lifelong.events>`.
    force : bool, default=False
        Give up a run that lies in ``out``.

    Returns
    -------
    Result
        What came out, read from the folder.

    Raises
    ------
    Interrupted
        After Ctrl-C (or SIGTERM) and a checkpoint. :func:`resume` goes on to the same bits as a run
        that nobody stopped.

    Examples
    --------
    >>> import tempfile
    >>> config = Config.of(dataset="digits", neurons=40, threshold=15.0, classes=(0, 1, 2))
    >>> result = run(config, tempfile.mkdtemp())
    >>> result.accuracy > 0.9, len(result.evaluations)
    (True, 3)
    """
    return (_run_config if isinstance(config, Config) else run_stream)(config, *given, **more)


def _run_config(
    config: Config,
    out: str | os.PathLike[str] | None = None,
    progress: Listener | None = None,
    *,
    force: bool = False,
) -> Result:
    path = Path(out) if out is not None else default_folder(config)
    check_target(path, force=force)
    data = load_data(config)
    experiment = experiment_of(config.resolved(data), data)
    directory = RunDirectory.create(path, experiment, force=force)
    return Session(directory, experiment, progress).go()


def run_stream(
    stream: Any,
    learner: Any,
    progress: Listener | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    name: str = "own stream",
    supervised: bool | None = None,
    batch_size: int | None = None,
    label_per_class: int | None = None,
) -> Result:
    """Let any learner learn any stream, task after task, and measure it as the network is measured.

    Parameters
    ----------
    stream
        Tasks of one's own, a data set, four arrays or an Avalanche benchmark: see :mod:`.open_streams`.
    learner
        Whatever has ``partial_fit`` and ``predict``, or River's ``learn_one`` and ``predict_one``.
        Classifiers are told labels; the answers of others get classes by the training samples met so far.
    progress, out, force
        As in :func:`run`. Without ``out``, the result is in memory alone.
    name : str, default="own stream"
        What reports call the stream.
    supervised : bool, optional
        Whether the learner is told labels, if that is not plain from what it is.
    batch_size : int, optional
        Samples in a call of ``partial_fit``; a whole task if None.
    label_per_class : int, optional
        Take only the first so many training samples of each class met to give answers their classes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from lethenet.data import load
    >>> result = run_stream(load("digits"), GaussianNB())
    >>> result.R.shape, result.backward_transfer < 0 < result.forgetting
    ((10, 10), True)
    """
    made = as_stream(stream)
    sizes = (getattr(learner, size, None) for size in ("n_clusters", "n_neurons"))
    config = Config(
        dataset=name,
        stream=OWN,
        learner=type(learner).__name__,
        neurons=next((n for n in sizes if isinstance(n, int)), 0),
        classes=tuple(np.unique(made.data.y_train).tolist()),
    )
    experiment = LearnerExperiment(
        config, made, learner,
        supervised=supervised, batch_size=batch_size, label_per_class=label_per_class,
    )  # fmt: skip
    if experiment.learner.supervised:
        experiment.config = config = replace(config, neurons=0)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(out) if out is not None else Path(scratch) / "run"
        directory = RunDirectory.create(path, experiment, force=force)
        result = Session(directory, experiment, progress).go()
        _ = result.arrays  # read while they are there
    return result


def resume(
    folder: str | os.PathLike[str],
    progress: Listener | None = None,
    *,
    rule: Rule | None = None,
) -> Result:
    """Go on with a run that was stopped or killed; a finished one is returned as it is.

    ``rule`` is the learning rule of one's own that the run was begun with, if it was.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> config = Config.of(dataset="digits", neurons=40, threshold=15.0, classes=(0, 1))
    >>> _ = run(config, folder)
    >>> resume(folder).status
    'finished'
    """
    path = Path(folder)
    directory = RunDirectory.open(path, rule)
    if read_run(path)["status"] == "finished":
        with suppress(ValueError), directory.locked():  # who holds the lock tidies up
            finished_summary(directory)
        return Result.load(path)
    if directory.config.stream == OWN:
        raise ValueError(
            f"{path} holds a stream of one's own: give it to run again, with force=True."
        )
    data = load_data(directory.config)
    return Session(directory, experiment_of(directory.config, data), progress).go()


def default_folder(config: Config) -> Path:
    """A name that says what and when: ``runs/mnist-400-sequential-20260131-120000``."""
    stem = Path(config.dataset).stem
    when = datetime.now().strftime("%Y%m%d-%H%M%S")
    who = str(config.neurons) if config.learner == "cfn" else config.learner.partition(":")[0]
    what = config.order if config.stream == "classes" else config.stream.replace(":", "")
    return Path("runs") / f"{stem}-{who}-{what}-{when}"
