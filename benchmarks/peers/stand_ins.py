"""Stand-ins for packages that BindsNET imports but its simulation never calls.

``import bindsnet`` loads its data sets, plots and games along with its networks, and with them
torchvision (whose newest build does not import beside the torch used here), OpenCV, gymnasium and
more. A stand-in answers every attribute with an empty class, which is all an import needs; should
the simulation ever call one, it fails loudly.
"""

import sys
from types import ModuleType

UNUSED = (
    "torchvision",
    "torchvision.datasets",
    "torchvision.transforms",
    "torchvision.utils",
    "ale_py",
    "cv2",
    "gymnasium",
    "pandas",
    "sklearn",
    "sklearn.linear_model",
    "tensorboardX",
)


def _empty_class(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


def install() -> None:
    """Put the stand-ins where ``import`` finds them; call after importing torch."""
    for name in UNUSED:
        module = ModuleType(name, "A stand-in: see stand_ins.py.")
        module.__getattr__ = _empty_class  # type: ignore[method-assign]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
