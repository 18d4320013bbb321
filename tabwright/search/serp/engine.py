"""One engine's part in a search: result pages in one tab, each when the rate limit allows it."""

import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Literal, TypeAlias

import attrs
import msgspec
import trio
from platformdirs import user_state_path

from tabwright.config.loader import private_folder, resolve_path
from tabwright.interventions.handoff import HandoffRequest, HumanHandoff
from tabwright.page.errors import navigation_timeout
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.errors import (
    Barrier,
    BrowserDied,
    MarkupChanged,
    NavigationFailed,
    SearchBlocked,
    TabwrightError,
)
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.snapshot import SERVER_ERROR_STATUS_MIN, PageSource
from tabwright.protocol.tab import ReadSource, Tab
from tabwright.protocol.web_search import (
    FormEntry,
    ResultPage,
    ResultPageStatus,
    ResultParser,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
    WebQuery,
)
from tabwright.search.consent import consent_function, is_consent_page
from tabwright.search.serp.page_requests import page_request, submit_function
from tabwright.search.serp.parser import no_such_page, unread_rows
from tabwright.search.slots import (
    EngineSlot,
    EngineSlots,
    name_pause,
    translate_answer_loss,
)
from tabwright.search.urls import asks

# Saving result pages that could not be parsed.

KEPT_MAX = 20
"""Maximum number of saved pages; the oldest is removed first."""

_log = logging.getLogger("tabwright.engines")


def failed_pages_folder(setting: str | None) -> Path | None:
    """Return the folder that ``engines.failed_pages`` names, or None if there is none."""
    if setting is None:
        return None
    automatic = user_state_path("tabwright", appauthor=False) / "failed-pages"
    return resolve_path(setting, automatic)


@attrs.frozen
class FailedPages:
    """A folder of pages, each as ``unread-engine-number.html``; without a folder nothing is saved.

    Other files in it are never removed.
    """

    folder: Path | None

    def keep(self, engine: str, html: str) -> Path | None:
        """Save a page, readable only by its user; return its path, or None without a folder."""
        if self.folder is None:
            return None
        try:
            private_folder(self.folder)
            pages = sorted(self.folder.glob("unread-*-[0-9]*.html"), key=_number)
            number = _number(pages[-1]) + 1 if pages else 1
            place = self.folder / f"unread-{engine}-{number}.html"
            place.touch(mode=0o600)
            place.write_text(html, encoding="utf-8", errors="replace")
            for old in pages[: max(0, len(pages) + 1 - KEPT_MAX)]:
                old.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("A page of %s could not be saved: %s", engine, error)
            return None
        return place


def _number(place: Path) -> int:
    number = place.stem.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


# Opening result pages in a tab, and reading them.

UNSETTLED = frozenset({ResultPageStatus.CAPTCHA, ResultPageStatus.CHANGED})
"""Pages that need no person, only a moment."""

LEADS_ON_S = 5.0
"""Seconds for such a page to continue; their scripts are made to run for a second or two."""

PageStep: TypeAlias = str | FormEntry
"""A request to an engine: a URL to open, or a form of the page to submit."""


@attrs.frozen(eq=False)
class EngineReader:
    """A reader of the result pages of one engine.

    Attributes:
        engine: its name in the configuration.
        parser: the parser of its result pages.
        page_timeout_s: seconds for one page to load.
        consent: the answer to a privacy question.
    """

    engine: str
    parser: ResultParser
    extractor: Address[Extractor]
    failed_pages: FailedPages
    page_timeout_s: float
    consent: Literal["reject", "accept"]

    async def make(self, move: PageStep, tab: Address[Tab]) -> bool:
        """Make a request in a tab; return whether it led to a page.

        Raises:
            TabwrightError: the page could not be reached, or not in time.
        """
        with translate_answer_loss(), navigation_timeout(self.parser.name, self.page_timeout_s):
            if isinstance(move, str):
                await tab.ask(Tab.navigate, move)
                return True
            fields = msgspec.json.encode(dict(move.fields)).decode()
            page = await tab.ask(Tab.submit, submit_function(), (move.selector, fields))
            return page is not None

    async def listed(self, tab: Address[Tab], number: int) -> ResultPage:
        """Return the result page in a tab, with or without results; `number` is expected.

        Raises:
            SearchBlocked: the engine shows another page in its place.
            MarkupChanged: the page cannot be parsed.
            TabwrightError: the tab is gone.
        """
        with translate_answer_loss(), navigation_timeout(self.parser.name, self.page_timeout_s):
            source, page = await self._shown(tab, number)
            if page.verdict in UNSETTLED:
                # The page that follows the current one.
                if is_consent_page(source.page.url):
                    await tab.ask(Tab.run_script, consent_function(), values=(self.consent,))
                with trio.move_on_after(LEADS_ON_S):
                    await tab.ask(Tab.document)
                source, page = await self._shown(tab, number)
        match page.verdict:
            case ResultPageStatus.RESULTS | ResultPageStatus.NO_RESULTS:
                return page
            case ResultPageStatus.CAPTCHA:
                raise _blocked(page, source, Barrier.CAPTCHA)
            case ResultPageStatus.REFUSED:
                raise _blocked(page, source, Barrier.REFUSED, "Wait before you use it again.")
            case ResultPageStatus.CHANGED:
                if source.page.status >= SERVER_ERROR_STATUS_MIN:
                    raise NavigationFailed(
                        f"{self.parser.name} answered with HTTP status {source.page.status}.",
                        advice="Try again later.",
                    )
                kept = self.failed_pages.keep(self.engine, source.html)
                where = f"The page was saved to {kept}. " if kept else ""
                mend = "A selector can be fixed in a file named by engines.parsers."
                raise MarkupChanged(page.message, advice=where + mend)

    async def is_solved(self, tab: Address[Tab], number: int) -> bool:
        """Return whether a tab shows results or the message that there are none; see `Check`.

        Raises:
            TabwrightError: the tab cannot be read.
        """
        source = await tab.ask(Tab.read_source, ReadSource())
        page = await self.extractor.ask(Extractor.results, self.parser, source, number)
        answered = {ResultPageStatus.RESULTS, ResultPageStatus.NO_RESULTS}
        return page.verdict in answered or bool(page.hidden)

    async def _shown(self, tab: Address[Tab], number: int) -> tuple[PageSource, ResultPage]:
        """Return what a tab shows; ask the engine for targets that only it knows."""
        source = await tab.ask(Tab.read_source, ReadSource())
        page = await self.extractor.ask(Extractor.results, self.parser, source, number)
        targets: Mapping[str, str] = {}
        if page.hidden:
            with suppress(TabwrightError):  # the other results are there without them
                targets = await tab.ask(Tab.find_redirects, page.hidden)
        if targets:
            page = await self.extractor.ask(Extractor.results, self.parser, source, number, targets)
        return source, page


def _blocked(
    page: ResultPage, source: PageSource, barrier: Barrier, advice: str = ""
) -> SearchBlocked:
    blocked = SearchBlocked(page.message, barrier=barrier, url=source.page.url, advice=advice)
    blocked.retry_after_s = source.page.retry_after_s
    return blocked


@attrs.frozen(eq=False)
class EngineAccess:
    """The resources that a search needs to ask an engine.

    Attributes:
        today: returns the current day, for engines that search by date.
    """

    turns: EngineSlots
    reader: EngineReader
    person: HumanHandoff
    today: Callable[[], date]


@attrs.define(eq=False)
class EngineSearch:
    """A search at one engine.

    Attributes:
        query: the search query.
        pages: the numbers of the result pages to read, from 1.
        language: the language of messages to a person.
    """

    query: WebQuery
    pages: range
    language: str
    _access: EngineAccess
    _progress: OnProgress
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)
    _lease: Lease | None = attrs.field(default=None, init=False)
    _has_entered: bool = attrs.field(default=False, init=False)
    _listed: dict[str, SerpEntry] = attrs.field(factory=dict[str, SerpEntry], init=False)
    _notices: dict[SearchNoticeKind, SearchNotice] = attrs.field(
        factory=dict[SearchNoticeKind, SearchNotice], init=False
    )
    _seen: set[str] = attrs.field(factory=set[str], init=False)

    @property
    def engine(self) -> str:
        """Return the engine's name in the configuration."""
        return self._access.reader.engine

    @property
    def listed(self) -> tuple[SerpEntry, ...]:
        """Return the results of the engine so far, each once."""
        return tuple(self._listed.values())

    @property
    def notices(self) -> tuple[SearchNotice, ...]:
        """Return the limits of the results, one of each kind."""
        return tuple(attrs.evolve(notice, engine=self.engine) for notice in self._notices.values())

    async def run(self) -> None:
        """Read all pages, until a page adds nothing; retry once if the browser ends meanwhile.

        Raises:
            SearchBlocked: the engine shows another page; `intervention` names the one that waits
                for a person.
            MarkupChanged: its page cannot be parsed.
            RateLimited: the engine is paused for a while.
            TabwrightError: its page could not be reached.
        """
        try:
            await self._run()
        except BrowserDied:  # it crashed, or was replaced by a browser with a window
            await self._run()

    async def run_after(self, blocked: SearchBlocked) -> None:
        """Continue in the same tab once a person has solved the CAPTCHA that `blocked` names.

        Raises:
            TabwrightError: see `run`; `SearchBlocked` if it was not solved.
        """
        async with self._new_tab():
            self._lease = await self._access.person.help(
                blocked, self._over, self.language, self._progress
            )
            if self._note(await self._solved_page()):
                await self._read(self.pages[1:])

    async def _run(self) -> None:
        async with self._new_tab():
            await self._read(self.pages)

    async def _read(self, pages: Iterable[int]) -> None:
        for number in pages:
            if not self._note(await self._page(number)):
                break

    def _note(self, page: ResultPage) -> bool:
        """Record the results and notices; return whether any result is new in this tab."""
        before = len(self._seen)
        for notice in page.notices:
            earlier = self._notices.get(notice.kind)
            if earlier is not None and notice.kind is SearchNoticeKind.ROWS_UNREAD:
                unread, rows = earlier.unread + notice.unread, earlier.rows + notice.rows
                name = self._access.reader.parser.name
                self._notices[notice.kind] = unread_rows(name, unread, rows)
            else:
                self._notices.setdefault(notice.kind, notice)
        for result in page.found:
            self._seen.add(result.url)
            self._listed.setdefault(result.url, result)
        return len(self._seen) > before

    async def _solved_page(self) -> ResultPage:
        """Return the first page, from the tab in which a person solved a check if possible."""
        first, turns, lease = self.pages[0], self._access.turns, self._lease
        if lease is not None:
            source = await lease.tab.ask(Tab.read_source, ReadSource())
            if asks(source.page.url, self.query.query):
                await turns.work(lease, self._progress)
                listed = await self._access.reader.listed(lease.tab, first)
                self._has_entered = True
                return listed
        return await self._page(first)

    async def _page(self, number: int) -> ResultPage:
        """Return a result page; without results if there is no such page."""
        missing = no_such_page(self._access.reader.parser.name, number)
        listed = ResultPage(ResultPageStatus.NO_RESULTS, notices=(missing,))
        moves = self._moves(number, has_entered=self._has_entered)
        for left, move in zip(range(len(moves) - 1, -1, -1), moves, strict=True):
            async with self._turn(begun=move is not moves[0]) as turn:
                is_there = await self._access.reader.make(move, turn.lease.tab)
                turn.begin()
                if is_there and left:
                    continue
                shown = await self._access.reader.listed(turn.lease.tab, number)
                listed = shown if is_there else listed
                break
        self._has_entered = True
        return listed

    def _moves(self, number: int, *, has_entered: bool) -> Sequence[PageStep]:
        """Return the requests that lead to a result page from the tab's current page."""
        wanted = attrs.evolve(self.query, page=number)
        request = page_request(self._access.reader.parser, wanted, self._access.today())
        if request.form is None:
            return (request.url,)
        further = [FormEntry(selector, {}) for selector in request.next_forms]
        return further[-1:] if has_entered else (request.url, request.form, *further)

    @asynccontextmanager
    async def _turn(self, *, begun: bool) -> AsyncGenerator[EngineSlot]:
        """Take a turn at the engine; a search that has `begun` goes before new ones."""
        turns = self._access.turns
        if self._lease is None:
            slot = turns.first(self._over, self._progress)
        else:
            slot = turns.next(self._lease, self._progress, rank=-1 if begun else 0)
        async with slot as turn:
            self._lease = turn.lease
            try:
                yield turn
            except SearchBlocked as blocked:  # no other turn before the result is known
                await self._access.turns.refused(blocked)
                name_pause(blocked, self.engine)
                raise

    @asynccontextmanager
    async def _new_tab(self) -> AsyncGenerator[None]:
        """Give the tab back after the block, or keep it if a person can solve its page."""
        self._over, self._lease, self._has_entered = trio.Event(), None, False
        self._seen.clear()
        self._notices.clear()
        try:
            yield
            await self._access.turns.answered()
        except SearchBlocked as blocked:
            await self._give_up(blocked)
            raise
        except BaseException:
            self._over.set()
            raise
        self._over.set()

    async def _give_up(self, blocked: SearchBlocked) -> None:
        if self._lease is None:
            return self._over.set()
        need = HandoffRequest(self.engine, self._go, self._is_solved)
        return await self._access.person.call(blocked, need, self._lease, self._over)

    async def _go(self, tab: Address[Tab]) -> None:
        """Open the first requested page in another tab; see `Way`."""
        for move in self._moves(self.pages[0], has_entered=False):
            async with self._access.turns.for_person() as begin:
                is_there = await self._access.reader.make(move, tab)
                begin()
            if not is_there:
                break

    async def _is_solved(self, tab: Address[Tab]) -> bool:
        return await self._access.reader.is_solved(tab, self.pages[0])
