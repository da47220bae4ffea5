"""``lethenet threshold``: a threshold for data, why, and how much depends on it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from .options import flag, value


def threshold(
    dataset: Annotated[str, typer.Argument(metavar="DATA", help="A name, a file or a folder.")],
    neurons: Annotated[int, value("INTEGER", "Size of the layer.")] = 400,
    layer: Annotated[str, value("none|edges|patches|on-off", "What stands before it.")] = "none",
    label_column: Annotated[
        str | None, value("NAME", "Of a table: the column with the labels, which is no feature.")
    ] = None,
    as_json: Annotated[bool, flag("--json", "Print JSON.")] = False,
) -> None:
    """Suggest a threshold for data: what `lethenet run` takes by itself, without labels or training."""
    from ..lifelong import Config
    from ..lifelong.protocol import load_data
    from ..theory.threshold import explained_threshold

    config = Config.of(dataset=dataset, neurons=neurons, layer=layer, label_column=label_column)
    data = load_data(config, progress=True)
    found = explained_threshold(
        data.X_train, config.neurons, complete=True, parameters=config.parameters, curve=True
    )
    if as_json:
        document = {"dataset": dataset, "neurons": neurons, "layer": config.layer_for(data)}
        typer.echo(json.dumps({**document, **found._asdict()}))
        return
    from rich.console import Console

    from .terminal import counted

    console = Console(highlight=False, soft_wrap=True)
    for at, share in found.curve:
        bar = "█" * round(40 * share)
        console.print(f"{at:7.2f} {100 * share:5.1f} % {bar}", markup=False)
    console.print("threshold, and the share of new samples that trained neurons would recognise\n")
    console.print(
        f"Threshold {found.threshold:g} for {counted(neurons, 'neuron')} on {data.name}: {found.reason}.",
        markup=False,
    )
