"""Files out of packages, checked; the real streams where their packages can be had."""

import hashlib
import zipfile

import numpy as np
import pytest
from lethenet_reproduction.real_streams import STREAMS, Population, load_stream, series
from lethenet_reproduction.real_streams.packaged import PackagedFile

from lethenet.data import DataUnavailableError

CONTENT = b"1,2,3\n"


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel in a folder in which pip looks, and nowhere else."""
    with zipfile.ZipFile(tmp_path / "carrier-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("carrier/rows.csv", CONTENT)
        archive.writestr(
            "carrier-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n"
        )
        archive.writestr(
            "carrier-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("carrier-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "cache"))
    return PackagedFile("carrier==1.0", "carrier/rows.csv", hashlib.sha256(CONTENT).hexdigest())


def test_a_file_is_taken_out_of_a_wheel_once_and_kept(wheel, tmp_path, monkeypatch):
    assert wheel.read() == CONTENT
    (kept,) = (tmp_path / "cache").rglob("rows.csv")
    assert kept.read_bytes() == CONTENT
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "elsewhere"))
    assert wheel.read() == CONTENT  # from the cache
    kept.write_bytes(b"damaged")
    with pytest.raises(DataUnavailableError, match=r"rows.csv of carrier==1.0: "):
        wheel.read()  # not used, and not to be had again


def test_another_file_of_the_same_name_is_refused(wheel, tmp_path):
    other = PackagedFile(wheel.package, wheel.member, "0" * 64)
    with pytest.raises(DataUnavailableError, match="wrong checksum"):
        other.read()
    assert not list((tmp_path / "cache").rglob("rows.csv"))


def test_a_summary_does_not_depend_on_the_length_and_knows_slow_from_fast():
    time = np.arange(600)[:, None]
    slow, fast = (series.summary(np.sin(time / step)) for step in (20, 1))
    assert slow.shape == series.summary(time[:77].astype(float)).shape
    bands = slice(10, None)
    assert slow[bands].argmax() < fast[bands].argmax()


def test_in_the_population_code_all_samples_are_of_one_length_and_outliers_point_elsewhere():
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1, 10, 0]  # one feature never changes
    code = Population().fit(X)
    coded = code.transform(np.vstack([X, [[99, 0, 0]]]))
    np.testing.assert_allclose((coded**2).sum(axis=1), 3, rtol=1e-5)
    own = coded.reshape(len(coded), 3, -1)[:, 0]
    assert not own[:-1, -1].any()
    assert own[-1, -1] == 1


SHAPES = {  # training samples, test samples, features, classes
    "watch": (1522, 707, 132, 7),
    "shuttle": (32_731, 16_366, 9, 2),
    "segments": (1540, 770, 18, 7),
    "plaid": (537, 537, 22, 11),
    "vowels": (270, 370, 84, 9),
    "acsf1": (400, 400, 22, 10),
    "letters": (16_000, 4000, 16, 26),
    "reuters": (5485, 2189, None, 8),
    "newsgroups": (11_293, 7528, None, 20),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
def test_real_streams(name):
    check(name)


def test_two_of_the_real_streams():
    check("shuttle")
    check("segments")


def check(name):
    try:
        stream = load_stream(name)
    except DataUnavailableError as error:
        pytest.skip(f"{name} cannot be fetched here: {error}")
    n_train, n_test, n_features, n_classes = SHAPES[name]
    assert (len(stream.X_train), len(stream.X_test)) == (n_train, n_test)
    assert stream.is_text == (n_features is None)
    assert len(stream.groups) == n_train
    data = stream.dataset()
    assert len(data.classes) == n_classes
    if n_features is not None:
        assert stream.X_train.shape == (n_train, n_features)
        assert np.isfinite(data.X_train).all()


def test_there_are_shapes_of_all():
    assert list(SHAPES) == list(STREAMS)
