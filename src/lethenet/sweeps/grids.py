"""Grids: every combination of the values on each axis, from Python, TOML or the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from ..lifelong.setting_checks import read_toml
from .experiment import SETTINGS, Experiment


def grid(**axes: Any) -> list[Experiment]:
    """All combinations of these settings, each once.

    Parameters
    ----------
    **axes
        Any setting of a :class:`.Experiment` by name: a list (tuple, range) is an axis, anything else is
        the same in all experiments. ``seeds=5`` stands for ``seed=range(5)``. For ``classes`` a list of
        numbers is one order, a list of such lists an axis.

    Returns
    -------
    list of Experiment
        The experiments; the last axis given changes fastest.

    Examples
    --------
    >>> experiments = grid(dataset="digits", neurons=[50, 100], threshold=[14.5, 15.0], seeds=3)
    >>> len(experiments), experiments[0].config.seed, experiments[1].config.seed
    (12, 0, 1)
    >>> [experiment.config.classes for experiment in grid(classes=[[0, 1], [1, 0]])]
    [(0, 1), (1, 0)]
    >>> grid(neurons=[])
    Traceback (most recent call last):
    ...
    ValueError: neurons has no values: expected one or more.
    """
    if "seeds" in axes:
        number = axes.pop("seeds")
        if "seed" in axes:
            raise ValueError("both seed and seeds are given: seeds=5 stands for seed=range(5).")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise ValueError(f"seeds={number!r}: expected how many, 1 or more; seed takes a list.")
        axes["seed"] = range(number)
    values = {name: _values(name, value) for name, value in axes.items()}
    experiments = [
        Experiment.of(**dict(zip(values, point, strict=True)))
        for point in product(*values.values())
    ]
    return list(dict.fromkeys(experiments))


def read_grid(path: str | Path, **overrides: Any) -> list[Experiment]:
    """The experiments of a TOML file, each once.

    ``[fixed]`` holds settings that all experiments share, ``[grid]`` lists of values (or ``seeds = 5``).
    Each ``[[block]]`` may have a ``fixed`` and a ``grid`` of its own, which come on top of those;
    the sweep is all blocks together. Dashes count as underscores.

    Parameters
    ----------
    path : path
        The file.
    **overrides
        Settings, as :func:`grid` takes them, that come before those of the file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sweep.toml"
    >>> _ = path.write_text('''
    ... [fixed]
    ... dataset = "digits"
    ... [grid]
    ... seeds = 2
    ... [[block]]
    ... grid = {neurons = [50, 100]}
    ... [[block]]
    ... fixed = {neurons = 200, order = "interleaved"}
    ... ''')
    >>> [experiment.config.neurons for experiment in read_grid(path)]
    [50, 50, 100, 100, 200, 200]
    """
    document = read_toml(Path(path))
    try:
        blocks = document.pop("block", [{}])
        common = _tables(document)
        if not isinstance(blocks, list) or not all(isinstance(b, dict) for b in blocks):
            raise ValueError("block: expected tables that begin with [[block]].")
        experiments = [
            experiment
            for block in blocks
            for experiment in grid(**_merged(common, _tables(block), overrides))
        ]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    return list(dict.fromkeys(experiments))


def _tables(document: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of one ``fixed`` and ``grid``, as :func:`grid` takes them."""
    settings: dict[str, Any] = {}
    for table, content in document.items():
        if table not in ("fixed", "grid") or not isinstance(content, dict):
            raise ValueError(
                f"{table!r} is not known here: a sweep has the tables [fixed], [grid] and "
                "[[block]], and settings stand in these."
            )
        for word, value in content.items():
            name = word.replace("-", "_")
            if table == "grid" and name != "seeds" and not isinstance(value, list):
                raise ValueError(
                    f"[grid] {word} = {value!r}: expected a list of values; a single one goes "
                    "into [fixed]."
                )
            if table == "fixed" and isinstance(value, list) and name != "classes":
                raise ValueError(f"[fixed] {word} = {value!r}: a list of values goes into [grid].")
            if name in settings:
                raise ValueError(f"{word} stands in both [fixed] and [grid]: leave out one.")
            settings[name] = value
    return settings


def _merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Settings on top of each other: ``seeds`` replaces ``seed``, and the other way round."""
    merged: dict[str, Any] = {}
    for layer in layers:
        if "seed" in layer or "seeds" in layer:
            merged.pop("seed", None)
            merged.pop("seeds", None)
        merged |= layer
    return merged


def _values(name: str, value: Any) -> list[Any]:
    if name not in SETTINGS:
        Experiment.of(**{name: value})  # says what is wrong with the name
    values: list[Any]
    if name == "classes" and value is not None:
        orders = list(value)
        several = any(isinstance(order, Iterable) for order in orders)
        values = [tuple(order) for order in orders] if several else [tuple(orders)]
    else:
        values = list(value) if isinstance(value, list | tuple | range) else [value]
    if not values:
        raise ValueError(f"{name} has no values: expected one or more.")
    return values
