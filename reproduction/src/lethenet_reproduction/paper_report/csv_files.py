"""The numbers behind the report as CSV files, each line with the command that makes it again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..paper.cells import final_cell, fit_cell, precision_cell, table_cell
from ..paper.commands import cell_command
from ..paper.final import CLASSES
from .findings import Findings

Rows = Iterable[Sequence[object]]


def write_tables(found: Findings, target: Path) -> list[Path]:
    """Write one CSV file per table, those of missing stages with their heading alone."""
    from lethenet.interchange import replacing

    target.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (header, rows) in _tables(found).items():
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([_number(value) for value in row] for row in rows)
        path = target / f"{name}.csv"
        with replacing(path) as draft:
            draft.write_text(buffer.getvalue(), "utf-8")
        paths.append(path)
    return paths


def _tables(found: Findings) -> dict[str, tuple[Sequence[str], Rows]]:
    return {
        "fit": (
            ("push", "forced_depression", *_POINT, "train_accuracy", "paper", "difference", "command"),
            _fit_rows(found),
        ),
        "table1": (
            (*_POINT, "seeds", "train_accuracy", "deviation", "test_accuracy", "paper", "difference",
             "best", "best_in_paper", "command"),
            _table_rows(found),
        ),
        "final": (
            (*_POINT, "order", "seed", "test_accuracy", "test_accuracy_histogram", "train_accuracy",
             *(f"digit_{label}" for label in CLASSES), "command"),
            _final_rows(found),
        ),
        "over_time": (
            (*_POINT, "seed", "after_digit", "test_accuracy", "digit", "accuracy", "false_positives",
             "command"),
            _course_rows(found),
        ),
        "precision": (
            (*_POINT, "paper", "train_accuracy", "train_accuracy_single_precision", "command"),
            (
                (*b.point, b.paper, b.ours, b.single,
                 cell_command(precision_cell(found.scale, b.point)))
                for b in found.precision
            ),
        ),
        "kmeans": (
            ("neurons", "trials", "nearest_error", "deviation", "potential", "same_as_nearest_pair",
             "command"),
            (
                (e.neurons, len(e.dots), e.mean, e.deviation, e.potential, e.same_as_pair,
                 found.command("kmeans"))
                for e in found.k_means
            ),
        ),
        "100_visual": (
            ("after_digit", "preserved", "replaced", "test_accuracy", "command"),
            _visual_rows(found),
        ),
        "oja_plane": (
            ("start_degrees", "static_settled_degrees", "oja_settled_degrees", "command"),
            (
                (r["start"], r["static"]["settled"], r["oja"]["settled"], found.command("oja"))
                for r in (found.stability or {}).get("plane", ())
            ),
        ),
        "oja_images": (
            ("rule", "updates", "weights_left", "degrees_astray", "command"),
            _image_rows(found),
        ),
    }  # fmt: skip


_POINT = ("neurons", "threshold", "epochs")


def _fit_rows(found: Findings) -> Rows:
    for pair in found.fit:
        for point, both in pair.accuracies.items():
            cell = fit_cell(found.scale, point, pair.push, pair.forced_depression)
            ours = both[0] if both else None
            paper = found.scale.published(point)
            difference = None if ours is None else ours - paper
            yield (
                pair.push, pair.forced_depression, *point, ours, paper, difference, cell_command(cell)
            )  # fmt: skip


def _table_rows(found: Findings) -> Rows:
    table = found.table
    for result in table.results:
        point = result.point
        yield (
            *point,
            len(result.train),
            result.ours,
            result.deviation,
            sum(result.test) / len(result.test) if result.test else None,
            result.paper,
            result.difference,
            int(point == table.best(point.neurons)),
            int(point == table.paper_best(point.neurons)),
            cell_command(
                table_cell(found.scale, point), seeds=len(found.scale.seeds_of(point.neurons))
            ),
        )


def _final_rows(found: Findings) -> Rows:
    for size in found.final:
        for record in [*size.sequential, *size.interleaved]:
            order, seed = record["config"]["order"], record["config"]["seed"]
            results = record["results"]
            yield (
                *size.point,
                order,
                seed,
                *(100 * results[name] for name in _ACCURACIES),
                *(100 * results["class_accuracy"][label] for label in CLASSES),
                cell_command(final_cell(found.scale, size.point, order, seed)),
            )


_ACCURACIES = ("test_accuracy", "test_accuracy_histogram", "train_accuracy")


def _course_rows(found: Findings) -> Rows:
    for size in found.final:
        for record in size.sequential:
            for look in record["results"]["evaluations"]:
                command = cell_command(
                    final_cell(found.scale, size.point, "sequential", record["config"]["seed"])
                )
                for label, accuracy in look["class_accuracy"].items():
                    yield (
                        *size.point,
                        record["config"]["seed"],
                        look["task"],
                        100 * look["test_accuracy"],
                        label,
                        100 * accuracy,
                        look["false_positives"][label],
                        command,
                    )


def _visual_rows(found: Findings) -> Rows:
    for look in found.visual.evaluations if found.visual is not None else ():
        yield (
            look["task"],
            look.get("neurons_preserved"),
            look.get("neurons_replaced"),
            100 * look["test_accuracy"],
            found.command("visual"),
        )


def _image_rows(found: Findings) -> Rows:
    """Medians over the images."""
    images = (found.stability or {}).get("images", {"updates": ()})
    for rule in ("static", "oja"):
        for place, updates in enumerate(images["updates"]):
            medians = (images[rule][name]["median"][place] for name in ("left", "astray"))
            yield (rule, updates, *medians, found.command("oja"))


def _number(value: object) -> object:
    """Nothing for a missing number; no digits that say nothing."""
    return "" if value is None else round(value, 6) if isinstance(value, float) else value
