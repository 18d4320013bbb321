"""The SearchDesk: who asks what in which conversation."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from random import Random

import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.interventions.handoff import HandoffRequest, HumanHandoff
from tabwright.protocol.actor import Address, Invoke
from tabwright.protocol.ai_search import Search, SearchResult, ThreadState
from tabwright.protocol.browser_pool import BrowserPool, Lease
from tabwright.protocol.errors import (
    BadInput,
    Barrier,
    NavigationFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.tab import Navigate, Tab
from tabwright.search.ai_mode.answer_stream import is_solved, read_page_state
from tabwright.search.ai_mode.conversation import AIModeThread, translate_answer_loss, way_to
from tabwright.search.ai_mode.google_urls import (
    FOLLOW_UP_CHARS_MAX,
    QUERY_CHARS_MAX,
    AIModeQuery,
    asks,
    checked_query,
)
from tabwright.search.ai_mode.result import warned
from tabwright.search.slots import EngineSlots
from tabwright.text.languages import checked_language, texts_of
from tabwright.text.lines import shortened

CARE = RestartPolicy(mailbox_max=256, at_once=256)
"""Searches wait inside for their turn, so that nothing else that is asked waits behind them."""

TOPIC_CHARS = 60

OPEN_MAX = 8
"""Conversations that stay open: each keeps a tab, until it has been idle for too long."""

KNOWN_MAX = 1000
"""Ids that are remembered, so that one that is closed can be told from one that never was."""

REFUSED = frozenset({Barrier.CAPTCHA, Barrier.REFUSED})
"""What an engine shows that has had enough of us."""


class AISearchActor:
    """Answers what `tabwright.protocol.ai_search.Desk` asks.

    Each question that is no follow-up begins a conversation of its own, in a tab of its own. The
    conversations stay open side by side; of more than `OPEN_MAX` the one that has rested longest is
    closed. A follow-up names one by its id, and waits while another question is being answered in
    it. Without an id it goes on where an answer came last, among those in which none is under way.
    """

    def __init__(
        self,
        supervisor: Address[BrowserPool],
        governor: Address[Governor],
        interventions: Address[Interventions],
        settings: Settings,
        chance: Random,
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._turns = EngineSlots(GOOGLE_AI_MODE, governor, supervisor)
        self._person = HumanHandoff(supervisor, interventions, settings.search.person_timeout_s)
        self._chance = chance
        self._open: dict[str, AIModeThread] = {}
        self._busy: dict[str, trio.Event] = {}
        self._known = deque[str](maxlen=KNOWN_MAX)

    async def search(self, request: Search, /) -> SearchResult:
        """See `Search`."""
        question = self._checked(request)
        choosable = len(self._open)
        conversation = await self._taken(request.follow_up)
        language = conversation.language if conversation else ""
        topic = conversation.thread.topic if conversation else ""
        try:
            result = await self._search_twice(request, question, conversation)
        except SearchBlocked as blocked:
            if not blocked.intervention:
                raise
            result = await self._with_a_person(blocked, request, question)
        texts = texts_of(result.language)
        if request.follow_up and not result.continued:
            return warned(result, texts.new_conversation)
        if result.continued and request.language and question.language != language:
            result = warned(result, texts.language_kept.format(language=language))
        if request.follow_up is True and choosable > 1:
            begun = shortened(topic, TOPIC_CHARS)
            result = warned(result, texts.conversation_taken.format(topic=begun))
        return result

    async def threads(self) -> tuple[ThreadState, ...]:
        """See `AISearch.threads`."""
        found: list[ThreadState] = []
        for conversation in tuple(self._open.values()):
            with suppress(Undelivered, Unanswered):  # its tab is gone
                await conversation.tab.ask(
                    Invoke(Tab.traffic)
                )  # answers at once, if it is there at all
                found.append(conversation.thread)
        return tuple(found)

    async def close_threads(self) -> None:
        """See `AISearch.close_threads`."""
        await trio.lowlevel.checkpoint()
        self.close()

    def close(self) -> None:
        """Gives the tabs of the open conversations back."""
        for conversation in self._open.values():
            conversation.over.set()
        self._open.clear()

    def _checked(self, request: Search) -> AIModeQuery:
        limit = FOLLOW_UP_CHARS_MAX if request.follow_up and self._open else QUERY_CHARS_MAX
        query = checked_query(request.query, chars_max=limit)
        language = request.language or self._settings.search.language
        return AIModeQuery(query, checked_language(language))

    async def _taken(self, follow_up: bool | str) -> AIModeThread | None:  # noqa: FBT001
        """The conversation to go on in, which is open for nobody else until it is put back.

        None for a new one, also where the one that was meant is closed.

        Raises:
            BadInput: there never was such a conversation.
        """
        if not follow_up:
            return None
        if follow_up is True:
            name = next(reversed(self._open), "")
        else:
            name = follow_up
            if name not in self._known:
                raise BadInput(
                    f"There is no conversation {name!r}.",
                    advice=f"Open are {', '.join(self._open) or 'none'}. Without follow_up, a "
                    "question begins a new one.",
                )
            while (busy := self._busy.get(name)) is not None:
                await busy.wait()
        conversation = self._open.pop(name, None)
        if conversation is not None:
            self._busy[name] = trio.Event()
        return conversation

    async def _search_twice(
        self, request: Search, question: AIModeQuery, conversation: AIModeThread | None
    ) -> SearchResult:
        """Searches, and after a network error once more, in a new conversation."""
        try:
            return await self._search(request, question, conversation)
        except NavigationFailed as error:
            if not error.retryable:
                raise
        advice = await self._supervisor.ask(Invoke(BrowserPool.look_at_proxy))
        try:
            return await self._begin(request, question)
        except NavigationFailed as error:
            error.advice = f"{error.advice} {advice}".strip()
            raise

    async def _search(
        self, request: Search, question: AIModeQuery, conversation: AIModeThread | None
    ) -> SearchResult:
        if conversation is None:
            return await self._begin(request, question)
        try:
            return await self._go_on(conversation, request, question)
        except Undelivered:  # its tab was closed, idle for too long or crashed
            return await self._begin(request, question)
        except Unanswered:  # with the question in it, which is not asked twice
            with translate_answer_loss():
                raise

    async def _go_on(
        self, conversation: AIModeThread, request: Search, question: AIModeQuery
    ) -> SearchResult:
        async with self._kept_open(conversation, question):
            async with self._turns.next(conversation.lease, request.progress) as turn:
                result = await conversation.follow_up(question.query, request.progress, turn.begin)
            if result is not None:
                return result
            # The page takes no question any more: the thread is over, and its tab begins another.
            conversation.id, conversation.language = self._new_id(), question.language
            async with self._turns.next(conversation.lease, request.progress) as turn:
                return await conversation.search(question.query, request.progress, turn.begin)

    async def _begin(self, request: Search, question: AIModeQuery) -> SearchResult:
        over = trio.Event()
        async with self._turns.first(over, GOOGLE_AI_MODE, request.progress) as turn:
            conversation = self._conversation(turn.lease, over, question)
            async with self._kept_open(conversation, question):
                with translate_answer_loss():
                    result = await conversation.search(question.query, request.progress, turn.begin)
        return self._noticed(result, turn.lease)

    async def _with_a_person(
        self, blocked: SearchBlocked, request: Search, question: AIModeQuery
    ) -> SearchResult:
        """Goes on in the tab in which a person has solved what blocked the search."""
        over = trio.Event()
        try:
            lease = await self._person.help(blocked, over, question.language, request.progress)
        except BaseException:
            over.set()
            raise
        if lease is None:
            return await self._begin(request, question)
        conversation = self._conversation(lease, over, question)
        async with self._kept_open(conversation, question):
            with translate_answer_loss():
                result = await self._read_solved(conversation, request, question)
        return self._noticed(result, lease)

    async def _read_solved(
        self, conversation: AIModeThread, request: Search, question: AIModeQuery
    ) -> SearchResult:
        """Reads the answer that a person has led the tab to; asks anew if it is another one's."""
        lease, progress = conversation.lease, request.progress
        if asks((await read_page_state(lease.tab)).url, question.query):
            await self._turns.work(lease, progress)
            return await conversation.read(question.query, progress)
        async with self._turns.next(lease, progress) as turn:
            return await conversation.search(question.query, progress, turn.begin)

    def _conversation(self, lease: Lease, over: trio.Event, question: AIModeQuery) -> AIModeThread:
        return AIModeThread(self._new_id(), lease, over, question.language, self._settings)

    def _new_id(self) -> str:
        """One that no other conversation has had: not even one before a restart, most likely."""
        name = f"c{self._chance.getrandbits(32):08x}"
        self._known.append(name)
        return name

    def _noticed(self, result: SearchResult, lease: Lease) -> SearchResult:
        if not lease.notice:
            return result
        return warned(result, texts_of(result.language).profile_in_use)

    @asynccontextmanager
    async def _kept_open(
        self, conversation: AIModeThread, question: AIModeQuery
    ) -> AsyncGenerator[None]:
        """Leaves the conversation open, its tab kept, if the block ends well.

        Otherwise its tab is given back, or held for a person to whom the engine wants to talk.
        """
        name = conversation.id
        free = self._busy.setdefault(name, trio.Event())
        try:
            yield
            await self._turns.keep(conversation.lease)
            await self._turns.answered()
        except SearchBlocked as blocked:
            await self._give_up(conversation, question, blocked)
            raise
        except BaseException:
            conversation.over.set()
            raise
        else:
            self._open[conversation.id] = conversation
            while len(self._open) > OPEN_MAX:
                self._open.pop(next(iter(self._open))).over.set()
        finally:
            del self._busy[name]
            free.set()

    async def _give_up(
        self, conversation: AIModeThread, question: AIModeQuery, blocked: SearchBlocked
    ) -> None:
        lease, over = conversation.lease, conversation.over
        try:
            way = partial(self._lead, way_to(question))
            if blocked.barrier in REFUSED:
                await self._turns.refused(blocked)
        except BaseException:
            over.set()
            raise
        await self._person.call(
            blocked, HandoffRequest(GOOGLE_AI_MODE, way, is_solved), lease, over
        )

    async def _lead(self, way: Navigate, tab: Address[Tab]) -> None:
        """Leads a tab in the window of a person there; see `Way`."""
        async with self._turns.for_person() as begin:
            await tab.ask(way)
            begin()


@asynccontextmanager
async def ai_search_actor(
    supervisor: Address[BrowserPool],
    governor: Address[Governor],
    interventions: Address[Interventions],
    settings: Settings,
    chance: Random,
) -> AsyncGenerator[AISearchActor]:
    """The life of a desk; stopping it ends its conversations."""
    ai_search = AISearchActor(supervisor, governor, interventions, settings, chance)
    try:
        yield ai_search
    finally:
        ai_search.close()
