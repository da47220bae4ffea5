"""Networks in files: safetensors and NIR, written atomically and read with suspicion."""

from .files import read_arrays, replacing, write_arrays
from .models import ModelFile, parameters_from_json, parameters_to_json, read_model, write_model

__all__ = [
    "ModelFile",
    "parameters_from_json",
    "parameters_to_json",
    "read_arrays",
    "read_model",
    "replacing",
    "write_arrays",
    "write_model",
]
