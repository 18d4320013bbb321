"""The protocols of the services that run browsers for others.

=============  ===========================================================  ====================
kind           how a browser is acquired                                    how it is released
=============  ===========================================================  ====================
CDP endpoint   ``GET /json/version``                                        it stays
Selenium Grid  ``POST /session`` (W3C WebDriver), the capability `se:cdp`   ``DELETE`` of it
browserless    by the opening of the WebSocket                              with the WebSocket
Steel          ``POST /v1/sessions``                                        ``POST …/release``
=============  ===========================================================  ====================

A browser is given back on every exit, even if cancelled, within `RELEASE_S` seconds. If that fails,
it ends by the time-out of its service. A WebSocket through a Grid stays open and mute when the
browser behind it dies: only `tabwright.browser.watchdogs.heartbeat` finds out.
"""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

import attrs
import httpx2
import msgspec
import trio

from tabwright.browser.endpoint import BrowserAddress, BrowserHost, CDPEndpoint
from tabwright.cdp.websocket import EndpointUnreachable, HTTPHeaders, at_address, seen_from_here
from tabwright.concurrency.nursery import shielded
from tabwright.config.settings import BrowserSettings
from tabwright.plugins.remote.settings import SourceKind, SourceSettings

AnswerT = TypeVar("AnswerT")

RELEASE_S = 2.0
"""Seconds to give a browser back, and for an answer on its way when its request is cancelled."""

JSON_TYPE = "application/json; charset=utf-8"
"""Selenium Grid refuses JSON without its charset."""

STEEL_KEY = "steel-api-key"
"""The header with the key of Steel's cloud; its WebSocket accepts the key in the query only."""


@attrs.frozen
class Browserless:
    """A browserless server, where each WebSocket has a browser. See `BrowserHost`.

    Its token and its launch options are in the query of the URL (docs.browserless.io).
    """

    name: str
    url: str
    headers: HTTPHeaders
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[BrowserAddress]:
        """The browser starts as its WebSocket opens, and ends as it closes."""
        await trio.lowlevel.checkpoint()
        yield BrowserAddress(self.url, self.headers)


class _Capabilities(msgspec.Struct, frozen=True):
    cdp: str | None = msgspec.field(default=None, name="se:cdp")


class _GridSession(msgspec.Struct, frozen=True, rename="camel"):
    session_id: str
    capabilities: _Capabilities


class _GridAnswer(msgspec.Struct, frozen=True):
    value: _GridSession


@attrs.frozen
class SeleniumGrid:
    """A Selenium Grid 4, or one of its nodes. See `BrowserHost`.

    Attributes:
        arguments: command-line arguments of its browsers.
    """

    name: str
    url: str
    headers: HTTPHeaders
    arguments: tuple[str, ...]
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[BrowserAddress]:
        """Start a WebDriver session (w3.org/TR/webdriver2), and delete it at the end.

        The Grid queues the request while no slot is free. The address of the WebSocket is that of
        the Grid itself, whatever its ``--grid-url`` is.
        """
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": self.arguments}}
        wanted = {"capabilities": {"alwaysMatch": options}}
        sessions: list[_GridSession] = []
        root = self.url.rstrip("/")

        async def start(api: _API) -> None:
            """Start the session."""
            answer = await api.request("POST", f"{root}/session", wanted)
            sessions.append(api.decoded(answer, _GridAnswer).value)

        async with _client(self.headers) as client:
            api = _API(self.name, client)
            try:
                await _finished(start(api))
                cdp = sessions[0].capabilities.cdp
                if cdp is None:
                    raise EndpointUnreachable(
                        f"{self.name} offers no CDP: its browser is not a Chromium."
                    )
                yield BrowserAddress(at_address(cdp, urlsplit(self.url)), self.headers)
            finally:
                for session in sessions:
                    path = f"/session/{session.session_id}"
                    await _released(api.request("DELETE", f"{root}{path}"))


class _SteelSession(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    websocket_url: str


@attrs.frozen
class Steel:
    """A Steel server or Steel's cloud (docs.steel.dev). See `BrowserHost`.

    Attributes:
        random: makes the ids of sessions.
    """

    name: str
    url: str
    headers: HTTPHeaders
    random: Random
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[BrowserAddress]:
        """Start a session with an id that we choose, and release it, even without an answer."""
        wanted = str(UUID(int=self.random.getrandbits(128), version=4))
        sessions: list[_SteelSession] = []
        root = f"{self.url.rstrip('/')}/v1/sessions"

        async def start(api: _API) -> None:
            """Start the session."""
            answer = await api.request("POST", root, {"sessionId": wanted})
            sessions.append(api.decoded(answer, _SteelSession))

        asked = True
        async with _client(self.headers) as client:
            api = _API(self.name, client)
            try:
                await _finished(start(api))
                yield BrowserAddress(self._socket(sessions[0].websocket_url), self.headers)
            except EndpointUnreachable as error:
                asked = not error.status
                raise
            finally:
                if asked:
                    name = sessions[0].id if sessions else wanted
                    await _released(api.request("POST", f"{root}/{name}/release", {}))

    def _socket(self, url: str) -> str:
        keys = [value for name, value in self.headers if name.lower() == STEEL_KEY]
        url = seen_from_here(url, urlsplit(self.url))
        address = urlsplit(url)
        query = dict(parse_qsl(address.query))
        if not keys or "apiKey" in query:
            return url
        return address._replace(query=urlencode({**query, "apiKey": keys[0]})).geturl()


def _client(headers: HTTPHeaders) -> httpx2.AsyncClient:
    """Return a client for a browser's life: a new one takes long to set up TLS."""
    return httpx2.AsyncClient(trust_env=False, timeout=None, headers=headers)


@attrs.frozen
class _API:
    """The HTTP API of a service.

    Attributes:
        name: the kind and the host of the service, for messages.
    """

    name: str
    _client: httpx2.AsyncClient

    async def request(self, method: str, url: str, body: object = None) -> bytes:
        """Send a request and return the body of the answer. Waits until the caller's deadline.

        Raises:
            EndpointUnreachable: the answer is an error, or there is none.
        """
        content = None if body is None else msgspec.json.encode(body)
        kind = None if content is None else {"Content-Type": JSON_TYPE}
        try:
            answer = await self._client.request(method, url, headers=kind, content=content)
        except httpx2.HTTPError as error:
            what = type(error).__name__  # its words may hold the whole address
            raise EndpointUnreachable(f"{self.name} does not respond ({what}).") from error
        if answer.is_error:
            status = answer.status_code
            raise EndpointUnreachable(
                f"{self.name} does not start a browser (HTTP status {status}).", status
            )
        return answer.content

    def decoded(self, answer: bytes, shape: type[AnswerT]) -> AnswerT:
        """Return the body of an answer as a value.

        Raises:
            EndpointUnreachable: the body is of another shape.
        """
        try:
            return msgspec.json.decode(answer, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise EndpointUnreachable(
                f"{self.name} gave no browser: its answer is not that of such a service."
            ) from error


async def _finished(work: Awaitable[None]) -> None:
    """Await a request; if cancelled, wait up to `RELEASE_S` seconds more for its answer.

    Otherwise the answer could name a session that would never be ended.
    """

    def limit(scope: trio.CancelScope) -> None:
        """Limit the time from the cancellation on."""
        scope.deadline = trio.current_time() + RELEASE_S

    async with shielded(limit):
        await work


async def _released(work: Awaitable[object]) -> None:
    """Give a browser back, even if cancelled; a failure is left to the service's time-out."""
    with trio.move_on_after(RELEASE_S, shield=True), suppress(EndpointUnreachable):
        await work


def host_at(source: SourceSettings, browser: BrowserSettings, random: Random) -> BrowserHost | None:
    """Return the service that the settings describe; None for this machine.

    Args:
        source: the settings of the source.
        browser: how the browsers of a Grid are started.
        random: makes the ids of sessions.
    """
    name, url, headers = source.name, source.address, source.header_items
    match source.kind:
        case SourceKind.LOCAL:
            return None
        case SourceKind.CDP:
            return CDPEndpoint(name, url, headers)
        case SourceKind.BROWSERLESS:
            return Browserless(name, url, headers)
        case SourceKind.STEEL:
            return Steel(name, url, headers, random)
        case SourceKind.GRID:
            headless = ("--headless=new",) if browser.headless else ()
            return SeleniumGrid(name, url, headers, (*headless, *browser.extra_args))
