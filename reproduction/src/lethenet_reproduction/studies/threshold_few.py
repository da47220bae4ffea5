"""How many of few samples may be novel? Where data are few, held-out samples say.

A layer that learns fewer novelties than it has neurons leaves neurons unused, and each could have held a
prototype more. So where all samples are at hand, a share of them as large as the layer may be novel: what
is recognised is at most 1 - c n / N, with n neurons and N samples, but no less than a lowest share. Both
constants are chosen here on what :mod:`.threshold_held_out` holds out, from few training samples of the
same sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import numpy as np

from lethenet.data import Dataset
from lethenet.data.splitting import stratified_split
from lethenet.theory.threshold import OF_HALF, recognised_share

from . import threshold_sets
from .remembering import flat_records
from .tables import markdown
from .threshold_held_out import Swept, held_out, sweep, swept

FEW = {400: (500, 1000, 2000), 100: (250, 500)}
"""Samples, by the size of the layer."""
SEEDS, MOST_TESTED = 3, 2000
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
FACTORS, LOWEST = (0.0, 0.5, 0.75, 1.0, 1.25), (0.5, 0.6, 0.7)
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


def loss(one: Swept, neurons: int, samples: int, factor: float, lowest: float) -> float:
    """What such constants lose on a set of so many samples."""
    share = min(recognised_share(neurons), max(1 - factor * neurons / samples, lowest))
    shares = sorted(one.for_shares)
    at = float(np.interp(share, shares, [one.for_shares[share] for share in shares]))
    return one.loss_at(max(at, OF_HALF * one.for_shares[0.5]))


def tables(folder: Path) -> dict[str, str]:
    """The table of the page: means over the sets, for each number of neurons and samples."""
    records = flat_records(folder / FILE)
    cases: dict[tuple[int, int], list[Swept]] = {}
    for neurons in FEW:
        for name, one in swept(records, neurons).items():
            cases.setdefault((neurons, int(name.rpartition(" ")[2])), []).append(one)
    lines = []
    for factor in FACTORS if cases else ():
        for lowest in LOWEST if factor else LOWEST[:1]:
            rule = f"1 - {factor:g} n / N, at least {lowest:g}" if factor else "as of many samples"
            losses = [[loss(one, *case, factor, lowest) for one in cases[case]] for case in cases]
            every = [x for part in losses for x in part]
            means = [f"{mean(part):.2f}" for part in (*losses, every)]
            lines.append([rule, *means, f"{max(every):.2f}"])
    header = ["recognised at most", *(f"n = {n}, N = {N}" for n, N in cases), "all", "largest"]
    return {"few": markdown(header, lines)}
