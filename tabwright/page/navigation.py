"""One navigation, followed through the browser's events until its document is parsed or at rest."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress

import attrs
import trio

from tabwright.browser.egress_proxy import Egress
from tabwright.cdp.domains import network, page
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.wire import Event
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import NetworkSettings
from tabwright.page.events.network_log import RequestLog
from tabwright.page.frames import FrameManager
from tabwright.page.open_page import AttachedPage
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    NavigationFailed,
    PageFailed,
    TabwrightError,
)
from tabwright.protocol.snapshot import LoadedPage
from tabwright.protocol.urls import Bounds, check_place

EVENTS = (
    page.LifecycleEvent,
    page.FrameStartedNavigating,
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.DataReceived,
    network.LoadingFailed,
)
"""What a `NavigationWatcher` is told."""

COMPENSATION_S = 1.0
"""For a command that undoes what a navigation began that is given up."""

ABORTED = "net::ERR_ABORTED"
"""What Chromium says of a request that it gave up for another one, or that nothing is shown of."""

BY_EGRESS = {
    "net::ERR_SOCKS_CONNECTION_FAILED",
    "net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE",
    "net::ERR_TUNNEL_CONNECTION_FAILED",
}
"""What Chromium says where our own proxy did not connect it."""

ADVICE = {
    "net::ERR_NAME_NOT_RESOLVED": "Check the spelling of the host name, and the network.",
    "net::ERR_CONNECTION_REFUSED": "No server listens on that port.",
    "net::ERR_INTERNET_DISCONNECTED": "Check the network and the proxy.",
    "net::ERR_PROXY_CONNECTION_FAILED": "Check the proxy settings.",
    "net::ERR_TOO_MANY_REDIRECTS": "The site redirects in a loop.",
    "net::ERR_INVALID_AUTH_CREDENTIALS": "The page requires a user name and a password.",
}
"""The next step for the failures that have one of their own."""


@attrs.define
class _Document:
    """A document on its way.

    Attributes:
        loader_id: its name; its request carries the same id.
    """

    loader_id: str
    url: str
    head: network.ResponseInfo | None = None
    size: int = 0
    parsed: bool = False
    idle: bool = False


class NavigationWatcher:
    """What is known of a navigation so far.

    Args:
        url: where it leads.
        frame_id: the page's main frame.
        bounds: where it may lead.
        bytes_max: what a document may have.
        egress: knows why there was no connection, where it made them.
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
        """The next navigation of the same page, of which nothing is known yet."""
        return NavigationWatcher(
            self._url,
            self._frame_id,
            self._bounds,
            bytes_max=self._bytes_max,
            egress=self._egress,
        )

    def begin(self, navigated: page.Navigated) -> None:
        """Judges the reply of ``Page.navigate``.

        Raises:
            NavigationFailed: no document came.
            BadInput: the host's name leads to where we do not go.
        """
        if navigated.is_download:
            raise NavigationFailed(
                f"{self._url} is a file to download, not a page.",
                retryable=False,
                code=ErrorCode.PARSE,
            )
        is_stopped = navigated.error_text == ABORTED and self._bounds.are_listed
        if not is_stopped and navigated.error_text not in {"", *BY_EGRESS}:
            raise self._unreached(self._url, navigated.error_text)
        # Of a redirect that was stopped, or led where we do not connect, a later event tells.
        self._is_refused = is_stopped
        self._documents.clear()
        self._trail.clear()
        self._turn_to(navigated.loader_id, self._url)
        self._awaited = self._coming = navigated.loader_id
        self._stays = self._overtaken = False

    async def follow(self, events: AsyncIterator[Event]) -> LoadedPage:
        """Takes events in until the document that the page comes to is parsed, or none comes.

        Raises:
            BadInput: a redirect led to where we do not go.
            PageFailed: the document is larger than it may be.
        """
        async for event in events:
            self._take(event)
            if self._stays or self.overtaken or (self._trail and self._trail[-1].parsed):
                break
        return self.page

    async def begins(self, events: AsyncIterator[Event]) -> None:
        """Takes events in until the page goes somewhere.

        Raises:
            BadInput, PageFailed: as `follow`.
        """
        async for event in events:
            self._take(event)
            if self._trail:
                break

    async def follow_on(self, events: AsyncIterator[Event]) -> None:
        """Takes events in until the document has loaded what it shows, and asks for nothing more.

        Raises:
            BadInput, PageFailed: as `follow`.
        """
        async for event in events:
            self._take(event)
            if self._trail[-1].idle:
                break

    @property
    def begun(self) -> bool:
        """Whether the page goes anywhere."""
        return bool(self._trail)

    @property
    def stays(self) -> bool:
        """Whether the page stays where it was: what it was led to is a file, or nothing."""
        return self._stays

    @property
    def overtaken(self) -> bool:
        """Whether the page that was left has led elsewhere while the new one came.

        Chromium then goes there, from the new one.
        """
        return self._overtaken and not self._coming

    @property
    def has_come(self) -> bool:
        """Whether anything of where it leads is there."""
        return any(document.head is not None for document in self._documents.values())

    @property
    def page(self) -> LoadedPage:
        """The document that the page has come to."""
        document = self._trail[-1]
        return loaded_page_from(document.url, document.head)

    def _take(self, event: Event) -> None:
        if self._awaited and _loader_of(event) == self._awaited:
            self._awaited = ""
        if self._awaited:  # it tells of the page that was left, as one that was loading itself
            return
        self._learn(event)

    def _lead(self, loader_id: str, url: str) -> None:
        """The page goes somewhere: of itself, if it is there, else because of the one that goes."""
        if self._coming in {"", loader_id}:
            self._turn_to(loader_id, url)
        else:
            self._overtaken = True

    def _learn(self, event: Event) -> None:
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

    def _turn_to(self, loader_id: str, url: str) -> None:
        """Follows a redirect, or a script that leads on before its document is parsed."""
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
        """The page stays where it was, as it was: what it was led to is no document."""
        if failed.request_id == self._coming:
            self._coming = ""
        document = self._documents.get(failed.request_id)
        if document is None or document is not self._trail[-1]:
            return
        if len(self._trail) > 1:
            self._trail.pop()
            self._trail[-1].parsed = True  # its parser was stopped when it began to go
        elif failed.error_text == ABORTED and not self._is_refused:
            self._stays = True
        elif document.head is None:  # a form that leads nowhere
            raise self._unreached(document.url, failed.error_text)

    def _unreached(self, url: str, code: str) -> TabwrightError:
        if code in BY_EGRESS and self._egress and (failure := self._egress.failure(url)):
            return failure
        return NavigationFailed(f"{url} did not load ({code}).", advice=ADVICE.get(code, ""))

    def _check_size(self, document: _Document, size: int) -> None:
        if size > self._bytes_max:
            raise PageFailed(
                f"{document.url} is larger than {self._bytes_max:,} bytes.",
                advice="Raise network.page_bytes_max to allow it.",
                retryable=False,
            )


@asynccontextmanager
async def watch_navigation(
    opened: AttachedPage, url: str, settings: NetworkSettings, *stopped_by: type[BaseException]
) -> AsyncGenerator[tuple[NavigationWatcher, AsyncIterator[Event]]]:
    """A navigation from `url`, or to it, and its events.

    Where one of `stopped_by` leaves the block, such as a cancellation, the page is kept from
    going on (`Page.stopLoading`), for which `COMPENSATION_S` seconds are waited at most.
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
            with trio.move_on_after(COMPENSATION_S, shield=True), suppress(CDPError):
                await opened.session.execute(page.stop_loading())
            raise


def _loader_of(event: Event) -> str:
    """The document that an event tells of; its request carries the same id."""
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
    """The page at `url`; `head` is that of its answer, None where there was none."""
    if head is None:
        return LoadedPage(url, 0, "")
    return LoadedPage(url, head.status, head.mime_type, _number(head, "retry-after"))


def _number(response: network.ResponseInfo, header: str) -> int | None:
    for name, value in response.headers.items():
        if name.lower() == header and value.isdecimal():
            return int(value)
    return None


# How a page comes to rest after an action: told by what it does, never by the clock.

CALM_MS = 250
"""For the document to be still for two frames; one that is animated by scripts never is."""

LATE_MS = 200
"""For a page to do something at all: many wait a moment before they do.

No event tells of a timer, and to listen in the page's own world would be to change what it sees:
what comes later than this is told with the next outcome.
"""

SETTLE_S = 5.0
"""For requests that the action began; what takes longer is what `wait_for` is for."""

LOAD_S = 20.0
"""For the document that the page goes to."""


GOING_S = 10.0
"""For a page that goes on and on, as one that loads itself again and again."""


@attrs.frozen
class SettleResult:
    """How a page came to rest.

    Attributes:
        loaded: the page that it went to; None where it stayed.
        busy: whether it did not come to rest.
    """

    loaded: LoadedPage | None = None
    busy: bool = False


@attrs.frozen(eq=False)
class StabilityWaiter:
    """What tells that a page is at rest: no navigation, no requests, two frames without change."""

    documents: FrameManager
    requests: RequestLog

    async def stirred(self) -> bool:
        """Whether anything of the page has changed, or is under way, since this was last asked."""
        return await self.documents.ask_main("stirred", answer=bool) or self.requests.busy

    async def rest(
        self, loading: NavigationWatcher, events: AsyncIterator[Event], *, may_be_late: bool = False
    ) -> SettleResult:
        """Waits for it. `events` are those since before the action, as what `stirred` tells.

        Raises:
            BadInput, NavigationFailed, PageFailed: how a navigation ended that the action began.
        """
        end = trio.current_time() + SETTLE_S
        enough = trio.current_time() + GOING_S
        loaded: LoadedPage | None = None
        late_ms = LATE_MS if may_be_late else 0
        while await self._leaves(loading, events, end, late_ms):
            if trio.current_time() > enough:
                return SettleResult(loaded, busy=True)
            with trio.move_on_after(LOAD_S) as waiting:
                came = await loading.follow(events)
                loaded = loaded if loading.stays else came
            if waiting.cancelled_caught:
                return SettleResult(loading.page if loading.has_come else loaded, busy=True)
            loading, late_ms = loading.again(), 0
            end = trio.current_time() + SETTLE_S
        return SettleResult(loaded, busy=self.requests.busy)

    async def _leaves(
        self,
        loading: NavigationWatcher,
        events: AsyncIterator[Event],
        end: float,
        late_ms: int,
    ) -> bool:
        """Whether the page goes somewhere before it has come to rest."""
        async with background_nursery() as watching:
            with trio.CancelScope() as until_left:
                watching.start_soon(_cancel_at_leaving, loading, events, until_left)
                with trio.move_on_at(end):
                    # A document that has just gone is no failure: what comes is heard of.
                    while True:
                        with suppress(CommandFailed):
                            await self.documents.call(
                                await self.documents.main(), "quiet", CALM_MS, late_ms, answer=bool
                            )
                        if not self.requests.busy:
                            break
                        await self.requests.rests()
        return loading.begun


async def _cancel_at_leaving(
    loading: NavigationWatcher, events: AsyncIterator[Event], scope: trio.CancelScope
) -> None:
    await loading.begins(events)
    scope.cancel()
