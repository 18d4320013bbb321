"""The SearchDesk: who asks what in which conversation."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import trio

from tabwright.actors.engines.answer_stream import take_look
from tabwright.actors.engines.conversation import Conversation, answer_loss_told, way_to
from tabwright.actors.engines.passage import is_solved
from tabwright.actors.engines.turns import Turns
from tabwright.actors.kit.address import Address
from tabwright.actors.kit.keeping import Care
from tabwright.actors.people.person import Need, Person
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import (
    Barrier,
    NavigationFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.leases import Lease, LookAtProxy, Supervisor
from tabwright.protocol.permits import Governor
from tabwright.protocol.searching import CloseThread, GetThread, Search, Thread
from tabwright.protocol.tabs import GetTraffic, Navigate, Tab
from tabwright.searching.ai_mode_url import (
    FOLLOW_UP_CHARS_MAX,
    QUERY_CHARS_MAX,
    Question,
    checked_query,
)
from tabwright.searching.languages import checked_language
from tabwright.searching.links import asks
from tabwright.searching.results import warned
from tabwright.searching.texts import texts_of

CARE = Care(mailbox_max=256, at_once=256)
"""Searches wait inside for their turn, so that nothing else that is asked waits behind them."""

REFUSED = frozenset({Barrier.CAPTCHA, Barrier.REFUSED})
"""What an engine shows that has had enough of us."""


class SearchDesk:
    """Answers what `tabwright.protocol.searching.Desk` asks.

    The conversation whose answer came last is the open one: a follow-up goes on in it, and a new
    question takes over its tab. While a question is being answered its conversation is not open,
    so that a second question at the same time gets a tab of its own.
    """

    def __init__(
        self,
        supervisor: Address[Supervisor],
        governor: Address[Governor],
        interventions: Address[Interventions],
        settings: Settings,
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._turns = Turns(GOOGLE_AI_MODE, governor, supervisor)
        self._person = Person(supervisor, interventions, settings.search.person_timeout_s)
        self._open: Conversation | None = None

    async def search(self, request: Search, /) -> SearchResult:
        """See `Search`."""
        question = self._checked(request)
        try:
            result = await self._search_twice(request, question)
        except SearchBlocked as blocked:
            if not blocked.intervention:
                raise
            result = await self._with_a_person(blocked, request, question)
        if request.follow_up and not result.continued:
            return warned(result, texts_of(question.language).new_conversation)
        return result

    async def thread(self, request: GetThread, /) -> Thread | None:
        """See `GetThread`."""
        del request
        conversation = self._open
        if conversation is None:
            return None
        try:
            await conversation.tab.ask(GetTraffic())  # answers at once, if it is there at all
        except (Undelivered, Unanswered):  # its tab is gone
            return None
        return conversation.thread

    async def close_thread(self, request: CloseThread, /) -> None:
        """See `CloseThread`."""
        del request
        await trio.lowlevel.checkpoint()
        self.close()

    def close(self) -> None:
        """Gives the open conversation's tab back."""
        if self._open is not None:
            self._open.over.set()
            self._open = None

    def _checked(self, request: Search) -> Question:
        limit = FOLLOW_UP_CHARS_MAX if request.follow_up and self._open else QUERY_CHARS_MAX
        query = checked_query(request.query, chars_max=limit)
        language = request.language or self._settings.search.language
        return Question(query, checked_language(language))

    async def _search_twice(self, request: Search, question: Question) -> SearchResult:
        """Searches, and after a network error once more, in a new conversation."""
        try:
            return await self._search(request, question)
        except NavigationFailed as error:
            if not error.retryable:
                raise
        advice = await self._supervisor.ask(LookAtProxy())
        try:
            return await self._begin(request, question)
        except NavigationFailed as error:
            error.advice = f"{error.advice} {advice}".strip()
            raise

    async def _search(self, request: Search, question: Question) -> SearchResult:
        conversation, self._open = self._open, None
        if conversation is None:
            return await self._begin(request, question)
        try:
            return await self._go_on(conversation, request, question)
        except Undelivered:  # its tab was closed, idle for too long or crashed
            return await self._begin(request, question)
        except Unanswered:  # with the question in it, which is not asked twice
            with answer_loss_told():
                raise

    async def _go_on(
        self, conversation: Conversation, request: Search, question: Question
    ) -> SearchResult:
        async with self._kept_open(conversation, question):
            if request.follow_up:
                async with self._turns.next(conversation.lease, request.progress) as turn:
                    result = await conversation.follow_up(
                        question.query, request.progress, turn.begin
                    )
                if result is not None:
                    return result
            conversation.language = question.language
            async with self._turns.next(conversation.lease, request.progress) as turn:
                return await conversation.search(question.query, request.progress, turn.begin)

    async def _begin(self, request: Search, question: Question) -> SearchResult:
        over = trio.Event()
        async with self._turns.first(over, GOOGLE_AI_MODE, request.progress) as turn:
            conversation = self._conversation(turn.lease, over, question)
            async with self._kept_open(conversation, question):
                with answer_loss_told():
                    result = await conversation.search(question.query, request.progress, turn.begin)
        return self._noticed(result, turn.lease)

    async def _with_a_person(
        self, blocked: SearchBlocked, request: Search, question: Question
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
            with answer_loss_told():
                result = await self._read_solved(conversation, request, question)
        return self._noticed(result, lease)

    async def _read_solved(
        self, conversation: Conversation, request: Search, question: Question
    ) -> SearchResult:
        """Reads the answer that a person has led the tab to; asks anew if it is another one's."""
        lease, progress = conversation.lease, request.progress
        if asks((await take_look(lease.tab)).url, question.query):
            await self._turns.work(lease, progress)
            return await conversation.read(question.query, progress)
        async with self._turns.next(lease, progress) as turn:
            return await conversation.search(question.query, progress, turn.begin)

    def _conversation(self, lease: Lease, over: trio.Event, question: Question) -> Conversation:
        return Conversation(lease, over, question.language, self._settings)

    def _noticed(self, result: SearchResult, lease: Lease) -> SearchResult:
        if not lease.notice:
            return result
        return warned(result, texts_of(result.language).profile_in_use)

    @asynccontextmanager
    async def _kept_open(
        self, conversation: Conversation, question: Question
    ) -> AsyncGenerator[None]:
        """Leaves the conversation open, its tab kept, if the block ends well.

        Otherwise its tab is given back, or held for a person to whom the engine wants to talk.
        """
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
        self.close()
        self._open = conversation

    async def _give_up(
        self, conversation: Conversation, question: Question, blocked: SearchBlocked
    ) -> None:
        lease, over = conversation.lease, conversation.over
        try:
            way = partial(self._lead, way_to(question))
            if blocked.barrier in REFUSED:
                await self._turns.refused(blocked)
        except BaseException:
            over.set()
            raise
        await self._person.call(blocked, Need(GOOGLE_AI_MODE, way, is_solved), lease, over)

    async def _lead(self, way: Navigate, tab: Asked[Tab]) -> None:
        """Leads a tab in the window of a person there; see `Way`."""
        async with self._turns.for_person() as begin:
            await tab.ask(way)
            begin()


@asynccontextmanager
async def search_desk(
    supervisor: Address[Supervisor],
    governor: Address[Governor],
    interventions: Address[Interventions],
    settings: Settings,
) -> AsyncGenerator[SearchDesk]:
    """The life of a desk; stopping it ends its conversation."""
    desk = SearchDesk(supervisor, governor, interventions, settings)
    try:
        yield desk
    finally:
        desk.close()
