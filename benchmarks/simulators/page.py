"""The page of results/nir, from the rows that `run.py` measures: `python page.py` writes it again."""

import json
import math
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "results" / "nir"

HEAD = """# The same layer in other simulators

Made by `make nir` (`python benchmarks/simulators/run.py`). A network of {neurons} neurons (annealed,
threshold {threshold}) that has learned MNIST's digits in turn is written by `lethenet.write_nir` and
read by each simulator's own importer. {samples} test digits; our first
output spike comes after {median_time:.0f} time units (median). A time step is 0.1 ms of the simulator; how
long that is for us is in the first column.

* **decay**: with the membrane time *as in the file*, forward Euler decays by 1 − dt/τ per step; *exact* is
  the τ with which that is e^(−dt/τ).
* **same raster**: everybody, we too, gets input spikes at the beginning of their time steps; ours is then
  simulated event by event. This compares the simulators.
* **continuous time**: against our network as it is, in which no two input spikes coincide. This adds what
  the time steps of the input cost.
* **winner**: the same neuron fires first, whenever; **≤ 3 steps**: and at most three time steps apart;
  **same step**: and in the same one. Percent of all digits; one that makes no neuron fire counts against.
* **ties**: digits with several neurons in the first step; the highest potential decides, as in our network.

"""

COLUMNS = """
time step;decay;simulator;digits;same raster: winner;**≤ 3 steps**;same step;continuous time: winner;
≤ 3 steps;same step;ties
"""

TAIL = """
The target was 95 % or more within three steps in three simulators. On the same raster, with exact decay
and a step of 0.1, the lowest has {raster:.1f} %. That needs both: with τ as in the file it is
{plain:.1f} %, and with exact decay against continuous time {continuous:.1f} %{finer}. Single results are
in `results.jsonl`. {versions}.
"""


def lowest(
    rows: list[dict], against: str, time_step: float, exact_decay: bool = True
) -> float | None:
    """The lowest share within three steps, in percent."""
    case = (time_step, exact_decay)
    found = [r for r in rows if (r["time_step"], r["exact_decay"]) == case]
    return min((100 * r[against]["within_3"] for r in found), default=None)


def page(rows: list[dict]) -> str:
    """A table and what it means."""
    columns = COLUMNS.replace("\n", "").split(";")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        shares = [
            f"{100 * row[against][name]:.1f}"
            for against in ("same_raster", "continuous_time")
            for name in ("winner", "within_3", "same_step")
        ]
        shares[1] = f"**{shares[1]}**"
        decay = "exact" if row["exact_decay"] else "as in the file"
        start = [f"{row['time_step']:g}", decay, row["simulator"], str(row["samples"])]
        lines.append(f"| {' | '.join([*start, *shares, str(row['ties'])])} |")
    versions = {row["simulator"]: row["version"] for row in rows} | {"torch": rows[0]["torch"]}
    plain = lowest(rows, "same_raster", 0.1, exact_decay=False)
    fine = lowest(rows, "continuous_time", 0.005)
    tail = TAIL.format(
        raster=lowest(rows, "same_raster", 0.1),
        plain=math.nan if plain is None else plain,
        continuous=lowest(rows, "continuous_time", 0.1),
        finer=f", with a step of 0.005 {fine:.1f} %" if fine is not None else "",
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
    )
    return HEAD.format(**rows[0]) + "\n".join(lines) + "\n" + tail


if __name__ == "__main__":
    text = (RESULTS / "results.jsonl").read_text(encoding="utf-8")
    (RESULTS / "README.md").write_text(
        page([json.loads(line) for line in text.splitlines()]), encoding="utf-8"
    )
