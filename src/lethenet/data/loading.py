"""`load`: a data set by name or from a user's own files; `available`: which names there are."""

import warnings
from dataclasses import dataclass
from pathlib import Path

from .cache import cache_folder, looks_complete
from .dataset import Dataset
from .fetching import fetch, find_in, sources_for, user_folder
from .idx_folder import load_idx_folder
from .npz import load_npz
from .registry import BUILT_IN, REMOTE, RemoteDataset
from .source import SourceFailed
from .tables import SUFFIXES, load_table


def load(
    name_or_path: str | Path,
    *,
    folder: str | Path | None = None,
    progress: bool = False,
    label_column: str | None = None,
) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name_or_path
        One of

        - ``"digits"``: scikit-learn's 8 × 8 digits, 1,297 for training and 500 for testing;
        - ``"mnist"``, ``"fashion-mnist"``: fetched on first use, see `fetch`;
        - an .npz file with X_train, y_train, X_test, y_test, or with X and y, of which a seeded,
          stratified fifth becomes the test part;
        - a table, .csv, .tsv, .txt, .npy or .parquet (with pyarrow), split in the same way;
        - a folder with the four IDX files of a data set, gzipped or not.

        A name comes before a file of that name; write ``"./mnist"`` or `Path` to mean the file.
    folder
        Where to look for the files of ``"mnist"`` and ``"fashion-mnist"`` before anywhere else;
        the environment variable LETHENET_DATA does the same. They are read in place.
    progress
        Show the progress of downloads on a terminal.
    label_column
        Of a table: the column with the labels (of one without header, its number from 0 on); if left
        out, the one called label, class, target or y, else the last.

    It is a ValueError if there is no such data set or its content cannot be used, and a
    DataUnavailableError if no source delivers one that has to be fetched.

    Examples
    --------
    >>> load("digits").image_shape
    (8, 8)
    >>> load("mnist")  # doctest: +SKIP
    Dataset('mnist', train=60000, test=10000, features=784, classes=10)
    >>> load("imagenet")
    Traceback (most recent call last):
    ...
    ValueError: 'imagenet' is neither a known data set (digits, mnist, fashion-mnist) nor an ...
    """
    if isinstance(name_or_path, str) and name_or_path in BUILT_IN:
        return BUILT_IN[name_or_path]()
    if isinstance(name_or_path, str) and name_or_path in REMOTE:
        dataset = REMOTE[name_or_path]
        where = _in_named_folder(dataset, folder)
        where = where or fetch(dataset.name, folder=folder, progress=progress)
        return load_idx_folder(where, dataset.name)
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        return load_idx_folder(path, path.resolve().name)
    if path.is_file() and path.suffix == ".npz":
        return load_npz(path)
    if path.is_file() and path.suffix in SUFFIXES:
        return load_table(path, label_column)
    what = "is neither" if not path.exists() else "exists but is neither"
    raise ValueError(
        f"{str(name_or_path)!r} {what} a known data set ({', '.join((*BUILT_IN, *REMOTE))}) nor an "
        f"existing file ({', '.join(('.npz', *SUFFIXES))}), nor a folder with four IDX files"
    )


@dataclass(frozen=True)
class Available:
    """A name that `load` knows, and where it would come from, in this order.

    ``cached`` says whether it is on this machine already, so that `load` needs no network. Only the sizes
    of the cached files are looked at; `load` checks their content.

    >>> available()[0]
    Available(name='digits', cached=True, sources=('scikit-learn',))
    """

    name: str
    cached: bool
    sources: tuple[str, ...]


def available() -> tuple[Available, ...]:
    """List the names that `load` knows, whether they are cached and where they come from.

    >>> for entry in available():
    ...     print(entry.name)
    digits
    mnist
    fashion-mnist
    """
    entries = [Available(name, cached=True, sources=("scikit-learn",)) for name in BUILT_IN]
    for dataset in REMOTE.values():
        labels = tuple(source.label for source in sources_for(dataset))
        cached = looks_complete(cache_folder() / dataset.name, dataset)
        entries.append(Available(dataset.name, cached=cached, sources=labels))
    return tuple(entries)


def _in_named_folder(dataset: RemoteDataset, folder: str | Path | None) -> Path | None:
    """Give the user's folder if it has the data; warn if one was asked for and does not."""
    named = user_folder(folder)
    if named is None:
        return None
    try:
        return find_in(named, dataset)
    except SourceFailed as error:
        # Content is pinned by checksums, so going on cannot give other data: a warning is enough.
        # LETHENET_DATA may well hold only some data sets, which is nothing to warn about.
        if folder is not None:
            warnings.warn(f"folder={str(folder)!r} is not used: {error}", stacklevel=3)
        return None
