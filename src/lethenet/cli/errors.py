"""What to say when something goes wrong: one line that names the value and what to do."""

from __future__ import annotations

import os
import re


def explain(error: Exception) -> str | None:
    """One line for an error that a user can cause or mend, None for one of ours.

    With LETHENET_TRACEBACK in the environment nothing is explained: for bug reports.

    >>> explain(PermissionError(13, "Permission denied", "/runs"))
    "Permission denied: '/runs'"
    """
    if os.environ.get("LETHENET_TRACEBACK"):
        return None
    usage = getattr(error, "format_message", None)  # typer's own, or click's in older versions
    if usage is not None:
        return _one_line(f"{str(usage()).rstrip('.')}. See lethenet --help.")
    if type(error).__name__ == "DataUnavailableError":
        return _one_line(f"{error} On the command line: --dataset digits --threshold 15.5.")
    if isinstance(error, ImportError) and error.name in ("matplotlib", "PIL"):
        return f"figures need {error.name}: install it with `pip install matplotlib`."
    if isinstance(error, MemoryError):
        return _one_line(f"out of memory ({error}): take fewer neurons or samples.")
    known = isinstance(error, ValueError | TypeError | OSError | OverflowError)
    return _one_line(str(error)) if known else None


def _one_line(text: str) -> str:
    """Without line breaks, escape codes, and the number that Python puts before a system's message."""
    plain = re.sub(r"[\x00-\x08\x0e-\x1b\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)
    return re.sub(r"^\[Errno -?\d+\] ", "", " ".join(plain.split()))
