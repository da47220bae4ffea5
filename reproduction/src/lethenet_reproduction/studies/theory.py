"""Simulation over theory: moments, distribution, firing probability and time of the potential.

One MNIST image and neurons at several angles from it are simulated with the model's own kernels, and
:mod:`lethenet.theory` is evaluated beside it; ``theory.json`` holds both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import load
from lethenet.model import PAPER
from lethenet.theory import (
    coefficient_of_variation,
    expected_firing_time,
    firing_probability,
    mean_potential,
    potential_cdf,
    potential_pdf,
    variance_of_potential,
    weights_at_angle,
)

from ..texts import write_readme
from .simulation import simulate_output_spikes, simulate_potentials
from .tables import markdown

DEGREES = (0, 30, 45)
TIMES = (2.0, 5.0, 10.0, 15.0, 22.5, 30.0, 45.0, 60.0, 90.0)
SHOWN_TIMES = (2.0, 5.0, 15.0, 90.0)
SAMPLES = 25
TAUS = (2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
THRESHOLDS = (13.0, 13.5, 14.25)
FIRING_DEGREES = tuple(range(0, 61, 5))
RECOGNITION_TIME = 200.0
Json = dict[str, Any]


def moments(rates: np.ndarray, other: np.ndarray, runs: int) -> list[Json]:
    """Mean and variance over time at several angles; a standard error for each."""
    records = []
    for place, degrees in enumerate(DEGREES):
        weights = weights_at_angle(rates, other, np.radians(degrees))
        v = simulate_potentials(rates, weights, TIMES, runs=runs, seed=place)
        variance = v.var(axis=0, ddof=1)
        fourth = ((v - v.mean(axis=0)) ** 4).mean(axis=0)
        records.append(
            {
                "degrees": degrees,
                "times": list(TIMES),
                "simulated_mean": _listed(v.mean(axis=0)),
                "mean_error": _listed(np.sqrt(variance / runs)),
                "mean": _listed(mean_potential(rates, weights, TIMES)),
                "simulated_variance": _listed(variance),
                "variance_error": _listed(np.sqrt((fourth - variance**2) / runs)),
                "variance": _listed(variance_of_potential(rates, weights, TIMES)),
                "steady_mean": float(mean_potential(rates, weights)),
                "steady_variance": float(variance_of_potential(rates, weights)),
            }
        )
    return records


def distributions(rates: np.ndarray, other: np.ndarray, runs: int) -> list[Json]:
    """The density at several times, and Kolmogorov and Smirnov's test of many samples.

    If theory is right, the p-values of single samples are spread evenly over 0 to 1: one in twenty is
    below 0.05. All samples together show differences that one cannot.
    """
    from scipy.stats import kstest

    weights = weights_at_angle(rates, other, np.radians(30))
    samples = np.stack(
        [
            simulate_potentials(rates, weights, SHOWN_TIMES, runs=runs, seed=100 + place)
            for place in range(SAMPLES)
        ]
    )
    records = []
    for t, sample in zip(SHOWN_TIMES, np.moveaxis(samples, 2, 0), strict=True):
        counts, edges = np.histogram(sample, bins=60)
        v = np.linspace(edges[0], edges[-1], 160)
        # P(V ≤ v) of every v: evenly spread over 0 to 1, if V has this distribution
        even = potential_cdf(sample, rates, weights, t)
        together = kstest(even.ravel(), "uniform")
        records.append(
            {
                "t": t,
                "edges": _listed(edges),
                "simulated": _listed(counts / sample.size / np.diff(edges)),
                "v": _listed(v),
                "density": _listed(potential_pdf(v, rates, weights, t)),
                "p_values": _listed(np.array([kstest(one, "uniform").pvalue for one in even])),
                "distance": float(together.statistic),
                "p_value": float(together.pvalue),
            }
        )
    return records


def firing(rates: np.ndarray, other: np.ndarray, runs: int) -> list[Json]:
    """Firing within the time to recognise, and the mean time to fire, over the angle."""
    from scipy.stats import binomtest

    radians = np.radians(FIRING_DEGREES)
    weights = weights_at_angle(rates, other, radians)
    finely = np.linspace(FIRING_DEGREES[0], FIRING_DEGREES[-1], 4 * len(FIRING_DEGREES) - 3)
    records = []
    for place, threshold in enumerate(THRESHOLDS):
        simulated, low, high = [], [], []
        for number, w in enumerate(weights):
            seed = 1000 * (place + 1) + number
            times = simulate_output_spikes(
                rates, w, threshold, RECOGNITION_TIME, runs=runs, seed=seed
            )
            interval = binomtest(int(np.isfinite(times).sum()), runs).proportion_ci(0.95)
            simulated.append(float(np.isfinite(times).mean()))
            low.append(float(interval.low))
            high.append(float(interval.high))
        records.append(
            {
                "threshold": threshold,
                "degrees": list(FIRING_DEGREES),
                "probability": _listed(
                    firing_probability(rates, weights, threshold, RECOGNITION_TIME)
                ),
                "curve_degrees": _listed(finely),
                "curve": _listed(
                    firing_probability(
                        rates,
                        weights_at_angle(rates, other, np.radians(finely)),
                        threshold,
                        RECOGNITION_TIME,
                    )
                ),
                "simulated": simulated,
                "low": low,
                "high": high,
                "expected_time": _listed(expected_firing_time(rates, weights, threshold)),
            }
        )
    return records


def first_spikes(rates: np.ndarray, other: np.ndarray, runs: int) -> list[Json]:
    """The distribution of the time to the first output spike."""
    durations = np.linspace(0.0, RECOGNITION_TIME, 101)
    records = []
    for place, degrees in enumerate(DEGREES):
        w = weights_at_angle(rates, other, np.radians(degrees))
        times = simulate_output_spikes(
            rates, w, 13.5, RECOGNITION_TIME, runs=runs, seed=9000 + place
        )
        records.append(
            {
                "degrees": degrees,
                "durations": _listed(durations),
                "probability": _listed(firing_probability(rates, w, 13.5, durations)),
                "simulated": [float((times <= duration).mean()) for duration in durations[::5]],
                "simulated_at": _listed(durations[::5]),
            }
        )
    return records


def variation(rates: np.ndarray, runs: int) -> Json:
    """√Var/E in the steady state over τ: the paper's 1/√τ."""
    simulated = []
    for place, tau in enumerate(TAUS):
        # after 20 τ the potential has forgotten that it started at rest (e^−20)
        v = simulate_potentials(rates, rates, [20 * tau], runs=runs, seed=300 + place, tau=tau)
        simulated.append(float(v.std(ddof=1) / v.mean()))
    return {
        "tau": list(TAUS),
        "simulated": simulated,
        "error": [value / (2 * runs) ** 0.5 for value in simulated],
        "theory": [float(coefficient_of_variation(rates, rates, tau=tau)) for tau in TAUS],
    }


def study(rates: np.ndarray, other: np.ndarray, runs: int) -> Json:
    """Everything the figure shows, for one input and neurons on the way to another one."""
    return {
        "runs": runs,
        "samples": SAMPLES,
        "tau": PAPER.tau_mem,
        "total_rate": float(rates.sum()),
        "moments": moments(rates, other, runs),
        "distributions": distributions(rates, other, runs),
        "firing": firing(rates, other, runs),
        "first_spikes": first_spikes(rates, other, runs),
        "variation": variation(rates, runs),
    }


def tables(data: Json) -> Json:
    """What the page shows of it."""
    laws, firings = [], []
    for record in data["distributions"]:
        p_values = np.array(record["p_values"])
        few = f"{(p_values < 0.05).sum()} of {len(p_values)}"
        together = [f"{record['distance']:.4f}", f"{record['p_value']:.2f}"]
        laws.append([f"{record['t']:g}", few, *together])
    for record in data["firing"]:
        p, low, high = (np.array(record[name]) for name in ("probability", "low", "high"))
        outside = int(((p < low) | (p > high)).sum())
        largest = float(np.abs(p - record["simulated"]).max())
        firings.append([f"{record['threshold']:g}", len(p), outside, f"{largest:.4f}"])
    law_header = ["time", "samples with p < 0.05", "all together: largest distance", "p"]
    firing_header = ["threshold", "angles", "outside their 95 % interval"]
    firing_header += ["largest difference in P(fires)"]
    return {
        "data": data,
        "recognition_time": RECOGNITION_TIME,
        "laws": markdown(law_header, laws),
        "firings": markdown(firing_header, firings),
    }


def _listed(values: np.ndarray) -> list[float]:
    return [float(f"{value:.7g}") for value in np.asarray(values)]


def run(folder: Path) -> None:
    """Simulate, evaluate, write."""
    X = load("mnist").X_train.astype(float)
    # the first image, and the one farthest from it among the next hundred: room for angles up to 60°
    rows = X[:101] / np.linalg.norm(X[:101], axis=1, keepdims=True)
    result = study(rows[0], rows[np.argmin(rows @ rows[0])], runs=4000)
    (folder / "theory.json").write_text(json.dumps(result, indent=1) + "\n")
    write_readme(folder, "theory.md", **tables(result))
