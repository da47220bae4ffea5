"""The command line that an experiment is run with."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from ..model.presets import preset_parameters
from .config import MODEL_FIELDS, Config
from .setting_checks import option_words

_CARRIED_OUT = (
    "parameters",
    "fit_threshold",
    "checkpoint_seconds",
    "checkpoint_samples",
    "n_jobs",
)
"""What has options of its own, or no effect on the result."""


def command_line(config: Config, out: str | Path | None = None) -> list[str]:
    """The words of the command; see :meth:`.Config.command`."""
    default = Config(learner=config.learner)
    mine: list[tuple[str, Any, Any]] = [
        (f.name, getattr(config, f.name), getattr(default, f.name))
        for f in fields(config)
        if f.name not in (*_CARRIED_OUT, "learner")
    ]
    mine.append(("learner", config.learner, "cfn"))
    if config.learner == "cfn":
        preset = preset_parameters(config.preset, config.neurons)
        mine += [(n, getattr(config.parameters, n), getattr(preset, n)) for n in MODEL_FIELDS]
        usual_fit = Config(preset=config.preset, layer=config.layer).fit_threshold
        if usual_fit and not config.fit_threshold:  # one that is given is not fitted
            mine = [(n, v, None if n == "threshold" else usual) for n, v, usual in mine]
        mine.append(("fit_threshold", config.fit_threshold, config.fit_threshold and usual_fit))
    words = ["lethenet", "run", *option_words(mine)]
    return [*words, "--out", str(out)] if out is not None else words
