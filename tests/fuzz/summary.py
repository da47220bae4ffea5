"""Put together what `make fuzz` found, as ``results/fuzz/README.md``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import FINDINGS, ROOT, read_lines

FOLDER = ROOT / "results" / "fuzz"
WHAT = {
    "model": "model files",
    "checkpoint": "checkpoints",
    "run": "run directories",
    "data": "data files",
}


def page(
    campaign: list[dict[str, Any]], bits: list[dict[str, Any]], kills: list[dict[str, Any]]
) -> str:
    """The page, from the lines of the three files."""
    head = ["files", "damaged", "accepted and used", "refused", *FINDINGS, "most MB", "minutes"]
    rows = [head, ["---"] * len(head)]
    for kind, name in WHAT.items():
        lines = [line for line in campaign if line["kind"] == kind]
        sums = [sum(x[key] for x in lines) for key in ("cases", "accepted", "refused", *FINDINGS)]
        most = max((x["most_megabytes"] for x in lines), default=0)
        minutes = sum(x["seconds"] for x in lines) / 60
        rows.append([name, *(f"{n:,}" for n in sums), str(most), f"{minutes:.1f}"])
    flipped = [["file", "bits flipped, one at a time", "unnoticed"], ["---"] * 3]
    flipped += [[x["file"], f"{x['bits']:,}", str(x["n"])] for x in bits]
    killed: Counter[str] = Counter()
    for line in kills:
        killed.update(line["kills"])
    deaths = [["killed while it did", "times"], ["---"] * 2]
    deaths += [[doing, str(n)] for doing, n in sorted(killed.items())]
    lost = sum(not line["same_bits"] for line in kills)
    code = ", ".join(sorted({line["sources"] for line in (*campaign, *bits, *kills)}))
    return f"""# What hostile files and kills came to

Made by `make fuzz` (`tests/fuzz/`). A damaged file must be refused by an error that names it, in one line,
or be used as it is meant to be (learn, predict, save, load, resume, report), with numba's bounds checks on:
no other exception, no crash, no more than two seconds, or thirty where all figures are drawn.

{_table(rows)}

{_table(flipped)}

{sum(killed.values())} processes were killed (SIGKILL) in {len(kills)} lives of runs, twins and sweeps. At
their end {lost} had other bits than those that were left alone.

{_table(deaths)}

Code that was tried, by a hash of its source: {code}.
"""


def _table(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    found = [read_lines(FOLDER / f"{name}.jsonl") for name in ("campaign", "bits", "kills")]
    (FOLDER / "README.md").write_text(page(*found), "utf-8")
