"""Pausing the requests of a browser's pages before they are sent, to block or to sign them.

A browser that is ours is intercepted as a whole. In one that is not ours, only our pages are: each
page, pop-up, frame and worker is attached to by its own session as it starts, and paused until its
requests are intercepted. `egress_proxy` checks the connections of the browser too, if it is in
between; it sees hosts and ports, but no paths.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress

import attrs
import trio

from tabwright.cdp.domains import browser, fetch, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed, Gone
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.http.signatures import RequestSigner, has_signature, sent_authority
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds

DOCUMENT = "Document"
"""The resource type of the document of a page or a frame (``Network.ResourceType``)."""

OTHER = "Other"
"""The resource type of the script of a shared worker, among other requests."""

SET_BY_CHROMIUM = frozenset(("referer", "origin"))
"""Headers that Chromium sets itself, also in redirects; 150 refuses some values of the second."""

SETTLE_S = 0.02
"""Seconds between two looks at whether all requests are answered; there is no event for it."""

SHARED_WORKER = "shared_worker"
"""The type of a target (``Target.TargetInfo``)."""


@attrs.define(eq=False)
class URLGuard:
    """A guard that keeps the pages of one browser within lists, and signs their requests.

    Attributes:
        bounds: the lists; None if there are none.
        signer: signs the requests that are sent; None to leave them unsigned.
        holds_all: whether all requests are paused, and not only those for documents.
        is_for_all: whether the browser is ours, with all its pages.
        contexts: the ids of the browser contexts that are ours, by their names.
        _opened: the pages that we opened.
        _sessions: the sessions that guard our pages in a browser that is not ours.
        _kept: the targets that are attached to there; set once their requests are intercepted.
        _unsent: pages without a navigation so far.
        _starting: the sessions of new shared workers; set once their requests are intercepted.
        _unanswered: the number of paused requests.
    """

    bounds: Bounds | None
    signer: RequestSigner | None
    holds_all: bool
    is_for_all: bool
    contexts: Mapping[str, str]
    _ready: trio.Event = attrs.field(factory=trio.Event, init=False)
    _root: CDPSession | None = attrs.field(default=None, init=False)
    _opened: set[str] = attrs.field(factory=set[str], init=False)
    _sessions: dict[str, str] = attrs.field(factory=dict[str, str], init=False)
    _unsent: set[str] = attrs.field(factory=set[str], init=False)
    _kept: dict[str, trio.Event] = attrs.field(factory=dict[str, trio.Event], init=False)
    _starting: dict[str, trio.Event] = attrs.field(factory=dict[str, trio.Event], init=False)
    _unanswered: int = attrs.field(default=0, init=False)

    async def attend(self, root: CDPSession) -> None:
        """Guard the pages until the browser ends.

        Raises:
            BrowserUnavailable: the browser refuses.
        """
        with suppress(Gone):  # the end of the browser is reported elsewhere
            try:
                attached = await root.execute(target.attach_to_browser())
                self._root = own = root.connection.session(attached.session_id)
                await (self._guard_browser(own) if self.is_for_all else self._guard_pages(own))
            except CommandFailed as error:
                raise BrowserUnavailable(
                    (
                        "This browser cannot pause requests for network.allow_urls, deny_urls ",
                        "or signing: ",
                        Quoted(str(error)),
                        ".",
                    ),
                    advice="Use a newer Chromium.",
                ) from error

    async def _guard_browser(self, own: CDPSession) -> None:
        """Intercept the requests of all targets, from their first one to their last.

        The session of a page would end before the page does. Chromium then sends what was paused,
        and what the page still sends while it is closed.
        """
        kinds = (fetch.RequestPaused, target.TargetFound, target.TargetDestroyed)
        with own.subscribe(*kinds) as events:
            async with background_nursery() as answering:
                await own.execute_all((target.discover_pages(), self._intercept))
                self._ready.set()
                async for event in events:
                    match event:
                        case fetch.RequestPaused():
                            self._answer_soon(answering, own, event)
                        case target.TargetFound():
                            self._unsent.add(event.target_info.target_id)
                        case target.TargetDestroyed():
                            self._forget(event.target_id)
                        case _:
                            pass

    async def _guard_pages(self, own: CDPSession) -> None:
        async with background_nursery() as keeping:
            with own.subscribe(target.AttachedToTarget) as arrivals:
                await own.execute(target.auto_attach_all())
                self._ready.set()
                async for arrival in arrivals:
                    if arrival.target_info.type == SHARED_WORKER:
                        self._starting[arrival.session_id] = trio.Event()
                    keeping.start_soon(self._welcome, own, arrival)

    async def keeps(self, target_id: str) -> None:
        """Wait until a page that we opened, and have not yet navigated, is guarded.

        Raises:
            CDPError: the page is gone.
        """
        await self._ready.wait()
        self._opened.add(target_id)
        if self._root is None or self.is_for_all:
            return
        if target_id not in self._kept:
            attached = await self._root.execute(target.attach_to_target(target_id))
            self._sessions[target_id] = attached.session_id
        await self._kept.setdefault(target_id, trio.Event()).wait()

    async def releases(self, target_id: str) -> None:
        """Stop guarding a page that stays open in a browser that is not ours.

        Raises:
            CDPError: the page is gone.
        """
        session_id = self._sessions.pop(target_id, "")
        self._opened.discard(target_id)
        if self._root is not None and session_id:
            await self._root.execute(target.detach_from_target(session_id))

    async def settled(self) -> None:
        """Wait until all requests that are paused now are answered: Chromium sends the others.

        Raises:
            CDPError: the browser is gone.
        """
        if self._root is None:
            return
        await self._root.execute(browser.get_version())  # after the events that were sent before
        while True:
            await trio.lowlevel.checkpoint()  # the events reach their tasks
            if not self._unanswered:
                return
            await trio.sleep(SETTLE_S)

    async def _welcome(self, parent: CDPSession, arrival: target.AttachedToTarget) -> None:
        """Guard a target of a browser that is not ours, and its children, while it exists."""
        info, session = arrival.target_info, parent.connection.session(arrival.session_id)
        with suppress(CDPError), self._start_ends(session):
            if parent is self._root and not self._is_ours(info):
                await session.execute(runtime.run_if_waiting_for_debugger())
                return
            kept = self._kept.setdefault(info.target_id, trio.Event())
            if info.type == "page":
                self._unsent.add(info.target_id)
            with session.subscribe(fetch.RequestPaused, target.AttachedToTarget) as events:
                async with background_nursery() as keeping:
                    keeping.start_soon(self._hold, session, kept)
                    async for event in events:
                        match event:
                            case fetch.RequestPaused():
                                self._answer_soon(keeping, session, event)
                            case target.AttachedToTarget():
                                keeping.start_soon(self._welcome, session, event)
                            case _:
                                pass
        self._kept.pop(info.target_id, None)
        self._sessions.pop(info.target_id, None)
        self._forget(info.target_id)

    def _forget(self, target_id: str) -> None:
        self._unsent.discard(target_id)
        self._opened.discard(target_id)

    @property
    def _intercept(self) -> CDPCommand[Nothing]:
        return fetch.enable([fetch.pattern(resource_type=None if self.holds_all else DOCUMENT)])

    async def _hold(self, session: CDPSession, kept: trio.Event) -> None:
        intercept = self._intercept  # fails for a worker of a page, and only once it runs
        proceed = (target.auto_attach_frames(), runtime.run_if_waiting_for_debugger())
        with suppress(CDPError):
            if session.id in self._starting:
                with self._start_ends(session):
                    await session.execute(intercept)
                await session.execute_all(proceed)
            else:
                await session.execute_all((intercept, *proceed))
        kept.set()

    @contextmanager
    def _start_ends(self, session: CDPSession) -> Generator[None]:
        """Let the script of a shared worker load after the block, even if it fails."""
        try:
            yield
        finally:
            starting = self._starting.pop(session.id, None)
            if starting is not None:
                starting.set()

    def _answer_soon(
        self, nursery: trio.Nursery, session: CDPSession, held: fetch.RequestPaused
    ) -> None:
        """Start to answer a request, which counts as unanswered from now on."""
        self._unanswered += 1
        nursery.start_soon(self._answer, session, held)

    async def _answer(self, session: CDPSession, held: fetch.RequestPaused) -> None:
        try:
            await self._decide(session, held)
        finally:
            self._unanswered -= 1

    async def _decide(self, session: CDPSession, held: fetch.RequestPaused) -> None:
        with suppress(CDPError):  # the page has continued meanwhile
            is_document = held.resource_type == DOCUMENT
            if self.bounds is None or self.bounds.admit(held.request.url):
                if is_document:
                    self._unsent.discard(held.frame_id)
                elif held.resource_type == OTHER:
                    # Chromium attaches to a shared worker before it loads the script, and
                    # ``Fetch.enable`` has no effect on the worker if it comes after the script.
                    for starting in tuple(self._starting.values()):
                        await starting.wait()
                headers = None if self.signer is None else signed_headers(held, self.signer)
                await session.execute(fetch.continue_request(held.request_id, headers))
            elif is_document:
                await session.execute(fetch.abort_request(held.request_id))
                # It was opened for a URL out of bounds, and shows nothing.
                if held.frame_id in self._unsent - self._opened and self._root is not None:
                    await self._root.execute(target.close_target(held.frame_id))
            else:
                await session.execute(fetch.fail_request(held.request_id))

    def _is_ours(self, info: target.TargetInfo) -> bool:
        return (
            info.target_id in self._opened
            or info.browser_context_id in self.contexts.values()
            or (info.opener_id is not None and info.opener_id in self._kept)
        )


def signed_headers(
    held: fetch.RequestPaused, signer: RequestSigner
) -> list[tuple[str, str]] | None:
    """Return the headers of a paused request, signed for its URL; None to send it unchanged.

    A request that its page has signed stays as it is. Two headers are left to Chromium: if the
    referrer were set, a redirect to another site would pass on the whole URL of the page.
    """
    headers, authority = held.request.headers, sent_authority(held.request.url)
    if authority is None or has_signature(headers):
        return None
    kept = [(name, value) for name, value in headers.items() if name.lower() not in SET_BY_CHROMIUM]
    return [*kept, *signer.headers(authority)]
