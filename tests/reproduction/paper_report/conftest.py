"""Results made up for these tests, in the documented form, at the paper's scale: nobody learned them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lethenet_reproduction.paper import (
    SCALES,
    Scale,
    final,
    fit,
    kmeans,
    precision,
    stability,
    table1,
)
from lethenet_reproduction.paper.cells import final_cells, fit_cells, precision_cells, table_cells
from lethenet_reproduction.paper.scales import Point

from lethenet.sweeps import Experiment

BELOW = 0.3
"""Every made-up cell of Table 1 is so many points below the paper's, give or take its seed."""


def looks(rng: np.random.Generator, last: float) -> list[dict[str, Any]]:
    """An evaluation after each of ten digits, on a gentle way down to ``last``."""
    evaluations = []
    for number in range(10):
        level = 0.995 - (0.995 - last) * number / 9
        tilt = rng.permutation(np.linspace(-1, 1, number + 1)) if number else np.zeros(1)
        accuracies = level + min(0.02, 1 - level) * tilt  # their mean is the level
        evaluations.append(
            {
                "task": str(number),
                "train_accuracy": level,
                "test_accuracy": level,
                "test_accuracy_histogram": level,
                "class_accuracy": {str(d): float(a) for d, a in enumerate(accuracies)},
                "false_positives": {str(d): int(rng.integers(0, 90)) for d in range(number + 1)},
            }
        )
    return evaluations


def record(cell: Experiment, accuracy: float, number: int) -> dict[str, Any]:
    """A line of a results file."""
    config = cell.to_json()
    del config["preset"]
    config["classes"] = list(range(10))
    rng = np.random.default_rng(number)
    evaluations = looks(rng, accuracy)
    results: dict[str, Any] = {
        "train_accuracy": accuracy,
        "test_accuracy": accuracy - 0.001,
        "test_accuracy_histogram": accuracy + 0.005,
        "class_accuracy": evaluations[-1]["class_accuracy"],
        "false_positives": evaluations[-1]["false_positives"],
        "dopaminergic_spikes_per_sample": 0.3,
        "unused_neurons": cell.config.neurons // 10,
    }
    if cell.evaluate == "each task":
        evaluations[-1]["test_accuracy"] = results["test_accuracy"]
        results["evaluations"] = evaluations
    cost = {"learning_seconds": 30.0, "evaluation_seconds": 6.0, "processor": "made up"}
    return {
        "key": f"{number:016x}",
        "preset": "paper",
        "config": config,
        "results": results,
        "cost": cost,
        "behaviour": "0123456789abcdef",
        "lethenet": "0.0.0",
    }


def write(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))


def made_up_accuracy(scale: Scale, cell: Experiment) -> float:
    """Of Table 1 with the paper's rule; a pair of the fit is the farther off, the more it forces."""
    config = cell.config
    point = Point(config.neurons, config.parameters.threshold, config.epochs)
    lost = BELOW + 0.05 * config.seed - (1.2 if config.order == "interleaved" else 0.0)
    return (scale.published(point) - lost) / 100


def make_folder(scale: Scale, folder: Path) -> Path:
    """All stages but the run directory, complete."""
    folder.mkdir(parents=True, exist_ok=True)
    write(
        folder / fit.FILE,
        (
            record(
                cell,
                made_up_accuracy(scale, cell) - 0.02 * cell.config.parameters.forced_depression,
                number,
            )
            for number, cell in enumerate(fit_cells(scale))
        ),
    )
    cells = table_cells(scale)
    write(
        folder / table1.FILE,
        (record(cell, made_up_accuracy(scale, cell), n) for n, cell in enumerate(cells)),
    )
    best = table1.chosen(table1.read_table(scale, folder))
    write(
        folder / final.FILE,
        (
            record(cell, made_up_accuracy(scale, cell), n)
            for n, cell in enumerate(final_cells(scale, best))
        ),
    )
    floored = precision_cells(scale)
    write(
        folder / precision.FILE,
        # closer to the paper's by 0.2 points
        (record(c, made_up_accuracy(scale, c) + 0.002, n) for n, c in enumerate(floored)),
    )
    write(folder / kmeans.FILE, k_means_lines(scale))
    stability.run_stability(scale, folder)
    return folder


def k_means_lines(scale: Scale) -> Iterable[dict[str, Any]]:
    for place, (neurons, trials) in enumerate(zip(scale.sizes, scale.trials, strict=True)):
        for seed in range(trials):
            dot = 0.93 + 0.004 * place + 0.0001 * seed
            yield {
                "key": f"{neurons}-{seed}",
                "config": kmeans._config(scale, neurons, seed),
                "results": {"nearest_error": dot, "nearest_pair": dot + 0.002 * (seed == 0)},
                "cost": {"seconds": 2.0},
            }


@pytest.fixture(scope="session")
def paper_scale() -> Scale:
    """The paper's axes, with fewer images for the STDP rules: those really run."""
    from dataclasses import replace

    return replace(SCALES["paper"], stability_images=2)


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory, paper_scale: Scale) -> Path:
    """A folder with everything but the run directory."""
    return make_folder(paper_scale, tmp_path_factory.mktemp("reproduction") / "paper")


@pytest.fixture
def thinned(tmp_path: Path, complete: Path) -> Callable[..., Path]:
    """A copy of the folder without some lines: ``thinned(file, lambda record: keep it?)``."""

    def thin(file: str, keep: Callable[[dict[str, Any]], bool]) -> Path:
        for source in complete.glob("*.jsonl"):
            lines = source.read_text().splitlines(keepends=True)
            if source.name == file:
                lines = [line for line in lines if keep(json.loads(line))]
            (tmp_path / source.name).write_text("".join(lines))
        return tmp_path

    return thin
