"""What more may ``threshold="auto"`` know where all samples are at hand? Held-out samples say.

A layer that learns fewer novelties than it has neurons leaves neurons unused, and each could have held a
prototype more: of N complete samples at most 1 - c n / N are to be recognised by n neurons, but no less
than a lowest share. And the part of the threshold for half of the samples, which keeps some data from
thresholds at which anything resembles anything, is too high for long texts: it counts only while so many
are recognised. These constants are chosen here on what :mod:`.threshold_held_out` holds out: of the same
sets, of the same sets with few training samples, and of one more set of texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import numpy as np

from lethenet.data import Dataset
from lethenet.data.splitting import stratified_split
from lethenet.theory.threshold import CLEARLY, LEAST_OF_HALF, OF_HALF, recognised_share

from . import threshold_sets
from .remembering import flat_records
from .tables import markdown
from .threshold_held_out import FILE as HELD_OUT
from .threshold_held_out import Swept, held_out, sweep, swept

FEW = {400: (500, 1000, 2000), 100: (250, 500)}
"""Samples, by the size of the layer."""
SEEDS, MOST_TESTED = 3, 2000
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
FACTORS, LOWEST, LIMITS = (
    (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    (0.5, 0.6, 0.7),
    (0.5, 0.6, 0.7, 0.8, 0.85, 0.9),
)
CHOSEN = (4.0, 0.6, CLEARLY)
"""Of each the one that ``auto`` has."""
FILE = "few.jsonl"


def few(data: Dataset, samples: int) -> Dataset:
    """So many of the samples to learn."""
    train = held_out(data)
    chosen = stratified_split(train.y_train, n_test=samples, seed=2)[1]
    tested = np.random.default_rng(3).permutation(len(train.y_test))[:MOST_TESTED]
    X, y = train.X_train[chosen], train.y_train[chosen]
    return Dataset(data.name, X, y, train.X_test[tested], train.y_test[tested])


def run(folder: Path, names: Iterable[str] = ()) -> None:
    """Measure what is missing."""
    for name in names or threshold_sets.MADE_WITH:
        data = threshold_sets.MADE_WITH[name]()
        for neurons, samples in ((n, N) for n, numbers in FEW.items() for N in numbers):
            if 1.2 * samples < 0.8 * len(data.y_train):
                known = f"{name}: {samples}"
                sweep(folder / FILE, known, few(data, samples), neurons, SEEDS, SHARES)


def threshold(
    one: Swept, neurons: int, rows: int, factor: float, lowest: float, limit: float
) -> float:
    """What such constants give, read between the shares for which thresholds are known."""
    shares = sorted(one.for_shares)

    def at(share: float) -> float:
        return float(np.interp(share, shares, [one.for_shares[share] for share in shares]))

    found = at(min(recognised_share(neurons), max(1 - factor * neurons / rows, lowest)))
    return max(found, min(OF_HALF * at(0.5), max(at(limit), LEAST_OF_HALF * at(0.5))))


Case = tuple[str, int, int, Swept]
"""The column of a set, the neurons, its rows, and its sweep."""


def cases(folder: Path) -> list[Case]:
    """All that was held out from: the whole sets, long texts, and few samples."""
    size = next(iter(FEW))
    found: list[Case] = []
    for name, one in swept(flat_records(folder / HELD_OUT), size).items():
        column = name if name in (*threshold_sets.LONG_TEXTS, "fortunes") else "others"
        found.append((column, size, one.rows, one))
    for neurons in FEW:
        for one in swept(flat_records(folder / FILE), neurons).values():
            found.append((f"n = {neurons}, N = {one.rows}", neurons, one.rows, one))
    return found


def tables(folder: Path) -> dict[str, str]:
    """The tables of the page: mean losses for each kind of set."""
    known = cases(folder)
    few_samples = [case for case in known if case[0].startswith("n =")]
    rules = {
        f"{factor:g} | {lowest:g}": (factor, lowest, CLEARLY)
        for factor in FACTORS
        for lowest in (LOWEST if factor else LOWEST[:1])
    }
    limits = {f"{limit:g}": (CHOSEN[0], CHOSEN[1], limit) for limit in LIMITS}
    return {
        "few": _table("c | lowest", rules, known),
        "limits": _table("limit", limits, [case for case in known if case not in few_samples]),
    }


def _table(header: str, rules: dict[str, tuple[float, float, float]], known: list[Case]) -> str:
    columns = list(dict.fromkeys(case[0] for case in known))
    lines = []
    for name, rule in rules.items() if known else ():
        losses = [(c, one.loss_at(threshold(one, n, N, *rule))) for c, n, N, one in known]
        means = [mean(loss for c, loss in losses if c == column) for column in columns]
        each = [loss for _, loss in losses]
        shown = f"**{name.replace(' | ', '** | **')}**" if rule == CHOSEN else name
        lines.append([shown, *(f"{x:.2f}" for x in (*means, mean(each), max(each)))])
    return markdown([header, *columns, "all", "largest"], lines)
