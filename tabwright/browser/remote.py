"""Browsers that run elsewhere: CDP endpoints, Selenium Grid, browserless and Steel.

=============  ===========================================================  ====================
kind           how a browser is acquired                                    how it is released
=============  ===========================================================  ====================
CDP endpoint   ``GET /json/version``                                        it stays
Selenium Grid  ``POST /session`` (W3C WebDriver), the capability `se:cdp`   ``DELETE`` of it
browserless    by the opening of the WebSocket                              with the WebSocket
Steel          ``POST /v1/sessions``                                        ``POST …/release``
=============  ===========================================================  ====================

A WebSocket through a Grid stays open and mute when the browser behind it dies: only
`tabwright.browser.watchdogs.heartbeat` finds out.
"""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from random import Random
from typing import Protocol, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

import attrs
import httpx2
import msgspec
import trio

from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.browser.sources import SourceBusy
from tabwright.cdp.errors import HandshakeRejected, LinkLost
from tabwright.cdp.websocket import (
    EndpointUnreachable,
    HTTPHeaders,
    at_address,
    open_websocket_link,
    seen_from_here,
    websocket_url,
)
from tabwright.concurrency.nursery import shielded
from tabwright.concurrency.timers import lift
from tabwright.config.browser_sources import SourceSettings
from tabwright.config.settings import Settings
from tabwright.protocol.browser_pool import SourceKind
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport

AnswerT = TypeVar("AnswerT")

RELEASE_S = 2.0
"""Seconds to give a browser back, and for an answer on its way when its request is cancelled."""

UNAUTHORIZED = frozenset({401, 403})
TOO_SLOW = 408
BUSY = frozenset({429, 503})

JSON_TYPE = "application/json; charset=utf-8"
"""Selenium Grid refuses JSON without its charset."""

STEEL_KEY = "steel-api-key"
"""The header with the key of Steel's cloud; its WebSocket accepts the key in the query only."""


class SourceRefused(Exception):
    """The source gave no browser.

    Attributes:
        status: the HTTP status of its answer; 0 if the answer itself could not be used.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@attrs.frozen
class RemoteBrowser:
    """An acquired browser.

    Attributes:
        url: the address of its WebSocket.
        headers: for the opening of it.
    """

    url: str
    headers: HTTPHeaders


class BrowserSource(Protocol):
    """A place where browsers run."""

    @property
    def owns_browser(self) -> bool:
        """Return whether each acquired browser is a new one for us, which ends at its release."""
        ...

    def acquire(self) -> AbstractAsyncContextManager[RemoteBrowser]:
        """Provide a browser for the length of the block.

        Waits until the caller's deadline. A browser is given back on every exit, even if cancelled,
        within `RELEASE_S` seconds. If that fails, it ends by the time-out of its service.

        Raises:
            SourceRefused: the source answered, but provided no browser.
            EndpointUnreachable, httpx2.HTTPError: it did not answer.
        """
        ...


@attrs.frozen
class CDPEndpoint:
    """A browser that runs already. See `BrowserSource`."""

    url: str
    headers: HTTPHeaders
    owns_browser: bool = False

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[RemoteBrowser]:
        """Find the WebSocket of the browser; see `tabwright.cdp.websocket.websocket_url`."""
        yield RemoteBrowser(await websocket_url(self.url, self.headers), self.headers)


@attrs.frozen
class Browserless:
    """A browserless server, where each WebSocket has a browser. See `BrowserSource`.

    Its token and its launch options are in the query of the URL (docs.browserless.io).
    """

    url: str
    headers: HTTPHeaders
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[RemoteBrowser]:
        """The browser starts as its WebSocket opens, and ends as it closes."""
        await trio.lowlevel.checkpoint()
        yield RemoteBrowser(self.url, self.headers)


class _Capabilities(msgspec.Struct, frozen=True):
    cdp: str | None = msgspec.field(default=None, name="se:cdp")


class _GridSession(msgspec.Struct, frozen=True, rename="camel"):
    session_id: str
    capabilities: _Capabilities


class _GridAnswer(msgspec.Struct, frozen=True):
    value: _GridSession


@attrs.frozen
class SeleniumGrid:
    """A Selenium Grid 4, or one of its nodes. See `BrowserSource`.

    Attributes:
        arguments: command-line arguments of its browsers.
    """

    url: str
    headers: HTTPHeaders
    arguments: tuple[str, ...]
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[RemoteBrowser]:
        """Start a WebDriver session (w3.org/TR/webdriver2), and delete it at the end.

        The Grid queues the request while no slot is free. The address of the WebSocket is that of
        the Grid itself, whatever its ``--grid-url`` is.
        """
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": self.arguments}}
        wanted = {"capabilities": {"alwaysMatch": options}}
        sessions: list[_GridSession] = []
        root = self.url.rstrip("/")

        async def start(client: httpx2.AsyncClient) -> None:
            """Start the session."""
            answer = await _exchange(client, "POST", f"{root}/session", wanted)
            sessions.append(_decoded(answer, _GridAnswer).value)

        async with _client(self.headers) as client:
            try:
                await _finished(start(client))
                cdp = sessions[0].capabilities.cdp
                if cdp is None:
                    raise SourceRefused("The Grid offers no CDP: its browser is not a Chromium.")
                yield RemoteBrowser(at_address(cdp, urlsplit(self.url)), self.headers)
            finally:
                for session in sessions:
                    path = f"/session/{session.session_id}"
                    await _released(_exchange(client, "DELETE", f"{root}{path}"))


class _SteelSession(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    websocket_url: str


@attrs.frozen
class Steel:
    """A Steel server or Steel's cloud (docs.steel.dev). See `BrowserSource`.

    Attributes:
        random: makes the ids of sessions.
    """

    url: str
    headers: HTTPHeaders
    random: Random
    owns_browser: bool = True

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[RemoteBrowser]:
        """Start a session with an id that we choose, and release it, even without an answer."""
        wanted = str(UUID(int=self.random.getrandbits(128), version=4))
        sessions: list[_SteelSession] = []
        root = f"{self.url.rstrip('/')}/v1/sessions"

        async def start(client: httpx2.AsyncClient) -> None:
            """Start the session."""
            answer = await _exchange(client, "POST", root, {"sessionId": wanted})
            sessions.append(_decoded(answer, _SteelSession))

        asked = True
        async with _client(self.headers) as client:
            try:
                await _finished(start(client))
                yield RemoteBrowser(self._socket(sessions[0].websocket_url), self.headers)
            except SourceRefused:
                asked = bool(sessions)
                raise
            finally:
                if asked:
                    name = sessions[0].id if sessions else wanted
                    await _released(_exchange(client, "POST", f"{root}/{name}/release", {}))

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


async def _exchange(
    client: httpx2.AsyncClient, method: str, url: str, body: object = None
) -> bytes:
    """Send a request and return the body of the answer. Waits until the caller's deadline.

    Raises:
        SourceRefused: the answer is an error.
        httpx2.HTTPError: there is no answer.
    """
    content = None if body is None else msgspec.json.encode(body)
    kind = None if content is None else {"Content-Type": JSON_TYPE}
    answer = await client.request(method, url, headers=kind, content=content)
    if answer.is_error:
        raise SourceRefused("", answer.status_code)
    return answer.content


def _decoded(answer: bytes, shape: type[AnswerT]) -> AnswerT:
    try:
        return msgspec.json.decode(answer, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SourceRefused("Its answer is not that of such a service.") from error


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
    with (
        trio.move_on_after(RELEASE_S, shield=True),
        suppress(httpx2.HTTPError, SourceRefused),
    ):
        await work


# From the settings of a source to a launcher.


def remote_source(source: SourceSettings, settings: Settings, random: Random) -> BrowserSource:
    """Return the source that the settings describe; it must not be the local one."""
    url, headers = source.address, source.header_items
    match source.kind:
        case SourceKind.CDP:
            return CDPEndpoint(url, headers)
        case SourceKind.BROWSERLESS:
            return Browserless(url, headers)
        case SourceKind.STEEL:
            return Steel(url, headers, random)
        case SourceKind.GRID:
            headless = ("--headless=new",) if settings.browser.headless else ()
            return SeleniumGrid(url, headers, (*headless, *settings.browser.extra_args))
        case SourceKind.LOCAL:
            raise AssertionError("this machine is not a remote source")


@attrs.frozen
class RemoteLauncher:
    """A launcher of the browsers of a remote source; see `Launcher`.

    Attributes:
        name: the kind and the host of the source, for messages.
    """

    name: str
    _source: BrowserSource
    _settings: Settings

    @asynccontextmanager
    async def open(self, _: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """See `Launcher.open`. A remote browser has its own profile, and windows or not."""
        timeout_s, is_open = self._settings.browser.start_timeout_s, False
        try:
            with trio.fail_after(timeout_s) as limit:
                async with (
                    self._source.acquire() as remote,
                    open_websocket_link(remote.url, remote.headers) as link,
                ):
                    await lift(limit)
                    is_open = True
                    yield BrowserLink(
                        link,
                        ours=self._source.owns_browser,
                        is_asked_to_close=False,
                        last_words=self._last_words,
                        lists=self._settings.listed_bounds,
                    )
        except (
            SourceRefused,
            LinkLost,
            EndpointUnreachable,
            httpx2.HTTPError,
            trio.TooSlowError,
        ) as error:
            if is_open:
                raise
            raise self._unavailable(error) from error

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        """See `Launcher.check_proxy`; the proxy of a remote browser is not known."""
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.UNASKED, used)

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""
        raise BrowserUnavailable(
            "The connected browser has no window.",
            advice="Connect to a browser that has a window.",
        )

    async def _last_words(self) -> str:
        await trio.lowlevel.checkpoint()
        return f"The browser of {self.name} is gone."

    def _unavailable(self, error: Exception) -> BrowserUnavailable:
        match error:
            case (
                SourceRefused(status=status)
                | HandshakeRejected(status=status)
                | EndpointUnreachable(status=status)
            ) if status in UNAUTHORIZED | BUSY:
                if status in BUSY:
                    return SourceBusy(
                        f"{self.name} has no free browser (HTTP status {status}).",
                        advice="Try again later, or add browsers to it.",
                    )
                return BrowserUnavailable(
                    f"{self.name} refused the token or the password (HTTP status {status}).",
                    advice="Check the URL and the headers of this source.",
                )
            case SourceRefused(status=status) | HandshakeRejected(status=status) if (
                status == TOO_SLOW
            ):
                return BrowserUnavailable(
                    f"{self.name} did not start a browser in its own time limit (HTTP status 408).",
                    advice="Try again later.",
                    retryable=True,
                )
            case SourceRefused(status=status) if status:
                what = f"{self.name} does not start a browser (HTTP status {status})."
            case SourceRefused():
                what = f"{self.name} gave no browser. {error}"
            case httpx2.HTTPError():
                what = f"{self.name} does not respond ({type(error).__name__})."
            case trio.TooSlowError():
                limit_s = self._settings.browser.start_timeout_s
                what = f"{self.name} gave no browser within {limit_s:g} s."
            case LinkLost():
                what = f"{self.name} cannot be connected to: {error}."
            case _:
                what = str(error)
        return BrowserUnavailable(
            what, advice="Check that it runs, and its address.", retryable=True
        )
