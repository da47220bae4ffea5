"""What a page costs: learning unwatched, with a page in Chromium, with a client that reads nothing.

    python benchmarks/live.py [--rounds 6] [--seconds 6] [--out results/live]

One server learns MNIST with 400 neurons as fast as it can. They take turns in one run, so what else
the machine does hits all alike; the figures are samples per second over each turn, the ratio of their
medians, and the same ratio in processor time of the learning thread, to which the load by others matters
less. The page is drawn by Chromium without a graphics card, on the same cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from websockets.sync.client import connect

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from lethenet.cli import main; sys.exit(main())",
    "live",
]
UPGRADE = (
    "GET /live HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
READER = """
import json, sys
from websockets.sync.client import connect
host, token = sys.argv[1:]
with connect(f"ws://{host}/live", origin=f"http://{host}", max_size=None) as page:
    page.send(token)
    seen = 0
    while True:
        page.send(json.dumps({"do": "frame", "seen": seen}))
        while isinstance(data := page.recv(), str):
            pass
        seen = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])["number"]
"""
PAGE = """# The live page

`python benchmarks/live.py` makes this again: {rounds} turns of {seconds} s each, MNIST, 400 neurons, {cores} cores, {date}.
Other processes were running; they take turns, so the ratios count, not the seconds.

| while learning | samples per second (median) | time per sample, beside nobody watching | processor time of the learning thread per sample, beside nobody watching |
|---|---|---|---|
| nobody watches | {nobody[rate]:,.0f} | 1 | 1 |
| a page in Chromium | {page[rate]:,.0f} | {page[slower]:.2f} | {page[processor]:.2f} |
| a client that takes every frame and draws nothing | {reader[rate]:,.0f} | {reader[slower]:.2f} | {reader[processor]:.2f} |
| a client that asks for frames and reads nothing | {deaf[rate]:,.0f} | {deaf[slower]:.2f} | {deaf[processor]:.2f} |
"""  # noqa: E501


class Live:
    def __init__(self) -> None:
        # a session of its own, as a terminal and a browser have: the system shares cores between sessions
        self.process = subprocess.Popen(
            [*COMMAND, "--no-open"], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.address = self.process.stdout.readline().strip()
        self.host, self.token = self.address.split("/")[2], self.address.split("#")[1]

    def samples(self, *commands: dict[str, object]) -> int:
        """How many samples were learned, from a short visit."""
        origin = f"http://{self.host}"
        with connect(f"ws://{self.host}/live", origin=origin, max_size=None) as page:
            page.send(self.token)
            for command in commands:
                page.send(json.dumps(command))
            page.send(json.dumps({"do": "frame"}))
            first = None
            while True:
                data = page.recv(timeout=120)
                if isinstance(data, str):
                    continue
                head = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
                if first is not None:
                    return int(head["samples"])
                first = head["number"]  # made before this visit, perhaps: the next one is new
                page.send(json.dumps({"do": "frame", "seen": first}))

    def processor_seconds(self) -> float:
        """Of the thread that has used most, which is the one that learns."""
        ticks = []
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            words = stat.read_text().rpartition(")")[2].split()
            ticks.append(int(words[11]) + int(words[12]))
        return max(ticks) / os.sysconf("SC_CLK_TCK")


@contextmanager
def watching(kind: str, live: Live, browser) -> Iterator[None]:
    if kind == "page":
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.goto(live.address)
        expect(page.locator("#status")).to_contain_text("per second", timeout=60_000)
        yield
        page.close()
    elif kind == "reader":
        reader = subprocess.Popen([sys.executable, "-c", READER, live.host, live.token])
        time.sleep(1)
        yield
        reader.terminate()
        reader.wait()
    elif kind == "deaf":
        with socket.create_connection(live.host.split(":")) as deaf:
            deaf.sendall(UPGRADE.format(live.host).encode())
            for text in (live.token, *['{"do": "frame"}'] * 20):
                deaf.sendall(bytes([0x81, 0x80 + len(text), 0, 0, 0, 0]) + text.encode())
            yield
    else:
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--out", type=Path, default=Path("results/live"))
    options = parser.parse_args()
    live, found = Live(), {"nobody": [], "page": [], "reader": [], "deaf": []}
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        live.samples({"do": "speed", "value": 1_000_000}, {"do": "play"})
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-gpu"]
            )
            for turn in range(-1, options.rounds):
                for kind, turns in found.items():
                    with watching(kind, live, browser):
                        samples = live.samples()
                        began, used = time.perf_counter(), live.processor_seconds()
                        time.sleep(options.seconds)
                        samples = live.samples() - samples
                        seconds, used = time.perf_counter() - began, live.processor_seconds() - used
                    if turn >= 0:  # the first turn warms up
                        turns.append((samples / seconds, used / samples))
                        print(
                            kind,
                            round(samples / seconds),
                            round(1e6 * used / samples),
                            "us",
                            flush=True,
                        )
            browser.close()
    finally:
        live.process.terminate()
        live.process.wait()
    medians = {
        kind: [statistics.median(column) for column in zip(*turns, strict=True)]
        for kind, turns in found.items()
    }
    rows = {
        kind: {
            "rate": rate,
            "slower": medians["nobody"][0] / rate,
            "processor": processor / medians["nobody"][1],
        }
        for kind, (rate, processor) in medians.items()
    }
    about = {"rounds": options.rounds, "seconds": options.seconds, "cores": os.cpu_count()}
    about["date"] = time.strftime("%Y-%m-%d")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(PAGE.format(**about, **rows), "utf-8")
    record = {**about, "turns": found, "medians": rows}
    (options.out / "results.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
