"""A live page of its own for these tests: the command itself, on loopback, with small digits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {"neurons": 40, "threshold": 14.5}


@dataclass
class Live:
    """A running ``lethenet live``."""

    process: subprocess.Popen[str]
    address: str

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def token(self) -> str:
        return self.address.split("#")[1]

    def memory(self) -> float:
        """Megabytes that the process has in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    @contextmanager
    def connect(self, hello: str | None = None) -> Iterator[Any]:
        """A page that is no browser."""
        from websockets import ConnectionClosed
        from websockets.sync.client import connect

        address, origin = f"ws://{self.host}/live", f"http://{self.host}"
        with connect(address, origin=origin, max_size=None, compression=None) as page:
            with suppress(ConnectionClosed):  # if there are too many pages
                page.send(self.token if hello is None else hello)
            yield page

    @staticmethod
    def ask(page: Any, **command: Any) -> None:
        page.send(json.dumps(command))

    def frame(self, page: Any, seen: int = 0, presented: int = 0) -> tuple[dict[str, Any], bytes]:
        """The next frame of a page: its head and its bytes; errors on the way fail."""
        self.ask(page, do="frame", seen=seen, presented=presented)
        while isinstance(data := page.recv(timeout=60), str):
            assert "busy" in json.loads(data), data
        length = int.from_bytes(data[:4], "little")
        return json.loads(data[4 : 4 + length]), data[4 + length :]


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    pytest.importorskip("starlette", reason="pip install lethenet[live]")
    pytest.importorskip("uvicorn")
    pytest.importorskip("websockets")
    words = [
        sys.executable,
        "-c",
        "import sys; from lethenet.cli import main; sys.exit(main())",
        "live",
    ]
    words += ["--dataset", "digits", "--no-open", *(f"--{k}={v}" for k, v in SETTINGS.items())]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    found = Live(process, process.stdout.readline().strip())
    with found.connect() as page:
        found.frame(page)  # kernels are compiled
    yield found
    process.terminate()
    process.wait(timeout=20)
