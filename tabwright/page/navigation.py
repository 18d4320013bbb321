"""One navigation, followed through the browser's events until its document is parsed or settled."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress

import attrs
import trio

from tabwright.browser.egress_proxy import Egress
from tabwright.cdp.domains import network, page
from tabwright.cdp.errors import CDPError
from tabwright.cdp.wire import Event
from tabwright.config.settings import NetworkSettings
from tabwright.page.events.network_log import ABORTED
from tabwright.page.isolated_worlds import UNDO_S
from tabwright.page.open_page import AttachedPage
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    NavigationFailed,
    PageFailed,
    TabwrightError,
)
from tabwright.protocol.snapshot import LoadedPage
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds, check_place

EVENTS = (
    page.LifecycleEvent,
    page.FrameStartedNavigating,
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.DataReceived,
    network.LoadingFailed,
)
"""The events of a `NavigationWatcher`."""

BY_EGRESS = {
    "net::ERR_SOCKS_CONNECTION_FAILED",
    "net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
}
"""Chromium's errors if our own proxy did not connect."""

ADVICE = {
    "net::ERR_NAME_NOT_RESOLVED": "Check the spelling of the host name, and the network.",
    "net::ERR_CONNECTION_REFUSED": "No server listens on that port.",
    "net::ERR_INTERNET_DISCONNECTED": "Check the network and the proxy.",
    "net::ERR_PROXY_CONNECTION_FAILED": "Check the proxy settings.",
    "net::ERR_TOO_MANY_REDIRECTS": "The site redirects in a loop.",
    "net::ERR_INVALID_AUTH_CREDENTIALS": "The page requires a user name and a password.",
}
"""The next step for the failures that have a specific one."""


@attrs.define
class _Document:
    """A document that is loading.

    Attributes:
        loader_id: its id; its request has the same id.
    """

    loader_id: str
    url: str
    head: network.ResponseInfo | None = None
    size: int = 0
    parsed: bool = False
    idle: bool = False


class NavigationWatcher:
    """The known state of a navigation.

    Args:
        url: its target.
        frame_id: the page's main frame.
        bounds: the allowed targets.
        bytes_max: the maximum size of a document.
        egress: the proxy, which knows why a connection failed.
    """

    def __init__(
        self, url: str, frame_id: str, bounds: Bounds, *, bytes_max: int, egress: Egress | None
    ) -> None:
        self._url = url
        self._frame_id = frame_id
        self._bounds = bounds
        self._bytes_max = bytes_max
        self._egress = egress
        self._documents: dict[str, _Document] = {}
        self._trail: list[_Document] = []
        self._stays = False
        self._awaited = ""
        self._coming = ""
        self._overtaken = False
        self._is_refused = False

    def again(self) -> "NavigationWatcher":
        """Return the state of the next navigation of the same page."""
        return NavigationWatcher(
            self._url,
            self._frame_id,
            self._bounds,
            bytes_max=self._bytes_max,
            egress=self._egress,
        )

    def begin(self, navigated: page.Navigated) -> None:
        """Evaluate the reply of ``Page.navigate``.

        Raises:
            NavigationFailed: no document was loaded.
            BadInput: the address of the host is not allowed.
        """
        if navigated.is_download:
            raise NavigationFailed(
                (Quoted(self._url), " is a file to download, not a page."),
                retryable=False,
                code=ErrorCode.PARSE,
            )
        is_stopped = navigated.error_text == ABORTED and self._bounds.are_listed
        if not is_stopped and navigated.error_text not in {"", *BY_EGRESS}:
            raise self._unreached(self._url, navigated.error_text)
        # A later event reports a redirect that was stopped, or led to a blocked address.
        self._is_refused = is_stopped
        self._documents.clear()
        self._trail.clear()
        self._turn_to(navigated.loader_id, self._url)
        self._awaited = self._coming = navigated.loader_id
        self._stays = self._overtaken = False

    async def follow(self, events: AsyncIterator[Event]) -> LoadedPage:
        """Process events until the new document of the page is parsed, or none is coming.

        Raises:
            BadInput: a redirect led to a URL that is not allowed.
            PageFailed: the document exceeds the maximum size.
        """
        async for event in events:
            self._take(event)
            if self._stays or self.overtaken or (self._trail and self._trail[-1].parsed):
                break
        return self.page

    async def begins(self, events: AsyncIterator[Event]) -> None:
        """Process events until the page begins a navigation.

        Raises:
            BadInput, PageFailed: see `follow`.
        """
        async for event in events:
            self._take(event)
            if self._trail:
                break

    async def follow_on(self, events: AsyncIterator[Event]) -> None:
        """Process events until the document has loaded, with its resources and requests.

        Raises:
            BadInput, PageFailed: see `follow`.
        """
        async for event in events:
            self._take(event)
            if self._trail[-1].idle:
                break

    @property
    def begun(self) -> bool:
        """Return whether the page has begun a navigation."""
        return bool(self._trail)

    @property
    def stays(self) -> bool:
        """Return whether the page stays where it was: the target is a file, or nothing."""
        return self._stays

    @property
    def overtaken(self) -> bool:
        """Return whether the previous page has navigated elsewhere while the new page loaded.

        Chromium then performs it, from the new page.
        """
        return self._overtaken and not self._coming

    @property
    def has_come(self) -> bool:
        """Return whether any part of the target has arrived."""
        return any(document.head is not None for document in self._documents.values())

    @property
    def page(self) -> LoadedPage:
        """Return the document that the page has loaded."""
        document = self._trail[-1]
        return loaded_page_from(document.url, document.head)

    def _take(self, event: Event) -> None:
        if self._awaited and _loader_of(event) == self._awaited:
            self._awaited = ""
        if self._awaited:  # it refers to the previous page, which was loading itself
            return
        match event:
            case page.FrameStartedNavigating(
                frame_id=self._frame_id, navigation_type="differentDocument"
            ):
                self._lead(event.loader_id, event.url)
            case network.RequestWillBeSent(type="Document", frame_id=self._frame_id):
                self._lead(event.request_id, event.request.url)
            case network.ResponseReceived() if document := self._documents.get(event.request_id):
                document.head = event.response
                self._check_size(document, _number(event.response, "content-length") or 0)
            case network.DataReceived() if document := self._documents.get(event.request_id):
                document.size += event.data_length
                self._check_size(document, document.size)
            case network.LoadingFailed():
                self._turn_back(event)
            case page.LifecycleEvent(name="init", loader_id=self._coming):
                self._coming = ""
            case page.LifecycleEvent() if document := self._documents.get(event.loader_id):
                document.parsed |= event.name == "DOMContentLoaded"
                document.idle |= event.name == "networkIdle"
            case _:
                pass

    def _lead(self, loader_id: str, url: str) -> None:
        """Record the start of a navigation: by the page if loaded, else by the previous one."""
        if self._coming in {"", loader_id}:
            self._turn_to(loader_id, url)
        else:
            self._overtaken = True

    def _turn_to(self, loader_id: str, url: str) -> None:
        """Follow a redirect, or a script that navigates before its document is parsed."""
        try:
            check_place(url, self._bounds)
        except BadInput as error:
            if self._trail:  # which has led here
                error.sent()
            raise
        if loader_id in self._documents:
            self._documents[loader_id].url = url
        else:
            document = self._documents[loader_id] = _Document(loader_id, url)
            self._trail.append(document)

    def _turn_back(self, failed: network.LoadingFailed) -> None:
        """Record that the page stays where it was, unchanged: the target is not a document."""
        if failed.request_id == self._coming:
            self._coming = ""
        document = self._documents.get(failed.request_id)
        if document is None or document is not self._trail[-1]:
            return
        if len(self._trail) > 1:
            self._trail.pop()
            self._trail[-1].parsed = True  # its parser was stopped when the navigation began
        elif failed.error_text == ABORTED and not self._is_refused:
            self._stays = True
        elif document.head is None:  # a form without an effect
            raise self._unreached(document.url, failed.error_text)

    def _unreached(self, url: str, code: str) -> TabwrightError:
        if code in BY_EGRESS and self._egress and (failure := self._egress.failure(url)):
            return failure
        return NavigationFailed(
            (Quoted(url), f" did not load ({code})."), advice=ADVICE.get(code, "")
        )

    def _check_size(self, document: _Document, size: int) -> None:
        if size > self._bytes_max:
            raise PageFailed(
                (Quoted(document.url), f" is larger than {self._bytes_max:,} bytes."),
                advice="Raise network.page_bytes_max to allow it.",
                retryable=False,
            )


@asynccontextmanager
async def watch_navigation(
    opened: AttachedPage, url: str, settings: NetworkSettings, *stopped_by: type[BaseException]
) -> AsyncGenerator[tuple[NavigationWatcher, AsyncIterator[Event]]]:
    """Watch a navigation from `url`, or to it, and its events.

    If one of `stopped_by` leaves the block, such as a cancellation, the navigation is stopped
    (`Page.stopLoading`), within `UNDO_S` seconds.
    """
    loading = NavigationWatcher(
        url,
        opened.frame_id,
        settings.bounds,
        bytes_max=settings.page_bytes_max,
        egress=opened.running.egress,
    )
    with opened.session.subscribe(*EVENTS) as events, opened.running.network.loading():
        try:
            yield loading, events
        except stopped_by:
            with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
                await opened.session.execute(page.stop_loading())
            raise


def _loader_of(event: Event) -> str:
    """Return the document of an event; its request has the same id."""
    match event:
        case page.LifecycleEvent() | page.FrameStartedNavigating():
            return event.loader_id
        case (
            network.RequestWillBeSent()
            | network.ResponseReceived()
            | network.DataReceived()
            | network.LoadingFailed()
        ):
            return event.request_id
        case _:
            return ""


def loaded_page_from(url: str, head: network.ResponseInfo | None) -> LoadedPage:
    """Return the page at `url`; `head` is the head of its response, None if there was none."""
    if head is None:
        return LoadedPage(url, 0, "")
    return LoadedPage(url, head.status, head.mime_type, _number(head, "retry-after"))


def _number(response: network.ResponseInfo, header: str) -> int | None:
    for name, value in response.headers.items():
        if name.lower() == header and value.isdecimal():
            return int(value)
    return None
