"""The server of the live page: who may talk to it, about what, and how much.

Only pages that came from here may connect: the Host and the Origin of a request must be the address at
which the server listens, and whoever knows the token may watch and teach. The token stands behind the # of
the address. Browsers send that part to nobody, so it is in no log and no Referer; unlike a cookie, it is
not shared with other servers on the same machine, whose pages differ in the port alone.
"""

from __future__ import annotations

import asyncio
import base64
import json
import mimetypes
import secrets
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from .session import Session
from .worker import FRAME_SECONDS, Worker

MOST_PAGES = 32
LONGEST_MESSAGE = 64 * 1024
LARGEST_MODEL = 64 * 2**20
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 60, 200
HELLO_SECONDS = 5.0
LOOPBACK = ("127.0.0.1", "localhost")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' {}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
NO_TOKEN = "The token is wrong: use the address that lethenet live printed."


class Server:
    """The live page for a session, at an address of this machine; port 0 takes a free one."""

    def __init__(self, session: Session, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = socket.create_server((host, port))
        self.port = int(self._socket.getsockname()[1])
        self.hosts = [f"{name}:{self.port}" for name in (LOOPBACK if host in LOOPBACK else (host,))]
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{host}:{self.port}/#{self.token}"
        self.worker, self._pages = Worker(session), 0
        policy = POLICY.format(" ".join(f"ws://{name}" for name in self.hosts))
        headers = {**HEADERS, "content-security-policy": policy}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        mimetypes.add_type("text/javascript", ".js")  # Windows may think otherwise
        files = {path.name: path for path in (Path(__file__).parent / "static").iterdir()}
        self._files = {**files, "": files["index.html"]}
        model = Route("/model", self._model, methods=["GET", "POST"])
        page, static = WebSocketRoute("/live", self._live), Route("/{name:path}", self._static)
        self._app = Starlette(routes=[model, Route("/session", self._session), page, static])
        settings = uvicorn.Config(
            self._checked, interface="asgi3", lifespan="off", proxy_headers=False, server_header=False,
            log_level="critical", access_log=False, ws_max_size=LONGEST_MESSAGE,
            ws_per_message_deflate=False, limit_concurrency=4 * MOST_PAGES, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(settings)

    def run(self) -> None:
        """Serve until Ctrl-C, or :meth:`stop`."""
        self.worker.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.worker.stop()

    def stop(self) -> None:
        """End soon; from any thread."""
        self._server.should_exit = True

    async def _checked(self, scope: Any, receive: Any, send: Any) -> None:
        """The application behind the checks of Host and Origin, with headers on every answer."""
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = given.get(b"host", ""), given.get(b"origin")
        is_page = scope["type"] == "websocket"
        reading = not is_page and scope["method"] == "GET" and origin is None

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        if host in self.hosts and (reading or origin == f"http://{host}"):
            await self._app(scope, receive, with_headers)
        elif is_page:
            await WebSocket(scope, receive, send).close()
        else:
            refusal = PlainTextResponse("This page is only for its own address.", 403)
            await refusal(scope, receive, with_headers)

    async def _static(self, request: Request) -> Response:
        path = self._files.get(request.path_params["name"])
        return FileResponse(path) if path else PlainTextResponse("There is no such file.", 404)

    async def _session(self, request: Request) -> Response:
        """The session's log, to keep."""

        def lines() -> Any:
            session = self.worker.session
            end = {"at": session.n_streamed, "do": "end", "digest": session.digest()}
            return session.log.lines(end)

        if not self._knows(request):
            return PlainTextResponse(NO_TOKEN, 401)
        return StreamingResponse(await self._asked(lines), media_type="application/x-ndjson")

    async def _model(self, request: Request) -> Response:
        """The first network as a model file, or a model file in its place."""
        if not self._knows(request):
            return PlainTextResponse(NO_TOKEN, 401)
        try:
            if request.method == "GET":
                with tempfile.TemporaryDirectory(prefix="lethenet-") as folder:
                    path = Path(folder) / "model.safetensors"
                    await self._asked(lambda: self.worker.session.save(path))
                    return Response(path.read_bytes(), media_type="application/octet-stream")
            content = bytearray()
            async for piece in request.stream():
                content += piece
                if len(content) > LARGEST_MODEL:
                    why = f"A model has at most {LARGEST_MODEL} bytes."
                    return PlainTextResponse(why, 413, {"connection": "close"})
            command = {"do": "load", "model": base64.b64encode(content).decode()}
            await self._asked(lambda: self.worker.obey(command))
        except ValueError as error:
            return PlainTextResponse(str(error), 422)
        return PlainTextResponse("The model is loaded.")

    def _knows(self, request: Request) -> bool:
        return self._right(request.headers.get("authorization", "").removeprefix("Bearer "))

    def _right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    async def _asked(self, job: Callable[[], Any]) -> Any:
        """What the worker answers."""
        return await asyncio.wrap_future(self.worker.ask(job))

    async def _live(self, page: WebSocket) -> None:
        """A page: first it sends the token, then commands, and asks for a frame when it has drawn one."""
        await page.accept()
        if self._pages >= MOST_PAGES:
            return await page.close(1013, f"{MOST_PAGES} pages are open already: close one.")
        self._pages += 1
        self.worker.watchers = self._pages
        wanted: asyncio.Queue[tuple[int, int]] = asyncio.Queue(maxsize=1)
        frames = asyncio.create_task(self._frames(page, wanted))
        try:
            if not self._right(await asyncio.wait_for(page.receive_text(), HELLO_SECONDS)):
                return await page.close(4401, NO_TOKEN)
            left, before = float(MESSAGES_AT_ONCE), time.monotonic()
            while True:
                text, now = await page.receive_text(), time.monotonic()
                left = min(left + MESSAGES_PER_SECOND * (now - before), MESSAGES_AT_ONCE) - 1
                before = now
                if left < 0:
                    return await page.close(1008, "Too many messages: wait, and reload the page.")
                await self._heard(page, text, wanted)
        except (TimeoutError, KeyError):  # it never said who it is, or it sent bytes
            await page.close(1003, "Expected text, the token first.")
        except (WebSocketDisconnect, RuntimeError):
            pass  # gone
        finally:
            frames.cancel()
            self._pages -= 1
            self.worker.watchers = self._pages

    async def _heard(
        self, page: WebSocket, text: str, wanted: asyncio.Queue[tuple[int, int]]
    ) -> None:
        try:
            command = json.loads(text)
            if not isinstance(command, dict):
                raise ValueError("expected an object.")
            if command.get("do") != "frame":
                await self._asked(lambda: self.worker.obey(command))
            elif wanted.empty():
                wanted.put_nowait((int(command.get("seen", 0)), int(command.get("presented", 0))))
        except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
            await page.send_text(json.dumps({"error": str(error)[:300]}))

    async def _frames(self, page: WebSocket, wanted: asyncio.Queue[tuple[int, int]]) -> None:
        """Send a frame for each wish, when there is something new; never more than the page can take."""
        while True:
            seen = await wanted.get()
            while (view := self.worker.view) is None or view.number <= seen[0] or self.worker.busy:
                if self.worker.busy:
                    await page.send_text(json.dumps({"busy": self.worker.busy}))
                    await asyncio.sleep(0.5)
                self.worker.wanted = True
                await asyncio.sleep(FRAME_SECONDS / 2)
            await page.send_bytes(view.frame(*seen))
            # many pages share what four may take
            await asyncio.sleep(FRAME_SECONDS * max(1.0, self._pages / 4))
