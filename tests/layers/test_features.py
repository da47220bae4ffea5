"""Features from functions and ONNX models, and on/off inputs."""

import pickle

import numpy as np
import pytest

from lethenet.layers import Features, OnOff


def doubled(X):
    return 2 * X


def onnx_model(path):
    """A model Y = X · [[1], [-1]] as bytes of protobuf, written by hand: onnx itself is not needed."""

    def field(number, content):
        head = bytes([number << 3 | 2, len(content)])
        return head + content

    def varint(number, value):
        return bytes([number << 3, value])

    def tensor_type(name, width):
        dims = field(1, field(2, b"n")) + field(1, varint(1, width))
        return field(1, name) + field(2, field(1, varint(1, 1) + field(2, dims)))

    weights = varint(1, 2) + varint(1, 1) + varint(2, 1) + field(8, b"W")
    weights += field(9, np.array([1.0, -1.0], "<f4").tobytes())
    node = field(1, b"X") + field(1, b"W") + field(2, b"Y") + field(4, b"MatMul")
    graph = field(1, node) + field(2, b"g") + field(5, weights)
    graph += field(11, tensor_type(b"X", 2)) + field(12, tensor_type(b"Y", 1))
    path.write_bytes(varint(1, 8) + field(7, graph) + field(8, varint(2, 13)))
    return path


def test_an_onnx_model_is_a_layer(tmp_path):
    pytest.importorskip("onnxruntime")
    layer = Features(onnx_model(tmp_path / "m.onnx"))
    X = np.array([[3.0, 1.0], [1.0, 3.0]])
    assert np.array_equal(layer.fit_transform(X), [[2.0, 0.0], [0.0, 2.0]])
    again = pickle.loads(pickle.dumps(layer))
    assert np.array_equal(again.transform(X), layer.transform(X))


def test_a_damaged_model_is_refused_in_one_line(tmp_path):
    pytest.importorskip("onnxruntime")
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"\x00garbage")
    with pytest.raises(ValueError, match="cannot be used as an ONNX model"):
        Features(bad).fit(np.ones((2, 2)))
    with pytest.raises(ValueError, match="expected a function or the file"):
        Features(tmp_path / "missing.onnx").fit(np.ones((2, 2)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda X: X[:1], "gave 1 rows for 3 samples"),
        (lambda X: X * np.nan, "not finite"),
    ],
)
def test_a_model_that_does_not_answer_rightly(model, message):
    with pytest.raises(ValueError, match=message):
        Features(model).fit(np.ones((3, 2)))


def test_signs_that_come_later_are_an_error_that_says_what_to_do():
    layer = Features(doubled).fit(np.ones((2, 2)))
    with pytest.raises(ValueError, match="use signed=True"):
        layer.transform(-np.ones((1, 2)))
    assert Features(doubled, signed=True).fit(np.ones((2, 2))).transform(
        -np.ones((1, 2))
    ).tolist() == [[0, 0, 2, 2]]


def test_shapes_for_the_model():
    seen = []
    layer = Features(lambda X: seen.append(X.shape) or X.reshape(len(X), -1), input_shape=(3, 2))
    layer.fit(np.ones((5, 6)))
    assert seen == [(5, 3, 2)]
    with pytest.raises(ValueError, match="input_shape"):
        Features(doubled, input_shape=(4, 4)).fit(np.ones((2, 6)))


def test_on_and_off_keep_lengths_and_come_back():
    X = np.random.default_rng(0).normal(size=(20, 7))
    layer = OnOff().fit(X)
    parts = layer.transform(X)
    assert parts.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(parts, axis=1), np.linalg.norm(X, axis=1))
    assert np.array_equal(layer.inverse_transform(parts), X)
    assert OnOff().fit_transform(np.array([[3, 0]], np.uint8)).tolist() == [[3, 0, 0, 0]]
    with pytest.raises(ValueError, match="expected 14, on and off"):
        layer.inverse_transform(X)
