"""Reading run directories: what fits is read, what does not is refused in one clear sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethenet.interchange import read_arrays, write_arrays
from lethenet.report import read_results

Maker = Callable[..., Path]


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "run.json"
    record = json.loads(path.read_text("utf-8"))
    change(record)
    path.write_text(json.dumps(record), "utf-8")


def test_reads_a_finished_run(finished_run: Path) -> None:
    results = read_results(finished_run)
    assert results.finished
    assert results.classes == [str(c) for c in range(10)]
    assert results.accuracy_matrix.shape == (10, 10)
    assert np.isnan(results.accuracy_matrix[0, 1:]).all()
    assert results.twin is not None
    assert results.twin.task_names == ["interleaved"]
    assert results.label == "mnist, 60 neurons, threshold 13.5, 1 epoch, sequential"
    assert read_results(results) is results


def test_no_run_at_all(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not a run directory: it has no run\.json"):
        read_results(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", '{"format": "other"}', '{"a": NaN}'])
def test_foreign_or_broken_json(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=r"run\.json (is damaged|was not written by lethenet)"):
        read_results(tmp_path)


def test_binary_json(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"\xff\xfe\x00{}")
    with pytest.raises(ValueError, match="is damaged"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(version=2), "format version 2; this lethenet reads 1"),
        (lambda r: r.update(status="lost"), "status is 'lost', expected one of running"),
        (lambda r: r.pop("evaluations"), "evaluations is missing"),
        (lambda r: r.update(config=[]), r"config is \[\], expected an object"),
        (lambda r: r["config"].pop("neurons"), "config.neurons is missing"),
        (
            lambda r: r["config"].update(neurons=True),
            "config.neurons is True, expected a whole number from 0 to",
        ),
        (lambda r: r["tasks"].append("x"), r"tasks\[10\] is 'x', expected an object"),
        (
            lambda r: r["evaluations"][3].update(test_accuracy=None),
            r"evaluations\[3\].test_accuracy is None",
        ),
        (lambda r: r["evaluations"][0]["task_accuracy"].pop(), "for each of 10 tasks"),
        (lambda r: r["evaluations"].pop(), "evaluations or summary are missing"),
        (lambda r: r.update(summary=None), "evaluations or summary are missing"),
        (lambda r: r["summary"].update(accuracy="x"), "summary.accuracy is 'x', expected a number"),
        (
            lambda r: r["evaluations"][1].update(train_accuracy=1e9),
            "train_accuracy is 1000000000.0",
        ),
        (lambda r: r["config"].update(classes=[0] * 10), "config.classes has a class twice"),
        (lambda r: r["data"].update(class_names=["a"]), "numbers that data.class_names"),
        (lambda r: r["data"].update(image_shape=[9, 9]), r"image_shape \[9, 9\] is not that of 64"),
        (lambda r: r["data"].update(name="\ud800"), "data.name is '.ud800', expected a text"),
        (lambda r: r["seconds"].update(learning="x"), "seconds.learning is 'x'"),
        (lambda r: r["config"].update(neurons=61), "does not belong to its run.json"),
    ],
)
def test_damaged_record(
    run_maker: Maker, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    folder = run_maker()
    edit(folder, change)
    with pytest.raises(ValueError, match=message) as caught:
        read_results(folder)
    assert str(folder) in str(caught.value)  # which file, and what to do
    assert re.search(r"Use a copy|Use the version", str(caught.value))


def test_damaged_arrays(run_maker: Maker) -> None:
    folder = run_maker()
    path = folder / "arrays.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="not a complete safetensors file"):
        read_results(folder)
    path.unlink()
    with pytest.raises(ValueError, match=r"arrays\.safetensors is missing"):
        read_results(folder)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("label_counts", None, "the array label_counts is missing"),
        (
            "weights",
            np.zeros((10, 3, 64), np.float32),
            r"weights is float32 \(10, 3, 64\), expected float32 \(w=10, n=60",
        ),
        ("weights", np.zeros((4, 60, 64), np.float32), "weights of 4 evaluations, expected 10"),
    ],
)
def test_wrong_arrays(run_maker: Maker, name: str, array: np.ndarray | None, message: str) -> None:
    folder = run_maker()
    arrays, metadata = read_arrays(folder / "arrays.safetensors")
    del arrays[name]
    if array is not None:
        arrays[name] = array
    write_arrays(folder / "arrays.safetensors", arrays, metadata)
    with pytest.raises(ValueError, match=message):
        read_results(folder)


def test_wrong_window(run_maker: Maker) -> None:
    folder = run_maker()
    arrays, _ = read_arrays(folder / "arrays.safetensors")
    write_arrays(folder / "arrays.safetensors", arrays, {"window": "wide"})
    with pytest.raises(ValueError, match="window is 'wide'"):
        read_results(folder)


@pytest.mark.parametrize("ahead", ["run.json", "arrays"])
def test_a_run_caught_between_two_writes(run_maker: Maker, ahead: str) -> None:
    """The files are replaced one after the other: what both know is shown."""
    folder = run_maker(status="running", tasks_done=4)
    if ahead == "arrays":
        edit(folder, lambda record: record["evaluations"].pop())
        known = 3
    else:
        (folder / "arrays.safetensors").unlink()
        known = 0
    results = read_results(folder)
    assert len(results.evaluations) == known
    assert all(len(results.arrays[n]) == known for n in ("confusion", "weights") if known)


def test_nothing_measured_yet(run_maker: Maker) -> None:
    results = read_results(run_maker(status="running", tasks_done=0))
    with pytest.raises(ValueError, match="no task has been finished yet"):
        _ = results.last


def test_damaged_twin_is_named(run_maker: Maker) -> None:
    folder = run_maker(twin=True)
    edit(folder / "twin", lambda record: record.pop("config"))
    with pytest.raises(ValueError, match=r"twin.run\.json is damaged"):
        read_results(folder)
