"""Where a run took place and on what data: for the record."""

from __future__ import annotations

import hashlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..data import Dataset


def describe_machine() -> dict[str, Any]:
    """Versions and hardware, as ``run.json`` holds them.

    >>> sorted(describe_machine())
    ['cores', 'numba', 'numpy', 'platform', 'processor', 'python']
    """
    return {
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def fingerprint(data: Dataset) -> str:
    """SHA-256 over a data set's arrays: a run goes on only with the data it was begun with.

    >>> from lethenet.data import load
    >>> len(fingerprint(load("digits")))
    64
    """
    digest = hashlib.sha256()
    for array in (data.X_train, data.y_train, data.X_test, data.y_test):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
