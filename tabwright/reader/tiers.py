"""A page by the lowest tier that shows enough: HTTP, a tab that runs scripts, a tab that loads all.

Every tier gives a source, and one and the same code makes a snapshot of it, which says whether the
next tier would show more.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import TypeAlias

import attrs
import trio

from tabwright.concurrency.grants import hold_grant
from tabwright.config.settings import NetworkSettings
from tabwright.content.html.form_data import Values
from tabwright.http.messages import accepted
from tabwright.page.errors import navigation_timeout
from tabwright.page.scripts import SUBMIT_FORM, form_values
from tabwright.protocol.actor import Address, Expiry, Invoke
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    ErrorPage,
    NavigationFailed,
    PageFailed,
    TabwrightError,
    TimeOut,
    having_sent,
)
from tabwright.protocol.extraction import Extractor, ReadOptions, Source, TakeSnapshot
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.inspection import LocateOnPage, PageLocation
from tabwright.protocol.page_text import CutReason, PageText
from tabwright.protocol.progress import OnProgress, report_wait
from tabwright.protocol.rate_limit import AcquirePermit, Governor, NoteRefusal, Waiting
from tabwright.protocol.snapshot import (
    ERROR_STATUS_MIN,
    SERVER_ERROR_STATUS_MIN,
    BlockKind,
    LoadedPage,
    PageForm,
    PageSnapshot,
    PageSource,
    Selection,
    Tier,
)
from tabwright.protocol.tab import REFUSALS, DoWithout, Inspect, Navigate, ReadSource, Submit, Tab
from tabwright.protocol.urls import check_place, checked_url
from tabwright.protocol.web_urls import WebUrl

Tabs: TypeAlias = Callable[[], AbstractAsyncContextManager[Address[Tab]]]
"""Where a reading gets its tab from, if it needs one."""

WITHOUT: dict[Tier, tuple[BlockKind, ...]] = {2: ("image", "font", "media", "style"), 3: ()}
"""What the tabs of each tier do without."""

STAYS_S = 5.0
"""For the answer to a form to begin; many a form stays on its page."""

PARTIAL_S = 3.0
"""For a page whose time is up to show what there is of it."""

FULL_LOAD_TIER: Tier = 3
"""The tier that loads everything."""

READABLE = ("text/", "application/xhtml+xml", "application/xml", "application/json")
"""The media types that a browser shows as text."""

TOO_MANY = 429
"""A client error that a later request can fix (RFC 6585)."""

ADVICE = {
    401: "The page requires a user name and a password.",
    404: "Check the URL, or search for the page.",
    410: "The page was removed: search for another one.",
}
"""The next step for the statuses that have one of their own (RFC 9110, section 15.5)."""


@attrs.frozen(kw_only=True)
class LoadResult:
    """A page as it was got.

    Attributes:
        tier_reason: why by this tier.
        lacking: why the next one would show more; empty where it would not.
        redirects: the URLs that led there, the first one first.
        cut: why the snapshot is not the whole page; None where it is.
        notice: what the reading had to do without; empty as a rule.
    """

    snapshot: PageSnapshot
    tier: Tier
    tier_reason: str
    lacking: str = ""
    redirects: tuple[str, ...] = ()
    cut: CutReason | None = None
    notice: str = ""


@attrs.frozen(eq=False)
class TieredLoader:
    """The three ways to a page."""

    governor: Address[Governor]
    fetcher: Address[Fetcher]
    extractor: Address[Extractor]
    settings: NetworkSettings

    async def arrive(
        self, wish: Fetch, reading: ReadOptions, tabs: Tabs, progress: OnProgress
    ) -> LoadResult:
        """The page that `wish` leads to, by the lowest tier of `reading` that shows enough.

        Where the browser fails, what HTTP gave is given, with a notice. What is no page but a file
        is read by HTTP in any case.

        Raises:
            TabwrightError: see `PageReader.read`.
        """
        url = checked_url(wish.url, self.settings.bounds)
        leave = partial(_permit, site_of(url), partial(report_wait, progress))
        async with hold_grant(self.governor, leave):
            first: LoadResult | None = None
            if reading.min_tier == 1:
                first = await self._by_http(attrs.evolve(wish, url=url), reading)
                if not first.lacking or reading.max_tier == 1 or wish.payload:
                    return first
            try:
                async with tabs() as tab:
                    tier: Tier = 3 if reading.min_tier == FULL_LOAD_TIER else 2
                    arrival = await self._by_tier(tab, url, reading, tier, first)
                    if arrival.lacking and tier < reading.max_tier:
                        arrival = await self._by_tier(tab, url, reading, FULL_LOAD_TIER, arrival)
                    return arrival
            except TabwrightError as error:
                if error.code is ErrorCode.PARSE:
                    return await self._by_http(attrs.evolve(wish, url=url), reading)
                if first is None:
                    raise
                return attrs.evolve(first, notice=f"Read without a browser. {error}")

    async def submit(
        self, tabs: Tabs, form: PageForm, values: Values, here: LoadResult, selection: Selection
    ) -> LoadResult:
        """The page that a form of the tab's page leads to, sent as a person would.

        A form that leads nowhere within `STAYS_S` has changed the page, or it has not.

        Raises:
            PageFailed: the tab shows another page by now, or the form has gone.
            TabwrightError: as `arrive`.
        """
        where = (here.snapshot.url, str(form.index), form.id)
        filled = Submit(SUBMIT_FORM, (*where, form_values(values)), STAYS_S)
        site = site_of(form.action)
        async with hold_grant(self.governor, partial(_permit, site, _untold)), tabs() as tab:
            with navigation_timeout(form.action, self.settings.page_timeout_s):
                page = await tab.ask(filled)
                if page is None:
                    raise PageFailed(
                        "The form is no longer on the page.",
                        advice="Read the page again. Nothing was submitted.",
                    )
                with having_sent():
                    await self._note(page)
                    source = await self._shown(tab, selection)
        return await self._taken(source, selection, here.tier, "the form was submitted in its tab")

    @property
    def _languages(self) -> str:
        """As a tab is told them: the same as a fetcher wants."""
        return ",".join(accepted(self.settings.page_languages))

    async def enter(
        self, url: str, tab: Address[Tab], progress: OnProgress
    ) -> tuple[LoadedPage, PageLocation]:
        """Has a tab come to a page as a person would see it, until its document has settled.

        One deadline holds for both: a page that does not settle in time is given as it is by then.

        Raises:
            NavigationFailed: there is no page: unreachable, or a file.
            TabwrightError: as `arrive`.
        """
        checked = checked_url(url, self.settings.bounds)
        leave = partial(_permit, site_of(checked), partial(report_wait, progress))
        async with hold_grant(self.governor, leave):
            await tab.ask(DoWithout(WITHOUT[FULL_LOAD_TIER]))
            deadline = trio.current_time() + self.settings.page_timeout_s
            with navigation_timeout(checked, self.settings.page_timeout_s):
                page = await tab.ask(Navigate(checked))
            await self._note(page)
        place = PageLocation(page.url, "")
        with trio.move_on_at(deadline):
            place = await tab.ask(Inspect(LocateOnPage(settles=True)))
        return page, place

    def check_place(self, url: str) -> None:
        """Lets pass where a page may have led its tab.

        Raises:
            BadInput: to where we do not go.
        """
        check_place(url, self.settings.bounds)

    async def again(self, tab: Address[Tab], selection: Selection) -> LoadResult:
        """The page that a tab shows now.

        Raises:
            TabwrightError: it does not show it.
        """
        source = await self._shown(tab, selection, at_rest=True)
        return await self._taken(source, selection, FULL_LOAD_TIER, "its tab is open for actions")

    async def _by_http(self, wish: Fetch, reading: ReadOptions) -> LoadResult:
        fetched = await self.fetcher.ask(wish)
        await self._note(fetched.page)
        arrival = await self._taken(fetched, reading.selection, 1, "HTTP returned enough content")
        return attrs.evolve(arrival, redirects=fetched.chain)

    async def _by_tier(
        self,
        tab: Address[Tab],
        url: str,
        reading: ReadOptions,
        tier: Tier,
        before: LoadResult | None,
    ) -> LoadResult:
        await tab.ask(DoWithout(WITHOUT[tier]))
        alone = "requested" if reading.min_tier > 1 else "its session has a tab"
        reason = before.lacking if before else alone
        redirects = before.redirects if before else ()
        try:
            with navigation_timeout(url, self.settings.page_timeout_s):
                page = await tab.ask(Navigate(url, self._languages, whole=tier == FULL_LOAD_TIER))
                await self._note(page)
                if page.mime_type and not page.mime_type.startswith(READABLE):
                    raise NavigationFailed(
                        f"{page.url} is {page.mime_type}, which a browser does not show as text.",
                        retryable=False,
                        code=ErrorCode.PARSE,
                    )
                source = await self._shown(tab, reading.selection)
        except TimeOut as late:
            source = await self._partial(tab, late)
            arrival = await self._taken(source, reading.selection, tier, reason)
            if not arrival.snapshot.content:
                raise
            return attrs.evolve(arrival, redirects=redirects, lacking="", cut="time_out")
        arrival = await self._taken(source, reading.selection, tier, reason)
        return attrs.evolve(arrival, redirects=redirects)

    async def _shown(
        self, tab: Address[Tab], selection: Selection, *, at_rest: bool = False
    ) -> PageSource:
        source = await tab.ask(ReadSource(at_rest))
        tree = await tab.ask(Invoke(Tab.read_tree)) if selection.tree else ()
        return attrs.evolve(source, tree=tree)

    async def _partial(self, tab: Address[Tab], late: TimeOut) -> PageSource:
        """What there is of a page whose time is up.

        Raises:
            TimeOut: nothing is.
        """
        with trio.move_on_after(PARTIAL_S), suppress(TabwrightError):
            return attrs.evolve(await tab.ask(ReadSource()), cut=True)
        raise late

    async def _taken(
        self, source: Source, selection: Selection, tier: Tier, reason: str
    ) -> LoadResult:
        taken = await self.extractor.ask(TakeSnapshot(source, selection, tier))
        is_error = source.page.status >= ERROR_STATUS_MIN  # and is one in every tier
        sent = source.cut if isinstance(source, Fetched) else None
        return LoadResult(
            snapshot=taken.snapshot,
            tier=tier,
            tier_reason=reason,
            lacking="" if is_error else taken.lacking,
            cut=sent or ("size_limit" if taken.snapshot.cut else None),
        )

    async def _note(self, page: LoadedPage) -> None:
        """Notes that a host refuses us: it is left alone for a while, and others wait for leave."""
        if page.status in REFUSALS:
            await self.governor.ask(NoteRefusal(site_of(page.url), page.retry_after_s))


def check_status(page: PageText) -> None:
    """Lets a page pass that is none of errors, for callers that want only the requested page.

    Raises:
        ErrorPage: it is one.
    """
    if page.status < ERROR_STATUS_MIN:
        return
    servers = page.status >= SERVER_ERROR_STATUS_MIN
    raise ErrorPage(
        f"{page.url} answered with HTTP status {page.status}.",
        advice=ADVICE.get(page.status, ""),
        retryable=servers or page.status == TOO_MANY,
        code=ErrorCode.HTTP_SERVER if servers else ErrorCode.HTTP_CLIENT,
        text=page.text,
    )


def site_of(url: str) -> str:
    """The host as browsers spell it; empty for what is no http or https URL."""
    try:
        return WebUrl.read(url).host
    except BadInput:
        return ""


def _untold(_wait: object) -> None:
    """The wait of those who only want it to end."""


def _permit(host: str, told: Waiting, over: Expiry) -> AcquirePermit:
    return AcquirePermit(over, host, waiting=told)
