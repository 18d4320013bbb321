"""The tabs of a session: leased when needed, kept between requests.

A new tab receives the cookies of the one before, and the ``localStorage`` of its pages.
"""

import math
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.concurrency.grants import end_on_failure
from tabwright.content.html.form_data import Values
from tabwright.page.errors import translate_tab_loss
from tabwright.page.frames import REPORT_S
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool, Lease, LeaseTab, OpenPage, TabUse
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import (
    BadInput,
    BrowserDied,
    Effect,
    HintKind,
    InternalError,
    PageFailed,
    PageStays,
    TabClosed,
    TabLost,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.fetch import Fetcher
from tabwright.protocol.inspection import ListPageTools, LocateOnPage, PageLocation, PageTool
from tabwright.protocol.progress import OnProgress, report_wait
from tabwright.protocol.session_data import ReadPageState, RestorePageState, SleepingPage
from tabwright.protocol.tab import OriginStorage, Tab
from tabwright.protocol.urls import ABOUT_BLANK
from tabwright.reader.tiers import LoadResult
from tabwright.sessions.store import NavigationHistory
from tabwright.text.hints import advised

# The ``localStorage`` of a session, kept here so that it survives the loss of a tab.

ORIGINS_MAX = 20
"""Maximum number of origins, the most recent; `read_storage.js` limits the size of each."""


@attrs.define(eq=False)
class SessionStorage:
    """The saved ``localStorage`` by origin, the most recently visited origin last."""

    _kept: dict[str, OriginStorage] = attrs.field(factory=dict[str, OriginStorage])
    _lacking: set[str] = attrs.field(factory=set[str])

    @classmethod
    def of(cls, saved: Iterable[OriginStorage]) -> "SessionStorage":
        """Return a storage with saved values that no tab has loaded yet."""
        return cls({one.origin: one for one in tuple(saved)[-ORIGINS_MAX:]})

    @property
    def kept(self) -> tuple[OriginStorage, ...]:
        """Return all known values."""
        return tuple(self._kept.values())

    @property
    def lacking(self) -> tuple[OriginStorage, ...]:
        """Return the values that the tab needs when it first visits their origins."""
        return tuple(one for one in self.kept if one.origin in self._lacking)

    def replace(self, values: Iterable[OriginStorage]) -> None:
        """Forget all values, and keep others that no tab has loaded yet."""
        self._kept = {one.origin: one for one in tuple(values)[-ORIGINS_MAX:]}
        self._lacking = set(self._kept)

    def begin_tab(self) -> None:
        """Record that a new tab has loaded nothing."""
        self._lacking = set(self._kept)

    def note(self, found: OriginStorage | None) -> None:
        """Record the current values of the tab's page."""
        if found is None:
            return
        self._lacking.discard(found.origin)
        self._kept.pop(found.origin, None)
        if found.items:
            self._kept[found.origin] = found
        for origin in list(self._kept)[:-ORIGINS_MAX]:
            del self._kept[origin]


@attrs.define(eq=False)
class SessionOptions:
    """The options of a session's context, shared by its tabs."""

    current: ContextOptions = attrs.field(factory=ContextOptions)


COMES_AGAIN = advised(HintKind.LOAD_AGAIN)

NOTE_S = 2.0
"""Minimum seconds between two reads of cookies and storage of a tab with actions."""

UNREAD_PAGE = SleepingPage(lost=("form fields", "scroll position"))
"""The state of a page that could not be read."""


@attrs.frozen(eq=False)
class LeasedTab:
    """A tab that a session has until it gives it back.

    Attributes:
        over: set to give the tab back, which closes it unless it is the user's.
        closing: set before that to close a tab of the user, too.
    """

    lease: Lease
    over: trio.Event
    closing: trio.Event

    @property
    def tab(self) -> Address[Tab]:
        """Return the tab."""
        return self.lease.tab


@attrs.define(eq=False)
class SessionTab:
    """A tab that is opened on demand, and the known state of its page.

    Attributes:
        own: whether it is in the user's browser or profile: its cookies and storage are never
            copied, and it stays open at the end.
        target: the page of the user that it adopts on demand; empty for a new page.
        history: the URLs that it has visited; without a position before its first page.
        title: the last known title of its page.
        loaded: how its page was loaded, if it was read; None before.
        live: whether the page is open to actions, so that it may have changed since it was read.
        values: the values filled into the forms of a page that is not open to actions.
        asleep: the state of its page, if the tab was closed because it was not used; it is restored
            when the page is loaded again.
        notices: sentences about what could not be restored, for the next answer.
        give_up: is called when the tab should be closed; must not block.
    """

    session: str
    context: str
    supervisor: Address[BrowserPool]
    fetcher: Address[Fetcher]
    storage: SessionStorage = attrs.field(factory=SessionStorage)
    options: SessionOptions = attrs.field(factory=SessionOptions)
    own: bool = False
    give_up: Callable[["SessionTab"], None] | None = None
    target: str = attrs.field(default="", init=False)
    history: NavigationHistory = attrs.field(factory=NavigationHistory, init=False)
    title: str = attrs.field(default="", init=False)
    loaded: LoadResult | None = attrs.field(default=None, init=False)
    live: bool = attrs.field(default=False, init=False)
    values: dict[int, Values] = attrs.field(factory=dict[int, Values], init=False)
    asleep: SleepingPage | None = attrs.field(default=None, init=False)
    notices: tuple[str, ...] = attrs.field(default=(), init=False)
    _held: LeasedTab | None = attrs.field(default=None, init=False)
    _opening: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _users: int = attrs.field(default=0, init=False)
    _works: int = attrs.field(default=0, init=False)
    _noted_s: float = attrs.field(default=-math.inf, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.live = self.own  # plain HTTP would be without the cookies

    def set_location(self, url: str, title: str, moved: NavigationHistory | None = None) -> None:
        """Record the URL of the page; `moved` is the new history after one step along it."""
        if moved is not None or url != self.history.url:
            self.history = moved or self.history.gone_to(url)
        self.title = title

    @property
    def open(self) -> bool:
        """Return whether the tab is open now."""
        return self._held is not None

    @asynccontextmanager
    async def working(self, progress: OnProgress) -> AsyncGenerator[Lease]:
        """Lend the tab to the block for work.

        If the block fails, the tab is closed; the cookies saved before and the storage are kept.
        Only a page that stays because it asked whether to leave it keeps its tab.

        Raises:
            TabsBusy, BrowserUnavailable: no tab is available.
            BrowserDied, PageFailed: the tab was lost.
        """
        with translate_tab_loss(), self._at_work():
            held = await self._ready_for_work(progress)
            try:
                yield held.lease
                if not self.own:
                    await self.note_storage()
                    cookies = await held.tab.ask(Tab.cookies)
                    await self.fetcher.ask(Fetcher.set_cookies, self.session, cookies)
                await self.supervisor.ask(BrowserPool.change_use, held.lease.number, TabUse.KEPT)
            except PageStays:
                await self.supervisor.ask(BrowserPool.change_use, held.lease.number, TabUse.KEPT)
                raise
            except BaseException:
                self._give_back(held, closing=not self.target)
                raise

    @contextmanager
    def _at_work(self) -> Generator[None]:
        self._works += 1
        try:
            yield
        finally:
            self._works -= 1

    async def _ready_for_work(self, progress: OnProgress) -> LeasedTab:
        """Return the tab, ready for work; if that fails or is cancelled, the tab becomes idle."""
        try:
            return await self._ready(progress)
        except BaseException:
            if self._held is not None and not self._users:
                self._rest(self._held)
            raise

    @asynccontextmanager
    async def acting(self, progress: OnProgress) -> AsyncGenerator[Address[Tab]]:
        """Lend the tab to the block for actions, and keep it whatever the outcome.

        Raises:
            TabClosed: the page closed the tab.
            TabLost: the tab is gone for another reason, with everything in it.
            TabsBusy: too many tabs are working at the same time.
        """
        self._users += 1
        held = self._held
        try:
            if held is None:
                held = await self._ready(progress)
            else:
                await self._begin_work(held, progress)
            yield held.tab
        except TabClosed:
            self._give_back(held)
            raise
        except TabLost as loss:
            self._give_back(held, closing=not self.target)
            self.target = ""  # it would be lost again
            raise TabLost(loss.reason, **COMES_AGAIN) from loss
        except BrowserDied as loss:
            self._give_back(held)
            self.target = ""
            raise TabLost(loss.chunks, **COMES_AGAIN) from loss
        except InternalError:  # the tab is not lost
            raise
        except (Undelivered, Unanswered) as loss:
            self._give_back(held)
            self.target = ""
            raise _lost(loss) from loss
        finally:
            self._users -= 1
            if self._held is not None and not self._users:
                self._rest(self._held)

    async def adopt(self, target: str, beside: "SessionTab", progress: OnProgress) -> None:
        """Adopt a page that another tab of the session has opened.

        Raises:
            TabsBusy, PageFailed: the page cannot be adopted.
        """
        async with self._opening:
            self.target = target if self.own else ""
            held = await self._leased(progress, target, beside.worker)
            await self._apply_options(held)
            self._rest(held)

    async def close_popups(self, targets: Collection[str]) -> None:
        """Close pages that its page has opened and no tab adopted, even if cancelled."""
        if self._held is not None and targets:
            with trio.move_on_after(REPORT_S, shield=True), suppress(TabwrightError):
                await self._held.tab.ask(Tab.close_popups, tuple(targets))

    @property
    def worker(self) -> int | None:
        """Return the worker of the tab's browser, or None if there is none."""
        return self._held.lease.worker if self._held else None

    async def whereabouts(self) -> tuple[str, str]:
        """Return the URL and title of the page, or the last known ones if it does not respond."""
        if place := await self._place():
            return place.url, place.title
        return self.history.url, self.title

    async def _place(self) -> PageLocation | None:
        """Return the URL of the page, or None if it does not respond within `REPORT_S` seconds."""
        with trio.move_on_after(REPORT_S), suppress(TabwrightError):
            if self._held is not None:
                return await self._held.tab.ask(Tab.inspect, LocateOnPage())
        return None

    async def page_tools(self) -> tuple[PageTool, ...]:
        """Return the tools of the page; none if it does not respond within `REPORT_S` seconds."""
        with trio.move_on_after(REPORT_S), suppress(TabwrightError):
            if self._held is not None:
                return await self._held.tab.ask(Tab.inspect, ListPageTools())
        return ()

    async def note(self) -> None:
        """Read cookies and storage, unless they were read from this tab a moment ago."""
        if not self.own and trio.current_time() >= self._noted_s + NOTE_S:
            self._noted_s = trio.current_time()
            await self.note_cookies()
            await self.note_storage()

    async def note_cookies(self) -> None:
        """Read the cookies of the tab, if it is open; give up after `REPORT_S` seconds."""
        if self._held is not None and not self.own:
            with trio.move_on_after(REPORT_S), suppress(TabwrightError):
                cookies = await self._held.tab.ask(Tab.cookies)
                await self.fetcher.ask(Fetcher.set_cookies, self.session, cookies)

    async def note_storage(self) -> None:
        """Read the storage of the tab's page, if it is open; give up after `REPORT_S` seconds."""
        if self._held is not None and not self.own:
            with trio.move_on_after(REPORT_S), suppress(TabwrightError):
                self.storage.note(await self._held.tab.ask(Tab.storage))

    async def read_state(self) -> SleepingPage | None:
        """Return the state of the page, for `sleep`; None if the tab must stay open.

        Cookies and storage are noted. A page that does not respond loses its state.
        """
        await self.note_cookies()
        await self.note_storage()
        if self.asleep is not None or not self.live:
            return self.asleep or SleepingPage()
        if self._held is None or (place := await self._place()) is None:
            return UNREAD_PAGE
        if place.dialog is not None or place.person_acts:
            return None
        try:
            with trio.move_on_after(REPORT_S):
                return await self._held.tab.ask(Tab.inspect, ReadPageState())
        except TabwrightError:
            pass
        return UNREAD_PAGE

    @property
    def kept_state(self) -> SleepingPage:
        """Return the state that the page had when the tab was closed; an open one is not read."""
        return self.asleep or (UNREAD_PAGE if self.open else SleepingPage())

    def sleep(self, state: SleepingPage) -> None:
        """Close the tab, and keep the state of its page until the page is needed again."""
        if state.url and state.url != ABOUT_BLANK:
            self.set_location(state.url, self.title)
        if self.live:
            self.asleep = state
            self.loaded = None  # the page is read again
        self._give_back(self._held)

    def stay_awake(self) -> None:
        """Report that the tab is not closed."""
        if self._held is not None and not (self._users or self._works):
            self._rest(self._held)

    async def wake(self, state: SleepingPage, progress: OnProgress) -> None:
        """Restore the state of the page, which was loaded again; `notices` are the losses."""
        lost = list(state.lost)
        async with self.acting(progress) as tab:
            if state.session:  # only for the first document of the tab
                await tab.ask(Tab.set_storage, self.storage.lacking)
            if state.content:
                try:
                    lost += await tab.ask(Tab.inspect, RestorePageState(state))
                except PageFailed:
                    lost += ["form fields", "scroll position"]
        if lost:
            parts = ", ".join(dict.fromkeys(lost))
            self.notices = (f"The page was loaded again, without: {parts}.",)

    def take_notices(self) -> tuple[str, ...]:
        """Return `notices`, and clear them."""
        notices, self.notices = self.notices, ()
        return notices

    def give_back(self, *, closing: bool = False) -> None:
        """Close the tab, if open; callers that still wait for it no longer find it.

        Args:
            closing: whether it is closed even if it is a tab of the user.
        """
        self._closed = True
        self._give_back(self._held, closing=closing)

    def _give_back(self, held: LeasedTab | None, *, closing: bool = False) -> None:
        """Close a tab, which may differ from the current one."""
        if held is not None:
            if closing:
                held.closing.set()
            held.over.set()
        if self._held is held:
            self._held = None

    async def _ready(self, progress: OnProgress) -> LeasedTab:
        """Return a tab with the session's cookies and storage: the open one, unless it is lost."""
        async with self._opening:
            if (held := self._held) is not None:
                try:
                    await self._begin_work(held, progress)
                    return await self._with_session_state(held)
                except (Undelivered, Unanswered):
                    self._give_back(held)
            held = await self._leased(progress, self.target)
            try:
                return await self._with_session_state(held)
            except BaseException:
                self._give_back(held)  # without its cookies it is useless
                raise

    async def _begin_work(self, held: LeasedTab, progress: OnProgress) -> None:
        queued = partial(report_wait, progress)
        await self.supervisor.ask(BrowserPool.change_use, held.lease.number, TabUse.READING, queued)

    def _rest(self, held: LeasedTab) -> None:
        self.supervisor.notify(BrowserPool.change_use, held.lease.number, TabUse.KEPT)

    async def _leased(
        self, progress: OnProgress, pop_up: str = "", worker: int | None = None
    ) -> LeasedTab:
        over, closing = trio.Event(), trio.Event()
        request = LeaseTab(
            over,
            TabUse.READING,
            f"session {self.session}",
            context=self.context,
            pop_up=pop_up,
            own=self.own,
            closes=closing.is_set,
            worker=0 if self.own else worker,
            queued=partial(report_wait, progress),
            give_up=partial(self.give_up, self) if self.give_up and not self.own else None,
        )
        try:
            with end_on_failure(over):
                lease = await self.supervisor.ask(BrowserPool.lease_tab, request)
        except PageFailed as failure:
            if self.target and pop_up == self.target:
                self.target = ""  # the user has closed it
                raise TabClosed from failure
            raise
        if self._closed:
            over.set()
            raise TabClosed
        held = self._held = LeasedTab(lease, over, closing)
        self.storage.begin_tab()
        return held

    async def _with_session_state(self, held: LeasedTab) -> LeasedTab:
        if self.own:
            await self._apply_options(held)
            return held
        cookies = await self.fetcher.ask(Fetcher.cookies, self.session)
        # Without cookies too: a lost tab reports its loss.
        await held.tab.ask(Tab.set_cookies, cookies)
        session = None
        if self.asleep is not None and self.asleep.session:
            session = OriginStorage(self.asleep.origin, self.asleep.session)
        await held.tab.ask(Tab.set_storage, self.storage.lacking, session=session)
        await self._apply_options(held)
        return held

    async def _apply_options(self, held: LeasedTab) -> None:
        if self.options.current != ContextOptions():  # those of a new tab
            await held.tab.ask(Tab.set_options, self.options.current)


def _lost(loss: Undelivered | Unanswered) -> TabClosed | TabLost:
    """Return the reason why a tab could not respond."""
    begun = loss.effect is not Effect.NONE
    match loss.__cause__:
        case TabClosed():
            return TabClosed()
        case TabLost(reason=reason) | TabwrightError(chunks=reason):
            return TabLost(reason, **COMES_AGAIN, begun=begun)
        case _:
            return TabLost("", **COMES_AGAIN, begun=begun)


# All tabs of a session: numbered, in one browser context, one of them current.

TABS_MAX = 16
"""Maximum number of tabs that a session opens."""

ADOPTED_MAX = 100
"""Maximum number of open pages of the user that a session lists: it attaches to those it uses."""


@attrs.define(eq=False)
class SessionTabs:
    """The tabs of a session, of which the first exists before it is needed.

    Attributes:
        current: the number of the tab that is used if none is named.
    """

    _new: Callable[[], SessionTab]
    current: int = attrs.field(default=1, init=False)
    _tabs: dict[int, SessionTab] = attrs.field(factory=dict[int, SessionTab], init=False)
    _latest: int = attrs.field(default=1, init=False)

    def __attrs_post_init__(self) -> None:
        self._tabs[1] = self._new()

    def __iter__(self) -> Iterator[tuple[int, SessionTab]]:
        return iter(tuple(self._tabs.items()))

    def __getitem__(self, number: int | None) -> SessionTab:
        """Return a tab by its number, or the current one.

        Raises:
            BadInput: there is no such tab.
        """
        tab = self._tabs.get(self.current if number is None else number)
        if tab is None:
            known = ", ".join(map(str, self._tabs))
            raise BadInput(f"There is no tab {number}.", advice=f"There are: {known}.")
        return tab

    def add(self) -> int:
        """Add a tab, make it the current one and return its number.

        Raises:
            BadInput: there are too many tabs.
        """
        if sum(not tab.target for tab in self._tabs.values()) >= TABS_MAX:
            raise BadInput(f"The session has {TABS_MAX} tabs.", advice="Close one of them.")
        self._latest += 1
        self._tabs[self._latest] = self._new()
        self.current = self._latest
        return self.current

    def follow(self, pages: Iterable[OpenPage]) -> None:
        """Add a tab for each new page of the user; remove the tabs of pages that are gone."""
        present = {page.target: page for page in list(pages)[:ADOPTED_MAX]}
        for number, tab in self:
            known = present.pop(tab.target, None)
            if known is not None and not tab.open:
                tab.set_location(known.url, known.title)
            elif tab.target and not tab.open:
                self._remove(number)
        for page in present.values():
            if page.leased:
                continue
            first = self[None]
            if self._latest > 1 or first.target or first.open or first.history.urls:
                self._latest += 1
                self._tabs[self._latest] = self._new()
            tab = self._tabs[self._latest]
            tab.target = page.target
            tab.set_location(page.url, page.title)

    def restore(self, numbers: Iterable[int], current: int) -> None:
        """Have new tabs with these numbers instead of the first one."""
        self._tabs = {number: self._new() for number in numbers}
        self._latest = max(self._tabs)
        self.current = current

    def switch(self, number: int) -> None:
        """Make another tab the current one.

        Raises:
            BadInput: there is no such tab.
        """
        _ = self[number]
        self.current = number

    @contextmanager
    def one_more(self) -> Generator[tuple[int, SessionTab]]:
        """Add a tab, which stays if the block succeeds; otherwise restore the previous state.

        Raises:
            BadInput: there are too many tabs.
        """
        before, number = self.current, self.add()
        try:
            yield number, self._tabs[number]
        except BaseException:
            if number in self._tabs:
                self.close(number, closing=not self._tabs[number].target)
            if before in self._tabs:
                self.current = before
            raise

    def close(self, number: int | None, *, closing: bool = True) -> None:
        """Close a tab; the most recent other one becomes current, or a new and empty one.

        Args:
            number: of the tab; None for the current one.
            closing: whether it is closed even if it is a tab of the user.

        Raises:
            BadInput: there is no such tab.
        """
        self[number].give_back(closing=closing)
        self._remove(self.current if number is None else number)

    def _remove(self, number: int) -> None:
        self._tabs.pop(number)
        if not self._tabs:
            self._latest += 1
            self._tabs[self._latest] = self._new()
        if self.current not in self._tabs:
            self.current = max(self._tabs)

    def number_of(self, tab: SessionTab) -> int | None:
        """Return the number of a tab; None if it was closed."""
        return next((number for number, one in self if one is tab), None)

    def empty(self, number: int) -> None:
        """Clear the page and the history of a tab."""
        self[number].give_back(closing=True)
        self._tabs[number] = self._new()

    @contextmanager
    def losing(self, tab: SessionTab) -> Generator[None]:
        """Remove a tab from the session if its page closes it during the block."""
        try:
            yield
        except TabClosed as closed:
            for number, own in self:
                if own is tab:
                    self.close(number)
            closed.advise(
                advice=f"Tab {self.current} is now the current tab."
                if self[None].history.urls
                else "Navigate to a page: the session has no other."
            )
            closed.retryable = False
            raise

    def give_back(self) -> None:
        """Close all tabs."""
        for tab in self._tabs.values():
            tab.give_back()
