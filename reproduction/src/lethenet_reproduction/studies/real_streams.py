"""Real streams: movements, machines, voices, letters and texts, beside other online learners.

Classes (exercises, appliances, speakers, topics) come in turn, each sample once; the last one is new to a
learner that has learned all others. Every method chooses its code and settings from a grid of eight, on
training samples alone (:func:`.tuned`). Needs river, and the packages that carry the data at first use.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from statistics import geometric_mean, mean
from typing import Any

from lethenet.model import ANNEALED

from ..real_streams import load_stream
from ..real_streams.measuring import MOST, PER_CLASS, measure, tuned
from ..real_streams.methods import METHODS, NEURONS
from ..texts import write_readme
from .compared_methods import one_blas_thread
from .remembering import remembered
from .tables import Record, markdown, mean_sd

NAMES = {
    "watch": "smartwatch exercises",
    "shuttle": "Shuttle, anomalies",
    "segments": "image segments",
    "plaid": "PLAID appliances",
    "vowels": "Japanese vowels",
    "acsf1": "ACS-F1 appliances",
    "letters": "UCI letters",
    "reuters": "Reuters topics",
}
"""The streams of the study, and what tables call them."""
SEEDS = range(5)
TUNING_SEEDS = (100, 101)
OURS, TRIAL, SUPERVISED = "cfn", "cfn, calibrated", "streaming lda"
_cached_stream = cache(load_stream)


def records(folder: Path) -> list[Record]:
    """A record for each stream and seed, with the results of all methods in it; computed where missing."""
    found = []
    for seed in SEEDS:
        for name in NAMES:
            best = {method: choice(folder, name, method) for method in METHODS}
            config = {
                "stream": name, "seed": seed, "settings": best, "neurons": NEURONS,
                "most": [PER_CLASS, MOST],
            }  # fmt: skip
            one = partial(compute, name, best, seed)
            path = folder / "results.jsonl"
            found.append(remembered(path, config, one, parameters=ANNEALED))
    return found


def choice(folder: Path, name: str, method: str) -> dict[str, Any]:
    """The settings that a method chose for a stream."""
    grid = METHODS[method].choices(is_text=name == "reuters")
    config = {
        "stream": name, "method": method, "grid": grid, "seeds": TUNING_SEEDS, "neurons": NEURONS,
        "most": [PER_CLASS, MOST],
    }  # fmt: skip

    def compute() -> dict[str, Any]:
        with one_blas_thread():
            return tuned(_cached_stream(name), method, TUNING_SEEDS)

    ours = ANNEALED if method in (OURS, TRIAL) else None
    path = folder / "tuning.jsonl"
    best: dict[str, Any] = remembered(path, config, compute, parameters=ours)["results"]["best"]
    return best


def compute(name: str, best: dict[str, dict[str, Any]], seed: int) -> dict[str, Any]:
    """All methods on one stream, one after another in one run, so that their times can be compared."""
    stream = _cached_stream(name)
    with one_blas_thread():
        measure(stream, OURS, best[OURS], seed)  # kernels compile now, if they must
        return {method: measure(stream, method, best[method], seed) for method in METHODS}


def by_stream(found: list[Record], measure_name: str) -> dict[str, dict[str, list[float]]]:
    """Values of a measure by method and stream, a value per seed."""
    values: dict[str, dict[str, list[float]]] = {method: {} for method in METHODS}
    for record in found:
        for method, results in record["results"].items():
            if measure_name in results:
                here = values[method].setdefault(record["config"]["stream"], [])
                here.append(results[measure_name])
    return values


def verdict(found: list[Record], *, labels: bool = False) -> str:
    """Where our mean AUROC is above that of every baseline, and who is as high or higher elsewhere.

    Streaming LDA, which learns with labels, counts only with ``labels``.
    """
    values, lost = by_stream(found, "auroc"), []
    rivals = [m for m in METHODS if m not in (OURS, TRIAL) and (labels or m != SUPERVISED)]
    for stream, ours in values[OURS].items():
        leads = [(mean(values[m][stream]) - mean(ours), METHODS[m].title) for m in rivals]
        better = [f"{title} +{lead:.3f}" for lead, title in sorted(leads)[::-1] if lead >= 0]
        lost += [f"{NAMES[stream]} ({', '.join(better)})"] if better else []
    n = len(values[OURS])
    return f"ahead on {n - len(lost)} of {n} streams; not on: {'; '.join(lost) or 'none'}"


def table(found: list[Record], name: str, *, percent: bool = False, lowest: bool = False) -> str:
    """A measure by method and stream, mean ± standard deviation; the best mean of a stream is bold."""
    values = {m: here for m, here in by_stream(found, name).items() if here}
    scale, digits = (100, 1) if percent else (1, 1 if lowest else 3)
    best = {
        stream: (min if lowest else max)(mean(here[stream]) for here in values.values())
        for stream in NAMES
        if stream in values[OURS]
    }
    rows = []
    for method, here in values.items():
        row = [METHODS[method].title]
        for stream, top in best.items():
            text = mean_sd([scale * v for v in here[stream]], digits)
            row.append(f"**{text}**" if mean(here[stream]) == top else text)
        rows.append(row)
    return markdown(["", *(NAMES[stream] for stream in best)], rows)


def costs(found: list[Record]) -> str:
    """Time and memory of each method over ours, in the same run: geometric means over streams and seeds."""
    names = {"learning_us": "learning", "scoring_us": "scoring", "bytes": "memory"}
    rows = []
    for method in METHODS:
        row = [METHODS[method].title]
        for name in names:
            ratios = [r["results"][method][name] / r["results"][OURS][name] for r in found]
            row.append(f"{geometric_mean(ratios):.2g}")
        rows.append(row)
    return markdown(["× ours", *names.values()], rows)


def settings(found: list[Record]) -> str:
    """What each method chose for each stream."""
    chosen = {r["config"]["stream"]: r["config"]["settings"] for r in found}
    rows = [
        [
            METHODS[m].title,
            *(", ".join(map(str, chosen[s][m].values())) for s in NAMES if s in chosen),
        ]
        for m in METHODS
    ]
    return markdown(["", *(NAMES[s] for s in NAMES if s in chosen)], rows)


def write_page(folder: Path, found: list[Record]) -> None:
    """The page of the study."""
    tables = {
        "auroc": table(found, "auroc"),
        "delay": table(found, "delay", lowest=True),
        "false_alarms": table(found, "false_alarms", percent=True, lowest=True),
        "accuracy": table(found, "accuracy", percent=True),
        "forgetting": table(found, "forgetting", percent=True, lowest=True),
        "costs": costs(found),
        "settings": settings(found),
    }
    sizes = {"seeds": len(SEEDS), "neurons": NEURONS, "per_class": PER_CLASS, "most": MOST}
    words = {"verdict": verdict(found), "with_labels": verdict(found, labels=True)}
    write_readme(folder, "real_streams.md", **tables, **sizes, **words)


def run(folder: Path) -> None:
    """Run what is missing and write the page."""
    write_page(folder, records(folder))
