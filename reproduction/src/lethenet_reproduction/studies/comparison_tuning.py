"""How the comparison's methods got their settings: searches that never see the test set.

The last 500 training samples of each class are held out and take its place. Every trial is a line of
tuning.jsonl beside the comparison's results; running again does what is missing.

* The traditional network learns *interleaved* data, one epoch. Random settings on a part of the stream
  ("broad"), the best steady ones on the whole of it ("whole"), random steps from the best so far
  ("near"). The best becomes :data:`..traditional.TRADITIONAL`. In a larger layer each neuron fires less
  often, so homeostasis and learning rate are looked at again for one four times as large ("larger").
* MiniBatchKMeans learns the classes *in turn*, where its batch size matters ("batch size").

    python -m lethenet_reproduction.studies.comparison_tuning
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.baselines import MiniBatchStream
from lethenet.data import Dataset, disjoint
from lethenet.estimators.readout import count_labels, decide
from lethenet.lifelong import measures
from lethenet.lifelong.evaluation import assess_tasks
from lethenet.sweeps import hold_out

from ..folders import RESULTS, folder_for
from ..traditional import TraditionalNetwork, TraditionalParameters, initial_traditional_state
from .compared_methods import one_blas_thread
from .learners import PrototypeLearner
from .remembering import remembered
from .tables import Record

NEURONS = 400
HELD_OUT = 500
"""Samples per class that choose the setting: the last ones of the training part."""

BROAD, WHOLE, NEAR = 40, 4, 14
"""How many settings each stage tries."""

MOST_RAISES = 1.0
"""Settings that need more raises of the rates per sample are not taken any further: their thresholds run
away, each sample takes longer than the last, and 55,000 of them take for ever."""

PART = 12_000
"""Samples learned in the broad stage, and samples that labels are assigned with in all stages."""

LARGER = ((1, 1, 1), (2, 1, 1), (4, 1, 1), (1, 4, 1), (4, 1, 2), (4, 1, 4))
"""Factors of θ_plus, τ_θ and η tried for a layer four times as large."""

BATCH_SIZES = (64, 256, 1024, 4096)


def random_setting(rng: np.random.Generator) -> TraditionalParameters:
    """A setting from the whole space, scales drawn as logarithms.

    >>> random_setting(np.random.default_rng(0)).n_output_spikes
    5
    """

    def scale(low: float, high: float) -> float:
        return _rounded(math.exp(rng.uniform(math.log(low), math.log(high))))

    normalisation = str(rng.choice(["sum", "length"]))
    max_weight = float(rng.choice([0.15, 0.2, 0.3, 0.5]))
    weight_dependence = float(rng.choice([0.0, 0.2, 0.5, 1.0]))
    return TraditionalParameters(
        threshold=scale(0.5, 8.0),
        theta_plus=scale(0.02, 0.5),
        tau_theta=scale(3e5, 1e7),
        tau_pre=float(rng.choice([20.0, 50.0, 100.0, 200.0])),
        # a step of that size towards the trace where the bound does not matter yet
        learning_rate=_rounded(scale(0.01, 1.0) / max_weight**weight_dependence),
        target_trace=_rounded(rng.uniform(0.0, 0.05)),
        max_weight=max_weight,
        weight_dependence=weight_dependence,
        normalisation="sum" if normalisation == "sum" else "length",
        norm=10.0 if normalisation == "sum" else 1.0,
    )


def neighbour(p: TraditionalParameters, rng: np.random.Generator) -> TraditionalParameters:
    """A setting near another one: each constant times a factor of 0.5 to 2, every other one kept.

    >>> near = neighbour(TraditionalParameters(), np.random.default_rng(0))
    >>> near != TraditionalParameters() and near.normalisation == TraditionalParameters().normalisation
    True
    """
    names = ("threshold", "theta_plus", "tau_theta", "tau_pre", "learning_rate", "target_trace")
    changes: dict[str, Any] = {
        name: _rounded(getattr(p, name) * 2.0 ** rng.uniform(-1.0, 1.0))
        for name in (*names, "max_weight")
        if rng.random() < 0.5
    }
    return replace(p, **changes)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def try_setting(
    data: Dataset, p: TraditionalParameters, neurons: int, n_samples: int | None, seed: int = 0
) -> Record:
    """Learn (a part of) the shuffled training part; accuracy on the held-out part in percent."""
    order = np.random.default_rng(seed).permutation(len(data.y_train))[:n_samples]
    network = TraditionalNetwork(p, initial_traditional_state(p, neurons, data.n_features, seed))
    started = time.process_time()
    learned = network.learn(data.X_train[order])
    seconds = time.process_time() - started
    labelled = np.sort(order[:PART])
    winners = network.recognise(data.X_train[labelled]).winners
    counts = count_labels(winners, data.y_train[labelled], neurons, len(data.classes))
    shown = network.recognise(data.X_test)

    def accuracy(readout: str) -> float:
        guess = decide(shown.winners, counts, np.bincount(data.y_train[labelled]), readout)
        return round(100 * float(np.mean(guess == data.y_test)), 3)

    return {
        "held_out": accuracy("dominant"),
        "held_out_histogram": accuracy("histogram"),
        "samples": len(order),
        "seed": seed,
        "unused_neurons": int((network.state.spike_counts == 0).sum()),
        "raises_per_sample": round(float(learned.raises.mean()), 3),
        "learning_seconds": round(seconds, 1),
    }


def search(data: Dataset, log: Path, neurons: int = NEURONS) -> TraditionalParameters:
    """Carry out what is missing of the search for the traditional network; the best setting found."""

    def trial(stage: str, p: TraditionalParameters, size: int, n_samples: int | None) -> Record:
        place = {"stage": stage, "neurons": size, "parameters": asdict(p)}
        found = remembered(log, place, lambda: try_setting(data, p, size, n_samples))
        return {**place, **found["results"]}

    def ranked(lines: list[Record]) -> list[TraditionalParameters]:
        best_first = sorted(lines, key=lambda line: -float(line["held_out"]))
        return [TraditionalParameters(**line["parameters"]) for line in best_first]

    rng = np.random.default_rng(0)
    broad = [trial("broad", random_setting(rng), neurons, PART) for _ in range(BROAD)]
    steady = [line for line in broad if line["raises_per_sample"] <= MOST_RAISES]
    whole = [trial("whole", p, neurons, None) for p in ranked(steady)[:WHOLE]]
    tried, rng = whole, np.random.default_rng(1)
    for _ in range(NEAR):
        tried.append(trial("near", neighbour(ranked(tried)[0], rng), neurons, None))
    best = ranked(tried)[0]
    for stronger, longer, faster in LARGER:
        p = replace(
            best,
            theta_plus=best.theta_plus * stronger,
            tau_theta=best.tau_theta * longer,
            learning_rate=best.learning_rate * faster,
        )
        trial("larger", p, 4 * neurons, None)
    return best


def choose_batch_size(data: Dataset, log: Path, neurons: int = NEURONS) -> int:
    """Carry out what is missing of the trials for MiniBatchKMeans; the best batch size in turn."""
    tasks = disjoint(data.y_train)

    def measure(batch_size: int) -> Record:
        learner = PrototypeLearner(MiniBatchStream(neurons, batch_size))
        with one_blas_thread():
            for task in tasks:
                learner.learn(data.X_train[task.indices])
            found = assess_tasks(
                learner.winners, data, tasks, (neurons, len(data.classes)), data.classes
            )
        return {"held_out": round(100 * measures.accuracy(found.confusion), 3)}

    accuracies: dict[int, float] = {}
    for batch_size in BATCH_SIZES:
        place = {"stage": "batch size", "neurons": neurons, "batch_size": batch_size}
        accuracies[batch_size] = float(
            remembered(log, place, partial(measure, batch_size))["results"]["held_out"]
        )
    return max(accuracies, key=accuracies.__getitem__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, and print the settings that were found."""
    from lethenet.data import load

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder of the comparison's results")
    folder = folder_for(parser.parse_args(arguments).out, RESULTS / "comparison")
    data, log = hold_out(load("mnist"), HELD_OUT), folder / "tuning.jsonl"
    print(f"batch size: {choose_batch_size(data, log)}")
    print(f"traditional network: {search(data, log)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
