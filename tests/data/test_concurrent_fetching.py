"""Two fetches at once, in threads and in processes: neither harms the other."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from lethenet.data import cache_folder, fetch, fetching
from lethenet.data.source import Source


def test_two_threads_fetch_at_once(tiny, idx_folder, monkeypatch):
    both_ready = threading.Barrier(2, timeout=10)

    def obtain(workspace, progress):
        both_ready.wait()
        return idx_folder

    monkeypatch.setattr(fetching, "sources_for", lambda *_: [Source("a", obtain)])
    results = []
    threads = [threading.Thread(target=lambda: results.append(fetch("mnist"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    folder = cache_folder() / "mnist"
    assert results == [folder, folder]
    assert sorted(p.name for p in folder.iterdir()) == sorted(f.name for f in tiny.files)
    fetching.verify(folder, tiny)


PROCESS = """
import sys
from pathlib import Path
from lethenet.data import fetch
from lethenet.data.registry import REMOTE, IdxFile, RemoteDataset
files = tuple(IdxFile(n, int(s), h) for n, s, h in (a.split(":") for a in sys.argv[2:]))
REMOTE["mnist"] = RemoteDataset("mnist", files, mirrors=())
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.readline()
print(fetch("mnist", folder=Path(sys.argv[1])))
"""


def test_two_processes_fetch_at_once(tiny, idx_folder):
    arguments = [f"{file.name}:{file.size}:{file.sha256}" for file in tiny.files]
    source_folder = str(Path(fetching.__file__).parents[2])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(idx_folder), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": source_folder},
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    outputs = [process.communicate("go\n", timeout=60)[0] for process in processes]
    folder = cache_folder() / "mnist"
    assert outputs == [f"{folder}\n"] * 2
    assert [process.returncode for process in processes] == [0, 0]
    assert len(list(folder.iterdir())) == 4
    fetching.verify(folder, tiny)
