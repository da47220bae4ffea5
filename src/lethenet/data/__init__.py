"""Data sets and streams of tasks: arrays in, nothing but arrays out.

>>> from lethenet.data import disjoint, load
>>> digits = load("digits")
>>> tasks = disjoint(digits.y_train, classes=(3, 1, 4))
>>> [task.name for task in tasks]
['3', '1', '4']
>>> digits.X_train[tasks[0].indices].shape
(132, 64)
"""

from .cache import cache_folder
from .dataset import Dataset
from .fetching import DataUnavailableError, fetch
from .idx import read_idx, write_idx
from .loading import Available, available, load
from .streams import Task, disjoint, interleaved, split
from .worlds import Phase, changing_looks, drifting, returning

__all__ = [
    "Available",
    "DataUnavailableError",
    "Dataset",
    "Phase",
    "Task",
    "available",
    "cache_folder",
    "changing_looks",
    "disjoint",
    "drifting",
    "fetch",
    "interleaved",
    "load",
    "read_idx",
    "returning",
    "split",
    "write_idx",
]
