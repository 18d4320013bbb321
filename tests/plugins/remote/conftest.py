"""Fakes of browserless, Steel and Selenium Grid, with a real Chromium per session."""

import json
import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from itertools import count
from urllib.parse import parse_qs, urlsplit

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, find_browser
from tabwright.cdp.chromium.process import Chromium, launch
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.plugins.remote import services

TOKEN = "hunter2"  # noqa: S105
HEAD_END = b"\r\n\r\n"
SOCKET_LINES = (b"upgrade:", b"connection:", b"sec-websocket-")


@attrs.define(eq=False)
class Session:
    """A session of a service, with its own browser."""

    chromium: Chromium
    over: trio.Event = attrs.field(factory=trio.Event)

    def kill(self) -> None:
        os.killpg(self.chromium.pid, signal.SIGKILL)


@attrs.frozen
class Request:
    method: str
    path: str
    query: dict[str, list[str]]
    head: bytes
    body: bytes

    @property
    def is_socket(self) -> bool:
        return b"\r\nupgrade: websocket" in self.head.lower()

    @property
    def token(self) -> str:
        if given := self.query.get("token") or self.query.get("apiKey"):
            return given[0]
        for line in self.head.split(b"\r\n"):
            name, _, value = line.decode().partition(":")
            if name.lower() in {"authorization", "steel-api-key"}:
                return value.strip().removeprefix("Bearer ")
        return ""


@attrs.define(eq=False)
class Service:
    """A fake service with the documented protocol of its kind.

    Attributes:
        kind: ``browserless``, ``steel`` or ``grid``; ``cdp`` for a browser that runs already, and
            ``local`` for none.
        capacity: how many sessions it has at once; it answers 429 to more.
        status: what it answers to every request for a browser, if not 0.
        sessions: those that are open, by id.
        started: how many were started.
        answers: held back until this is set.
    """

    kind: str
    nursery: trio.Nursery
    capacity: int = 2
    status: int = 0
    port: int = 0
    sessions: dict[str, Session] = attrs.field(factory=dict)
    started: int = 0
    answers: trio.Event = attrs.field(factory=trio.Event)
    _numbers: "count[int]" = attrs.field(factory=lambda: count(1))

    @property
    def source(self) -> dict[str, object]:
        """Return its entry in ``remote.sources``."""
        at = f"127.0.0.1:{self.port}"
        match self.kind:
            case "local":
                return {"url": "local"}
            case "cdp":
                (session,) = self.sessions.values()
                return {"url": urlsplit(str(session.chromium.endpoint)).netloc}
            case "browserless":
                return {"url": f"browserless+ws://{at}/chromium?token={TOKEN}", "browsers": 2}
            case "steel":
                header = f"steel-api-key: {TOKEN}"
                return {"url": f"steel+http://{at}", "browsers": 2, "headers": [header]}
            case _:
                header = f"Authorization: Bearer {TOKEN}"
                return {"url": f"grid+http://{at}", "browsers": 2, "headers": [header]}

    async def serve(self, task_status: trio.TaskStatus[None]) -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listeners[0].socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._attend, listeners)

    async def _attend(self, stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError, OSError):
            async with stream:
                if request := await self._receive(stream):
                    await self._answer(stream, request)

    async def _receive(self, stream: trio.SocketStream) -> Request | None:
        got = b""
        while HEAD_END not in got:
            if not (more := await stream.receive_some()):
                return None
            got += more
        head, _, body = got.partition(HEAD_END)
        lengths = [
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        while len(body) < sum(lengths):
            body += await stream.receive_some()
        method, target, _ = head.decode().split(maxsplit=2)
        url = urlsplit(target)
        return Request(method, url.path, parse_qs(url.query), head, body)

    async def _answer(self, stream: trio.SocketStream, request: Request) -> None:
        wants_browser = self.kind == "browserless" or request.path.endswith(
            ("/session", "/sessions")
        )
        if request.token != TOKEN:
            await reply(stream, 401)
        elif wants_browser and (self.status or len(self.sessions) >= self.capacity):
            await reply(stream, self.status or 429)
        elif self.kind == "browserless":
            _, session = await self.start()
            try:
                await self._pump(stream, request, session)
            finally:
                session.over.set()
        elif request.is_socket:
            name = (
                request.query["sessionId"][0]
                if self.kind == "steel"
                else request.path.split("/")[2]
            )
            await self._pump(stream, request, self.sessions[name])
        elif wants_browser:
            name, session = await self.start(request)
            await self.answers.wait()
            await reply(stream, 200, self._named(name))
        else:
            name = request.path.removesuffix("/release").rpartition("/")[2]
            if name in self.sessions:
                self.sessions[name].over.set()
            await reply(stream, 200, {"value": None})

    def _named(self, name: str) -> dict[str, object]:
        if self.kind == "steel":
            return {"id": name, "websocketUrl": f"ws://0.0.0.0:3000/?sessionId={name}"}
        cdp = f"ws://10.255.255.1:4444/session/{name}/se/cdp"
        return {"value": {"sessionId": name, "capabilities": {"se:cdp": cdp}}}

    async def start(self, request: Request | None = None) -> tuple[str, Session]:
        asked = json.loads(request.body).get("sessionId") if request else None
        name = asked or f"s{next(self._numbers)}"
        session: Session = await self.nursery.start(self._live, name)
        return name, session

    async def _live(self, name: str, task_status: trio.TaskStatus[Session]) -> None:
        path = find_browser(PREFERENCE).path
        async with launch(LaunchPlan(path=path, link="websocket")) as chromium:
            session = self.sessions[name] = Session(chromium)
            self.started += 1
            task_status.started(session)
            await session.over.wait()
        del self.sessions[name]

    async def _pump(self, stream: trio.SocketStream, request: Request, session: Session) -> None:
        """Relay data both ways; a Grid's socket stays open when its browser dies."""
        address = urlsplit(str(session.chromium.endpoint))
        browser = await trio.open_tcp_stream("127.0.0.1", address.port or 0)
        kept = [
            line
            for line in request.head.split(b"\r\n")[1:]
            if line.lower().startswith(SOCKET_LINES)
        ]
        opening = f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}".encode()
        await browser.send_all(b"\r\n".join([opening, *kept]) + HEAD_END)

        async def up() -> None:
            with suppress(trio.BrokenResourceError):
                async for data in stream:
                    with suppress(trio.BrokenResourceError):
                        await browser.send_all(data)
            both.cancel_scope.cancel()

        async with browser, trio.open_nursery() as both:
            both.start_soon(up)
            with suppress(trio.BrokenResourceError):
                async for data in browser:
                    await stream.send_all(data)
            if self.kind != "grid":
                both.cancel_scope.cancel()


async def reply(stream: trio.SocketStream, status: int, body: object = None) -> None:
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} Whatever\r\nContent-Length: {len(data)}\r\nConnection: close"
    await stream.send_all(head.encode() + HEAD_END + data)


@pytest.fixture(autouse=True)
def patient_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow 240 s to give a browser back, for slow machines."""
    monkeypatch.setattr(services, "RELEASE_S", 240)


OpenService = Callable[[str], AbstractAsyncContextManager[Service]]


@pytest.fixture
def open_service() -> OpenService:
    @asynccontextmanager
    async def opened(kind: str) -> AsyncGenerator[Service]:
        async with background_nursery() as nursery:
            service = Service(kind, nursery)
            service.answers.set()
            await nursery.start(service.serve)
            if kind == "cdp":
                await service.start()
            yield service

    return opened


OpenAgent = Callable[..., AbstractAsyncContextManager[Tabwright]]


@pytest.fixture
def open_agent() -> OpenAgent:
    """Open a client with browser sources."""

    @asynccontextmanager
    async def opened(*sources: dict[str, object], **settings: object) -> AsyncGenerator[Tabwright]:
        values = {
            "remote__sources": list(sources),
            "network__allow_private": True,
            "engines__counts": None,
            "view__address": None,
            "acting__downloads": None,
            **settings,
        }
        async with open_tabwright(settings_from(override(**values))) as tabwright:
            yield tabwright

    return opened
