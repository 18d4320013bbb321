"""A browser that runs already: found by its CDP endpoint, and left open."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import Protocol

import attrs
import trio

from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.cdp.errors import HandshakeRejected, LinkLost
from tabwright.cdp.websocket import (
    EndpointUnreachable,
    HTTPHeaders,
    open_websocket_link,
    websocket_url,
)
from tabwright.concurrency.timers import lift
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport

UNAUTHORIZED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


class SourceBusy(BrowserUnavailable):
    """All browsers of a place are in use; one may be free in a moment."""

    retryable = True


@attrs.frozen
class BrowserAddress:
    """The address of a browser.

    Attributes:
        url: of its WebSocket.
        headers: for the opening of it.
    """

    url: str
    headers: HTTPHeaders


class BrowserHost(Protocol):
    """A place where browsers run."""

    @property
    def name(self) -> str:
        """Its kind and its host, for messages."""
        ...

    @property
    def owns_browser(self) -> bool:
        """Return whether each acquired browser is a new one for us, which ends at its release."""
        ...

    def acquire(self) -> AbstractAsyncContextManager[BrowserAddress]:
        """Provide a browser for the length of the block.

        Waits until the caller's deadline.

        Raises:
            EndpointUnreachable: it provided no browser.
        """
        ...


@attrs.frozen
class CDPEndpoint:
    """A browser that runs already. See `BrowserHost`."""

    name: str
    url: str
    headers: HTTPHeaders
    owns_browser: bool = False

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[BrowserAddress]:
        """Find the WebSocket of the browser; see `tabwright.cdp.websocket.websocket_url`."""
        yield BrowserAddress(await websocket_url(self.url, self.headers), self.headers)


@attrs.frozen
class EndpointLauncher:
    """A launcher of browsers that run elsewhere; see `Launcher`."""

    _host: BrowserHost
    _settings: Settings

    @asynccontextmanager
    async def open(self, _: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """Connect to the browser, which has its own profile, and windows or not."""
        timeout_s, is_open = self._settings.browser.start_timeout_s, False
        try:
            with trio.fail_after(timeout_s) as limit:
                async with (
                    self._host.acquire() as endpoint,
                    open_websocket_link(endpoint.url, endpoint.headers) as link,
                ):
                    await lift(limit)
                    is_open = True
                    yield BrowserLink(
                        link,
                        ours=self._host.owns_browser,
                        is_asked_to_close=False,
                        last_words=self._last_words,
                        lists=self._settings.listed_bounds,
                    )
        except (LinkLost, EndpointUnreachable, trio.TooSlowError) as error:
            if is_open:
                raise
            raise self._unavailable(error) from error

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        """Report that the proxy of such a browser is not known."""
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.UNASKED, used)

    def require_screen(self) -> None:
        raise BrowserUnavailable(
            "The connected browser has no window.",
            advice="Connect to a browser that has a window.",
        )

    async def _last_words(self) -> str:
        await trio.lowlevel.checkpoint()
        return f"The browser of {self._host.name} is gone."

    def _unavailable(self, error: Exception) -> BrowserUnavailable:
        name = self._host.name
        match error:
            case HandshakeRejected(status=status) | EndpointUnreachable(status=status) if (
                status in BUSY
            ):
                return SourceBusy(
                    f"{name} has no free browser (HTTP status {status}).",
                    advice="Try again later, or add browsers to it.",
                )
            case HandshakeRejected(status=status) | EndpointUnreachable(status=status) if (
                status in UNAUTHORIZED
            ):
                return BrowserUnavailable(
                    f"{name} refused the token or the password (HTTP status {status}).",
                    advice="Check its URL and its headers.",
                )
            case HandshakeRejected(status=status) | EndpointUnreachable(status=status) if (
                status == HTTPStatus.REQUEST_TIMEOUT
            ):
                return BrowserUnavailable(
                    f"{name} did not start a browser in its own time limit (HTTP status 408).",
                    advice="Try again later.",
                    retryable=True,
                )
            case trio.TooSlowError():
                limit_s = self._settings.browser.start_timeout_s
                what = f"{name} gave no browser within {limit_s:g} s."
            case LinkLost():
                what = f"{name} cannot be connected to: {error}."
            case _:
                what = str(error)
        return BrowserUnavailable(
            what, advice="Check that it runs, and its address.", retryable=True
        )
