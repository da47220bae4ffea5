"""The command line: parse, call, print. Heavy imports happen inside the commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``lethenet`` with these arguments (the process's own by default); the exit code.

    A mistake of the user's is one line on stderr and code 2; Ctrl-C is 130.

    >>> main(["--version"])
    lethenet ...
    0
    """
    from .app import app
    from .errors import explain

    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        code = app(words, prog_name="lethenet", standalone_mode=False)
    except Exception as error:
        message = explain(error)
        if message is None:
            raise
        print(f"Error: {message}", file=sys.stderr)
        return 2
    return code if isinstance(code, int) else 0
