"""Lines from outside: what is a sample, what is a bad line, and that nothing else can happen."""

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.data.line_reader import LineReader
from lethenet.data.lines import BadLineError, LineFormat, Sample

GARBAGE = {
    b"{": "json",
    b"[1, 2": "json",
    b"7": "json",
    b"null": "json",
    b"[" * 100_000: "json",
    b"[1, 2" + b"9" * 10_000 + b"]": "json",
    b"[1, 2" + b"9" * 400 + b"]": "range",
    b"[1e999, 2]": "range",
    b"[NaN, 1]": "range",
    b"[1, -Infinity]": "range",
    b"[[1, 2], [3, 4]]": "number",
    b'["1", "2"]': "number",
    b"[true, 2]": "number",
    b"[null, 2]": "number",
    b'{"x": 3}': "number",
    b"[]": "width",
    b"[1]": "width",
    b'{"x": [1, 2], "y": [3]}': "label",
    b'{"x": [1, 2], "id": {"a": 1}}': "label",
    b'{"x": [1, 2], "id": NaN}': "label",
    b'{"x": [1, 2], "y": "' + b"a" * 300 + b'"}': "label",
    b"[1, \xff]": "utf-8",
}


@pytest.mark.parametrize(("line", "reason"), GARBAGE.items(), ids=lambda v: str(v)[:24])
def test_what_is_wrong_with_a_line(line, reason):
    lines = LineFormat("json")
    with pytest.raises(BadLineError) as caught:
        lines.parse(line)
    assert caught.value.reason == reason
    assert len(str(caught.value)) < 150
    assert lines == LineFormat("json")  # nothing was settled by it


@given(st.one_of(st.binary(max_size=60), st.text('[]{}0123456789.,eE+-"xy: ;\tnaN', max_size=40)))
def test_any_bytes_are_a_sample_nothing_or_a_bad_line(line):
    line = line if isinstance(line, bytes) else line.encode()
    for lines in (LineFormat(), LineFormat("json"), LineFormat("csv")):
        try:
            sample = lines.parse(line)
        except BadLineError:
            continue
        assert sample is None or (np.isfinite(sample.values).all() and len(sample.values) > 1)
        assert sample is None or json.dumps(sample.kept, allow_nan=False)


def test_objects_give_their_numbers_in_the_order_of_the_first():
    lines = LineFormat(label="state")
    first = lines.parse(b'{"time": 1.5, "hum": 40, "state": 3, "temp": 21}')
    assert (first.values.tolist(), first.label, first.kept) == ([40, 21], "3", {"time": 1.5})
    assert lines.parse(b'{"temp": 1, "more": "?", "hum": 2}').values.tolist() == [2, 1]
    with pytest.raises(BadLineError, match="'hum' is missing"):
        lines.parse(b'{"temp": 1}')


def test_csv_with_a_header():
    lines = LineFormat(label="kind", keep=["when", "id"])
    with pytest.raises(BadLineError, match="no column 'kind'"):
        lines.parse(b"# made by a sensor; today")
    assert lines.parse(b'\xef\xbb\xbfwhen; a; b; "kind"\r') is None
    assert lines.parse(b"12:30; 1.5; 2; on\r").values.tolist() == [1.5, 2]
    assert lines.parse(b"12:31;3;4;") == Sample(pytest.approx([3, 4]), None, {"when": "12:31"})
    assert lines.parse(b"when;a;b;kind") is None  # the next file's
    for line, reason in {
        b"12:32;x;4;on": "number",
        b"1;2": "width",
        b'"': "csv",
        b"1;inf;2;on": "range",
    }.items():
        with pytest.raises(BadLineError) as caught:
            lines.parse(line)
        assert caught.value.reason == reason


def test_csv_without_a_header_calls_columns_by_their_place():
    assert LineFormat(label="2").parse(b"1,2,cat,4").label == "cat"
    with pytest.raises(BadLineError, match="no two columns"):
        LineFormat().parse(b"hello")


def test_the_first_sample_tells_what_lines_are_not_the_first_line():
    lines = LineFormat()
    assert lines.parse(b"hello, world") is None  # it could be a header
    assert lines.parse(b'{"a": 1, "b": 2}').values.tolist() == [1, 2]
    assert lines.kind == "json"


def test_a_long_number_is_a_name_like_any_other():
    name = 10**400
    sample = LineFormat().parse(b'{"x": [1, 2], "y": %d, "id": %d}' % (7, name))
    assert (sample.label, sample.kept) == ("7", {"id": name})
    with pytest.raises(BadLineError, match="a label of 401 characters"):
        LineFormat().parse(b'{"x": [1, 2], "y": %d}' % name)


@pytest.mark.parametrize("size", [1, 2, 7, 10**6])
def test_lines_do_not_depend_on_how_bytes_arrive(size):
    text = b"one\n\ntwo two two\r\n" + b"x" * 50 + b"\nlast"

    class Drops(io.BytesIO):
        def read(self, n=-1):
            return super().read(min(n, size))

    reader, lines = LineReader(Drops(text), limit=20), []
    while (more := reader.more()) is not None:
        lines += more
    assert lines == [(b"one", 4), (b"", 1), (b"two two two\r", 13), (None, 51)]
    assert reader.rest == (b"last", 4)
    assert sum(n for _, n in lines) + 4 == len(text)


def test_a_file_that_is_cut_is_noticed(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\n")
    with path.open("rb", buffering=0) as file:
        reader = LineReader(file, follow=True)
        assert reader.more() == [(b"one", 4), (b"two", 4)]
        assert reader.more() == []
        path.write_bytes(b"new\n")
        with pytest.raises(ValueError, match="has become shorter"):
            reader.more()
