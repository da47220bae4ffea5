"""Single settings: their checks, whose errors name setting, value and what was expected; files; names."""

from __future__ import annotations

import numbers
import re
import tomllib
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._limits import check_file, one_line

MOST_TOML_BYTES = 2**20
LEARNERS = {
    "kmeans": "OnlineKMeans",
    "minibatch-kmeans": "MiniBatchStream",
    "som": "SelfOrganisingMap",
    "fuzzy-art": "FuzzyART",
    "ncm": "NearestClassMean",
    "slda": "StreamingLDA",
}
"""What can learn besides the network: classes of :mod:`lethenet.baselines`."""
WITHOUT_NEURONS = ("ncm", "slda")
NETWORK_ONLY = (
    "preset", "readout", "interim_labels", "fit_threshold", "checkpoint_seconds", "checkpoint_samples"
)  # fmt: skip
WORLDS = ("returning", "drifting", "changing-looks")
OWN = "own"
"""What a configuration calls a stream that is the caller's own."""


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """ValueError unless a condition holds: "epochs=0: expected 1 or more."."""
    if not condition:
        raise ValueError(f"{name}={value!r}: expected {expected}.")


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in these bounds."""
    fine = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    require(fine and low <= value <= high, name, value, f"a whole number from {low} to {high}")
    return int(value)


def whole_classes(classes: Iterable[Any]) -> tuple[Any, ...]:
    """Class labels or names, each once."""
    values = tuple(classes)
    fine = (isinstance(v, numbers.Integral | str) and not isinstance(v, bool) for v in values)
    expected = "whole numbers or names, at least one"
    require(all(fine) and bool(values), "classes", list(values), expected)
    twice = sorted({v for v in values if values.count(v) > 1})
    require(not twice, "classes", list(values), f"each class once, but {twice} come twice")
    return tuple(v if isinstance(v, str) else int(v) for v in values)


def unknown_setting(name: str, known: list[str]) -> str:
    """What to say about a name that is no setting."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(sorted(known))}."
    return f"{name!r} is not a setting. {hint}"


def known_classes(classes: tuple[Any, ...] | None, data: Any) -> tuple[int, ...]:
    """These classes of a data set as numbers, all of them if None; ValueError if it lacks one of them."""
    chosen: tuple[Any, ...] = data.classes if classes is None else classes
    numbers = {name: number for number, name in enumerate(data.class_names or ())}
    chosen = tuple(numbers.get(label, label) for label in chosen)
    unknown = [label for label in chosen if label not in data.classes]
    if unknown:
        has = (str(data.name_of(label)) for label in data.classes)
        raise ValueError(
            f"classes={list(chosen)}: {data.name} has no class "
            f"{', '.join(map(str, unknown))}; it has {', '.join(has)}."
        )
    untested = set(chosen) - set(data.y_test.tolist())
    if untested:
        raise ValueError(f"{data.name} has no test samples of the classes {sorted(untested)}.")
    return chosen


def warn_of_blank_samples(data: Any) -> None:
    """Say so if samples are all zero: nothing can be learned from them."""
    n = len(data.X_train) - int(data.X_train.any(axis=1).sum())
    if n:
        blank = f"{n} of {len(data.X_train)} training samples of {data.name} are all zero"
        warnings.warn(f"{blank}: they send no spikes, and are skipped.", UserWarning, stacklevel=3)


def check_together(config: Any) -> None:
    """ValueError if settings do not go together, or the stream or the learner is unknown."""
    stream, learner, name = config.stream, config.learner, config.learner.partition(":")[0]
    if stream == OWN:  # of lethenet.lifelong.run(stream, learner)
        return
    require(name in ("cfn", *LEARNERS), "learner", learner, f"one of cfn, {', '.join(LEARNERS)}")
    plain = name != "cfn" or learner == name
    require(plain, "learner", learner, "cfn; its settings have options of their own")
    split = re.fullmatch(r"split:[1-9]\d{0,8}", stream)
    known = bool(split) or stream in ("classes", *WORLDS)
    require(known, "stream", stream, f"classes, split:2 (or more), {', '.join(WORLDS)}")
    if config.order == "interleaved" and (config.twin or stream != "classes"):
        other = "twin=True" if config.twin else f"stream={stream!r}"
        raise ValueError(f"{other} with order='interleaved', where all is mixed. Leave out one.")
    if stream in WORLDS:
        classes = list(config.classes or ())
        require(classes == sorted(classes), "classes", classes, f"rising ones with {stream}")
        require(not config.twin, "twin", True, f"no twin with {stream}, whose order is its point")
    if stream == "changing-looks":
        why = "none with changing looks: features cannot be turned"
        require(config.layer == "none", "layer", config.layer, why)


def check_given(settings: dict[str, Any], constants: list[str]) -> None:
    """ValueError if the settings that were given are not those of the learner."""
    learner = str(settings.get("learner", "cfn"))
    if learner == "cfn":
        return
    name = learner.partition(":")[0]
    given = constants + [s for s in settings if s in NETWORK_ONLY]
    if name in WITHOUT_NEURONS and "neurons" in settings:
        given.append("neurons")
    if given:
        raise ValueError(
            f"learner={learner!r} has no setting {', '.join(given)}: leave it out, or the learner."
        )


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file that is not too large."""
    check_file(path, MOST_TOML_BYTES)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid TOML: {one_line(error)}.") from error


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file, those in tables lifted to the top, dashes as underscores."""
    settings: dict[str, Any] = {}
    for name, value in read_toml(path).items():
        settings.update(value if isinstance(value, dict) else {name: value})
    return {name.replace("-", "_"): value for name, value in settings.items()}


_RENAMED = {
    "train_per_class": "limit-train",
    "test_per_class": "limit-test",
    "checkpoint_seconds": "checkpoint-every",
}


def option_name(setting: str) -> str:
    """What the command line calls a setting, without the dashes in front."""
    return _RENAMED.get(setting, setting.replace("_", "-"))


def option_words(settings: Iterable[tuple[str, Any, Any]]) -> list[str]:
    """Words of a command line for settings: name, value, and the value that needs no word.

    >>> option_words([("neurons", 9, 400), ("twin", True, False), ("classes", (1, 2), None)])
    ['--neurons', '9', '--twin', '--classes', '1,2']
    """
    words: list[str] = []
    for name, value, usual in settings:
        option = option_name(name)
        if value == usual:
            continue
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            several = value if isinstance(value, tuple) else (getattr(value, "name", value),)
            words += [f"--{option}", ",".join(map(str, several))]
    return words
