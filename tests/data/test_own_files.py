"""A user's own .npz files and IDX folders."""

import gzip
import io
import shutil
import zipfile

import numpy as np
import pytest

from lethenet.data import load, write_idx

X_TRAIN = np.arange(24, dtype=np.uint8).reshape(6, 4)
Y_TRAIN = np.array([0, 1, 0, 1, 0, 1], np.int32)
FOUR = {"X_train": X_TRAIN, "y_train": Y_TRAIN, "X_test": X_TRAIN[:2], "y_test": Y_TRAIN[:2]}


@pytest.fixture
def npz(tmp_path):
    def write(**arrays):
        path = tmp_path / "mine.npz"
        np.savez(path, **arrays)
        return path

    return write


def test_npz_with_both_parts(npz):
    data = load(npz(**FOUR, extra=np.zeros(1)))
    assert data.name == "mine"
    np.testing.assert_array_equal(data.X_train, X_TRAIN)
    np.testing.assert_array_equal(data.y_test, [0, 1])


def test_npz_keys_may_come_in_any_order(npz):
    data = load(npz(**dict(reversed(FOUR.items()))))
    np.testing.assert_array_equal(data.X_train, X_TRAIN)
    np.testing.assert_array_equal(data.y_train, Y_TRAIN)


def test_npz_compressed_and_by_string(tmp_path):
    np.savez_compressed(tmp_path / "mine.npz", **FOUR)
    assert len(load(str(tmp_path / "mine.npz")).y_train) == 6


def test_npz_that_must_be_split(npz):
    X = np.arange(50 * 6, dtype=np.float64).reshape(50, 2, 3)
    y = np.repeat([3, 8], [40, 10])
    data = load(npz(X=X, y=y))
    assert data.image_shape == (2, 3)
    assert np.bincount(data.y_test)[[3, 8]].tolist() == [8, 2]
    assert np.bincount(data.y_train)[[3, 8]].tolist() == [32, 8]
    # Each sample keeps its label: feature 0 of sample i is 6 i.
    rows = np.concatenate([data.X_train[:, 0], data.X_test[:, 0]]) / 6
    labels = np.concatenate([data.y_train, data.y_test])
    assert sorted(rows) == list(range(50))
    np.testing.assert_array_equal(labels, np.where(rows < 40, 3, 8))
    np.testing.assert_array_equal(load(npz(X=X, y=y)).X_test, data.X_test)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"a": X_TRAIN}, r"it has \['a'\], neither"),
        ({}, r"it has \[\], neither"),
        ({k: v for k, v in FOUR.items() if k != "y_test"}, r"lacks \['y_test'\]"),
        ({"X": X_TRAIN}, r"lacks \['y'\]"),
        ({"X": X_TRAIN, "y": Y_TRAIN[:5]}, "y has 5 labels for 6 samples"),
        ({"X": X_TRAIN, "y": np.arange(6)}, "single sample"),
        ({"X": X_TRAIN * np.nan, "y": Y_TRAIN}, "X holds nan"),
        ({"X": X_TRAIN[:0], "y": Y_TRAIN[:0]}, "X is empty"),
        ({"X": X_TRAIN.astype(object), "y": Y_TRAIN}, "X holds Python objects"),
        ({**FOUR, "y_train": Y_TRAIN.astype(object)}, "y_train holds Python objects"),
        ({**FOUR, "y_train": Y_TRAIN / 2}, "y_train holds float64"),
        ({**FOUR, "X_test": X_TRAIN[:2, :3]}, "must be alike"),
    ],
)
def test_npz_that_cannot_be_used(npz, arrays, says):
    with pytest.raises(ValueError, match=says) as caught:
        load(npz(**arrays))
    assert "mine.npz" in str(caught.value)


def test_npz_never_unpickles(npz):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    path = npz(X=np.array([[Trap()]], object), y=np.zeros(1, int))
    with pytest.raises(ValueError, match="Python objects"):
        load(path)


def test_files_that_are_not_npz(tmp_path):
    path = tmp_path / "mine.npz"
    array = io.BytesIO()
    np.save(array, X_TRAIN)
    whole = io.BytesIO()
    np.savez(whole, **FOUR)
    foreign = io.BytesIO()
    with zipfile.ZipFile(foreign, "w") as archive:
        for key in FOUR:
            archive.writestr(f"{key}.npy", "not an array")
    for content in (b"", b"text", array.getvalue(), whole.getvalue()[:-30], foreign.getvalue()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"mine\.npz"):
            load(path)


def test_npz_that_claims_more_than_there_is(tmp_path):
    lie = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        lie, {"descr": "|u1", "fortran_order": False, "shape": (10**9, 10**6)}
    )
    path = tmp_path / "mine.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for key in FOUR:
            archive.writestr(f"{key}.npy", lie.getvalue())
    with pytest.raises(ValueError, match=r"mine\.npz cannot be used"):
        load(path)


def test_damaged_npz_member(tmp_path):
    path = tmp_path / "mine.npz"
    np.savez(path, **FOUR)
    content = bytearray(path.read_bytes())
    content[content.index(X_TRAIN.tobytes()) + 3] ^= 255
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"mine\.npz.*CRC"):
        load(path)


def test_idx_folder(idx_folder):
    data = load(idx_folder)
    assert data.name == "idx"
    assert data.image_shape == (4, 3)
    assert data.X_train.shape == (12, 12)
    assert data.y_test.tolist() == [0, 1, 2, 0, 1, 2]
    assert data.y_test.dtype == np.int64


def test_idx_folder_in_every_spelling(idx_folder):
    expected = load(idx_folder)
    train_images = idx_folder / "train-images-idx3-ubyte"
    train_images.with_name("train-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(train_images.read_bytes())
    )
    train_images.unlink()
    labels = idx_folder / "train-labels-idx1-ubyte"
    labels.rename(idx_folder / "train-labels.idx1-ubyte")
    test_images = idx_folder / "t10k-images-idx3-ubyte"
    (idx_folder / "t10k-images.idx3-ubyte.gz").write_bytes(gzip.compress(test_images.read_bytes()))
    test_images.unlink()
    np.testing.assert_array_equal(load(idx_folder).X_train, expected.X_train)
    np.testing.assert_array_equal(load(idx_folder).X_test, expected.X_test)


def test_idx_folder_lacking_a_file(idx_folder):
    (idx_folder / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(ValueError, match="has no t10k-labels-idx1-ubyte"):
        load(idx_folder)


def test_idx_folder_with_swapped_files(idx_folder):
    shutil.copy(
        idx_folder / "train-images-idx3-ubyte",
        idx_folder / "train-labels-idx1-ubyte",
    )
    with pytest.raises(ValueError, match=r"y_train has shape \(12, 4, 3\)"):
        load(idx_folder)


def test_idx_folder_of_floats_is_checked_like_all_data(idx_folder):
    write_idx(idx_folder / "train-images-idx3-ubyte", np.full((12, 4, 3), np.nan, np.float32))
    with pytest.raises(ValueError, match="X_train holds nan"):
        load(idx_folder)


@pytest.mark.parametrize("name", ["imagenet", "MNIST", "no/such/file.npz", ""])
def test_unknown_names(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"digits, mnist, fashion-mnist|has no train-images"):
        load(name)


def test_a_file_of_another_kind(tmp_path):
    (tmp_path / "data.xls").write_text("1,2")
    with pytest.raises(ValueError, match=r"data\.xls' exists but is neither"):
        load(tmp_path / "data.xls")


def test_a_name_comes_before_a_folder_unless_it_is_a_path(idx_folder, monkeypatch):
    idx_folder.rename(idx_folder.with_name("digits"))
    monkeypatch.chdir(idx_folder.parent)
    assert load("digits").n_features == 64
    assert load("./digits").n_features == 12
