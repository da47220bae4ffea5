"""``lethenet watch``: learn from lines of JSON or CSV as they come, and answer each."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import NEURONS, OUTPUT, flag, value

if TYPE_CHECKING:
    from ..data.lines import BadLine
    from ..lifelong.watching import Watcher

LINES = "Lines"


def watch(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="A file of lines; - is standard input.")
    ] = "-",
    follow: Annotated[bool, flag("--follow", "Wait for more at the end of FILE.", LINES)] = False,
    format: Annotated[  # noqa: A002  (what the option is called)
        str | None, value("auto|json|csv", "What lines are; auto: the first one tells.", LINES)
    ] = None,
    label: Annotated[
        str | None, value("NAME", "Column or key of the label. [default: y, if it is there]", LINES)
    ] = None,
    keep: Annotated[
        str | None, value("NAME,…", "What is passed on to the answer. [default: id,time]", LINES)
    ] = None,
    features: Annotated[
        str | None, value("NAME,…", "Columns or keys of the numbers. [default: all others]", LINES)
    ] = None,
    from_start: Annotated[
        bool,
        flag("--from-start", "Standard input begins at line 1 again: skip what is known.", LINES),
    ] = False,
    neurons: Annotated[int | None, value("INTEGER", "Size. [default: 400]", NEURONS)] = None,
    preset: Annotated[str | None, value("NAME", "As of run. [default: annealed]", NEURONS)] = None,
    threshold: Annotated[
        str | None, value("NUMBER|auto", "auto: by the first samples. [default: auto]", NEURONS)
    ] = None,
    layer: Annotated[
        str | None,
        value("auto|none|on-off", "on-off takes signed numbers. [default: auto]", NEURONS),
    ] = None,
    settle: Annotated[
        int | None, value("INTEGER", "Samples that settle what is auto. [default: 200]", NEURONS)
    ] = None,
    seed: Annotated[int | None, value("INTEGER", "Of all chance. [default: 0]", NEURONS)] = None,
    frozen: Annotated[bool, flag("--frozen", "Only answer, do not learn.", NEURONS)] = False,
    state: Annotated[
        Path | None,
        value("FILE.safetensors", "Checkpoints; go on with it, or with any model file.", OUTPUT),
    ] = None,
    position: Annotated[
        bool, flag("--position", "Only print the last line that the state knows.", OUTPUT)
    ] = False,
    checkpoint_seconds: Annotated[float, value("NUMBER", "How often.", OUTPUT, min=0)] = 20.0,
    checkpoint_samples: Annotated[
        int | None, value("INTEGER", "After so many lines, too.", OUTPUT, min=1)
    ] = None,
    answers: Annotated[str, value("all|novelties", "Which are written.", OUTPUT)] = "all",
    output: Annotated[
        Path | None, value("FILE.jsonl", "Instead of standard output; needs --state.", OUTPUT)
    ] = None,
) -> None:
    """Learn from lines as they come and answer each by a line of JSON.

    A line that cannot be used is counted and reported on standard error. After a kill, the same command goes
    on to the same bits. Lines, answers and what is promised: docs/streams.md.
    """
