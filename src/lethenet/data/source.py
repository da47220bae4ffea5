"""What a source of data is: something that can put a data set's files into a folder."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class SourceFailed(Exception):  # noqa: N818 - an outcome that moves the chain on, not an error
    """A source could not deliver; the message says why in one line."""


class Source(NamedTuple):
    """A place to get a data set from, and what to call it in messages.

    ``obtain(workspace, progress)`` returns a folder that holds the files, gzipped or not. It may use the
    empty folder ``workspace``, which is removed afterwards, and shows its progress if asked to. It raises
    `SourceFailed` if it cannot deliver. Nobody trusts the files yet.
    """

    label: str
    obtain: Callable[[Path, bool], Path]
