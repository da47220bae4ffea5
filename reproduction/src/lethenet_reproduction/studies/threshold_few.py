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

from . import threshold_auto
from .remembering import flat_records
from .tables import markdown
from .threshold_held_out import Swept, held_out, sweep, swept

FEW, SEEDS, MOST_TESTED = (500, 1000, 2000), 3, 2000
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
    for name in names or threshold_auto.MADE_WITH:
        data = threshold_auto.MADE_WITH[name]()
        for samples in FEW:
            if 1.2 * samples < 0.8 * len(data.y_train):
                of_them = few(data, samples)
                known = f"{name}: {samples}"
                sweep(folder / FILE, known, of_them, threshold_auto.NEURONS, SEEDS, SHARES)


def loss(name: str, one: Swept, factor: float, lowest: float) -> float:
    """What such constants lose on a set, named with its number of samples."""
    neurons, samples = threshold_auto.NEURONS, int(name.rpartition(" ")[2])
    share = min(recognised_share(neurons), max(1 - factor * neurons / samples, lowest))
    shares = sorted(one.for_shares)
    at = float(np.interp(share, shares, [one.for_shares[share] for share in shares]))
    return one.loss_at(max(at, OF_HALF * one.for_shares[0.5]))


def tables(folder: Path) -> dict[str, str]:
    """The table of the page."""
    sets = swept(flat_records(folder / FILE), threshold_auto.NEURONS)
    lines = []
    for factor in FACTORS if sets else ():
        for lowest in LOWEST if factor else (LOWEST[0],):
            losses = [loss(name, one, factor, lowest) for name, one in sets.items()]
            kind = f"1 - {factor:g} n / N, at least {lowest:g}" if factor else "as of many samples"
            by_number = [
                [x for x, name in zip(losses, sets, strict=True) if name.endswith(f" {n}")]
                for n in FEW
            ]
            cells = [f"{mean(part):.2f}" if part else "–" for part in (*by_number, losses)]
            lines.append([kind, *cells, f"{max(losses):.2f}"])
    header = ["recognised at most", *(f"{n} samples" for n in FEW), "all", "largest"]
    return {"few": markdown(header, lines)}
