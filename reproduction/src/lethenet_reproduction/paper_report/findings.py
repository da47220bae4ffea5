"""All that a folder of the reproduction holds, read once: figures, tables and words start here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lethenet.lifelong.results import Results, read_results
from lethenet.sweeps import Experiment

from ..paper import final as final_stage
from ..paper import fit as fit_stage
from ..paper import kmeans, stability, table1, visual
from ..paper import precision as precision_stage
from ..paper.cells import final_cells, fit_cells, precision_cells, table_cell, table_cells
from ..paper.commands import stage_command
from ..paper.result_index import ResultIndex
from ..paper.scales import Scale
from ..studies.tables import Record, percents


class Source(NamedTuple):
    """Where the results of a stage come from, and how many of them are there."""

    stage: str
    file: str
    wanted: int
    there: int
    seconds: float | None
    """Time on one core, as far as it was recorded."""
    made_by: tuple[str, ...]
    """Versions of lethenet, fingerprints of what the network did, processors."""
    command: str


@dataclass(frozen=True)
class Findings:
    """What the reproduction found so far, as far as it is in its folder."""

    scale: Scale
    folder: Path
    table: table1.Table
    fit: list[fit_stage.Pair]
    final: list[final_stage.SizeResult]
    k_means: list[kmeans.NearestErrors]
    visual: Results | None
    stability: dict[str, Any] | None
    precision: list[precision_stage.BothPrecisions]
    sources: list[Source]
    behaviours: frozenset[str]
    """Of which networks Table 1 and the best cells are: one, if nothing old is among them."""
    one_seed_seconds: float
    """Time on one core of Table 1 with one seed of each cell."""

    def command(self, stage: str) -> str:
        """The command that computes a stage."""
        return stage_command(self.scale, self.folder, stage)

    @property
    def other_networks(self) -> list[int]:
        """Sizes whose final networks are not those of Table 1: a test after each task changes nothing."""
        return [
            size.point.neurons
            for size in self.final
            if not set(percents(size.sequential, "train_accuracy"))
            <= set(self.table[size.point].train)
        ]

    @property
    def largest(self) -> final_stage.SizeResult | None:
        """The largest size, if its final results are there."""
        last = self.scale.sizes[-1]
        return next((size for size in self.final if size.point.neurons == last), None)


def read_findings(scale: Scale, folder: Path) -> Findings:
    """Read a folder; what it lacks is left out, never made up.

    >>> from lethenet_reproduction.paper import SCALES
    >>> found = read_findings(SCALES["paper"], Path("no such folder"))
    >>> len(found.table.missing), found.final, found.visual
    (112, [], None)
    """
    table, pairs = table1.read_table(scale, folder), fit_stage.read_fit(scale, folder)
    shown = folder / visual.FOLDER
    looked = read_results(shown) if visual.is_there(scale, folder) else None
    index, ends = ResultIndex(folder / table1.FILE), final_stage.read_final(scale, folder, table)
    used = index.find(table_cells(scale))
    used += [record for size in ends for record in (*size.sequential, *size.interleaved)]
    return Findings(
        scale=scale,
        folder=folder,
        table=table,
        fit=pairs,
        final=ends,
        k_means=kmeans.read_k_means(scale, folder),
        visual=looked,
        stability=stability.read_stability(scale, folder),
        precision=precision_stage.read_precision(scale, folder),
        sources=_sources(scale, folder, table, pairs, looked),
        behaviours=frozenset(record["behaviour"] for record in used),
        one_seed_seconds=table1.core_seconds(
            index.find(table_cell(scale, point) for point in scale.points)
        ),
    )


def _sources(
    scale: Scale,
    folder: Path,
    table: table1.Table,
    pairs: list[fit_stage.Pair],
    looked: Results | None,
) -> list[Source]:
    best = {n: p for n in scale.sizes if (p := table.best(n)) is not None}
    fits, cells, ends = fit_cells(scale), table_cells(scale), final_cells(scale, best)
    floored = precision_cells(scale)
    in_both_orders = 2 * sum(scale.seeds)  # of sizes whose best cell is not known yet, too
    in_the_fit = sum(len(pair.differences) for pair in pairs)
    in_the_fit += sum(len(pair.lacking) for pair in fit_stage.undecided(pairs))
    sweeps: list[tuple[str, str, list[Experiment], int]] = [
        ("fit", fit_stage.FILE, fits, in_the_fit),
        ("table1", table1.FILE, cells, len(cells)),
        ("final", final_stage.FILE, ends, in_both_orders),
        ("precision", precision_stage.FILE, floored, len(floored)),
    ]
    sources = []
    for stage, file, looked_for, wanted in sweeps:
        found = ResultIndex(folder / file).find(looked_for)
        seconds = table1.core_seconds(found)
        made_by = sorted({_maker(record) for record in found})
        command = stage_command(scale, folder, stage)
        sources.append(Source(stage, file, wanted, len(found), seconds, tuple(made_by), command))
    spent = looked.document.get("seconds") if looked is not None else None
    sources.append(
        Source(
            "visual",
            f"{visual.FOLDER}/run.json",
            1,
            int(looked is not None),
            sum(spent.values()) if spent else None,
            (f"lethenet {looked.document.get('lethenet')}",) if looked is not None else (),
            stage_command(scale, folder, "visual"),
        )
    )
    others = (
        ("kmeans", kmeans.FILE, sum(scale.trials), kmeans.k_means_records(scale, folder)),
        ("oja", stability.FILE, 1, stability.stability_records(scale, folder)),
    )
    for stage, file, n, records in others:
        seconds = sum(float(record["cost"]["seconds"]) for record in records)
        sources.append(
            Source(stage, file, n, len(records), seconds, (), stage_command(scale, folder, stage))
        )
    return sources


def _maker(record: Record) -> str:
    return (
        f"lethenet {record['lethenet']}, behaviour {record['behaviour']}, "
        f"{record['cost']['processor']}"
    )
