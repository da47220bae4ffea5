"""Which constants would samples held out from training choose for ``threshold="auto"``?

A fifth of the training samples of each set (10,000 at most) is held out; no test sample is looked at. What
is left is learned over a sweep of thresholds, as in :mod:`.threshold_auto`, and tested on what was held
out. A pair of constants, the share of rows to recognise and the part of the threshold for half of them,
gives a threshold for each set, and so an accuracy, read from the sweep by straight lines between its
places. What it loses is measured against the best place of the sweep. The pair that loses least on
average over the sets is the choice; the largest loss stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from lethenet.data import Dataset
from lethenet.data.splitting import stratified_split
from lethenet.model import ANNEALED
from lethenet.theory.threshold import FEWEST_ROWS, OF_HALF, Expected, recognised_share

from . import threshold_auto, threshold_sets
from .remembering import flat_records, remembered
from .tables import Record, grouped, markdown

SIZES = {400: 3, 100: 1, 1600: 1}
"""Neurons, and seeds for each."""
SHARES = (0.8, 0.825, 0.85, 0.875, 0.9, 0.925, 0.95)
PARTS = (0.6, 0.7, 0.8, *(number / 100 for number in range(85, 98)))
"""Of the threshold for half of the rows."""
MOST_HELD_OUT = 10_000
FILE = "held_out.jsonl"

Thresholds = dict[float, float]
"""By the share of rows that is recognised."""


class Swept(NamedTuple):
    """A set of so many rows: thresholds for shares, and accuracies in percent over a sweep."""

    for_shares: Thresholds
    places: list[float]
    accuracies: list[float]
    rows: int = 0

    def loss(self, share: float, part: float) -> float:
        """What such constants lose against the best of the sweep."""
        return self.loss_at(max(self.for_shares[share], part * self.for_shares[0.5]))

    def loss_at(self, threshold: float) -> float:
        """The same of a threshold."""
        return max(self.accuracies) - float(np.interp(threshold, self.places, self.accuracies))


def held_out(data: Dataset) -> Dataset:
    """The training samples of a data set, some of them for testing."""
    learned, rest = stratified_split(
        data.y_train, n_test=min(MOST_HELD_OUT, len(data.y_train) // 5), seed=1
    )
    X, y = data.X_train, data.y_train
    return Dataset(data.name, X[learned], y[learned], X[rest], y[rest])


def thresholds(
    path: Path, name: str, data: Dataset, neurons: int, shares: tuple[float, ...]
) -> Thresholds:
    """The thresholds for these shares, and for half of the rows; from the file if they are there."""
    shares = (*shares, 0.5)

    def found() -> dict[str, Any]:
        expected = Expected(data.X_train, neurons, ANNEALED, 0, fewest=FEWEST_ROWS)
        found = [round(expected.threshold_for(share), 3) for share in shares]
        return {"thresholds": found, "rows": len(data.y_train)}

    config = {"set": name, "neurons": neurons, "shares": shares}
    record = remembered(path, config, found, quiet=True)
    return dict(zip(shares, record["results"]["thresholds"], strict=True))


def measured(
    path: Path, name: str, data: Dataset, neurons: int, threshold: float, seed: int
) -> float:
    """The accuracy on what was held out, from the file if it is there."""
    parameters = replace(ANNEALED, threshold=threshold)
    config = {"set": name, "neurons": neurons, "threshold": threshold, "seed": seed}
    config |= {"labels_per_class": threshold_auto.LABELS_PER_CLASS}
    config |= {"parameters": asdict(parameters)}

    def found() -> dict[str, Any]:
        results = threshold_auto.accuracy(data, threshold, seed, neurons)
        results["held_out"] = results.pop("test")
        return results

    record = remembered(path, config, found, parameters=parameters, quiet=True)
    return float(record["results"]["held_out"])


def sweep(
    path: Path,
    name: str,
    data: Dataset,
    neurons: int,
    seeds: int,
    shares: tuple[float, ...] = SHARES,
) -> None:
    """Measure wherever a pair of constants leads to, and on until the best is not at an end."""
    step = threshold_auto.STEP
    at = thresholds(path, name, data, neurons, shares)
    low = max(at[max(shares)], min(PARTS) * at[0.5])
    high = max(at[min(shares)], max(PARTS) * at[0.5])
    places = [step * n for n in range(math.floor(low / step), math.ceil(high / step) + 1)]
    while True:
        means = [
            mean(measured(path, name, data, neurons, place, seed) for seed in range(seeds))
            for place in places
        ]
        best = places[int(np.argmax(means))]
        if best == places[-1]:
            places.append(best + step)
        elif best == places[0] > step:
            places.insert(0, best - step)
        else:
            return


def run(folder: Path, names: Iterable[str] = (), sizes: Iterable[int] = ()) -> None:
    """Measure what is missing, a size after the other."""
    for neurons in sizes or SIZES:
        for seeds in range(1, SIZES[neurons] + 1):
            for name in names or threshold_sets.MADE_WITH:
                data = held_out(threshold_sets.MADE_WITH[name]())
                sweep(folder / FILE, name, data, neurons, seeds)
    for name in () if names else threshold_sets.LONG_TEXTS:  # a cell takes up to a minute: one seed
        data = held_out(threshold_sets.LONG_TEXTS[name]())
        sweep(folder / FILE, name, data, next(iter(SIZES)), 1)


def swept(records: Iterable[Record], neurons: int) -> dict[str, Swept]:
    """The sets of which there are a sweep with this size and its thresholds."""
    found = {}
    for name, rows in grouped(records, lambda r: r["set"]).items():
        mine = [row for row in rows if row["neurons"] == neurons]
        known = [row for row in mine if "thresholds" in row]
        runs = grouped([row for row in mine if "threshold" in row], lambda r: r["threshold"])
        if not known or not runs:
            continue
        seeds = max(len(group) for group in runs.values())
        means = {
            place: 100 * mean(row["held_out"] for row in group)
            for place, group in sorted(runs.items())
            if len(group) == seeds
        }
        at = dict(zip(known[-1]["shares"], known[-1]["thresholds"], strict=True))
        found[name] = Swept(at, list(means), list(means.values()), known[-1].get("rows", 0))
    return found


def losses(sets: dict[str, Swept], share: float, part: float) -> tuple[float, float]:
    """What a pair loses: the mean over the sets, and the largest.

    >>> digits = Swept({0.5: 16.0, 0.9: 15.0}, [14.0, 15.0, 16.0], [90.0, 94.0, 92.0])
    >>> losses({"digits": digits}, 0.9, 0.97)
    (1.04, 1.04)
    """
    each = [one.loss(share, part) for one in sets.values()]
    return round(mean(each), 2), round(max(each), 2)


def _pairs() -> Iterator[tuple[float, float]]:
    return ((share, part) for share in SHARES for part in PARTS)


def tables(folder: Path) -> dict[str, str]:
    """The tables of the page."""
    records = [r for r in flat_records(folder / FILE) if r["set"] in threshold_sets.MADE_WITH]
    by_size = {neurons: sets for neurons in SIZES if (sets := swept(records, neurons))}
    first = next(iter(by_size), None)
    if first is None:
        return {"pairs": "", "sizes": "", "chosen": "", "held_out_left": ""}
    sets = by_size[first]
    best = min(_pairs(), key=lambda pair: losses(sets, *pair))
    shown = [part for part in PARTS if part < 0.85 or round(100 * part) % 2 or part == best[1]]
    pairs = [
        [f"{part:g}", *(_cell(losses(sets, share, part)) for share in SHARES)] for part in shown
    ]
    header = ["part of the one for half", *(f"{share:.1%} recognised" for share in SHARES)]
    taken = recognised_share(first), OF_HALF
    chosen = (
        f"Over {len(sets)} sets with {first} neurons {best[0]:.1%} and {best[1]:g} lose least on average, "
        f"{_cell(losses(sets, *best))}; what `auto` takes, {taken[0]:.1%} and {taken[1]:g}, "
        f"{_cell(losses(sets, *taken))}."
    )
    return {
        "pairs": markdown(header, pairs),
        "sizes": _sizes(by_size),
        "held_out_left": ", ".join(str(n) for n in SIZES if len(by_size.get(n, ())) < len(sets)),
        "chosen": chosen.replace("%", " %"),
    }


def _sizes(by_size: dict[int, dict[str, Swept]]) -> str:
    """For each size, what each share loses with the part that ``auto`` takes."""
    lines = []
    for neurons, sets in sorted(by_size.items()):
        cells = [_cell(losses(sets, share, OF_HALF)) for share in SHARES]
        lines.append([neurons, len(sets), f"{recognised_share(neurons):.1%}", *cells])
    return markdown(["neurons", "sets", "`auto`", *(f"{share:.1%}" for share in SHARES)], lines)


def _cell(loss: tuple[float, float]) -> str:
    return "{:.2f} / {:.2f}".format(*loss)
