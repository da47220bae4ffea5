"""Runs that are killed, stopped or broken off, and what is left of them."""

import json
import os
import signal
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import lethenet
import lethenet.interchange.files
from lethenet.lifelong import Config, Result, resume, run, running
from lethenet.lifelong.protocol import Experiment, load_data
from lethenet.lifelong.rundir import RunDirectory
from lethenet.model import Rule


class Killed(BaseException):
    """Stands for a kill -9: nothing catches it on purpose."""


@contextmanager
def killed_at(monkeypatch, stroke: int, *, before: bool):
    """Die at the given move of a finished file into place, just before or just after it."""
    count = 0
    replace = Path.replace

    def mortal(self, target):
        nonlocal count
        count += 1
        if count == stroke and before:
            raise Killed
        moved = replace(self, target)
        if count == stroke:
            raise Killed
        return moved

    with monkeypatch.context() as patch:
        patch.setattr(lethenet.interchange.files.Path, "replace", mortal)
        yield


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """An unbroken tiny run with a twin, and its configuration."""
    config = Config.of(
        dataset="digits", neurons=20, threshold=15.0, classes=(0, 1), train_per_class=24,
        test_per_class=5, twin=True, checkpoint_samples=16, n_jobs=1, links=3,
    )  # fmt: skip
    return config, run(config, tmp_path_factory.mktemp("twins") / "run").folder


def test_the_twin_gives_the_sequential_penalty(twins):
    result = Result.load(twins[1])
    assert result.twin.config.order == "interleaved"
    assert result.sequential_penalty == result.twin.accuracy - result.accuracy


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_death_at_every_single_write(twins, tmp_path, monkeypatch, same_bits, before):
    """However many files have been written when it dies, resuming ends in the same bits."""
    config, unbroken = twins
    stroke = 1
    while True:
        folder = tmp_path / f"run{stroke}"
        try:
            with killed_at(monkeypatch, stroke, before=before):
                run(config, folder)
            break  # it got through: there is no such write any more
        except Killed:
            if folder.exists():
                resume(folder)
            else:
                run(config, folder)
        same_bits(folder, unbroken)
        stroke += 1
    assert stroke > 25


def test_death_again_and_again(twins, tmp_path, monkeypatch, same_bits):
    config, unbroken = twins
    folder = tmp_path / "run"
    for attempt in range(100):
        try:
            with killed_at(monkeypatch, 3 + attempt // 4, before=attempt % 2 == 0):
                if folder.exists():
                    resume(folder)
                else:
                    run(config, folder)
            break
        except Killed:
            pass
    assert attempt > 10
    same_bits(folder, unbroken)


def test_stopping_in_an_evaluation_loses_no_learning(tiny, tmp_path, same_bits, tiny_run):
    from lethenet.lifelong import Interrupted

    def stop_at_evaluation(event):
        if event["event"] == "evaluating":
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted) as stopped:
        run(tiny, tmp_path / "run", stop_at_evaluation)
    assert stopped.value.folder == tmp_path / "run"
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    assert document["progress"]["samples_done"] >= 40
    resume(tmp_path / "run")
    same_bits(tmp_path / "run", tiny_run.folder)


def test_a_finished_run_is_returned_as_it_is(tiny_run):
    before = (tiny_run.folder / "run.json").read_bytes()
    assert resume(tiny_run.folder).accuracy == tiny_run.accuracy
    assert (tiny_run.folder / "run.json").read_bytes() == before


def stopped_run(tiny, folder, after=2):
    """A run that died after a few checkpoints."""

    def die(event):
        nonlocal after
        after -= event["event"] == "checkpoint"
        if not after:
            raise Killed

    with pytest.raises(Killed):
        run(tiny, folder, die)
    return folder


def test_two_processes_do_not_share_a_directory(tiny, tmp_path, same_bits, tiny_run):
    folder = stopped_run(tiny, tmp_path / "run")
    with (
        RunDirectory.open(folder).locked(),
        pytest.raises(ValueError, match="is in use: another process"),
    ):
        resume(folder)
    resume(folder)
    same_bits(folder, tiny_run.folder)


def contents(folder):
    """All files of a folder, to be compared."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}


@pytest.mark.parametrize("died_in", ["main", "twin"])
def test_a_run_that_another_process_finishes_meanwhile_is_left_alone(
    twins, tmp_path, monkeypatch, same_bits, died_in
):
    """Between the first look at run.json and the lock lies the loading of the data."""
    config, unbroken = twins
    folder, load_data, before = tmp_path / "run", running.load_data, {}

    def die(event):
        if event["event"] == "checkpoint" and event["run"] == died_in:
            raise Killed

    with pytest.raises(Killed):
        run(config, folder, die)

    def slow_load_data(config):
        with monkeypatch.context() as patch:
            patch.setattr(running, "load_data", load_data)
            resume(folder)
        (folder / "report.html").write_text("the report")
        (folder / "figures").mkdir()
        (folder / "figures" / "weights.png").write_text("a figure")
        before.update(contents(folder))
        return load_data(config)

    monkeypatch.setattr(running, "load_data", slow_load_data)
    events = []
    assert resume(folder, events.append).status == "finished"
    assert contents(folder) == before
    assert events == []
    same_bits(folder, unbroken)


def test_a_twin_that_another_process_finishes_meanwhile_is_left_alone(twins, tmp_path, same_bits):
    config, unbroken = twins
    folder = tmp_path / "run"

    def die_in_the_twin(event):
        if event["event"] == "checkpoint" and event["run"] == "twin":
            raise Killed

    with pytest.raises(Killed):
        run(config, folder, die_in_the_twin)
    resume(folder / "twin")
    (folder / "twin" / "report.html").write_text("the report")
    before = contents(folder / "twin")
    resume(folder)
    assert contents(folder / "twin") == before
    same_bits(folder, unbroken)


def test_a_run_that_another_process_begins_anew_meanwhile_is_left_alone(
    tiny, tmp_path, monkeypatch
):
    folder, load_data = stopped_run(tiny, tmp_path / "run"), running.load_data

    def slow_load_data(config):
        with monkeypatch.context() as patch:
            patch.setattr(running, "load_data", load_data)
            run(Config.from_json({**tiny.to_json(), "seed": 1}), folder, force=True)
        return load_data(config)

    monkeypatch.setattr(running, "load_data", slow_load_data)
    with pytest.raises(ValueError, match="begun anew by another process"):
        resume(folder)
    assert Result.load(folder).config.seed == 1


def test_nothing_is_ever_removed_from_a_finished_run(twins):
    directory = RunDirectory.open(twins[1])
    before = contents(directory.path)
    experiment = Experiment(directory.config, load_data(directory.config))
    with pytest.raises(ValueError, match="holds a finished run"):
        directory.restore(experiment)
    assert contents(directory.path) == before


def test_other_data_are_refused(tiny, tmp_path, monkeypatch):
    folder = stopped_run(tiny, tmp_path / "run")
    document = json.loads((folder / "run.json").read_text())
    document["data"]["sha256"] = "0" * 64
    (folder / "run.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="is not what it was"):
        resume(folder)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"format": "lethenet-run", "version": 9}',
                '{"format": "lethenet-run", "version": 1, "status": "lost"}',
                '{"format": "lethenet-run", "version": 1, "status": "running"}'],
)  # fmt: skip
def test_a_foreign_or_damaged_run_json(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=r"run\.json"):
        resume(tmp_path)


def test_a_folder_that_is_no_run_directory(tmp_path):
    with pytest.raises(ValueError, match=r"has no run\.json"):
        resume(tmp_path)
    with pytest.raises(ValueError, match="does not exist"):
        resume(tmp_path / "nowhere")


def test_a_damaged_checkpoint_says_so(tiny, tmp_path, same_bits, tiny_run):
    folder = stopped_run(tiny, tmp_path / "run")
    path = folder / "checkpoint.safetensors"
    whole = path.read_bytes()
    for content in (b"", whole[:-10], whole[:100], b"x" * 1000):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"Delete .*checkpoint\.safetensors to start"):
            resume(folder)
    path.unlink()
    resume(folder)  # from the beginning
    same_bits(folder, tiny_run.folder)


def test_the_checkpoint_of_another_run_is_refused(tiny, tmp_path):
    one = stopped_run(tiny, tmp_path / "one")
    other = stopped_run(Config.from_json({**tiny.to_json(), "seed": 1}), tmp_path / "other")
    (other / "checkpoint.safetensors").replace(one / "checkpoint.safetensors")
    with pytest.raises(ValueError, match="belongs to another run"):
        resume(one)


def test_a_run_is_not_overwritten_unless_forced(tiny, tmp_path, tiny_run, same_bits):
    folder = stopped_run(tiny, tmp_path / "run")
    with pytest.raises(ValueError, match="holds an unfinished run"):
        run(tiny, folder)
    resume(folder)
    with pytest.raises(ValueError, match="holds a finished run"):
        run(tiny, folder)
    (folder / "report.html").write_text("of the old run")
    other = run(Config.from_json({**tiny.to_json(), "seed": 1}), folder, force=True)
    assert other.config.seed == 1
    assert not (folder / "report.html").exists()
    run(tiny, folder, force=True)
    same_bits(folder, tiny_run.folder)


def test_death_while_overwriting_leaves_one_run_or_the_other(tiny, tmp_path, monkeypatch):
    folder = run(tiny, tmp_path / "run").folder
    config = Config.from_json({**tiny.to_json(), "seed": 1})
    for stroke, before, seed in [(1, True, 0), (1, False, 1), (2, True, 1)]:
        with pytest.raises(Killed), killed_at(monkeypatch, stroke, before=before):
            run(config, folder, force=True)
        assert resume(folder).config.seed == seed


def test_somebody_elses_folder_is_left_alone(tiny, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    for force in (False, True):
        with pytest.raises(ValueError, match="not empty and is not a run directory"):
            run(tiny, tmp_path, force=force)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        run(tiny, tmp_path / "file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "thesis.tex"]


def test_nothing_is_left_of_a_run_that_could_not_begin(tmp_path):
    with pytest.raises(ValueError, match="has no class 12"):
        run(Config(dataset="digits", classes=(12,)), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_rule_of_ones_own_goes_on_only_with_that_rule(tiny, tmp_path, same_bits):
    def half(weight, pre, rate, offset):
        return weight + 0.5 * rate * (pre - weight)

    def third(weight, pre, rate, offset):
        return weight + 0.3 * rate * (pre - weight)

    own, other = Rule(step=half), Rule(step=third)
    config = replace(tiny, parameters=replace(tiny.parameters, stdp=own))
    unbroken = run(config, tmp_path / "unbroken").folder
    folder = stopped_run(config, tmp_path / "run")
    with pytest.raises(ValueError, match="made with the rule 'half', which is not built in"):
        resume(folder)
    with pytest.raises(ValueError, match="made with another rule than rule=third"):
        resume(folder, rule=other)
    resume(folder, rule=own)
    same_bits(folder, unbroken)
    with pytest.raises(ValueError, match="'half', which is not built in: give it, as rule="):
        lethenet.load(folder)
    model = lethenet.load(folder, rule=own)
    assert model.stdp is own
    assert "accuracy" in repr(Result.load(folder))
