"""Past the paper: the annealed rule, its constants chosen on training data, at all seven sizes.

Four sweeps, one file each; running again does what is missing:

* ``constants.jsonl``: lowest learning rate and weight of forced spikes, 400 neurons;
* ``thresholds.jsonl``: the threshold for each size;
* ``sizes.jsonl``: the chosen rule at all sizes, and the paper's, on the test samples;
* ``orders.jsonl``: three other orders of the classes.

``offline.jsonl`` has offline spherical k-means of the same sizes, the bound to compare with.

The first two test on the last 800 training samples of each class, which are not learned; the test
samples are only looked at in the last two, with everything chosen.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import mean

from lethenet.model.parameters import ANNEALED
from lethenet.model.presets import annealed_threshold
from lethenet.sweeps import Experiment, grid

from ..published import SIZES, best_cell
from ..texts import write_readme
from .remembering import remembered
from .sweeping import sweep
from .tables import Record, grouped, markdown, mean_sd, percents

SEEDS = {400: 5, 900: 5, 1600: 5, 2500: 3}
"""Seeds of the annealed rule; one for larger sizes, whose seeds differ less."""
VALIDATION = 800
PASSES = 10
ORDERS = (
    tuple(range(10)),
    (4, 6, 2, 7, 3, 5, 9, 0, 8, 1),
    (2, 9, 3, 6, 0, 4, 8, 7, 5, 1),
    (5, 4, 9, 0, 8, 2, 1, 6, 7, 3),
)
"""Rising, and three orders drawn once by numpy's default_rng(0), permutation(10) after each other."""


def constants_cells() -> list[Experiment]:
    """Lowest learning rate × weight of forced spikes, on held-out training samples.

    A wide search at 400 neurons, then more seeds and 1600 neurons for those that came close.
    """
    rule = {"preset": "annealed", "validation": VALIDATION}
    search = {"n_readout_spikes": 5, **rule}
    shares = [0.1, 0.3, 0.5]
    small = {"neurons": 400, "threshold": 13.0, **search}
    large = {"neurons": 1600, "threshold": 13.75, **search}
    wide = grid(**small, learning_rate=[0.001, 0.002], forced_depression=[*shares, 1.0], seeds=2)
    wide += grid(**small, learning_rate=0.004, forced_depression=0.1, seeds=2)
    close = grid(**small, learning_rate=0.002, forced_depression=shares, seed=range(2, 5))
    larger = grid(**large, learning_rate=0.002, forced_depression=shares, seeds=2)
    votes = grid(neurons=400, threshold=13.0, n_readout_spikes=[5, 8, 10], seeds=2, **rule)
    return [*wide, *close, *larger, *votes]


def threshold_cells() -> list[Experiment]:
    """Thresholds around the best for each size, on held-out training samples."""
    cells: list[Experiment] = []
    tried = {
        400: (12.5, 12.75, 13.0, 13.25),
        900: (13.0, 13.25, 13.5, 13.75),
        1600: (13.25, 13.5, 13.75, 14.0),
        6400: (13.75, 14.0),
    }
    for neurons, thresholds in tried.items():
        cells += grid(
            preset="annealed",
            neurons=neurons,
            threshold=thresholds,
            seed=[0, 1] if neurons == 400 else [0],
            n_readout_spikes=5,
            validation=VALIDATION,
        )
    return cells


def size_cells() -> list[Experiment]:
    """Ours and the paper's rule at all sizes, digits in turn, on the test samples."""
    cells: list[Experiment] = []
    for neurons in SIZES:
        cells += grid(preset="annealed", neurons=neurons, seeds=SEEDS.get(neurons, 1))
        cells += grid(preset="paper", neurons=neurons, seeds=2 if neurons <= 1600 else 1)
    return cells


def order_cells() -> list[Experiment]:
    """Four orders of the classes, with a look after each task."""
    return grid(
        preset="annealed",
        neurons=[400, 1600],
        classes=ORDERS,
        evaluate="each task",
        label_per_class=1000,
    )


SWEEPS = {
    "constants": constants_cells,
    "thresholds": threshold_cells,
    "sizes": size_cells,
    "orders": order_cells,
}


def constants_table(records: list[Record]) -> str:
    """Held-out accuracy by lowest learning rate and weight of forced spikes."""

    def constants(record: Record) -> tuple[int, float, float]:
        parameters = record["config"]["parameters"]
        neurons = int(record["config"]["neurons"])
        return neurons, parameters["learning_rate"], parameters["forced_depression"]

    records = [r for r in records if r["config"]["parameters"].get("n_readout_spikes", 5) == 5]
    groups = grouped(records, constants)
    shares = sorted({share for _, _, share in groups})
    rows = [
        [neurons, f"{rate:g}"]
        + [
            mean_sd(percents(groups.get((neurons, rate, s), []), "test_accuracy_histogram"))
            for s in shares
        ]
        for neurons, rate in sorted({(neurons, rate) for neurons, rate, _ in groups})
    ]
    return markdown(
        ["neurons", "lowest learning rate", *(f"forced spikes {s:g} η" for s in shares)], rows
    )


def votes_table(records: list[Record]) -> str:
    """Held-out accuracy by the number of output spikes that vote, with the constants chosen."""
    chosen = [
        r
        for r in records
        if r["config"]["neurons"] == 400
        and r["config"]["parameters"]["learning_rate"] == ANNEALED.learning_rate
        and r["config"]["parameters"]["forced_depression"] == ANNEALED.forced_depression
        and r["config"]["seed"] < 2
    ]
    groups = grouped(chosen, lambda r: int(r["config"]["parameters"].get("n_readout_spikes", 5)))
    rows = [
        [
            n,
            mean_sd(percents(group, "test_accuracy")),
            mean_sd(percents(group, "test_accuracy_histogram")),
        ]
        for n, group in sorted(groups.items())
    ]
    return markdown(["output spikes that vote", "hard votes", "histogram votes"], rows)


def threshold_table(records: list[Record]) -> str:
    """Held-out accuracy by size and threshold, the best of each size in bold."""
    groups = grouped(
        records, lambda r: (r["config"]["neurons"], r["config"]["parameters"]["threshold"])
    )
    thresholds = sorted({threshold for _, threshold in groups})
    rows = []
    for neurons in sorted({neurons for neurons, _ in groups}):
        values = {
            t: percents(groups.get((neurons, t), []), "test_accuracy_histogram") for t in thresholds
        }
        best = max(thresholds, key=lambda t: mean(values[t]) if values[t] else 0.0)
        cells = [
            f"**{mean_sd(values[t])}**" if t == best else mean_sd(values[t]) for t in thresholds
        ]
        rows.append([neurons, *cells, f"{annealed_threshold(neurons):g}"])
    return markdown(["neurons", *(f"{t:g}" for t in thresholds), "the formula's"], rows)


def size_table(records: list[Record], offline: dict[int, float]) -> str:
    """Test accuracy at all sizes: the paper, ours with its rule, ours annealed, offline k-means."""
    groups = grouped(records, lambda r: (r["preset"], r["config"]["neurons"]))
    rows = []
    for neurons in SIZES:
        row: list[object] = [neurons, f"{best_cell(neurons).training_accuracy:.2f}"]
        for preset in ("paper", "annealed"):
            group = groups.get((preset, neurons), [])
            row += [
                mean_sd(percents(group, "test_accuracy")),
                mean_sd(percents(group, "test_accuracy_histogram")),
            ]
        seeds = [str(len(groups.get((preset, neurons), []))) for preset in ("paper", "annealed")]
        row += [offline.get(neurons, "–"), " / ".join([*seeds, "1"])]
        rows.append(row)
    header = [
        "neurons",
        "the paper's best cell (train)",
        "paper's rule, hard votes",
        "histogram votes",
    ]
    header += ["annealed, hard votes", "histogram votes", "spherical k-means, offline"]
    header += ["seeds (paper's rule / annealed / k-means)"]
    return markdown(header, rows)


def order_table(records: list[Record]) -> str:
    """Accuracy, forgetting and BWT for each order of the classes."""
    rows = []
    for record in records:
        order = record["config"]["classes"]
        rows.append(
            [record["config"]["neurons"], " ".join(map(str, order))]
            + [f"{percents([record], name)[0]:.2f}" for name in _ORDER_COLUMNS]
        )
    header = ["neurons", "order", "test, hard votes", "histogram votes", "forgetting", "BWT"]
    return markdown(header, rows)


_ORDER_COLUMNS = ("test_accuracy", "test_accuracy_histogram", "forgetting", "bwt")


def offline_k_means(folder: Path) -> dict[int, float]:
    """Test accuracy in percent of offline spherical k-means of each size, computed where it is missing.

    All training samples at once, shuffled, ten passes; a prototype has the class of most of its samples.
    """
    from lethenet.baselines import SphericalKMeans
    from lethenet.data import load
    from lethenet.lifelong import measures
    from lethenet.lifelong.evaluation import assess

    from .learners import PrototypeLearner

    def compute(neurons: int) -> dict[str, float]:
        data = load("mnist")
        learner = PrototypeLearner(SphericalKMeans(neurons, PASSES)).learn(data.X_train)
        train, test = (data.X_train, data.y_train), (data.X_test, data.y_test)
        found = assess(learner.winners, train, test, (neurons, len(data.classes)))
        return {"test_accuracy": measures.accuracy(found.confusion)}

    found = {}
    for neurons in SIZES:
        config = {"learner": "spherical k-means", "neurons": neurons, "passes": PASSES, "seed": 0}
        record = remembered(folder / "offline.jsonl", config, partial(compute, neurons))
        found[neurons] = round(100 * float(record["results"]["test_accuracy"]), 2)
    return found


def run(folder: Path) -> None:
    """Run what is missing and write the tables."""
    found = {name: sweep(cells(), folder / f"{name}.jsonl") for name, cells in SWEEPS.items()}
    write_readme(
        folder,
        "annealed.md",
        validation=VALIDATION,
        sizes=size_table(found["sizes"], offline_k_means(folder)),
        orders=order_table(found["orders"]),
        constants=constants_table(found["constants"]),
        votes=votes_table(found["constants"]),
        thresholds=threshold_table(found["thresholds"]),
    )
