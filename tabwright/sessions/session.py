"""One session: its history, its current page and the values filled into the page's forms."""

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial

import attrs
import trio

from tabwright.content.html.form_data import Values, checked_values, chosen_form, filled, sending
from tabwright.http.errors import NotConnected
from tabwright.protocol.actions import Outcome, TabInfo
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    HintKind,
    NavigationFailed,
    RobotsRefused,
    SessionMissing,
    SessionMoved,
    TabClosed,
    TabLost,
    TabsBusy,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie, Fetch
from tabwright.protocol.inspection import AwaitDownload, LocateOnPage
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.session_data import SleepingPage
from tabwright.protocol.sessions import (
    FieldValues,
    FilledForm,
    FormChoice,
    LinkChoice,
    TabsAction,
)
from tabwright.protocol.snapshot import PageForm, PageLink, PageSnapshot, Selection
from tabwright.protocol.tab import Tab
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import ABOUT_BLANK
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import FULL_LOAD_TIER, TAB_TIER, LoadResult
from tabwright.sessions.leases import SessionLease
from tabwright.sessions.session_tab import UNREAD_PAGE, SessionTab, SessionTabs
from tabwright.sessions.sleeping import SleepingSession, SleepingTab
from tabwright.sessions.store import STEPS, NavigationHistory
from tabwright.text.hints import advised


@attrs.define(eq=False)
class NamedSession:
    """A named session. Its requests run one after the other.

    Attributes:
        settings: the settings that it was opened with, by dotted keys.
        own: whether it acts in the user's browser or profile, with the pages that are open there.
        reuses: whether it navigates in a page that the user has opened; otherwise in a new tab.
        reading: how its pages are read until a call says otherwise, and pages after that.
        in_tabs: whether all its pages are loaded in tabs, because they are recorded.
        last_used_s: the time of the last request, on trio's clock.
        waiting: how many requests are running or waiting.
        requests: how many there have been.
        watched: the cancel scope of the task that closes it when it is idle.
        lease: the ownership of the session in a fleet; None without a fleet.
        moved: whether it came from another process, so that its page is loaded when it is needed.
        used: set after each request, for saving its state.
        restore: brings its state back before the next request; None if it is here.
        waking: is held while its state is moved to its file or back.
    """

    name: str
    reader: PageReader
    tabs: SessionTabs
    settings: Mapping[str, object]
    own: bool = False
    reuses: bool = False
    reading: ReadOptions = attrs.field(factory=ReadOptions)
    in_tabs: bool = attrs.field(default=False, init=False)
    last_used_s: float = attrs.field(factory=trio.current_time, init=False)
    waiting: int = attrs.field(default=0, init=False)
    watched: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    lease: SessionLease | None = attrs.field(default=None, init=False)
    moved: bool = attrs.field(default=False, init=False)
    used: trio.Event = attrs.field(factory=trio.Event, init=False)
    restore: Callable[[], Awaitable[None]] | None = attrs.field(default=None, init=False)
    waking: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _notices: tuple[str, ...] = attrs.field(default=(), init=False)
    requests: int = attrs.field(default=0, init=False)
    _lives: set[trio.CancelScope] = attrs.field(factory=set[trio.CancelScope], init=False)
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @property
    def tab(self) -> SessionTab:
        """Return the current tab; its position is that of the session."""
        return self.tabs[None]

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator["NamedSession"]:
        """Reserve the session exclusively for the block, in order of request.

        Raises:
            SessionMissing: it was closed before the block ended.
        """
        async with self.shared(), self._turn:
            yield self

    @asynccontextmanager
    async def shared(self) -> AsyncGenerator["NamedSession"]:
        """Use the session in the block without excluding others: its tabs are ordered separately.

        Raises:
            SessionMissing: it was closed before the block ended.
            SessionMoved: another process of the fleet has it, or this one cannot be sure.
        """
        life = trio.CancelScope()
        lease = self.lease
        self.waiting += 1
        self.requests += 1
        try:
            with life, lease.guard(life) if lease else nullcontext():
                self._lives.add(life)
                async with self.waking:  # cancelled, its state stays away
                    if self.restore is not None:
                        await self.restore()
                        self.restore = None
                yield self
        finally:
            self._lives.discard(life)
            self.waiting -= 1
            self.last_used_s = trio.current_time()
            self.used.set()
        if life.cancelled_caught and lease is not None and not lease.holds:
            raise SessionMoved(self.name, begun=True)
        if life.cancelled_caught:
            raise SessionMissing(
                f"Session {self.name!r} was closed.", code=ErrorCode.SESSION_EXPIRED
            )

    def take_notices(self) -> tuple[str, ...]:
        """Return the sentences for the next answer, and clear them."""
        notices, self._notices = self._notices, ()
        return notices

    async def sleep(self, tab: SessionTab) -> bool:
        """Close a tab, whose page is loaded again when it is needed; False if it is used now.

        Cancellation leaves the tab open.
        """
        requests = self.requests
        if self.waiting or (state := await tab.read_state()) is None:
            return False
        if self.waiting or self.requests != requests:
            return False
        if tab.open:  # else it was closed meanwhile
            tab.sleep(state)
        return True

    def is_idle(self, requests: int | None = None) -> bool:
        """Return whether no tab is open and no request runs, or began since `requests` was read."""
        is_used = self.waiting or (requests is not None and requests != self.requests)
        return not (is_used or self.own or any(tab.open for _, tab in self.tabs))

    async def read_pages(self, pages: dict[int, SleepingPage]) -> None:
        """Add the state of each page that is open to actions to `pages`, by the number of its tab.

        Cancelled, it has added those that were read until then.
        """

        async def read(number: int, tab: SessionTab) -> None:
            """Add the state of one page."""
            with suppress(Undelivered, Unanswered):  # the fetcher was lost
                if state := await tab.read_state():
                    pages[number] = state

        async with trio.open_nursery() as nursery:
            for number, tab in self.tabs:
                if tab.live and tab.open:
                    nursery.start_soon(read, number, tab)

    def sleeping_state(
        self, cookies: tuple[Cookie, ...], pages: Mapping[int, SleepingPage]
    ) -> SleepingSession:
        """Return the state of the session; `pages` are those of open tabs that were read."""
        return SleepingSession(
            cookies,
            self.tab.history.urls,
            self.tab.history.place,
            self.tab.storage.kept,
            self.settings,
            self.tabs.current,
            tuple(
                SleepingTab(
                    number,
                    tab.title,
                    tab.history,
                    (pages.get(number) or tab.kept_state) if tab.live else None,
                )
                for number, tab in self.tabs
            ),
        )

    def forget_state(self) -> None:
        """Free the memory of the storage and of the pages of the session, whose tabs are closed."""
        self.tab.storage.replace(())
        for _, tab in self.tabs:
            if tab.asleep is not None:
                tab.asleep = SleepingPage()

    def recall_state(self, state: SleepingSession) -> None:
        """Have the storage and the pages again that `forget_state` has freed."""
        self.tab.storage.replace(state.storage)
        pages = {one.number: one.page for one in state.tabs}
        for number, tab in self.tabs:
            if tab.asleep is not None:
                tab.asleep = pages.get(number) or tab.asleep

    def lose_state(self) -> None:
        """Note that what `forget_state` has freed cannot be read again."""
        self._notices = ("The file of the sleeping session is gone, with its cookies and storage.",)
        for _, tab in self.tabs:
            if tab.asleep is not None:
                tab.asleep = UNREAD_PAGE

    def continue_from(self, state: SleepingSession, notice: str) -> None:
        """Continue a session of another process, with its tabs and their pages.

        The next answer reports what that process had not read of them.
        """
        self.moved = True
        lost = dict.fromkeys(part for one in state.tabs if one.page for part in one.page.lost)
        without = f"What was in its pages is lost: {', '.join(lost)}." if lost else ""
        self._notices = tuple(filter(None, (notice, without))) if state.urls else ()
        self.tabs.restore([one.number for one in state.tabs], state.current)
        for one in state.tabs:
            tab = self.tabs[one.number]
            tab.history, tab.title = one.history, one.title
            tab.live = one.page is not None
            tab.asleep = one.page and attrs.evolve(one.page, lost=())  # these were reported

    async def end(self) -> None:
        """Stop the session's requests, and return its tab once they have ended."""
        for life in self._lives:
            life.cancel()
        self.used.set()
        async with self._turn:
            self.tabs.give_back()

    async def navigate(self, url: str, reading: ReadOptions, progress: OnProgress) -> PageText:
        self.tab.live = self.tab.live or self.in_tabs
        with self._navigation(url) as (own, target, moved):
            fetch = Fetch(
                target,
                session=self.name,
                headers=reading.headers,
                user_agent=reading.user_agent,
            )
            text = await self._go(own, fetch, reading, progress, moved)
        self.reading = reading
        return text

    @contextmanager
    def _navigation(
        self, url: str, number: int | None = None, *, new_tab: bool = False
    ) -> Generator[tuple[SessionTab, str, NavigationHistory | None]]:
        """Choose the tab of a navigation, and find the URL and the history of a step along it.

        The tab is the one with this number, or the current one, or a new one, which stays if the
        block succeeds.

        Raises:
            BadInput: there is no such tab, no page in that direction, or there are too many tabs.
        """
        chosen = self.tabs[number]
        moved = chosen.history.moved(url) if url in STEPS else None
        target = moved.url if moved else url
        if (new_tab and chosen.history.urls) or self._leaves_alone(chosen, url):
            with self.tabs.one_more() as (_, added):
                yield added, target, moved
        else:
            yield chosen, target, moved

    def _leaves_alone(self, tab: SessionTab, url: str) -> bool:
        """Return whether a navigation would replace a page that the user has opened."""
        shown = tab.history.url if tab.history.urls else ABOUT_BLANK
        return bool(tab.target) and not (self.reuses or url in STEPS or shown == ABOUT_BLANK)

    async def add_open_pages(self) -> None:
        """Make tabs of the pages that the user has open, if their URLs are allowed.

        Raises:
            BrowserUnavailable, BrowserDied, PageFailed: the browser does not respond.
        """
        if self.own:
            pages = await self.reader.supervisor.ask(BrowserPool.open_pages)
            self.tabs.follow(page for page in pages if self._is_allowed(page.url))

    def _is_allowed(self, url: str) -> bool:
        try:
            self.reader.tiers.check_place(url)
        except BadInput:
            return False
        return True

    async def change_tabs(self, action: TabsAction, tab: int | None) -> tuple[TabInfo, ...]:
        await self.add_open_pages()
        if action == "switch" and tab is not None:
            self.tabs.switch(tab)
        if action == "close":
            await self.close_tab(tab)
        return await self.listed()

    async def close_tab(self, number: int | None) -> None:
        """Close a tab, and the page of the user in it.

        Raises:
            BadInput: there is no such tab.
        """
        tab = self.tabs[number]
        if tab.target and not tab.open:
            with suppress(TabwrightError):  # it is gone
                async with tab.acting(ignore_progress):
                    pass
        self.tabs.close(number)

    async def view(self, view: RenderOptions, tab: int | None = None) -> PageText:
        """Return the page of a tab as text again."""
        began_s = trio.current_time()
        own = self.tabs[tab]
        selection = attrs.evolve(self._live_selection, tree=view.format == "a11y")
        if selection.tree and not own.live and _is_without_tree(own.loaded):
            await self._reload(own, ignore_progress)
        await self._catch_up(own, selection)
        return await self._as_text(self._loaded_page(own), view, began_s)

    async def snapshot(self, tab: int | None = None) -> PageSnapshot:
        """Return the snapshot of the page of a tab.

        Raises:
            SessionMissing: the tab has no page yet.
        """
        return await self._snapshot_in(self.tabs[tab])

    async def _snapshot_in(self, own: SessionTab) -> PageSnapshot:
        await self._catch_up(own, self._live_selection)
        return self._loaded_page(own).snapshot

    async def enter(
        self, url: str, progress: OnProgress, *, tab: int | None, new_tab: bool, leaves: bool
    ) -> Outcome:
        if url in ("", ABOUT_BLANK):
            number = tab or self.tabs.current
            chosen = self.tabs[tab]
            if (new_tab and chosen.history.urls) or self._leaves_alone(chosen, ABOUT_BLANK):
                number = self.tabs.add()
            elif not leaves:
                raise BadInput(
                    "A tab is emptied without asking its page.",
                    advice="Leave out leave=false.",
                )
            else:
                self.tabs.empty(number)
            return Outcome("The tab is empty.", ABOUT_BLANK, tab=number)
        with self._navigation(url, tab, new_tab=new_tab) as (own, target, moved):
            outcome = await self._enter(own, target, moved, progress, leaves=leaves)
        notes = (*self.take_notices(), *outcome.notes)
        return attrs.evolve(outcome, notes=notes, tab=self.tabs.number_of(own))

    async def _enter(
        self,
        own: SessionTab,
        url: str,
        moved: NavigationHistory | None,
        progress: OnProgress,
        *,
        leaves: bool = True,
    ) -> Outcome:
        loss = await self._loss_notice(own, progress)
        async with own.acting(progress) as tab:
            try:
                loaded, place = await self.reader.tiers.enter(url, tab, progress, leaves=leaves)
            except NavigationFailed as failure:
                if failure.code is not ErrorCode.PARSE:
                    raise
                return await self._downloaded(own, tab, failure)
        own.live = True
        own.asleep = None
        own.set_location(place.url, place.title, moved or own.history.gone_to(place.url))
        return Outcome(
            f"Came to {place.url}.{loss}", place.url, place.title, loaded, console=place.console
        )

    async def _downloaded(
        self, own: SessionTab, tab: Address[Tab], failure: NavigationFailed
    ) -> Outcome:
        """Return the result of a navigation to a file: the page stays where it was.

        Raises:
            NavigationFailed: no file was downloaded.
        """
        place = await tab.ask(Tab.inspect, LocateOnPage(settles=True))
        came = await tab.ask(Tab.inspect, AwaitDownload())
        if came is None or came.state == "failed":
            problem = came.problem if came else ""
            failure.advice = (
                failure.advice
                or problem
                or ("The file was not downloaded. The user can set acting.downloads.")
            )
            raise failure
        own.live = own.live or own.history.place < 0
        return Outcome(failure.message, place.url, place.title, downloads=(came,))

    async def _loss_notice(self, own: SessionTab, progress: OnProgress) -> str:
        """Return the notice for a tab that is gone since its last use: another tab is opened."""
        try:
            async with own.acting(progress) as tab:
                await tab.ask(Tab.inspect, LocateOnPage())
        except TabLost as lost:
            return f" {lost.message} A new tab was opened, with the same cookies and storage."
        except TabClosed:
            own.target = ""
            return " The tab was closed. A new tab was opened."
        except TabwrightError:
            return ""  # the page cannot be read, but it can be left
        return ""

    async def tab_for_actions(
        self, number: int | None, progress: OnProgress, *, blank: bool
    ) -> SessionTab:
        """Return the tab with the session's page in it, ready for actions.

        Args:
            number: of the tab; None for the current one.
            progress: is called with each step.
            blank: whether a session without a page gets a blank one.

        Raises:
            BadInput: there is no such tab, or a browser does not show its document.
            SessionMissing: the session has no page yet.
            TabwrightError: the page cannot be loaded in a tab; see `Sessions.enter`.
        """
        tab = self.tabs[number]
        if _is_document(tab):
            raise BadInput(
                "A browser downloads this document instead of showing it.",
                advice="Read it as text, for example as Markdown.",
            )
        if not (tab.live and tab.open) or tab.asleep:
            if not ((blank or tab.asleep) and tab.history.place < 0):
                await self._reload(tab, progress)
            tab.live, tab.asleep = True, None
        return tab

    async def _reload(self, tab: SessionTab, progress: OnProgress) -> None:
        """Load the page of a tab so that actions are possible.

        Raises:
            SessionMissing: the tab has no page.
        """
        if tab.history.place < 0:
            raise self._empty()
        if not tab.target:
            state = tab.asleep
            await self._enter(tab, tab.history.url, tab.history, progress)
            if state is not None:
                try:
                    await tab.wake(state, progress)
                except BaseException:
                    tab.asleep = state  # the next request wakes it
                    raise
            return
        with self.tabs.losing(tab):  # a page of the user is shown as it is
            async with tab.acting(progress) as asked:
                place = await asked.ask(Tab.inspect, LocateOnPage())
        self.reader.tiers.check_place(place.url)
        tab.set_location(place.url, place.title)

    def _empty(self) -> SessionMissing:
        return SessionMissing(
            f"The tab of session {self.name!r} is empty: it has no page yet.",
            **advised(HintKind.OPEN_PAGE),
        )

    async def follow_effects(
        self, tab: SessionTab, outcome: Outcome, progress: OnProgress
    ) -> Outcome:
        """Follow the effects of an action: pages that it opened become tabs of the session."""
        if outcome.url:
            tab.set_location(outcome.url, outcome.title)
        before, own = outcome.meanwhile.opened, outcome.opened
        downloads = bool(outcome.downloads or outcome.meanwhile.downloads)
        tabs, closed = await self._adopt_popups(
            (*before, *own), tab, progress, closes_empty=downloads
        )
        earlier = tuple(tabs[target] for target in before if target in tabs)
        return attrs.evolve(
            outcome,
            description=" ".join(filter(None, (outcome.description, closed))),
            is_plain=outcome.is_plain and not closed,
            opened=(),
            tabs=tuple(tabs[target] for target in own if target in tabs),
            meanwhile=attrs.evolve(outcome.meanwhile, opened=(), tabs=earlier),
        )

    async def _adopt_popups(
        self,
        targets: Sequence[str],
        opener: SessionTab,
        progress: OnProgress,
        *,
        closes_empty: bool,
    ) -> tuple[dict[str, TabInfo], str]:
        """Adopt the pages that a page has opened; return the tabs, and a notice of closed pages.

        Args:
            targets: the pages.
            opener: the page that has opened them.
            progress: receives the progress.
            closes_empty: whether to close those without a document: a download has opened them.
        """
        tabs: dict[str, TabInfo] = {}
        reasons: list[str] = []
        try:
            for target in targets:
                try:
                    tabs[target] = await self._adopted(
                        target, opener, progress, closes_empty=closes_empty
                    )
                except (BadInput, TabsBusy) as refusal:
                    reasons.append(refusal.message)
                except TabwrightError:  # it has already closed itself, or is empty
                    pass
        finally:
            await opener.close_popups(set(targets) - set(tabs))
        return tabs, _closed(reasons)

    async def _adopted(
        self, target: str, opener: SessionTab, progress: OnProgress, *, closes_empty: bool
    ) -> TabInfo:
        """Return the tab of a page that another page has opened.

        Raises:
            BadInput: its URL is not allowed, or there are too many tabs.
            TabwrightError: the page cannot be adopted, or is empty and has to be closed.
        """
        with self.tabs.one_more() as (number, own):
            await own.adopt(target, opener, progress)
            async with own.acting(progress) as tab:
                place = await tab.ask(Tab.inspect, LocateOnPage())
                self.reader.tiers.check_place(place.url)
                if not place.title:  # it has only begun to load
                    with suppress(NavigationFailed):
                        place = await tab.ask(Tab.inspect, LocateOnPage(settles=True))
                        self.reader.tiers.check_place(place.url)
            if closes_empty and place.url in {"", ABOUT_BLANK} and not place.title:
                raise NavigationFailed("The page was opened for a download.")
            own.live = True
            own.set_location(place.url, place.title)
        return TabInfo(number, place.url, place.title, current=True)

    async def listed(self) -> tuple[TabInfo, ...]:
        """List the tabs; a tab that does not respond is listed with its last known URL."""
        current = self.tabs.current
        return tuple(
            [
                TabInfo(number, *await tab.whereabouts(), current=number == current)
                for number, tab in self.tabs
            ]
        )

    @property
    def _live_selection(self) -> Selection:
        """Return what is read of a page that is open for actions, which may change any part of it.

        It is the same for the text of `view` and for links, so that their numbers agree.
        """
        return Selection(exclude_selectors=self.reading.selection.exclude_selectors)

    async def _catch_up(self, own: SessionTab, selection: Selection) -> None:
        """Read the page of a tab again if it may have changed through actions."""
        if not own.live:
            if self.moved and own.loaded is None and own.history.urls:
                fetch = Fetch(own.history.url, session=self.name)
                await self._load(own, fetch, self.reading, ignore_progress, own.history)
            return
        if _is_document(own):
            return
        if not own.open or own.asleep:
            await self._reload(own, ignore_progress)
        async with own.acting(ignore_progress) as tab:
            own.loaded = await self.reader.tiers.again(tab, selection)
        own.set_location(own.loaded.snapshot.url, own.loaded.snapshot.title)

    async def fill(self, form: FormChoice, fields: FieldValues) -> FilledForm:
        own = self.tab
        found = chosen_form((await self._snapshot_in(own)).forms, form)
        values = {**own.values.get(found.index, {}), **checked_values(found, fields)}
        own.values[found.index] = values
        return filled(found, values)

    async def submit(self, form: FormChoice, view: RenderOptions, progress: OnProgress) -> PageText:
        own = self.tab
        if own.live and own.asleep:
            await self._reload(own, progress)
        if own.live and not own.open:
            raise BadInput(
                "The tab with the form is gone, including what was filled in.",
                advice="Open the page again and fill in the form again.",
            )
        found = chosen_form((await self._snapshot_in(own)).forms, form)
        values = own.values.get(found.index, {})
        if not own.live and (missing := filled(found, values).missing):
            raise BadInput(
                ("Required fields are empty: ", Quoted(", ".join(missing)), "."),
                advice="Fill them in first.",
            )
        if own.open and self._loaded_page(own).tier > 1:
            return await self._submit_in_tab(own, found, values, view, progress)
        url, payload = sending(found, values)
        reading = attrs.evolve(self._following, min_tier=1, view=view)
        try:
            fetch = Fetch(url, self.name, payload=payload)
            return await self._go(own, fetch, reading, progress)
        except NavigationFailed as error:
            if not isinstance(error, (NotConnected, RobotsRefused)):
                error.sent()
            raise

    @property
    def _following(self) -> ReadOptions:
        """Return the options for a page that the current one leads to."""
        return attrs.evolve(
            self.reading, wait_for="", scroll=False, screenshot=False, asks_person=False
        )

    async def follow(self, link: LinkChoice, view: RenderOptions, progress: OnProgress) -> PageText:
        own = self.tab
        found = chosen_link((await self._snapshot_in(own)).links, link)
        reading = attrs.evolve(self._following, view=view)
        return await self._go(own, Fetch(found.url, self.name), reading, progress)

    async def _go(
        self,
        own: SessionTab,
        fetch: Fetch,
        reading: ReadOptions,
        progress: OnProgress,
        moved: NavigationHistory | None = None,
    ) -> PageText:
        """Navigate in a tab, which stays the target even if another tab becomes current."""
        began_s = trio.current_time()
        result = await self._load(own, fetch, reading, progress, moved)
        return await self._as_text(result, reading.view, began_s)

    async def _load(
        self,
        own: SessionTab,
        fetch: Fetch,
        reading: ReadOptions,
        progress: OnProgress,
        moved: NavigationHistory | None,
    ) -> LoadResult:
        if own.live:  # the page of a tab with actions stays there
            reading = attrs.evolve(reading, min_tier=FULL_LOAD_TIER, max_tier=FULL_LOAD_TIER)
        elif own.options.current.change_requests:  # which only tabs have
            lowest, highest = max(reading.min_tier, TAB_TIER), max(reading.max_tier, TAB_TIER)
            reading = attrs.evolve(reading, min_tier=lowest, max_tier=highest)
        tabs = partial(own.working, progress)
        fetch = attrs.evolve(fetch, timeout_s=self.reader.tiers.settings.page_timeout_s)
        result = await self.reader.load_in(fetch, reading, tabs, progress)
        _accept_load(own, result, moved)
        return result

    async def _submit_in_tab(
        self,
        own: SessionTab,
        form: PageForm,
        values: Values,
        view: RenderOptions,
        progress: OnProgress,
    ) -> PageText:
        began_s, here = trio.current_time(), self._loaded_page(own)
        tabs = partial(own.working, progress)
        result = await self.reader.tiers.submit(tabs, form, values, here, self.reading.selection)
        _accept_load(own, result, None)
        return await self._as_text(result, view, began_s)

    async def _as_text(self, result: LoadResult, view: RenderOptions, began_s: float) -> PageText:
        text = await self.reader.written(result, view, began_s)
        notice = " ".join(filter(None, (*self.take_notices(), text.notice)))
        return attrs.evolve(text, session=self.name, notice=notice)

    def _loaded_page(self, own: SessionTab) -> LoadResult:
        if own.loaded is None:
            raise self._empty()
        return own.loaded


def _is_without_tree(result: LoadResult | None) -> bool:
    """Return whether a page was read without its accessibility tree, which only a tab has."""
    from tabwright.content.extract import HTML  # noqa: PLC0415  (not light)

    return result is not None and result.snapshot.media_type in HTML and not result.snapshot.tree


def _is_document(tab: SessionTab) -> bool:
    """Return whether the page of a tab is a document that Chromium downloads instead of showing."""
    if tab.loaded is None or tab.loaded.snapshot.url != tab.history.url:
        return False
    media_type = tab.loaded.snapshot.media_type
    is_data = media_type.endswith(("json", "xml", "javascript"))
    return media_type == "text/csv" or (media_type.startswith("application/") and not is_data)


def _accept_load(own: SessionTab, result: LoadResult, moved: NavigationHistory | None) -> None:
    page = result.snapshot
    own.set_location(page.url, page.title, moved or own.history.gone_to(page.url))
    own.loaded = result
    own.asleep = None
    own.values.clear()


def _closed(reasons: Sequence[str]) -> str:
    """Return the notice of pages closed as they opened, with the reasons; empty for none."""
    if not reasons:
        return ""
    pages = "A page" if len(reasons) == 1 else f"{len(reasons)} pages"
    were = "was" if len(reasons) == 1 else "were"
    return f"{pages} that it opened {were} closed: {' '.join(dict.fromkeys(reasons))}"


def chosen_link(links: Iterable[PageLink], choice: LinkChoice) -> PageLink:
    """Return the selected link.

    Raises:
        BadInput: the page has no such link.
    """
    text = choice.text.casefold().strip()
    exact_first = sorted(links, key=lambda link: link.text.casefold().strip() != text)
    for link in exact_first:
        if link.number == choice.number or link.url == choice.url:
            return link
        if text and text in link.text.casefold():
            return link
    raise BadInput(
        "The page has no such link.",
        advice="Use the number, the text or the URL of a link of the page.",
    )
