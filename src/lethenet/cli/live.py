"""``lethenet live``: the page on which one watches and teaches a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import flag, value


def live(
    dataset: Annotated[str, value("NAME|FILE|FOLDER", "What the stream is made of.")] = "mnist",
    neurons: Annotated[int, value("INTEGER", "Size of the layer.", min=1)] = 400,
    threshold: Annotated[
        float | None, value("NUMBER", "Firing threshold; left out, it fits the data.")
    ] = None,
    seed: Annotated[int, value("INTEGER", "Key of all random numbers.", min=0)] = 0,
    host: Annotated[
        str,
        value("ADDRESS", "Where to listen. Others than loopback let people on your network in."),
    ] = "127.0.0.1",
    port: Annotated[int, value("INTEGER", "Port; 0 takes a free one.", min=0, max=65535)] = 0,
    replay: Annotated[
        Path | None, value("FILE", "Go on from a session that was downloaded, after replaying it.")
    ] = None,
    no_open: Annotated[bool, flag("--no-open", "Print the address, and open no browser.")] = False,
) -> None:
    """Watch a network learn in your browser, draw for it, and teach it names.

    Without access to MNIST: lethenet live --dataset digits.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ValueError(
            f"the live page needs {error.name}: pip install 'lethenet[live]'."
        ) from None
    from ..data import load
    from ..live import Server, Session
    from ..live.log import replay as replayed

    if host in ("0.0.0.0", "::", ""):
        raise ValueError(f"--host {host!r}: name the one address by which the page is reached.")
    data = load(dataset)
    settings = {"neurons": neurons, "threshold": threshold}
    session = replayed(replay, data) if replay else Session(data, [settings], seed=seed)
    server = Server(session, host, port)
    typer.echo(f"{server.address}\nWhoever has this address can watch and teach. Ctrl-C ends it.")
    if not no_open:
        import webbrowser

        webbrowser.open(server.address)
    server.run()
