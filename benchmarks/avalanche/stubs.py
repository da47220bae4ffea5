"""Stand-ins for what avalanche-lib imports and a benchmark from arrays never calls.

`import avalanche.benchmarks` imports all of its classic benchmarks, models and loggers, and with them
torchvision, pytorchcv, wandb and others. Whatever is not installed of these is replaced by an empty module
here, whose names are empty classes: some are made at import, but to call one fails at once, so nothing that
is measured rests on them.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

NOT_NEEDED = ("torchvision", "pytorchcv", "wandb", "gdown", "GPUtil")


class _Empty(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *args, **more: None, "__call__": _refuse})
        setattr(self, name, made)
        return made


def _refuse(self, *args, **kwargs):
    raise RuntimeError(f"{type(self).__name__} is a stand-in, see benchmarks/avalanche/stubs.py")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Empty(spec.name)

    def exec_module(self, module):
        pass


def install():
    """Put them in place; the names of those that were missing."""
    missing = tuple(name for name in NOT_NEEDED if importlib.util.find_spec(name) is None)
    sys.meta_path.append(_Finder(missing))
    return missing
