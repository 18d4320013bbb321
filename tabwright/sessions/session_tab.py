"""The tabs of a session: leased when needed, kept between requests.

A new one has the cookies of the one before, and what its pages kept in ``localStorage``.
"""

import math
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.content.html.form_data import Values
from tabwright.page.errors import translate_tab_loss
from tabwright.protocol.actor import Address, Invoke
from tabwright.protocol.browser_pool import BrowserPool, ChangeUse, Lease, LeaseTab, TabUse
from tabwright.protocol.errors import (
    BadInput,
    BrowserDied,
    HintKind,
    TabClosed,
    TabLost,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.fetch import Fetcher, GetCookies, SetCookies
from tabwright.protocol.inspection import LocateOnPage, PageLocation
from tabwright.protocol.progress import OnProgress, report_wait
from tabwright.protocol.tab import (
    Inspect,
    LeavePage,
    OriginStorage,
    SetTabCookies,
    SetTabStorage,
    Tab,
)
from tabwright.reader.tiers import LoadResult
from tabwright.sessions.store import NavigationHistory
from tabwright.text.hints import advised

# The ``localStorage`` of a session, kept here so that a tab can be lost.

ORIGINS_MAX = 20
"""Those that were visited last; each may keep as much as `read_storage.js` reads."""


@attrs.define(eq=False)
class SessionStorage:
    """By origin, those visited last at the end."""

    _kept: dict[str, OriginStorage] = attrs.field(factory=dict[str, OriginStorage])
    _lacking: set[str] = attrs.field(factory=set[str])

    @classmethod
    def of(cls, saved: Iterable[OriginStorage]) -> "SessionStorage":
        """What was saved, of which no tab has anything yet."""
        return cls({one.origin: one for one in tuple(saved)[-ORIGINS_MAX:]})

    @property
    def kept(self) -> tuple[OriginStorage, ...]:
        """All that is known."""
        return tuple(self._kept.values())

    @property
    def lacking(self) -> tuple[OriginStorage, ...]:
        """What the tab has not come to yet, and must be given when it does."""
        return tuple(one for one in self.kept if one.origin in self._lacking)

    def begin_tab(self) -> None:
        """A new tab has nothing."""
        self._lacking = set(self._kept)

    def note(self, found: OriginStorage | None) -> None:
        """What the tab's page keeps now."""
        if found is None:
            return
        self._lacking.discard(found.origin)
        self._kept.pop(found.origin, None)
        if found.items:
            self._kept[found.origin] = found
        for origin in list(self._kept)[:-ORIGINS_MAX]:
            del self._kept[origin]


PLACE_S = 1.0
"""For a page to say where it is; one that hangs does not hold up who asks for all."""

COMES_AGAIN = advised(HintKind.LOAD_AGAIN)

TURN_AWAY_S = 2.0
"""For a tab to close pages that it has opened; they go with it otherwise."""

NOTE_S = 2.0
"""Between two times that a tab which is acted in is asked what a new one would need."""

STORAGE_S = 2.0
"""For a page to say what it keeps; one that hangs does not hold up what was read of it."""


@attrs.frozen(eq=False)
class LeasedTab:
    """A tab that a session has, until it gives it back.

    Attributes:
        over: set to have it closed.
    """

    lease: Lease
    over: trio.Event

    @property
    def tab(self) -> Address[Tab]:
        """The tab itself."""
        return self.lease.tab


@attrs.define(eq=False)
class SessionTab:
    """A tab that is there when it is asked for, and what is known of its page.

    Attributes:
        history: where it has been, and is; nowhere before its first page.
        title: of its page, as it was last known.
        arrival: how it came to its page, where that was read; None before.
        live: whether its page is acted on, so that it may have changed since it was read.
        values: what was filled into the forms of a page that is not acted on.
    """

    session: str
    context: str
    supervisor: Address[BrowserPool]
    fetcher: Address[Fetcher]
    storage: SessionStorage = attrs.field(factory=SessionStorage)
    history: NavigationHistory = attrs.field(factory=NavigationHistory, init=False)
    title: str = attrs.field(default="", init=False)
    arrival: LoadResult | None = attrs.field(default=None, init=False)
    live: bool = attrs.field(default=False, init=False)
    values: dict[int, Values] = attrs.field(factory=dict[int, Values], init=False)
    _held: LeasedTab | None = attrs.field(default=None, init=False)
    _opening: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _users: int = attrs.field(default=0, init=False)
    _noted_s: float = attrs.field(default=-math.inf, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def stand_at(self, url: str, title: str, moved: NavigationHistory | None = None) -> None:
        """Notes where its page is; `moved` is its history where that went one step along it."""
        if moved is not None or url != self.history.url:
            self.history = moved or self.history.gone_to(url)
        self.title = title

    @property
    def open(self) -> bool:
        """Whether there is one now."""
        return self._held is not None

    @asynccontextmanager
    async def working(self, progress: OnProgress) -> AsyncGenerator[Address[Tab]]:
        """The tab, at work for the block.

        What the block does not get through is given up; the cookies of before are not, nor is the
        storage.

        Raises:
            TabsBusy, BrowserUnavailable: there is none to be had.
            BrowserDied, PageFailed: it was lost.
        """
        with translate_tab_loss():
            held = await self._made_ready(progress)
            try:
                yield held.tab
                await self.note_storage()
                cookies = await held.tab.ask(Invoke(Tab.cookies))
                await self.fetcher.ask(SetCookies(self.session, cookies))
                await self.supervisor.ask(ChangeUse(held.lease.number, TabUse.KEPT))
            except BaseException:
                self._give_back(held)
                raise

    async def _made_ready(self, progress: OnProgress) -> LeasedTab:
        """The tab, at work; where it cannot be had, or nobody waits for it, it comes to rest."""
        try:
            return await self._ready(progress)
        except BaseException:
            if self._held is not None and not self._users:
                self._rest(self._held)
            raise

    @asynccontextmanager
    async def acting(self, progress: OnProgress) -> AsyncGenerator[Address[Tab]]:
        """The tab, acted in for the block, and kept whatever comes of that.

        Raises:
            TabClosed: its page has closed the tab.
            TabLost: the tab is gone otherwise, and everything in it.
            TabsBusy: too many work at the same time.
        """
        self._users += 1
        held = self._held
        try:
            if held is None:
                held = await self._ready(progress)
            else:
                await self._come_to_work(held, progress)
            yield held.tab
        except TabClosed:
            self._give_back(held)
            raise
        except TabLost as loss:
            self._give_back(held)
            raise TabLost(loss.reason, **COMES_AGAIN) from loss
        except BrowserDied as loss:
            self._give_back(held)
            raise TabLost(loss.message, **COMES_AGAIN) from loss
        except (Undelivered, Unanswered) as loss:
            self._give_back(held)
            raise _lost(loss) from loss
        finally:
            self._users -= 1
            if self._held is not None and not self._users:
                self._rest(self._held)

    async def adopt(self, target: str, beside: "SessionTab", progress: OnProgress) -> None:
        """Takes over a page that another of the session's tabs has opened.

        Raises:
            TabsBusy, PageFailed: it cannot be had.
        """
        async with self._opening:
            self._rest(await self._leased(progress, target, beside.worker))

    async def turn_away(self, targets: Collection[str]) -> None:
        """Has pages closed that its page has opened and nobody took over, also when cancelled."""
        if self._held is not None and targets:
            with trio.move_on_after(TURN_AWAY_S, shield=True), suppress(TabwrightError):
                await self._held.tab.ask(LeavePage(tuple(targets)))

    @property
    def worker(self) -> int | None:
        """The browser that it is in; None while there is none."""
        return self._held.lease.worker if self._held else None

    async def whereabouts(self) -> tuple[str, str]:
        """The URL and the title of its page, as it says itself if it does, else as last known."""
        if place := await self.place():
            return place.url, place.title
        return self.history.url, self.title

    async def place(self) -> PageLocation | None:
        """Where its page is; None where it does not say so within `PLACE_S` seconds."""
        with trio.move_on_after(PLACE_S), suppress(TabwrightError):
            if self._held is not None:
                return await self._held.tab.ask(Inspect(LocateOnPage()))
        return None

    async def note(self) -> None:
        """Asks for both of these, but for a tab of which they were asked for a moment ago."""
        if trio.current_time() >= self._noted_s + NOTE_S:
            self._noted_s = trio.current_time()
            await self.note_cookies()
            await self.note_storage()

    async def note_cookies(self) -> None:
        """Asks the tab for its cookies, if there is one; let be after `STORAGE_S` seconds."""
        if self._held is not None:
            with trio.move_on_after(STORAGE_S), suppress(TabwrightError):
                cookies = await self._held.tab.ask(Invoke(Tab.cookies))
                await self.fetcher.ask(SetCookies(self.session, cookies))

    async def note_storage(self) -> None:
        """Asks the tab's page what it keeps, if there is one; let be after `STORAGE_S` seconds."""
        if self._held is not None:
            with trio.move_on_after(STORAGE_S), suppress(TabwrightError):
                self.storage.note(await self._held.tab.ask(Invoke(Tab.storage)))

    def give_back(self) -> None:
        """Has the tab closed, if there is one; there is none any more for who still waits."""
        self._closed = True
        self._give_back(self._held)

    def _give_back(self, held: LeasedTab | None) -> None:
        """Has a tab closed, which may not be the one that there is now."""
        if held is not None:
            held.over.set()
        if self._held is held:
            self._held = None

    async def _ready(self, progress: OnProgress) -> LeasedTab:
        """A tab with what the session keeps: the one that is there, unless it has been lost."""
        async with self._opening:
            if (held := self._held) is not None:
                try:
                    await self._come_to_work(held, progress)
                    return await self._furnished(held)
                except (Undelivered, Unanswered):
                    self._give_back(held)
            held = await self._leased(progress)
            try:
                return await self._furnished(held)
            except BaseException:
                self._give_back(held)  # without its cookies it is nobody's
                raise

    async def _come_to_work(self, held: LeasedTab, progress: OnProgress) -> None:
        queued = partial(report_wait, progress)
        await self.supervisor.ask(ChangeUse(held.lease.number, TabUse.READING, queued))

    def _rest(self, held: LeasedTab) -> None:
        self.supervisor.notify(ChangeUse(held.lease.number, TabUse.KEPT))

    async def _leased(
        self, progress: OnProgress, pop_up: str = "", worker: int | None = None
    ) -> LeasedTab:
        over = trio.Event()
        wish = LeaseTab(
            over,
            TabUse.READING,
            f"session {self.session}",
            context=self.context,
            pop_up=pop_up,
            worker=worker,
            queued=partial(report_wait, progress),
        )
        try:
            lease = await self.supervisor.ask(wish)
        except BaseException:
            over.set()  # it may have been given all the same
            raise
        if self._closed:
            over.set()
            raise TabClosed
        held = self._held = LeasedTab(lease, over)
        self.storage.begin_tab()
        return held

    async def _furnished(self, held: LeasedTab) -> LeasedTab:
        cookies = await self.fetcher.ask(GetCookies(self.session))
        await held.tab.ask(SetTabCookies(cookies))  # without any too: a lost tab says so
        await held.tab.ask(SetTabStorage(self.storage.lacking))
        return held


def _lost(loss: Undelivered | Unanswered) -> TabClosed | TabLost:
    """What has become of a tab that could not answer."""
    begun = isinstance(loss, Unanswered)
    match loss.__cause__:
        case TabClosed():
            return TabClosed()
        case TabLost(reason=reason) | TabwrightError(message=reason):
            return TabLost(reason, **COMES_AGAIN, begun=begun)
        case _:
            return TabLost("", **COMES_AGAIN, begun=begun)


# All tabs of a session: numbered, in one browser context, one of them current.

TABS_MAX = 16
"""Of one session."""


@attrs.define(eq=False)
class SessionTabs:
    """The tabs that a session has, the first of which is there before it is needed.

    Attributes:
        current: the number of the one that is meant where none is named.
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
        """A tab by its number, or the current one.

        Raises:
            BadInput: there is no such tab.
        """
        tab = self._tabs.get(self.current if number is None else number)
        if tab is None:
            known = ", ".join(map(str, self._tabs))
            raise BadInput(f"There is no tab {number}.", advice=f"There are: {known}.")
        return tab

    def add(self) -> int:
        """One more, which is the current one from now on; its number.

        Raises:
            BadInput: there are too many.
        """
        if len(self._tabs) >= TABS_MAX:
            raise BadInput(f"The session has {TABS_MAX} tabs.", advice="Close one of them.")
        self._latest += 1
        self._tabs[self._latest] = self._new()
        self.current = self._latest
        return self.current

    def switch(self, number: int) -> None:
        """Another is the current one.

        Raises:
            BadInput: there is no such tab.
        """
        _ = self[number]
        self.current = number

    @contextmanager
    def one_more(self) -> Generator[tuple[int, SessionTab]]:
        """One more, which stays if the block gets through; otherwise all is as it was before.

        Raises:
            BadInput: there are too many.
        """
        before, number = self.current, self.add()
        try:
            yield number, self._tabs[number]
        except BaseException:
            if number in self._tabs:
                self.close(number)
            if before in self._tabs:
                self.current = before
            raise

    def close(self, number: int | None) -> None:
        """Closes one; the latest of the others is the current one then, or a new and empty one.

        Raises:
            BadInput: there is no such tab.
        """
        self[number].give_back()
        del self._tabs[self.current if number is None else number]
        if not self._tabs:
            self._latest += 1
            self._tabs[self._latest] = self._new()
        if self.current not in self._tabs:
            self.current = max(self._tabs)

    def empty(self) -> None:
        """The current one has no page any more, nor a history."""
        self[None].give_back()
        self._tabs[self.current] = self._new()

    @contextmanager
    def losing(self, tab: SessionTab) -> Generator[None]:
        """For the block: where a page closes its tab, that is none of the session's any more."""
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
        """Has all of them closed."""
        for tab in self._tabs.values():
            tab.give_back()
