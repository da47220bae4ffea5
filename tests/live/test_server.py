"""The server: who gets in, what is refused, and that nothing it is sent makes it fall or grow."""

from __future__ import annotations

import http.client
import json
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from lethenet.live.server import LARGEST_MODEL, LONGEST_MESSAGE, MESSAGES_AT_ONCE, MOST_PAGES

websockets = pytest.importorskip("websockets")
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
BELOW = 300  # megabytes above the network's


def request(live, path="/", method="GET", body=None, **headers):
    connection = http.client.HTTPConnection(live.host, timeout=20)
    connection.request(method, path, body=body, headers=headers)
    response = connection.getresponse()
    return response.status, dict(response.getheaders()), response.read()


def bearer(live):
    return {"Authorization": f"Bearer {live.token}", "Origin": f"http://{live.host}"}


def closed(page):
    """The code with which the server has closed a page."""
    try:
        while True:
            page.recv(timeout=20)
    except websockets.ConnectionClosed as error:
        return error.rcvd.code


def test_files_come_with_a_strict_policy(live):
    status, headers, body = request(live)
    assert status == 200
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert live.token.encode() not in body
    assert b"<style" not in body
    assert b" style=" not in body
    assert body.count(b"<script") == body.count(b'<script type="module" src=') == 1
    assert request(live, "/app.js")[1]["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "path", ["/../server.py", "/..%2fserver.py", "/%2e%2e/worker.py", "/nothing", "//etc/passwd"]
)
def test_no_other_files(live, path):
    assert request(live, path)[0] == 404


def test_only_its_own_address(live):
    port = live.host.split(":")[1]
    assert request(live, Host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1"):
        assert request(live, Host=host)[0] == 403
    for origin in (
        "http://evil.example",
        "null",
        f"https://{live.host}",
        f"http://localhost:{port}",
    ):
        assert request(live, Origin=origin)[0] == 403
        assert request(live, "/live", **UPGRADE, Origin=origin)[0] == 403
    assert request(live, "/live", **UPGRADE)[0] == 403  # browsers always say where a page is from
    assert (
        request(live, "/live", **UPGRADE, Origin=f"http://{live.host}", Host="evil.example")[0]
        == 403
    )
    assert request(live, "/model", "POST", b"x", Authorization=f"Bearer {live.token}")[0] == 403


def test_only_with_the_token(live):
    for path in ("/session", "/model"):
        assert request(live, path)[0] == 401
        assert request(live, path, Authorization="Bearer wrong")[0] == 401
    for hello in ("wrong", "", "é" * 100, json.dumps({"do": "play"})):
        with live.connect(hello) as page:
            assert closed(page) == 4401


def test_a_session_can_be_kept(live):
    status, _, body = request(live, "/session", **bearer(live))
    assert status == 200
    assert json.loads(body.splitlines()[-1])["do"] == "end"


def test_models_go_out_and_come_in_checked(live):
    status, _, model = request(live, "/model", **bearer(live))
    assert status == 200
    assert request(live, "/model", "POST", model, **bearer(live))[0] == 200
    for wrong in (b"", b"nonsense", model[:-9], b"\xff" * 8 + model):
        status, _, why = request(live, "/model", "POST", wrong, **bearer(live))
        assert status == 422
        assert b"/" not in why  # no path of this machine
    with live.connect() as page:
        live.frame(page)


def test_a_model_that_is_too_large_is_not_even_read(live):
    before = live.memory() if sys.platform == "linux" else 0
    with socket.create_connection(live.host.split(":")) as raw:
        lines = [f"POST /model HTTP/1.1\r\nHost: {live.host}\r\nContent-Length: {2**30}\r\n"]
        lines += [f"{name}: {value}\r\n" for name, value in bearer(live).items()]
        raw.sendall(("".join(lines) + "\r\n").encode())
        raw.settimeout(20)
        sent = 0
        try:
            while sent < 2**30:
                sent += raw.send(bytes(2**20))
        except OSError:
            pass
    assert sent < 4 * LARGEST_MODEL
    if before:
        assert live.memory() < before + BELOW
    assert request(live)[0] == 200


def test_play_pause_step_and_choose(live):
    with live.connect() as page:
        live.ask(page, do="new", networks=[{"neurons": 40, "threshold": 14.5}])
        live.ask(page, do="speed", value=1000)
        live.ask(page, do="choose", name="3")
        live.ask(page, do="step")
        head, body = live.frame(page)
        assert (head["samples"], head["phase"], head["playing"]) == (1, "3", False)
        assert head["last"]["inside"]["outputs"]
        n, size = head["networks"][0]["neurons"], 64
        rows = head["networks"][0]["rows"]
        assert rows == n == 40
        assert len(body) == size + n * 3 + rows * (2 + size)
        live.ask(page, do="play")
        while (head := live.frame(page, head["number"], head["presented"])[0])["samples"] < 200:
            assert "last" not in head
        live.ask(page, do="pause")
        assert head["networks"][0]["novelty"]


def test_two_pages_watch_the_same_network(live):
    with live.connect() as one, live.connect() as other:
        live.ask(one, do="step")
        samples = live.frame(one)[0]["samples"]
        assert live.frame(other)[0]["samples"] == samples


def test_nonsense_is_answered_and_too_much_of_it_refused(live):
    before = live.memory() if sys.platform == "linux" else 0
    nonsense = ["", "{", "[]", "null", '"x"', "NaN", "[" * 3000, '{"do": 5}',
                '{"do": "frame", "seen": "x"}',
                '{"do": "frame", "seen": 1e999}', '{"do": "speed", "value": -1}', '{"do": "inspect"}',
                '{"do": "inspect", "network": 0, "neuron": 1e9}', '{"do": {"do": []}}', "9" * 5000,
                '{"do": "load", "model": "AAAA"}', "\x00\ud7ff", "x" * (LONGEST_MESSAGE - 1)]  # fmt: skip
    sent = 0
    while sent < 10_000:
        with live.connect() as page:
            try:
                for number in range(MESSAGES_AT_ONCE * 5):
                    page.send(nonsense[(sent + number) % len(nonsense)])
            except websockets.ConnectionClosed:
                pass
            sent += number + 1
            assert closed(page) == 1008
    if before:
        assert live.memory() < before + BELOW
    with live.connect() as page:
        page.send(b"bytes are no command")
        assert closed(page)
    with live.connect() as page:
        for message in nonsense[1:4]:
            page.send(message)
            assert "error" in json.loads(page.recv(timeout=20))
        live.frame(page)


def test_a_message_of_a_gigabyte_is_refused_at_its_first_bytes(live):
    before = live.memory() if sys.platform == "linux" else 0
    with live.connect() as page:
        header = bytes([0x81, 0xFF]) + (2**30).to_bytes(8, "big") + bytes(4)
        page.socket.sendall(header)
        sent = 0
        try:
            while sent < 2**30:
                sent += page.socket.send(bytes(2**20))
                time.sleep(0.001)
        except OSError:
            pass
        assert sent < 2**28
    if before:
        assert live.memory() < before + BELOW
    assert request(live)[0] == 200


def test_a_hundred_pages(live):
    before = live.memory() if sys.platform == "linux" else 0
    refused = 0
    with ExitStack() as stack:
        for page in [stack.enter_context(live.connect()) for _ in range(100)]:
            try:
                live.frame(page)
            except websockets.ConnectionClosed as error:
                refused += error.rcvd.code == 1013
        if before:
            assert live.memory() < before + BELOW
    assert refused == 100 - MOST_PAGES
    with live.connect() as page:
        live.frame(page)


def test_a_page_that_reads_nothing_stops_nobody(live):
    before = live.memory() if sys.platform == "linux" else 0
    with live.connect() as page, socket.create_connection(live.host.split(":")) as deaf:
        lines = [f"GET /live HTTP/1.1\r\nHost: {live.host}\r\nOrigin: http://{live.host}\r\n"]
        lines += [f"{name}: {value}\r\n" for name, value in UPGRADE.items()]
        deaf.sendall(("".join(lines) + "\r\n").encode())
        for text in (live.token, *['{"do": "frame", "seen": 0}'] * 60):
            deaf.sendall(bytes([0x81, 0x80 + len(text), 0, 0, 0, 0]) + text.encode())
        live.ask(page, do="speed", value=1_000_000)
        live.ask(page, do="play")
        first = head = live.frame(page)[0]
        for _ in range(20):
            head = live.frame(page, head["number"], head["presented"])[0]
        live.ask(page, do="pause")
        assert head["samples"] > first["samples"]
    if before:
        assert live.memory() < before + BELOW


def test_the_package_brings_its_files():
    import lethenet.live.server

    static = Path(lethenet.live.server.__file__).parent / "static"
    text = "".join(path.read_text("utf-8") for path in static.iterdir() if path.suffix != ".svg")
    for word in ("http://", "https://", "innerHTML", "eval(", "localStorage"):
        assert word not in text
