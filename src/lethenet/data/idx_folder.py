"""A folder with the four IDX files of a data set, in the spellings found in the wild."""

from pathlib import Path

from .dataset import Dataset
from .idx import read_idx

IDX_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def find_idx_file(folder: Path, name: str) -> Path:
    """Find an IDX file in a folder: with a dash or a dot before "idx", gzipped or not; else ValueError."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    for spelling in (name, name.replace("-idx", ".idx")):
        for suffix in ("", ".gz"):
            path = folder / (spelling + suffix)
            if path.is_file():
                return path
    raise ValueError(
        f"{folder} has no {name} (nor {name.replace('-idx', '.idx')}, nor either with .gz)"
    )


def load_idx_folder(folder: Path, name: str) -> Dataset:
    """Load the four IDX files of a folder as a data set."""
    arrays = (read_idx(find_idx_file(folder, file_name)) for file_name in IDX_FILES)
    return Dataset.from_arrays(name, *arrays, source=str(folder))
