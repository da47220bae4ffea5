"""``lethenet study``: the studies by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

STUDIES = {
    "ablations": "what each part of the paper's rule contributes",
    "annealed": "past the paper: the annealed rule at all sizes, and how its constants were chosen",
    "bits": "learning in 16, 8, 4 and 2 bits, as devices do, beside floating point",
    "comparison": "beside the traditional network and k-means: digits in turn and interleaved",
    "changing-world": "classes that come back, shares that drift, looks that change",
    "coupling": "two layers coupled by rates, beside real spikes; angles and lateral inhibition",
    "first-layer": "edges and learned patches before the network, beside raw pixels",
    "labels": "few labels: links between neurons, random draws and asking, beside scikit-learn",
    "novelty": "how well known digits are told from new ones, beside scikit-learn's detectors",
    "online-readout": "labels counted while learning, all of them or few",
    "readouts": "accuracy over cost for different votes and numbers of output spikes",
    "stdp-stability": "where the two STDP rules take a weight vector (the paper's figure oja)",
    "theory": "the potential's moments, distribution and firing: simulation over theory",
    "threshold": "thresholds suggested from the data alone, beside sweeps",
}


def study(
    name: Annotated[
        str | None, typer.Argument(help="Which study; without a name, they are listed.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where its results are and go. By default its folder below results/ of a checkout of "
            "lethenet; elsewhere this is needed.",
            show_default=False,
        ),
    ] = None,
    figure_only: Annotated[
        bool,
        typer.Option(
            "--figure-only", metavar="", help="Compute nothing: draw the results that are there."
        ),
    ] = False,
) -> None:
    """Run one of the studies: compute what its results lack, write its table, draw its figure.

    Most results are appended as they come: Ctrl-C loses only what is being computed, and the same command
    goes on.
    """
    if name is None:
        for known, about in STUDIES.items():
            typer.echo(f"{known:16} {about}")
        return
    if name not in STUDIES:
        raise ValueError(f"{name!r} is no study. There are: {', '.join(STUDIES)}.")
    from importlib import import_module

    from ..figures import draw
    from ..folders import RESULTS, folder_for

    module = name.replace("-", "_")
    folder = folder_for(out, RESULTS / {"stdp_stability": "theory"}.get(module, module))
    if not figure_only:
        folder.mkdir(parents=True, exist_ok=True)
        import_module(f"lethenet_reproduction.studies.{module}").run(folder)
    for path in draw(module, folder):
        typer.echo(f"Figure: {path}")
