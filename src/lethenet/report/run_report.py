"""The report of one run: one HTML file that a colleague can read without the program."""

from __future__ import annotations

import os
import shlex
import warnings
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from .._version import __version__
from ..lifelong.energy import MACHINES, joules
from ..lifelong.results import Results, read_results
from ..lifelong.setting_checks import NETWORK_ONLY
from .figures.weight_grid import FATES, shown_neurons
from .headline_numbers import MEASURES
from .pictures import KINDS, Drawing
from .rendering import render, write_page
from .run_figures import RUN_FIGURES, drawings


def write_report(folder: str | os.PathLike[str], *, both: bool = True) -> Path:
    """Write ``report.html`` and the figures into a run directory; the path of the report.

    The page holds everything, pictures included; it fetches nothing and needs no script. The same
    pictures are written as ``figures/NAME.png`` and ``figures/NAME.svg``.

    Parameters
    ----------
    folder : path
        A run directory, finished or not.
    both : bool, default=True
        Write each figure as PNG and as SVG; else only as the page shows it, which takes half as long.

    Examples
    --------
    >>> from lethenet.report.example import example_run
    >>> folder = example_run().name
    >>> write_report(folder).name
    'report.html'
    """
    results = read_results(folder)
    drawn = drawings(results)
    for name, drawing in drawn.items():
        drawing.write(results.folder / "figures", name, KINDS if both else (drawing.shown,))
    return write_page(results.folder / "report.html", report_html(results, drawn))


def report_html(results: Results, drawn: dict[str, Drawing] | None = None) -> str:
    """The report as text, with figures that have been drawn already, if there are any."""
    drawn = drawings(results) if drawn is None else drawn
    record, seconds = results.document, results.document.get("seconds") or {}
    learning = seconds.get("learning")
    neurons = results.settings["neurons"]
    n_shown = len(shown_neurons(neurons))
    return render(
        "run.html",
        results=results,
        version=__version__,
        measures=[measure for measure in MEASURES if measure.applies(results)],
        further=further_sections(results),
        tasks=task_rows(results),
        operations=operation_rows(results),
        machines=MACHINES,
        settings=settings(results.settings),
        command=shlex.join(str(part) for part in record.get("command") or []),
        resume=shlex.join(["lethenet", "resume", str(results.folder)]),
        samples_per_second=results.samples_done / learning if learning else None,
        pictures={name: drawing.data_uri for name, drawing in drawn.items()},
        missing={figure.name: why for figure in RUN_FIGURES if (why := figure.missing(results))},
        fates=FATES,
        test_accuracies=[(found["task"], found["test_accuracy"]) for found in results.evaluations],
        last_row=[*zip(results.task_names, results.accuracy_matrix[-1:].flat, strict=False)],
        weights_shown="all neurons"
        if n_shown == neurons
        else f"{n_shown} of {neurons} neurons, evenly spaced",
    )


def further_sections(results: Results) -> list[tuple[str, str, Any]]:
    """Sections that other installed packages add: (anchor, title, content), those that have content.

    Each entry point of the group ``lethenet.report_sections`` is a function of the results. Content
    is escaped unless it is HTML that says so (``markupsafe.Markup``); None is for "nothing to say".
    """
    found = []
    for plug in entry_points(group="lethenet.report_sections"):
        try:
            found.append(plug.load()(results))
        except Exception as error:  # a run of hours is not left without its report for this
            warnings.warn(f"No section from {plug.value!r}: {error!r}", stacklevel=2)
    return [section for section in found if section[2]]


def task_rows(results: Results) -> list[dict[str, Any]]:
    """For each task when it was learned, what it cost, and what is left of it, as far as it is known."""
    rows: list[dict[str, Any]] = []
    before = 0
    for place, task in enumerate(results.document["tasks"]):
        row: dict[str, Any] = {"name": task["name"], "samples": task.get("samples")}
        rows.append(row)
        if place >= len(results.evaluations):
            continue
        found, last = results.evaluations[place], results.last
        presented, before = found["samples_seen"] - before, found["samples_seen"]
        classes = [str(label) for label in task["classes"]]
        learned, left = found["task_accuracy"][place], last["task_accuracy"][place]
        row |= {"samples": presented, "all_so_far": found["test_accuracy"]}
        row |= {"just_learned": learned, "at_the_end": left}
        row["change"] = None if learned is None or left is None else left - learned
        for name, key in (("false_positives",) * 2, ("neurons", "neurons_per_class")):
            if key in last:
                row[name] = sum(last[key].get(label, 0) for label in classes)
        if results.by_network:
            spikes = found["dopaminergic_spikes"]
            row["dopaminergic_spikes"] = spikes / presented if presented else None
            fates = ("new", "replaced", "preserved")
            row["fates"] = [found.get(f"neurons_{fate}") for fate in fates]
    return rows


def operation_rows(results: Results) -> list[dict[str, Any]]:
    """What a sample costs, learned and recognised: operations, and joules; of a finished run."""
    simulated = results.document.get("simulated") or {}
    keys = {"learned": "synaptic", "recognised": "recognition"}
    rows = []
    for way, key in keys.items():
        if dense := results.summary.get(f"{key}_operations_per_sample"):
            row = {"way": way, "dense": dense, "simulated": simulated.get(way)}
            rows.append({**row, "joules": joules(dense)})
    return rows


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with the model's parameters lifted to the top.

    >>> settings({"seed": 1, "parameters": {"threshold": 13.5}})
    {'seed': 1, 'threshold': 13.5}
    """
    dropped = ("parameters", *(NETWORK_ONLY if config.get("learner", "cfn") != "cfn" else ()))
    own = {key: value for key, value in config.items() if key not in dropped}
    return {**own, **config.get("parameters", {})}
