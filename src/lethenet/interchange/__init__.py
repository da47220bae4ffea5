"""Model files in safetensors: ``save``, ``load``, and the atomic files they are made of."""

from .files import read_arrays, replacing, write_arrays
from .models import load, save

__all__ = ["load", "read_arrays", "replacing", "save", "write_arrays"]
