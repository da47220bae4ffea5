"""Where a run took place and on what data: for the record."""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..data import Dataset


def describe_machine() -> dict[str, Any]:
    """Versions and hardware, as ``run.json`` holds them."""
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def fingerprint(data: Dataset) -> str:
    """SHA-256 over a data set's arrays: a run goes on only with the data it was begun with."""
    digest = hashlib.sha256()
    for array in (data.X_train, data.y_train, data.X_test, data.y_test):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
