"""A real Dask scheduler with real worker processes, one of which is killed in the middle."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lethenet.cli import main
from lethenet.data import load
from lethenet.sweeps import Experiment, Plan, ResultsFile, grid, run_sweep
from lethenet.sweeps.cluster import run_on_cluster
from lethenet.sweeps.planning import Job
from lethenet.sweeps.progress import SweepProgress

distributed = pytest.importorskip("distributed")

TIMEOUT = 120
"""Seconds until a process that should come up counts as failed."""

# Long enough to be caught in the middle, short enough for a test
CELLS = {"dataset": "digits", "neurons": [30, 60], "threshold": 15.0, "epochs": 2, "seeds": 3}


def wait_until(condition):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.environment = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}
        file = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                    "--scheduler-file", str(file))  # fmt: skip
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
            self.address = client.scheduler.address

    def _start(self, kind, *options):
        log = (self.folder / f"{kind}-{len(self.processes)}.log").open("w")
        command = [sys.executable, "-m", "dask", kind, *options]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        log.close()
        self.processes.append(process)
        return process

    def add_worker(self, *more):
        """A worker with one thread and nobody to start it again."""
        return self._start(
            "worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard",
            "--host", "127.0.0.1", "--local-directory", str(self.folder), *more,
        )  # fmt: skip

    def stop(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def workers(cluster):
    """Two workers, of which tests may kill one."""
    return [cluster.add_worker(), cluster.add_worker()]


@pytest.fixture
def client(cluster, workers):
    """Connected, with all workers that are alive."""
    with distributed.Client(cluster.address, set_as_default=False) as client:
        alive = sum(worker.poll() is None for worker in workers)
        client.wait_for_workers(alive, timeout=TIMEOUT)
        yield client


def test_a_worker_dies_and_the_results_are_those_of_a_local_run(
    client, workers, tmp_path, contents
):
    experiments, out = grid(**CELLS), tmp_path / "cluster.jsonl"
    victim = workers[0]
    [address] = [place for place, pid in client.run(os.getpid).items() if pid == victim.pid]

    def kill_in_the_middle(event):
        if event["event"] == "result" and victim.poll() is None:
            assert client.processing()[address]  # it takes an experiment with it
            victim.kill()
            victim.wait()

    sweep = run_sweep(experiments, out, cluster=client, progress=kill_in_the_middle)
    assert victim.poll() == -signal.SIGKILL
    assert list(client.nthreads()) != []
    assert address not in client.nthreads()
    assert (sweep.computed, sweep.failures) == (len(experiments), ())

    again = run_sweep(experiments, out, cluster=client)
    assert again.computed == 0
    assert again.results == sweep.results

    assert run_sweep(experiments, tmp_path / "local.jsonl", jobs=1).computed == len(experiments)
    assert contents(out) == contents(tmp_path / "local.jsonl")


def test_the_command_line_takes_an_address(cluster, client, tmp_path, contents, capsys):
    options = ["--dataset", "digits", "--neurons", "20,30", "--limit-train", "10"]
    out, local = tmp_path / "results.jsonl", tmp_path / "local.jsonl"
    assert main(["sweep", *options, "--cluster", cluster.address, "--out", str(out)]) == 0
    assert "2 results (2 computed now), 0 failed" in capsys.readouterr().out
    assert main(["sweep", *options, "--jobs", "1", "--out", str(local)]) == 0
    assert contents(out) == contents(local)


def test_what_another_sweep_finishes_is_cancelled(client, tmp_path, monkeypatch):
    """The other one is quicker: it computes here what waits there."""
    monkeypatch.setattr("lethenet.sweeps.cluster.LOOK_AROUND", 0.0)
    out, others, elsewhere = tmp_path / "results.jsonl", [], []
    slow = grid(**{**CELLS, "epochs": 10, "seeds": 1, "neurons": 30})
    experiments = [*slow, *grid(**{**CELLS, "seeds": 2, "train_per_class": 10})]

    def another_sweep(event):
        if event["event"] == "waiting" and not others:
            others.append(run_sweep(experiments[1:], out, jobs=1))
        if event["event"] == "result":
            elsewhere.append(event["elsewhere"])

    sweep = run_sweep(experiments, out, cluster=client, progress=another_sweep)
    assert others[0].computed >= 1
    assert any(elsewhere)
    assert sweep.computed == elsewhere.count(False) < len(experiments)
    assert len(sweep.results) == len(experiments)


def test_an_error_in_an_experiment_is_reported(client, tmp_path):
    """A file that is gone when the worker wants it."""
    digits = load("digits")
    own = tmp_path / "own.npz"
    np.savez(own, X=digits.X_test, y=digits.y_test)
    experiments = [
        Experiment.of(dataset=str(own), neurons=5),
        Experiment.of(dataset="digits", neurons=5),
    ]
    sweep = run_sweep(
        experiments,
        tmp_path / "r.jsonl",
        cluster=client,
        progress=lambda e: own.unlink(missing_ok=True),
    )
    assert sweep.computed == 1
    [(experiment, why)] = sweep.failures
    assert experiment.config.dataset == str(own)
    assert "own.npz" in why


def test_a_worker_that_would_compute_something_else_is_refused(client, tmp_path):
    """As with another model or other data there: the key does not come out."""
    job = Job(Experiment.of(dataset="digits", neurons=5), "0123456789abcdef", 1.0)
    file = ResultsFile(tmp_path / "results.jsonl")
    progress = SweepProgress(Plan((job.key,), {}, (job,)), file, lambda event: None)
    with pytest.raises(ValueError, match="its lethenet or its data differ"):
        run_on_cluster(progress, cluster=client, retries=0)


def test_a_worker_with_another_version_is_refused(cluster, client, tmp_path):
    preload = tmp_path / "older.py"
    preload.write_text("import lethenet\nlethenet.__version__ = '0.0.1'\n")
    older = cluster.add_worker("--preload", str(preload))
    wait_until(lambda: older.pid in client.run(os.getpid).values())
    with pytest.raises(ValueError, match=r"has 0.0.1, and this is lethenet .*: install the same"):
        run_sweep(grid(**CELLS), tmp_path / "results.jsonl", cluster=client)
    older.kill()
    wait_until(lambda: older.pid not in client.run(os.getpid, on_error="return").values())
    assert not (tmp_path / "results.jsonl").exists()


def test_a_scheduler_that_dies_is_an_error_that_says_how_to_go_on(cluster, workers, tmp_path):
    """The last test here: nothing can follow it."""

    def kill_the_scheduler(event):
        if event["event"] == "waiting" and event["running"]:
            cluster.processes[0].kill()

    experiments = grid(**{**CELLS, "epochs": 500})
    with pytest.raises(ConnectionError, match="the same sweep goes on from there"):
        run_sweep(
            experiments, tmp_path / "r.jsonl", cluster=cluster.address, progress=kill_the_scheduler
        )
