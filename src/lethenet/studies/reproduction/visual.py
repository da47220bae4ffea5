"""The small network whose weights are looked at (paper, fig. 100_visual): digits 0 to 3 in turn."""

from __future__ import annotations

from pathlib import Path

from ...lifelong import Config, resume, run
from ...lifelong.rundir import RUN, read_run
from ...sweeps import behaviour
from .scales import Scale

FOLDER = "100_visual"
CLASSES = (0, 1, 2, 3)
MARK = "100_visual.behaviour"
"""A file with the fingerprint of the network that made the run: another one makes it void."""


def visual_config(scale: Scale) -> Config:
    """The experiment: the paper's rule, one epoch per digit.

    The paper states neither threshold nor epochs of this network; it is small, so both are the
    lowest of its sweep.

    Examples
    --------
    >>> from lethenet.studies.reproduction import SCALES
    >>> config = visual_config(SCALES["paper"])
    >>> config.neurons, config.classes
    (100, (0, 1, 2, 3))
    """
    return Config.of(
        dataset=scale.dataset,
        preset="paper",
        neurons=scale.visual_neurons,
        threshold=scale.visual_threshold,
        classes=CLASSES,
        train_per_class=scale.train_per_class,
        test_per_class=scale.test_per_class,
    )


def run_visual(scale: Scale, folder: Path) -> bool:
    """Run it, or go on with it, unless the folder holds it; whether something was done."""
    target, config = folder / FOLDER, visual_config(scale)
    does = behaviour(config.parameters)
    if not _is_this_one(target, config, does):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).write_text(does + "\n")
        run(config, target, force=(target / RUN).exists())
    elif read_run(target)["status"] != "finished":
        resume(target)
    else:
        return False
    return True


def _is_this_one(target: Path, config: Config, does: str) -> bool:
    """Whether the run that lies there has the same settings and is the same network's."""
    mark = target.with_name(MARK)
    if not (target / RUN).exists() or not mark.exists() or mark.read_text().strip() != does:
        return False
    return Config.from_json(read_run(target)["config"]) == config
