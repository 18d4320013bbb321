"""One search with Google AI Mode: in which conversation, and what to do if that fails."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.interventions.handoff import HandoffRequest, HumanHandoff
from tabwright.protocol.actor import Address, Invoke
from tabwright.protocol.ai_search import SearchResult
from tabwright.protocol.browser_pool import BrowserPool, Lease
from tabwright.protocol.errors import (
    Barrier,
    NavigationFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.tab import Navigate, Tab
from tabwright.search.ai_mode.answer_stream import is_solved, read_page_state
from tabwright.search.ai_mode.conversation import AIModeThread, translate_answer_loss, way_to
from tabwright.search.ai_mode.google_urls import AIModeQuery, asks
from tabwright.search.ai_mode.open_threads import OpenThreads
from tabwright.search.ai_mode.result import warned
from tabwright.search.slots import EngineSlots
from tabwright.text.languages import texts_of

REFUSED = frozenset({Barrier.CAPTCHA, Barrier.REFUSED})
"""What an engine shows that has had enough of us."""


@attrs.frozen(eq=False)
class SearchRun:
    """One question on its way to an answer.

    It is asked in an open conversation or begins one; after a network error it begins another;
    what asks for a person goes on once the person has solved it.
    """

    _query: AIModeQuery
    _progress: OnProgress
    _threads: OpenThreads
    _slots: EngineSlots
    _person: HumanHandoff
    _supervisor: Address[BrowserPool]
    _settings: Settings

    async def run(self, conversation: AIModeThread | None) -> SearchResult:
        """Ask the question, and return its answer.

        Args:
            conversation: taken from the open ones to go on in; None for a new one.

        Raises:
            TabwrightError: as `tabwright.protocol.ai_search.Search` says.
        """
        try:
            return await self._search_twice(conversation)
        except SearchBlocked as blocked:
            if not blocked.intervention:
                raise
            return await self._with_a_person(blocked)

    async def _search_twice(self, conversation: AIModeThread | None) -> SearchResult:
        """Searches, and after a network error once more, in a new conversation."""
        try:
            return await self._search(conversation)
        except NavigationFailed as error:
            if not error.retryable:
                raise
        advice = await self._supervisor.ask(Invoke(BrowserPool.look_at_proxy))
        try:
            return await self._begin()
        except NavigationFailed as error:
            error.advice = f"{error.advice} {advice}".strip()
            raise

    async def _search(self, conversation: AIModeThread | None) -> SearchResult:
        if conversation is None:
            return await self._begin()
        try:
            async with self._kept_open(conversation):
                async with self._slots.next(conversation.lease, self._progress) as turn:
                    result = await conversation.follow_up(
                        self._query.query, self._progress, turn.begin
                    )
                if result is not None:
                    return result
                # The page takes no question any more: the thread is over; its tab begins another.
                conversation.id, conversation.language = (
                    self._threads.new_id(),
                    self._query.language,
                )
                async with self._slots.next(conversation.lease, self._progress) as turn:
                    return await conversation.search(self._query.query, self._progress, turn.begin)
        except Undelivered:  # its tab was closed, idle for too long or crashed
            return await self._begin()
        except Unanswered:  # with the question in it, which is not asked twice
            with translate_answer_loss():
                raise

    async def _begin(self) -> SearchResult:
        over = trio.Event()
        async with self._slots.first(over, GOOGLE_AI_MODE, self._progress) as turn:
            conversation = self._conversation(turn.lease, over)
            async with self._kept_open(conversation):
                with translate_answer_loss():
                    result = await conversation.search(
                        self._query.query, self._progress, turn.begin
                    )
        return self._noticed(result, turn.lease)

    async def _with_a_person(self, blocked: SearchBlocked) -> SearchResult:
        """Goes on in the tab in which a person has solved what blocked the search."""
        over = trio.Event()
        try:
            lease = await self._person.help(blocked, over, self._query.language, self._progress)
        except BaseException:
            over.set()
            raise
        if lease is None:
            return await self._begin()
        conversation = self._conversation(lease, over)
        async with self._kept_open(conversation):
            with translate_answer_loss():
                result = await self._read_solved(conversation)
        return self._noticed(result, lease)

    async def _read_solved(self, conversation: AIModeThread) -> SearchResult:
        """Reads the answer that a person has led the tab to; asks anew if it is another one's."""
        lease, progress = conversation.lease, self._progress
        if asks((await read_page_state(lease.tab)).url, self._query.query):
            await self._slots.work(lease, progress)
            return await conversation.read(self._query.query, progress)
        async with self._slots.next(lease, progress) as turn:
            return await conversation.search(self._query.query, progress, turn.begin)

    def _conversation(self, lease: Lease, over: trio.Event) -> AIModeThread:
        return AIModeThread(
            self._threads.new_id(), lease, over, self._query.language, self._settings
        )

    def _noticed(self, result: SearchResult, lease: Lease) -> SearchResult:
        if not lease.notice:
            return result
        return warned(result, texts_of(result.language).profile_in_use)

    @asynccontextmanager
    async def _kept_open(self, conversation: AIModeThread) -> AsyncGenerator[None]:
        """Leaves the conversation open, its tab kept, if the block ends well.

        Otherwise its tab is given back, or held for a person to whom the engine wants to talk.
        """
        async with self._threads.kept_open(conversation):
            try:
                yield
                await self._slots.keep(conversation.lease)
                await self._slots.answered()
            except SearchBlocked as blocked:
                await self._give_up(conversation, blocked)
                raise
            except BaseException:
                conversation.over.set()
                raise

    async def _give_up(self, conversation: AIModeThread, blocked: SearchBlocked) -> None:
        lease, over = conversation.lease, conversation.over
        try:
            way = partial(self._lead, way_to(self._query))
            if blocked.barrier in REFUSED:
                await self._slots.refused(blocked)
        except BaseException:
            over.set()
            raise
        await self._person.call(
            blocked, HandoffRequest(GOOGLE_AI_MODE, way, is_solved), lease, over
        )

    async def _lead(self, way: Navigate, tab: Address[Tab]) -> None:
        """Leads a tab in the window of a person there; see `Way`."""
        async with self._slots.for_person() as begin:
            await tab.ask(way)
            begin()
