"""Loading a page by the lowest sufficient tier: HTTP, a tab with scripts, a tab with everything.

Every tier returns a page source. The same code makes a snapshot of each source and reports whether
the next tier would show more.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, closing, suppress
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

import attrs
import trio

from tabwright.concurrency.grants import hold_grant
from tabwright.config.settings import NetworkSettings
from tabwright.content.html.form_data import Values
from tabwright.content.render.markdown import text_of
from tabwright.content.static_signs import names_view
from tabwright.http.request import accepted
from tabwright.interventions.handoff import HandoffRequest, HumanHandoff
from tabwright.page.errors import navigation_timeout
from tabwright.page.frame_sources import CALM_S
from tabwright.page.scripts import SUBMIT_FORM, form_values
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.errors import (
    BadInput,
    EndlessRedirects,
    ErrorCode,
    ErrorPage,
    InvalidResponse,
    NavigationFailed,
    PageFailed,
    TabwrightError,
    TimeOut,
    having_sent,
)
from tabwright.protocol.extraction import Extractor, ReadOptions, Source
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.inspection import Capture, LocateOnPage, PageLocation
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.progress import OnProgress, report_wait
from tabwright.protocol.rate_limit import AcquirePermit, Governor, Waiting, ignore_wait
from tabwright.protocol.snapshot import (
    ERROR_STATUS_MIN,
    SERVER_ERROR_STATUS_MIN,
    BlockKind,
    CutReason,
    LoadedPage,
    LoadState,
    PageForm,
    PageSnapshot,
    PageSource,
    ScrollEnd,
    Selection,
    Thumbnail,
    Tier,
)
from tabwright.protocol.tab import CHALLENGES, REFUSALS, ReadSource, Tab
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds, check_place, checked_url
from tabwright.protocol.web_urls import WebUrl
from tabwright.text.lines import NAMED_MAX, collapse_whitespace, shortened

Tabs: TypeAlias = Callable[[], AbstractAsyncContextManager[Lease]]
"""The provider of a tab for a reading that needs one."""

WITHOUT: dict[Tier, tuple[BlockKind, ...]] = {2: ("image", "font", "media", "style"), 3: ()}
"""The resource types that the tabs of each tier block."""

WITHOUT_IF_SCROLLED: dict[Tier, tuple[BlockKind, ...]] = {2: ("image", "font", "media"), 3: ()}
"""The same for pages that are scrolled through: style sheets decide what scrolls."""

STAYS_S = 5.0
"""Seconds for the response to a form to begin; many forms stay on their page."""

PARTIAL_S = 3.0
"""Seconds for a page that has timed out to return its partial content."""

PATIENCE = 0.7
"""The share of the time limit of a page for content that is on its way."""

IDLE_S: dict[Tier, float] = {2: 1.5, 3: 5.0}
"""Seconds for a page that shows nothing and requests nothing, in the tabs of each tier."""

FILLED_S = 1.0
"""Seconds after which a page with a part that its scripts may still fill is read again."""

FILLED_READS_MAX = 2
"""How often it is."""

CHALLENGE_S = 6.0
"""Seconds for a page that checks the browser to load the page itself; usually 1 to 5 s."""

STILL_LOADING = (
    "The page was still loading when it was read: some of its content is missing. Read it again "
    "with wait_for and a text that it should show, or raise network.page_timeout_s."
)

STILL_CHANGING = (
    "The page was still changing when it was read: its last text or a number may be incomplete. "
    "Read it again with wait_for and a text that it should show."
)

STILL_REQUESTING = (
    "A request of the page was still open when it was read: more can come. To wait for that, read "
    "it with wait_for and a text that it should show."
)

LOAD_NOTICES = {
    LoadState.LOADING: STILL_LOADING,
    LoadState.CHANGING: STILL_CHANGING,
    LoadState.REQUESTING: STILL_REQUESTING,
}
"""The notices of pages that did not show all of their content when they were read."""

SCROLL_NOTICES = {
    ScrollEnd.WHOLE: "",
    ScrollEnd.BEGINNING: (
        "The page loads more when it is scrolled: the rest is missing. Read it again with scroll."
    ),
    ScrollEnd.MORE: (
        "The page has more than was scrolled through: the rest is missing. To read it, open "
        "the page in a session and scroll further there."
    ),
    ScrollEnd.GATHERED: "",
    ScrollEnd.RECYCLED: (
        "A list of the page keeps only the rows that are in view: the others are missing. To read "
        "them, open the page in a session and scroll the list there, or find the request of its "
        "data."
    ),
}

FRAMES_UNREAD = (
    "These frames of the page showed nothing, were still loading or were not read: {urls}. To read "
    "one, browse its URL."
)

FRAMES_DENIED = (
    "These frames of the page were not read, because network.allow_urls, deny_urls or "
    "allow_private does not allow their URLs, which the user can change: {urls}."
)

HOSTS_UNREAD = (
    "The page has more elements that may have closed shadow roots than are looked into: {count} "
    "were not. To see what they show, take a screenshot."
)

FRAME_URL_CHARACTERS = 1000
"""The length of the URL of a frame in a notice; a longer one is shortened."""

CAPTCHA = "it shows a CAPTCHA, which a person can solve in a tab"
"""The reason for reading a page with a tab that HTTP has returned."""

UNSOLVED = (
    "The page shows a CAPTCHA, and nobody solved it. Open the page in a session and take it over "
    "in the live view, or use `tabwright session login URL`."
)

CAPTCHAS_MAX = 3
"""CAPTCHAs that a person can be asked to solve for one page; some sites show two."""

CONTINUES = -1
"""The rank of further requests for a page: they go before pages that have not been requested."""

FEW_CHARACTERS = 300
"""A tab that shows fewer may have failed where HTTP did not."""

FAR_MORE = 4
"""HTTP returned far more than a tab shows if its text is so many times as long."""

TEXT_LOST = (
    "In a tab, the page shows {shown}. This is the longer text that HTTP returned, without what "
    "its scripts add. To read what a tab shows, use min_tier 2."
)
LESS_IN_TAB = "a tab showed far less than HTTP returned"
"""The reason for reading a page with the first tier although a tab has read it."""

ENOUGH = "HTTP returned enough content"
"""The reason for reading most pages with the first tier."""

REQUESTED = "requested"
OF_SESSION = "its session has a tab"
NO_PAGE = "over HTTP, the page redirects without end, or its server does not keep to HTTP"
"""The reasons for reading a page with a tab at once, or after no response by HTTP."""

LIMITED = "no higher tier was allowed"
SENT_ONCE = "a form is sent once, and was sent by HTTP"
"""The reasons for reading a page with the first tier although it lacks something."""

RAISE_TIER = "Read it with a higher max_tier."
SUBMIT_IN_TAB = "For that, open the page of the form in a tab and submit it there."
"""The ways to what a page lacks."""

TAB_TIER: Tier = 2
"""The first tier in a browser."""

FULL_LOAD_TIER: Tier = 3
"""The tier that loads everything."""

READABLE = ("text/", "application/xhtml+xml", "application/xml", "application/json")
"""The media types that a browser shows as text."""

ADVICE = {
    401: "The page requires a user name and a password.",
    403: "The site refuses programs, or the page needs a log-in: `tabwright session login URL` "
    "opens it in a window.",
    404: "Check the URL, or search for the page.",
    410: "The page was removed: search for another one.",
}
"""The next step for the statuses that have a specific one (RFC 9110, section 15.5)."""


@attrs.frozen(kw_only=True)
class LoadResult:
    """A loaded page.

    Attributes:
        tier_reason: why this tier was used.
        lacking: why the next tier would show more; empty if it would not.
        redirects: the URLs of the redirects, in order.
        cut: why the snapshot is not the whole page; None if it is complete.
        notice: what was missing while loading; usually empty.
        captcha: whether it is a page that asks for a person, instead of the requested page.
        may_be_filled: whether its scripts may fill an empty part of it a moment later.
        screenshot: of the page, if one was requested and could be taken.
        size: the bytes of its source, as far as it was read; after decompression.
    """

    snapshot: PageSnapshot
    tier: Tier
    tier_reason: str
    lacking: str = ""
    redirects: tuple[str, ...] = ()
    cut: CutReason | None = None
    notice: str = ""
    captcha: bool = False
    may_be_filled: bool = False
    screenshot: Thumbnail | None = None
    size: int = 0

    def with_notice(self, notice: str) -> "LoadResult":
        """Return the page with a further notice; an empty one changes nothing."""
        return attrs.evolve(self, notice=" ".join(filter(None, (self.notice, notice))))


@attrs.define(eq=False)
class Turns:
    """The requests to a site for one page, by HTTP and then by a tab: each has its own permit.

    The full load of a page follows in the same tab at once, as a reload by a person does.
    """

    _governor: Address[Governor]
    _site: str
    _waiting: Waiting
    _rank: int = attrs.field(default=0, init=False)
    _begun: trio.Event = attrs.field(factory=trio.Event, init=False)
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def wait(self) -> None:
        """End the last request, and wait until the next one is allowed.

        Raises:
            RateLimited: the wait would be too long; see `Governor.permit`.
        """
        self.close()
        self._begun, self._over = trio.Event(), trio.Event()
        await self._governor.ask(
            Governor.permit,
            AcquirePermit(self._over, self._site, self._begun, self._rank, self._waiting),
        )
        self._rank = CONTINUES

    def begin(self) -> None:
        """Let the interval to the next request count from now, once there is a tab for this one."""
        self._begun.set()

    def close(self) -> None:
        """End the last request."""
        self._over.set()


@attrs.frozen(eq=False)
class TieredLoader:
    """A loader of pages with three tiers."""

    governor: Address[Governor]
    fetcher: Address[Fetcher]
    extractor: Address[Extractor]
    person: HumanHandoff
    settings: NetworkSettings

    async def load(
        self, fetch: Fetch, reading: ReadOptions, tabs: Tabs, progress: OnProgress
    ) -> LoadResult:
        """Return the page of `fetch`, loaded by the lowest sufficient tier of `reading`.

        If the browser fails, the page loaded by HTTP is returned with a notice, unless it is empty.
        Files are always read by HTTP. If a tab shows a CAPTCHA and a person can be asked, the page
        is read after it.

        Raises:
            TabwrightError: see `PageReader.read`.
        """
        url = checked_url(fetch.url, self.settings.bounds)
        site, waiting = site_of(url), partial(report_wait, progress)
        with closing(Turns(self.governor, site, waiting)) as turns:
            await turns.wait()
            first: LoadResult | None = None
            if not reading.needs_tab:
                turns.begin()
                first = await self._before_tab(attrs.evolve(fetch, url=url), reading)
            if first is not None and fetch.payload:
                return without_higher_tier(first, SENT_ONCE, SUBMIT_IN_TAB)
            if first is not None and (not first.lacking or reading.max_tier == 1):
                return without_higher_tier(first, LIMITED)
            try:
                if not reading.needs_tab:
                    await turns.wait()
                async with tabs() as lease:
                    turns.begin()
                    result = await self._by_tab(lease.tab, url, reading, first)
                    if result.captcha and self._asks_person(reading):
                        turns.close()
                        result = await self._after_captcha(lease, url, reading, result, progress)
                    if reading.screenshot:
                        with suppress(TabwrightError):
                            shot = await lease.tab.ask(Tab.inspect, Capture())
                            result = attrs.evolve(result, screenshot=shot)
                    return result
            except TabwrightError as error:
                if error.code is ErrorCode.PARSE:
                    await turns.wait()
                    turns.begin()
                    return await self._by_http(attrs.evolve(fetch, url=url), reading)
                if first is None or not (first.snapshot.content or first.snapshot.data):
                    raise
                notice = f"Read without a browser, which would show more: {first.lacking}. {error}"
                return attrs.evolve(first, notice=notice)

    async def submit(
        self, tabs: Tabs, form: PageForm, values: Values, here: LoadResult, selection: Selection
    ) -> LoadResult:
        """Submit a form of the tab's page as a person would; return the resulting page.

        If no navigation begins within `STAYS_S`, the result is the current page, changed or not.

        Raises:
            PageFailed: the tab shows another page now, or the form is gone.
            TabwrightError: see `load`.
        """
        where = (here.snapshot.url, str(form.index), form.id)
        filled = *where, form_values(values)
        site = site_of(form.action)
        permit = partial(_permit, site, ignore_wait)
        async with hold_grant(self.governor, Governor.permit, permit), tabs() as lease:
            tab = lease.tab
            with navigation_timeout(form.action, self.settings.page_timeout_s):
                page = await tab.ask(Tab.submit, SUBMIT_FORM, filled, STAYS_S)
                if page is None:
                    raise PageFailed(
                        "The form is no longer on the page.",
                        advice="Read the page again. Nothing was submitted.",
                    )
                with having_sent():
                    await self._note(page)
                    source = await self._shown(tab, selection, ReadSource())
        return await self._taken(source, selection, here.tier, "the form was submitted in its tab")

    @property
    def _languages(self) -> str:
        """Return the languages for a tab: the same as those of the fetcher."""
        return ",".join(accepted(self.settings.page_languages))

    async def enter(
        self, url: str, tab: Address[Tab], progress: OnProgress, *, leaves: bool = True
    ) -> tuple[LoadedPage, PageLocation]:
        """Open a page in a tab as a person would see it, and wait until its document has settled.

        One deadline covers both: a page that does not settle in time is used as it is then.

        Raises:
            NavigationFailed: there is no page: the host is unreachable, or the URL leads to a file.
                Or the previous page stays; see `Tab.navigate`.
            TabwrightError: see `load`.
        """
        checked = checked_url(url, self.settings.bounds)
        permit = partial(_permit, site_of(checked), partial(report_wait, progress))
        async with hold_grant(self.governor, Governor.permit, permit):
            await tab.ask(Tab.do_without, WITHOUT[FULL_LOAD_TIER])
            deadline = trio.current_time() + self.settings.page_timeout_s
            with navigation_timeout(checked, self.settings.page_timeout_s):
                page = await tab.ask(Tab.navigate, checked, leaves=leaves)
            await self._note(page)
        place = PageLocation(page.url, "")
        with trio.move_on_at(deadline), having_sent():
            place = await tab.ask(Tab.inspect, LocateOnPage(settles=True))
        return page, place

    def check_place(self, url: str) -> None:
        """Check the URL to which a page may have led its tab.

        Raises:
            BadInput: the URL is not allowed.
        """
        check_place(url, self.settings.bounds)

    async def again(self, tab: Address[Tab], selection: Selection) -> LoadResult:
        """Return the page that a tab shows now.

        Raises:
            TabwrightError: the tab does not return its page.
        """
        source = await self._shown(tab, selection, ReadSource(as_is=True))
        return await self._taken(source, selection, FULL_LOAD_TIER, "its tab is open for actions")

    def _asks_person(self, reading: ReadOptions) -> bool:
        """Return whether the caller asks a person, and may."""
        return reading.asks_person and self.person.within_s > 0

    async def _after_captcha(
        self,
        lease: Lease,
        url: str,
        reading: ReadOptions,
        shown: LoadResult,
        progress: OnProgress,
    ) -> LoadResult:
        """Wait for a person to solve the CAPTCHA of a tab, and return the page after it.

        If it is not solved, the page with the CAPTCHA is returned.

        Raises:
            TabwrightError: the page after it cannot be read.
        """
        result = shown

        async def go(tab: Address[Tab]) -> None:
            await tab.ask(Tab.navigate, url, self._languages, whole=True)

        async def is_solved(tab: Address[Tab]) -> bool:
            source = await tab.ask(Tab.read_source, ReadSource(as_is=True))
            if source.page.status in REFUSALS:  # its CAPTCHA can still come, by a script
                return False
            taken = await self.extractor.ask(Extractor.take, source, Selection(), FULL_LOAD_TIER)
            return not taken.captcha

        need = HandoffRequest(site_of(url), go, is_solved)
        for _ in range(CAPTCHAS_MAX):
            there = result.snapshot.url
            solution = await self.person.solution_in(need, there, lease, progress)
            if solution.state is not InterventionState.SOLVED:
                break
            patient = self._patient(reading, FULL_LOAD_TIER)
            source = await self._shown(lease.tab, reading.selection, patient)
            reason = "a person solved its CAPTCHA"
            result = await self._taken(source, reading.selection, FULL_LOAD_TIER, reason)
            if not result.captcha:
                return attrs.evolve(result, redirects=shown.redirects)
        return result

    async def _by_http(self, fetch: Fetch, reading: ReadOptions) -> LoadResult:
        fetched = await self.fetcher.ask(Fetcher.fetch, fetch)
        await self._note(fetched.page)
        reason = "the cache had enough content" if fetched.from_cache else ENOUGH
        result = await self._taken(fetched, reading.selection, 1, reason)
        is_for_person = result.captcha and self._asks_person(reading)
        lacking = CAPTCHA if is_for_person else result.lacking
        return attrs.evolve(result, redirects=fetched.chain, lacking=lacking)

    async def _before_tab(self, fetch: Fetch, reading: ReadOptions) -> LoadResult | None:
        """Return the page as HTTP returns it; None if it returns none that a tab may open."""
        try:
            return await self._by_http(fetch, reading)
        except (EndlessRedirects, InvalidResponse):
            if fetch.payload or reading.max_tier == 1:
                raise
            return None

    async def _by_tab(
        self, tab: Address[Tab], url: str, reading: ReadOptions, first: LoadResult | None
    ) -> LoadResult:
        is_full = reading.screenshot or reading.min_tier == FULL_LOAD_TIER
        tier: Tier = FULL_LOAD_TIER if is_full else 2
        at_once = REQUESTED if reading.min_tier > 1 else OF_SESSION
        unread = at_once if reading.needs_tab else NO_PAGE
        reason = first.lacking if first else unread
        result = await self._by_tier(tab, url, reading, tier, reason)
        if result.lacking and tier < reading.max_tier:
            result = await self._by_tier(tab, url, reading, FULL_LOAD_TIER, result.lacking)
        result = without_higher_tier(result, result.tier_reason)
        if first is None:
            return result
        return richer(first, attrs.evolve(result, redirects=first.redirects))

    async def _by_tier(
        self, tab: Address[Tab], url: str, reading: ReadOptions, tier: Tier, reason: str
    ) -> LoadResult:
        without = WITHOUT_IF_SCROLLED if reading.scroll else WITHOUT
        await tab.ask(Tab.do_without, without[tier])
        try:
            with navigation_timeout(url, self.settings.page_timeout_s):
                whole = tier == FULL_LOAD_TIER
                page = await tab.ask(
                    Tab.navigate, url, self._languages, whole=whole, leaves=reading.leaves
                )
                await self._note(page)
                if page.mime_type and not page.mime_type.startswith(READABLE):
                    raise NavigationFailed(
                        (
                            Quoted(page.url),
                            " is ",
                            Quoted(page.mime_type),
                            ", which a browser does not show as text.",
                        ),
                        retryable=False,
                        code=ErrorCode.PARSE,
                    )
                waiting = self._waiting(reading, tier, page)
                if reason != OF_SESSION:
                    waiting = attrs.evolve(waiting, calm_s=CALM_S)
                source = await self._shown(tab, reading.selection, waiting)
                result = await self._taken(source, reading.selection, tier, reason)
                is_patient = not (reading.wait_for or reading.scroll)  # which waited for it
                for _ in range(FILLED_READS_MAX if is_patient else 0):
                    is_next_tier = result.lacking and tier < reading.max_tier
                    is_changing = source.load_state is LoadState.CHANGING
                    if is_next_tier or is_changing or not result.may_be_filled:
                        break
                    await trio.sleep(FILLED_S)
                    again = attrs.evolve(waiting, idle_s=0, challenge_s=0)
                    source = await self._shown(tab, reading.selection, again)
                    result = await self._taken(source, reading.selection, tier, reason)
        except TimeOut as late:
            source = await self._partial(tab, late)
            result = await self._taken(source, reading.selection, tier, reason)
            if not result.snapshot.content:
                raise
            part = attrs.evolve(result.snapshot, cut="time_out")
            return attrs.evolve(result, snapshot=part, lacking="", cut="time_out")
        is_last = not result.lacking or tier == reading.max_tier
        is_whole = source.load_state is LoadState.WHOLE
        is_cut = not is_whole or result.captcha or page.status >= ERROR_STATUS_MIN
        if is_last and source.scrolled is ScrollEnd.WHOLE and not is_cut:
            return await _with_list_end(tab, result, is_scrolled=reading.scroll)
        return result

    def _waiting(self, reading: ReadOptions, tier: Tier, page: LoadedPage) -> ReadSource:
        """Return how long to wait for the content of a page; error pages are there at once."""
        if page.status >= ERROR_STATUS_MIN:
            return ReadSource(challenge_s=CHALLENGE_S if may_be_challenge(page) else 0, idle_s=0)
        return self._patient(reading, tier)

    def _patient(self, reading: ReadOptions, tier: Tier) -> ReadSource:
        loading_s = self.settings.page_timeout_s * PATIENCE
        idle_s = loading_s if reading.wait_for else IDLE_S[tier]
        return ReadSource(
            loading_s=loading_s,
            idle_s=idle_s,
            wait_for=reading.wait_for,
            scroll=reading.scroll,
        )

    async def _shown(
        self, tab: Address[Tab], selection: Selection, reading: ReadSource
    ) -> PageSource:
        source = await tab.ask(Tab.read_source, reading)
        if not selection.tree:
            return source
        tree = await tab.ask(Tab.read_tree)
        is_gathered = source.scrolled is ScrollEnd.GATHERED  # in the HTML, not in the tree
        scrolled = ScrollEnd.RECYCLED if is_gathered else source.scrolled
        return attrs.evolve(source, tree=tree, scrolled=scrolled)

    async def _partial(self, tab: Address[Tab], late: TimeOut) -> PageSource:
        """Return the partial content of a page that has timed out.

        Raises:
            TimeOut: there is no content.
        """
        with trio.move_on_after(PARTIAL_S), suppress(TabwrightError):
            return attrs.evolve(await tab.ask(Tab.read_source, ReadSource()), cut=True)
        raise late

    async def _taken(
        self, source: Source, selection: Selection, tier: Tier, reason: str
    ) -> LoadResult:
        taken = await self.extractor.ask(Extractor.take, source, selection, tier)
        # An error page is a file in every tier, unless it checks the browser first.
        is_error = source.page.status >= ERROR_STATUS_MIN
        is_challenge = tier == 1 and may_be_challenge(source.page)
        notice = taken.snapshot.notice
        if isinstance(source, PageSource):
            loading = LOAD_NOTICES.get(source.load_state, notice)
            scrolled = SCROLL_NOTICES[source.scrolled]
            frames = frames_notice(source.unread, self.settings.bounds)
            hosts = HOSTS_UNREAD.format(count=source.unread_hosts) if source.unread_hosts else ""
            notice = " ".join(filter(None, (loading, scrolled, frames, hosts)))
        return LoadResult(
            snapshot=taken.snapshot,
            tier=tier,
            tier_reason=reason,
            lacking="" if is_error and not is_challenge else taken.lacking,
            cut=taken.snapshot.cut,
            notice=UNSOLVED if taken.captcha else notice,
            captcha=taken.captcha,
            may_be_filled=taken.may_be_filled,
            size=len(source.body if isinstance(source, Fetched) else source.html),
        )

    async def _note(self, page: LoadedPage) -> None:
        """Record that a host refuses requests: pause it, so that further requests wait."""
        if page.status in REFUSALS:
            await self.governor.ask(Governor.note_refusal, site_of(page.url), page.retry_after_s)


async def _with_list_end(tab: Address[Tab], result: LoadResult, *, is_scrolled: bool) -> LoadResult:
    """Return a page that a tab shows; if its list loads more on scrolling, it says so."""
    with suppress(TabwrightError):  # the page is read already
        end = await tab.ask(Tab.list_end)
        if is_scrolled and end is ScrollEnd.BEGINNING:
            end = ScrollEnd.MORE
        return result.with_notice(SCROLL_NOTICES[end])
    return result


def without_higher_tier(result: LoadResult, reason: str, way: str = RAISE_TIER) -> LoadResult:
    """Return a page that is read with no higher tier; if it lacks something, it says so.

    Args:
        result: the page.
        reason: why it is not read with a higher tier, if it lacks something.
        way: how to read the rest.
    """
    if not result.lacking or result.captcha:
        return result
    notice = f"A higher tier would read the page better: {result.lacking}. {way}"
    return attrs.evolve(result.with_notice(notice), tier_reason=reason)


def richer(by_http: LoadResult, in_tab: LoadResult) -> LoadResult:
    """Return a page as a tab shows it, or as HTTP returned it if the tab shows far less.

    Its scripts can fail in the tab, or hide the content until something happens.
    """
    before, after = by_http.snapshot, in_tab.snapshot
    urls = {one.url.partition("#")[0] for one in (before, after)}
    is_same = len(urls) == 1 and before.status == after.status
    if not is_same or by_http.captcha or in_tab.captcha or names_view(after.url):
        return in_tab
    text = _beginning(after, FEW_CHARACTERS)
    enough = FAR_MORE * max(len(text), FEW_CHARACTERS // FAR_MORE)
    if len(text) >= FEW_CHARACTERS or len(_beginning(before, enough)) < enough:
        return in_tab
    shown = f"only “{shortened(text)}”" if text else "nothing"
    notice = TEXT_LOST.format(shown=shown)
    return attrs.evolve(by_http, notice=notice, tier_reason=LESS_IN_TAB)


def _beginning(page: PageSnapshot, characters: int) -> str:
    """Return the text of a page in one line, at least so many characters if it has them."""
    text = ""
    for block in page.content:
        text = f"{text} {collapse_whitespace(text_of((block,)))}".strip()
        if len(text) >= characters:
            break
    return text


def check_status(url: str, status: int, text: str = "") -> None:
    """Reject error pages, for callers that accept only the requested page.

    Raises:
        ErrorPage: the page is an error page; `text` is its text.
    """
    if status < ERROR_STATUS_MIN:
        return
    servers = status >= SERVER_ERROR_STATUS_MIN
    raise ErrorPage(
        (Quoted(url), f" answered with HTTP status {status}."),
        advice=ADVICE.get(status, ""),
        retryable=servers or status == HTTPStatus.TOO_MANY_REQUESTS,
        code=ErrorCode.HTTP_SERVER if servers else ErrorCode.HTTP_CLIENT,
        status=status,
        text=text,
    )


def frames_notice(unread: Sequence[str], bounds: Bounds) -> str:
    """Return the notice of the frames that were not read; empty if all were."""
    allowed = dict.fromkeys(url for url in unread if bounds.admit(url))
    denied = dict.fromkeys(url for url in unread if not bounds.admit(url))
    notices: list[str] = []
    for urls, notice in ((allowed, FRAMES_UNREAD), (denied, FRAMES_DENIED)):
        if urls:
            more = len(urls) - NAMED_MAX
            named = ", ".join(
                shortened(url, FRAME_URL_CHARACTERS) for url in list(urls)[:NAMED_MAX]
            )
            notices.append(notice.format(urls=f"{named} and {more} more" if more > 0 else named))
    return " ".join(notices)


def may_be_challenge(page: LoadedPage) -> bool:
    """Return whether an error page may check the browser first, and then load the page itself."""
    return page.status in CHALLENGES and page.retry_after_s is None


def site_of(url: str) -> str:
    """Return the host as browsers spell it; empty if the URL is not http or https."""
    try:
        return WebUrl.read(url).host
    except BadInput:
        return ""


def _permit(host: str, waiting: Waiting, over: Expiry) -> AcquirePermit:
    return AcquirePermit(over, host, waiting=waiting)
