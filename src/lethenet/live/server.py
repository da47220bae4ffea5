"""The server of the live page: who may talk to it, about what, and how much.

Only pages that came from here may connect: the Host and the Origin of a request must be the address at which
the server listens, and whoever knows the token may watch and teach. The token stands behind the # of the
address. Browsers send that part to nobody, so it is in no log and no Referer; and unlike a cookie, it is not
shared with other servers on the same machine, whose pages differ in the port alone.
"""

from __future__ import annotations

import asyncio
import base64
import json
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

STATIC = Path(__file__).parent / "static"
MOST_PAGES = 32
LONGEST_MESSAGE = 64 * 1024
LARGEST_MODEL = 64 * 2**20
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 60, 200
HELLO_SECONDS = 5.0
KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class Server:
    """The live page at an address of this machine.

    Parameters
    ----------
    session : Session
        What is shown. From now on only the server's worker touches it.
    host, port : str, int
        Where to listen; port 0 takes a free one.
    """

    def __init__(self, session: Session, host: str = "127.0.0.1", port: int = 0) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        self.port = int(self._socket.getsockname()[1])
        names = {host, "localhost"} if host in ("127.0.0.1", "::1", "localhost") else {host}
        self.hosts = {
            f"[{name}]:{self.port}" if ":" in name else f"{name}:{self.port}" for name in names
        }
        self.token = secrets.token_urlsafe(24)
        here = f"[{host}]" if ":" in host else host
        self.address = f"http://{here}:{self.port}/#{self.token}"
        self.worker = Worker(session)
        self._pages = 0
        policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
        policy += "".join(f" ws://{name}" for name in sorted(self.hosts))
        policy += "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
        self._headers = {
            "content-security-policy": policy,
            "cache-control": "no-store",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
        }  # fmt: skip
        files = {path.name: path for path in STATIC.iterdir() if path.suffix in KINDS}
        self._files = {**files, "": files["index.html"]}
        self.app = Starlette(
            routes=[
                Route("/model", self._model, methods=["GET", "POST"]),
                Route("/session", self._session),
                WebSocketRoute("/live", self._live),
                Route("/{name}", self._static),
                Route("/", self._static),
            ]
        )

    def run(self) -> None:
        """Serve until Ctrl-C."""
        self.worker.start()
        settings = uvicorn.Config(
            self.checked, log_level="critical", access_log=False, server_header=False, lifespan="off",
            interface="asgi3", proxy_headers=False,
            ws_max_size=LONGEST_MESSAGE, ws_per_message_deflate=False, limit_concurrency=4 * MOST_PAGES,
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self.server = uvicorn.Server(settings)
        try:
            self.server.run(sockets=[self._socket])
        finally:
            self.worker.stop()

    async def checked(self, scope: Any, receive: Any, send: Any) -> None:
        """The application behind the checks of Host and Origin, with headers on every answer."""
        given = dict(scope.get("headers", ()))
        host, origin = (given.get(name, b"").decode("latin-1") for name in (b"host", b"origin"))
        ours = host in self.hosts and origin in (f"http://{host}", "")
        if not ours or (not origin and (scope["type"] == "websocket" or scope["method"] != "GET")):
            refusal = PlainTextResponse("This page is only for its own address.", 403)
            await (
                WebSocket(scope, receive, send).close()
                if scope["type"] == "websocket"
                else refusal(scope, receive, send)
            )
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(k.encode(), v.encode()) for k, v in self._headers.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, receive, with_headers)

    async def _static(self, request: Request) -> Response:
        path = self._files.get(request.path_params.get("name", ""))
        if path is None:
            return PlainTextResponse("There is no such file.", 404)
        return FileResponse(path, media_type=KINDS[path.suffix])

    async def _session(self, request: Request) -> Response:
        """The session's log, to keep."""
        if not self._known(request):
            return PlainTextResponse("The token is missing or wrong.", 401)

        def lines() -> Any:
            session = self.worker.session
            return session.log.lines(
                {"at": session.n_streamed, "do": "end", "digest": session.digest()}
            )

        return StreamingResponse(await self._asked(lines), media_type="application/x-ndjson")

    async def _model(self, request: Request) -> Response:
        """The first network as a model file, or a model file in its place."""
        if not self._known(request):
            return PlainTextResponse("The token is missing or wrong.", 401)
        with tempfile.TemporaryDirectory(prefix="lethenet-") as folder:
            path = Path(folder) / "model.safetensors"
            try:
                if request.method == "GET":
                    await self._asked(lambda: self.worker.session.save(path))
                    return Response(path.read_bytes(), media_type="application/octet-stream")
                content = bytearray()
                async for piece in request.stream():
                    content += piece
                    if len(content) > LARGEST_MODEL:
                        return PlainTextResponse(f"A model has at most {LARGEST_MODEL} bytes.", 413)
                text = base64.b64encode(content).decode()
                await self._asked(lambda: self.worker.obey({"do": "load", "model": text}))
            except ValueError as error:
                return PlainTextResponse(str(error), 422)
        return PlainTextResponse("The model is loaded.")

    def _known(self, request: Request) -> bool:
        return self._right(request.headers.get("authorization", "").removeprefix("Bearer "))

    def _right(self, token: Any) -> bool:
        return isinstance(token, str) and secrets.compare_digest(
            token.encode(), self.token.encode()
        )

    async def _asked(self, job: Callable[[], Any]) -> Any:
        """What the worker answers."""
        loop, future = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

        def answer(result: Any) -> None:
            if not future.done():
                (future.set_exception if isinstance(result, Exception) else future.set_result)(
                    result
                )

        self.worker.ask(job, lambda result: loop.call_soon_threadsafe(answer, result))
        return await future

    async def _live(self, page: WebSocket) -> None:
        """A page: its first message is the token, then commands; it gets a frame whenever it asks for one."""
        await page.accept()
        if self._pages >= MOST_PAGES:
            return await page.close(1013, f"{MOST_PAGES} pages are open already: close one.")
        self._pages += 1
        self.worker.watchers = self._pages
        frames: asyncio.Task[None] | None = None
        try:
            hello = await asyncio.wait_for(page.receive_text(), HELLO_SECONDS)
            if not self._right(hello):
                return await page.close(
                    4401, "The token is wrong: use the address that lethenet live printed."
                )
            wanted: asyncio.Queue[tuple[int, int]] = asyncio.Queue(maxsize=1)
            frames = asyncio.create_task(self._frames(page, wanted))
            left, before = float(MESSAGES_AT_ONCE), time.monotonic()
            while True:
                text, now = await page.receive_text(), time.monotonic()
                left = min(left + MESSAGES_PER_SECOND * (now - before), MESSAGES_AT_ONCE) - 1
                before = now
                if left < 0:
                    return await page.close(
                        1008, "Too many messages: wait a little, and reload the page."
                    )
                await self._heard(page, text, wanted)
        except (WebSocketDisconnect, TimeoutError, KeyError, RuntimeError):
            pass  # gone, or it never said who it is, or it sent bytes
        finally:
            if frames is not None:
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
            if command.get("do") == "frame":
                seen = int(command.get("seen", 0)), int(command.get("presented", 0))
                if wanted.empty():
                    wanted.put_nowait(seen)
                return
            await self._asked(lambda: self.worker.obey(command))
        except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
            await page.send_text(json.dumps({"error": str(error)[:300]}))

    async def _frames(self, page: WebSocket, wanted: asyncio.Queue[tuple[int, int]]) -> None:
        """Send a frame for each wish, when there is something new; never more than the page can take."""
        try:
            while True:
                seen = await wanted.get()
                while (
                    (view := self.worker.view) is None or view.number <= seen[0] or self.worker.busy
                ):
                    if self.worker.busy:
                        await page.send_text(json.dumps({"busy": self.worker.busy}))
                        await asyncio.sleep(0.5)
                    await asyncio.sleep(FRAME_SECONDS / 2)
                await page.send_bytes(view.frame(*seen))
                # many pages share what one may take
                await asyncio.sleep(FRAME_SECONDS * max(1.0, self._pages / 4))
        except (WebSocketDisconnect, RuntimeError):
            pass
