"""Tables of one's own: CSV, .npy, Parquet; string labels, signed features, colours."""

import numpy as np
import pytest

from lethenet.data import Dataset, load
from lethenet.data.tables import read_table

ROWS = [
    (0.5, -1.0, "rose"),
    (2.0, 3.25, "lily, white"),
    (1.0, 0.0, "rose"),
    (7.0, 1e-3, "lily, white"),
] * 5


def csv_text(header="width,height,class", mark=","):
    lines = [mark.join([str(w), str(h), f'"{label}"']) for w, h, label in ROWS]
    return "\n".join(([header.replace(",", mark)] if header else []) + lines) + "\n"


@pytest.fixture
def table(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("header", ["width,height,class", "a,b,c", ""])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv(table, header, mark):
    data = load(table(csv_text(header, mark)))
    assert data.class_names == ("lily, white", "rose")
    assert (len(data.y_train), len(data.y_test), data.n_features) == (16, 4, 2)
    assert data.signed
    rows = {(w, h): label for w, h, label in ROWS}
    for (w, h), label in zip(data.X_train.tolist(), data.y_train.tolist(), strict=True):
        assert rows[w, round(h, 6)] == data.name_of(label)


def test_the_label_column_goes_by_name(table):
    text = "Target,a,b\n" + "3,1.5,2\n4,0.5,1\n" * 5
    data = load(table(text))
    assert data.classes == (3, 4)
    assert data.class_names is None
    assert load(table(text), label_column="b").n_features == 2
    no_header = table("\n".join(f"{n % 2},{n},1.5" for n in range(10)) + "\n")
    assert load(no_header, label_column="0").classes == (0, 1)
    with pytest.raises(ValueError, match="no column 'c'; it has Target, a, b"):
        load(table(text), label_column="c")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("a,class\n", "cannot be used"),
        ("1,2,0\n1,,1\n", "could not convert"),
        ("1,2,0\n1,x,1\n", "could not convert string 'x'"),
        ("1,2,0\n1,1\n", "cannot be used"),
        ("1\n2\n", "single column"),
        ("a,b,class\n1,nan,0\n1,2,0\n1,3,1\n1,3,1\n", "holds nan"),
        ("a,class\n1,cat\n2,dog\n3,dog\n", r"classes \[0\] have a single sample|single sample"),
    ],
)
def test_tables_that_cannot_be_used(table, text, says):
    path = table(text)
    with pytest.raises(ValueError, match=says) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_npy(tmp_path):
    rows = np.column_stack([np.arange(10.0), np.ones(10), np.repeat([5, 6], 5)])
    np.save(tmp_path / "mine.npy", rows)
    data = load(tmp_path / "mine.npy")
    assert data.classes == (5, 6)
    assert data.n_features == 2
    X, labels = read_table(tmp_path / "mine.npy", n_features=3)
    assert X.shape == (10, 3)
    assert labels is None
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\), not rows"):
        load(tmp_path / "cube.npy")


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"a": [1.0, 2.0] * 5, "label": ["x", "y"] * 5, "b": [0, 1] * 5}
    parquet.write_table(pa.table(columns), tmp_path / "mine.parquet")
    data = load(tmp_path / "mine.parquet")
    assert data.class_names == ("x", "y")
    assert data.n_features == 2


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "mine.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"pip install .lethenet\[parquet\]"):
        load(tmp_path / "mine.parquet")


def test_colours_and_names():
    X = np.zeros((4, 5, 6, 3), np.uint8)
    X[..., 1] = 9
    data = Dataset.from_arrays("colours", X, list("abab"), X[:2], list("ab"))
    assert data.image_shape == (5, 6, 3)
    assert data.n_features == 90
    assert data.class_names == ("a", "b")
    with pytest.raises(ValueError, match=r"\['c'\] that y_train lacks"):
        Dataset.from_arrays("colours", X, list("abab"), X[:2], list("ac"))
    with pytest.raises(ValueError, match="in colour"):
        Dataset.from_arrays("colours", X[..., :2], list("abab"), X[:2], list("ab"))


def test_a_name_with_a_new_line_leaves_the_message_one_line(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('"a,b\n1,2\n')
    with pytest.raises(ValueError, match="cannot be used") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
