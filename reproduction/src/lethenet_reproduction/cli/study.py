"""``lethenet study``: the studies by name."""

from __future__ import annotations

from typing import Annotated

import typer

STUDIES = {
    "ablations": "what each part of the paper's rule contributes",
    "annealed": "past the paper: the annealed rule at all sizes, and how its constants were chosen",
    "comparison": "beside the traditional network and k-means: digits in turn and interleaved",
    "changing-world": "classes that come back, shares that drift, looks that change",
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
) -> None:
    """Run one of the studies: compute what its results lack, write its table, draw its figure.

    Results go to results/ in the working directory. Most are appended as they come: Ctrl-C loses only
    what is being computed, and the same command goes on.
    """
    if name is None:
        for known, about in STUDIES.items():
            typer.echo(f"{known:16} {about}")
        return
    if name not in STUDIES:
        raise ValueError(f"{name!r} is no study. There are: {', '.join(STUDIES)}.")
    from importlib import import_module

    module = {"threshold": "threshold_study"}.get(name, name.replace("-", "_"))
    import_module(f"lethenet_reproduction.studies.{module}").main()
    from ..figures import (
        comparison as comparison_study,
    )
    from ..figures import (
        studies as study_figures,
    )
    from ..figures import (
        theory as theory_figures,
    )

    if name == "comparison":
        paths = comparison_study.write_comparison_figure()
    elif name in theory_figures.FIGURES:
        paths = theory_figures.draw(name)
    else:
        paths = study_figures.draw(module)
    for path in paths:
        typer.echo(f"Figure: {path}")
