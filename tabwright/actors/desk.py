"""The SearchDesk: who asks what in which conversation."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import trio

from tabwright.actors.address import Address
from tabwright.actors.conversation import Conversation, loss_told
from tabwright.actors.handover import HandOver, is_captcha
from tabwright.actors.keeping import Care
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.errors import (
    BrowserUnavailable,
    NavigationFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.leases import FindScreen, Governor, LeaseTab, LookAtProxy, Supervisor
from tabwright.protocol.searching import CloseThread, GetThread, Search, Thread
from tabwright.protocol.tabs import GetTraffic
from tabwright.searching.ai_mode_url import (
    FOLLOW_UP_CHARS_MAX,
    QUERY_CHARS_MAX,
    Question,
    ai_mode_url,
    checked_query,
)
from tabwright.searching.languages import checked_language
from tabwright.searching.results import warned
from tabwright.searching.texts import texts_of

CARE = Care(mailbox_max=256, at_once=256)
"""Searches wait inside for their turn, so that nothing else that is asked waits behind them."""


class SearchDesk:
    """Answers what `tabwright.protocol.searching.Desk` asks.

    The conversation whose answer came last is the open one: a follow-up goes on in it, and a new
    question takes over its tab. While a question is being answered its conversation is not open,
    so that a second question at the same time gets a tab of its own.
    """

    def __init__(
        self, supervisor: Address[Supervisor], governor: Address[Governor], settings: Settings
    ) -> None:
        self._supervisor = supervisor
        self._governor = governor
        self._settings = settings
        self._open: Conversation | None = None
        self._hand_over = HandOver(settings.search.person_timeout_s)
        self._running = trio.Semaphore(settings.search.at_once_max)

    async def search(self, request: Search, /) -> SearchResult:
        """See `Search`."""
        question = self._checked(request)
        try:
            async with self._running:
                result = await self._search_twice(request, question)
        except SearchBlocked as error:
            if not is_captcha(error) or not self._hand_over.within_s:
                raise
            result = await self._with_a_person(error, request, question)
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

    async def _with_a_person(
        self, captcha: SearchBlocked, request: Search, question: Question
    ) -> SearchResult:
        ai_mode_url(question.query, question.language)  # or nobody should be called for it
        try:
            await self._supervisor.ask(FindScreen())
        except BrowserUnavailable as error:
            captcha.advice = str(error)
            raise captcha from error
        return await self._hand_over.search(
            captcha,
            question.language,
            request.progress,
            again=partial(self._begin, request, question),
            in_window=partial(self._begin, request, question, visible=True),
        )

    async def _go_on(
        self, conversation: Conversation, request: Search, question: Question
    ) -> SearchResult:
        with self._kept_open(conversation):
            if request.follow_up:
                result = await conversation.follow_up(question.query, request.progress)
                if result is not None:
                    return result
            conversation.language = question.language
            return await conversation.search(question.query, request.progress)

    async def _begin(
        self, request: Search, question: Question, *, visible: bool = False
    ) -> SearchResult:
        if visible:
            self.close()  # or its tab would keep the browser from being exchanged
        over = trio.Event()
        try:
            lease = await self._supervisor.ask(
                LeaseTab(over, private=False, light=not visible, visible=visible)
            )
        except BaseException:
            over.set()
            raise
        conversation = Conversation(
            lease.tab, over, question.language, self._governor, self._settings
        )
        patience_s = self._hand_over.within_s if visible else 0.0
        with self._kept_open(conversation, visible=visible), loss_told():
            result = await conversation.search(
                question.query, request.progress, patience_s=patience_s
            )
        if not lease.notice:
            return result
        return warned(result, texts_of(question.language).profile_in_use)

    @contextmanager
    def _kept_open(self, conversation: Conversation, *, visible: bool = False) -> Generator[None]:
        """Leaves the conversation open if the block ends well; gives its tab back if not.

        It gives it back too where the browser waits to be exchanged for one with a window.
        """
        try:
            yield
        except BaseException:
            conversation.over.set()
            raise
        if self._hand_over.is_under_way and not visible:
            conversation.over.set()
            return
        self.close()
        self._open = conversation


@asynccontextmanager
async def search_desk(
    supervisor: Address[Supervisor], governor: Address[Governor], settings: Settings
) -> AsyncGenerator[SearchDesk]:
    """The life of a desk; stopping it ends its conversation."""
    desk = SearchDesk(supervisor, governor, settings)
    try:
        yield desk
    finally:
        desk.close()
