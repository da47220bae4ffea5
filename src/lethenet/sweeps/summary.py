"""Results put together: mean and standard deviation over the seeds, for each setting that varies."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean, stdev
from typing import Any, NamedTuple

from .._schema import PLAIN, TEXT, Each, Kind, Maybe, check, number
from .results_file import ResultLine

MEASURES = (
    "train_accuracy",
    "train_accuracy_histogram",
    "test_accuracy",
    "test_accuracy_histogram",
)
_SWEPT = {"config": {"parameters": {}}, "behaviour?": Maybe(TEXT)}
_SETTING = Kind("a number, a text or a list of these", lambda v: PLAIN.fits(v)
                or (isinstance(v, tuple) and all(map(PLAIN.fits, v))))  # fmt: skip


class Average(NamedTuple):
    """Mean and sample standard deviation, None of a single value."""

    mean: float
    deviation: float | None


class Row(NamedTuple):
    """All seeds of one setting: the values of what varies, how many seeds, and the measures."""

    axes: dict[str, Any]
    n: int
    measures: dict[str, Average]


def summarise(results: Iterable[ResultLine], measures: Iterable[str] = MEASURES) -> list[Row]:
    """Mean and standard deviation over seeds, a row for each combination of the settings that vary.

    Results of networks that behave otherwise are kept apart, by their fingerprint ``behaviour``.

    Parameters
    ----------
    results : iterable of dict
        Lines of a results file.
    measures : iterable of str
        Which numbers of ``results``, or of ``cost``.

    Examples
    --------
    >>> def result(neurons, seed, accuracy):
    ...     config = {"neurons": neurons, "seed": seed, "parameters": {"threshold": 13.5}}
    ...     return {"config": config, "results": {"test_accuracy": accuracy}, "cost": {}}
    >>> results = [result(100, 0, 0.75), result(400, 0, 0.8), result(100, 1, 0.85)]
    >>> for row in summarise(results, ["test_accuracy"]):
    ...     print(row.axes, row.n, f"{row.measures['test_accuracy'].mean:.2f}")
    {'neurons': 100} 2 0.80
    {'neurons': 400} 1 0.80
    """
    results, names = list(results), tuple(measures)
    settings = [_settings(result) for result in results]
    axes = varying(settings)
    points = [tuple(one.get(name) for name in axes) for one in settings]
    apart = [(*point, r.get("behaviour")) for point, r in zip(points, results, strict=True)]
    if len(set(apart)) > len(set(points)):
        axes, points = [*axes, "behaviour"], apart
    groups: dict[tuple[Any, ...], list[ResultLine]] = {}
    for point, result in zip(points, results, strict=True):
        groups.setdefault(point, []).append(result)
    rows = []
    for point, group in groups.items():
        found = {name: [_measure(result, name) for result in group] for name in names}
        averages = {
            name: Average(mean(values), stdev(values) if len(values) > 1 else None)
            for name, values in found.items()
        }
        rows.append(Row(dict(zip(axes, point, strict=True)), len(group), averages))
    return sorted(rows, key=lambda row: [_sortable(value) for value in row.axes.values()])


def varying(settings: list[dict[str, Any]]) -> list[str]:
    """The names of the settings that differ, without those that only follow from the preset.

    >>> varying([{"neurons": 100, "seed": 0}, {"neurons": 400, "seed": 0}])
    ['neurons']
    """

    def values(*names: str) -> set[tuple[Any, ...]]:
        return {tuple(one.get(name) for name in names) for one in settings}

    names = dict.fromkeys(name for one in settings for name in one)
    presets = len(values("preset"))
    return [
        name
        for name in names
        if len(values(name)) > 1
        and (name == "preset" or presets == 1 or len(values("preset", name)) > presets)
    ]


def _settings(result: ResultLine) -> dict[str, Any]:
    whose = f"the result {result.get('key', '')!r:.60}"
    check(result, _SWEPT, whose)
    settings = {"preset": result.get("preset")}
    settings |= {k: v for k, v in result["config"].items() if k not in ("seed", "parameters")}
    settings |= result["config"]["parameters"]
    settings = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
    check(settings, Each(_SETTING), whose)
    return settings


def _measure(result: ResultLine, name: str) -> float:
    value = result["results"].get(name, result["cost"].get(name))
    if not number().fits(value):
        numbers = [k for k, v in result["results"].items() if isinstance(v, int | float)]
        raise ValueError(f"{name!r} is not a number of the results: there are {numbers}.")
    return float(value)


def _sortable(value: Any) -> tuple[str, Any]:
    """Numbers among numbers, words among words: an axis may hold None besides."""
    if isinstance(value, tuple):
        return ("tuple", tuple(map(_sortable, value)))
    kind = "number" if isinstance(value, bool | int | float) else type(value).__name__
    return (kind, 0 if value is None else value)
