"""The small network whose weights are looked at (paper, fig. 100_visual): digits 0 to 3 in turn."""

from __future__ import annotations

from pathlib import Path

from lethenet.lifelong import Config, run
from lethenet.lifelong.reading import RUN, read_run
from lethenet.sweeps import behaviour

from .scales import Scale

FOLDER = "100_visual"
CLASSES = (0, 1, 2, 3)
MARK = "100_visual.behaviour"
"""A file with the fingerprint of the network that made the run: another one makes it void."""


def visual_config(scale: Scale) -> Config:
    """The experiment: the paper's rule, one epoch per digit.

    The paper states neither threshold nor epochs of this network; it is small, so both are the
    lowest of its sweep.

    >>> from lethenet_reproduction.paper import SCALES
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
    """Run it, unless the folder holds it; whether it was run."""
    target, mark, config = folder / FOLDER, folder / MARK, visual_config(scale)
    does = behaviour(config.parameters)
    if is_there(scale, folder) and mark.exists() and mark.read_text().strip() == does:
        return False
    mark.unlink(missing_ok=True)  # until the new run is there, what lies there is nobody's
    run(config, target, force=(target / RUN).exists())
    mark.write_text(does + "\n")
    return True


def is_there(scale: Scale, folder: Path) -> bool:
    """Whether a folder holds a finished run with the settings of this scale."""
    if not (folder / FOLDER / RUN).exists():
        return False
    record = read_run(folder / FOLDER)
    return bool(
        record["status"] == "finished" and record["config"] == visual_config(scale).to_json()
    )
