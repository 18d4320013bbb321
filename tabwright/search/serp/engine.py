"""One engine's part in a search: page after page of results, in one tab, each in its turn."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import date

import attrs
import trio

from tabwright.actors.engines.engine_reading import EngineReader, Move
from tabwright.interventions.handoff import Need, Person
from tabwright.protocol.actor import Asked
from tabwright.protocol.ai_search import Progress
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.errors import BrowserDied, SearchBlocked
from tabwright.protocol.tab import ReadSource, Tab
from tabwright.protocol.web_search import FormEntry, Found, WebQuery
from tabwright.search.serp.request import page_request
from tabwright.search.slots import Turn, Turns
from tabwright.searching.links import asks


@attrs.frozen(eq=False)
class EngineAccess:
    """What a search needs of the house to go to an engine.

    Attributes:
        today: the day, for engines that search by date.
    """

    turns: Turns
    reader: EngineReader
    person: Person
    today: Callable[[], date]


@attrs.define(eq=False)
class EngineSearch:
    """A search at one engine.

    Attributes:
        query: what is searched.
        pages: which result pages are read, counted from 1.
        language: of what a person is told.
    """

    query: WebQuery
    pages: range
    language: str
    _access: EngineAccess
    _progress: Progress
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)
    _lease: Lease | None = attrs.field(default=None, init=False)
    _has_entered: bool = attrs.field(default=False, init=False)
    _listed: dict[str, Found] = attrs.field(factory=dict[str, Found], init=False)
    _seen: set[str] = attrs.field(factory=set[str], init=False)

    @property
    def engine(self) -> str:
        """Its name in the configuration."""
        return self._access.reader.engine

    @property
    def listed(self) -> tuple[Found, ...]:
        """What the engine has listed so far, each result once."""
        return tuple(self._listed.values())

    async def run(self) -> None:
        """Reads all pages, until one adds nothing; once more if the browser goes meanwhile.

        Raises:
            SearchBlocked: the engine shows something else; `intervention` names what waits for a
                person.
            MarkupChanged: its page cannot be read.
            RateLimited: it is left alone for a while.
            TabwrightError: its page could not be reached.
        """
        try:
            await self._run()
        except BrowserDied:  # it crashed, or was exchanged for one with a window
            await self._run()

    async def run_after(self, blocked: SearchBlocked) -> None:
        """Goes on once a person has solved what `blocked` names, in the same tab.

        Raises:
            TabwrightError: as `run`; `SearchBlocked` where nobody would, or did.
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

    def _note(self, results: Iterable[Found]) -> bool:
        """Whether there is anything among them that this tab has not shown before."""
        before = len(self._seen)
        for result in results:
            self._seen.add(result.url)
            self._listed.setdefault(result.url, result)
        return len(self._seen) > before

    async def _solved_page(self) -> tuple[Found, ...]:
        """The first page, from the tab that a person has led past a check if it is there."""
        first, turns, lease = self.pages[0], self._access.turns, self._lease
        if lease is not None:
            source = await lease.tab.ask(ReadSource())
            if asks(source.page.url, self.query.query):
                await turns.work(lease, self._progress)
                listed = await self._access.reader.listed(lease.tab, first)
                self._has_entered = True
                return listed
        return await self._page(first)

    async def _page(self, number: int) -> tuple[Found, ...]:
        """What a result page lists; nothing where there is no such page."""
        listed: tuple[Found, ...] = ()
        moves = self._moves(number, has_entered=self._has_entered)
        for left, move in zip(range(len(moves) - 1, -1, -1), moves, strict=True):
            async with self._turn(begun=move is not moves[0]) as turn:
                is_there = await self._make(move, turn)
                if is_there and left:
                    continue
                shown = await self._access.reader.listed(turn.lease.tab, number)
                listed = shown if is_there else ()
                break
        self._has_entered = True
        return listed

    async def _make(self, move: Move, turn: Turn) -> bool:
        is_there = await self._access.reader.make(move, turn.lease.tab)
        turn.begin()
        return is_there

    def _moves(self, number: int, *, has_entered: bool) -> Sequence[Move]:
        """What leads to a result page, from where the tab is."""
        wanted = attrs.evolve(self.query, page=number)
        request = page_request(self._access.reader.parser, wanted, self._access.today())
        if request.form is None:
            return (request.url,)
        further = [FormEntry(selector, {}) for selector in request.next_forms]
        return further[-1:] if has_entered else (request.url, request.form, *further)

    @asynccontextmanager
    async def _turn(self, *, begun: bool) -> AsyncGenerator[Turn]:
        """A turn at the engine; way that has `begun` goes on before others begin theirs."""
        async with self._next_turn(rank=-1 if begun else 0) as turn:
            self._lease = turn.lease
            try:
                yield turn
            except SearchBlocked as blocked:  # nobody else is to have a turn before it is known
                await self._access.turns.refused(blocked)
                raise

    def _next_turn(self, rank: int) -> AbstractAsyncContextManager[Turn]:
        turns = self._access.turns
        if self._lease is None:
            return turns.first(self._over, self.engine, self._progress)
        return turns.next(self._lease, self._progress, rank=rank)

    @asynccontextmanager
    async def _new_tab(self) -> AsyncGenerator[None]:
        """Gives the tab back behind the block, or has it held where a person could help."""
        self._over, self._lease, self._has_entered = trio.Event(), None, False
        self._seen.clear()
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
        need = Need(self.engine, self._go, self._is_solved)
        return await self._access.person.call(blocked, need, self._lease, self._over)

    async def _go(self, tab: Asked[Tab]) -> None:
        """Leads another tab to the first page that was wanted; see `Way`."""
        for move in self._moves(self.pages[0], has_entered=False):
            async with self._access.turns.for_person() as begin:
                is_there = await self._access.reader.make(move, tab)
                begin()
            if not is_there:
                break

    async def _is_solved(self, tab: Asked[Tab]) -> bool:
        """See `Check`."""
        return await self._access.reader.is_solved(tab, self.pages[0])
