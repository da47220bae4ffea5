"""The built-in data set: scikit-learn's 8 × 8 digits. It needs no download."""

from .dataset import Dataset
from .splitting import stratified_split


def load_digits() -> Dataset:
    """Load scikit-learn's 1,797 digits, 0 to 16, as 1,297 training and always the same 500 test samples."""
    from sklearn import datasets  # a second of import that other data sets do not need

    bunch = datasets.load_digits()
    images, y = bunch.images.astype("uint8"), bunch.target.astype("int64")
    train, test = stratified_split(y, n_test=500)
    return Dataset.from_arrays("digits", images[train], y[train], images[test], y[test])
