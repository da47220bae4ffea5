"""Files from others: what is no ordinary file, or larger than the limit, is refused before it is read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

STANDARD_LIMIT = 4 * 2**30
VARIABLE = "LETHENET_MAX_BYTES"


def most_bytes() -> int:
    """How many bytes a file, or an array in it, may have: 4 GiB, or what LETHENET_MAX_BYTES says."""
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return STANDARD_LIMIT
    if not chosen.isdecimal() or len(chosen) > 18:
        raise ValueError(f"{VARIABLE}={chosen!r:.40}: expected a number of bytes.")
    return int(chosen)


def check_bytes(n_bytes: int, what: object) -> None:
    """ValueError if something would take more memory than the limit allows."""
    limit = most_bytes()
    if n_bytes > limit:
        raise ValueError(
            f"{what} would take {n_bytes:,} bytes: more than the limit of {limit:,}. If it is really meant "
            f"to be that large, set the environment variable {VARIABLE} to a higher number."
        )


def one_line(error: BaseException) -> str:
    """What another library says of a file, which may quote half of it, in one line that is not too long."""
    return " ".join(str(error).split())[:300]


def check_memory(n_neurons: int, n_features: int) -> None:
    """ValueError if a network would take more memory than this machine has."""
    needed = 8 * n_neurons * n_features  # the weights, and once more as the kernels want them
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on every system
        return
    if needed > there > 0:
        raise ValueError(
            f"{n_neurons:,} neurons with {n_features:,} inputs would take about {needed / 1e9:,.0f} GB, "
            f"and this machine has {there / 1e9:,.0f} GB. Take fewer neurons or inputs."
        )


def check_file(path: str | os.PathLike[str], most: int | None = None) -> int:
    """The size of an ordinary file; ValueError for devices, pipes, folders, and beyond the limit.

    A pipe would be waited for, a device read without end. ``most`` is a lower limit than the usual one.
    """
    found = Path(path).stat()  # an unreadable or missing file is an OSError that says so
    _require_ordinary(path, found.st_mode, "Give a file.")
    if most is not None and found.st_size > most:
        raise ValueError(f"{path} has {found.st_size:,} bytes: such a file has {most:,} at most.")
    check_bytes(found.st_size, path)
    return found.st_size


def check_writable(path: str | os.PathLike[str]) -> None:
    """ValueError if what lies at ``path`` is neither an ordinary file nor nothing.

    A file is written by putting a new one in its place, which would do away with a device.
    """
    with suppress(FileNotFoundError):
        _require_ordinary(path, Path(path).stat().st_mode, "Choose another place to write to.")


def _require_ordinary(path: str | os.PathLike[str], mode: int, remedy: str) -> None:
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise ValueError(f"{path} is not an ordinary file, but {kind}. {remedy}")
