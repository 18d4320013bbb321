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
from tabwright.protocol.errors import NavigationFailed, SearchBlocked, Unanswered, Undelivered
from tabwright.protocol.leases import Governor, LeaseTab, LookAtProxy, Supervisor
from tabwright.protocol.searching import CloseThread, GetThread, Search, Thread
from tabwright.protocol.tabs import GetTraffic
from tabwright.searching.ai_mode_url import FOLLOW_UP_CHARS_MAX, QUERY_CHARS_MAX, checked_query
from tabwright.searching.languages import checked_language
from tabwright.searching.outcome import Asked, warned
from tabwright.searching.texts import texts_of


def care(settings: Settings) -> Care:
    """How a desk is looked after: it works on as many searches at once as the settings say."""
    return Care(at_once=settings.search.at_once_max)


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

    async def search(self, request: Search, /) -> SearchResult:
        """See `Search`."""
        asked = self._checked(request)
        try:
            result = await self._search_twice(request, asked)
        except SearchBlocked as error:
            if not is_captcha(error) or not self._hand_over.within_s:
                raise
            result = await self._hand_over.search(
                error,
                asked.language,
                request.progress,
                again=partial(self._search, request, asked),
                in_window=partial(self._begin, request, asked, visible=True),
            )
        if request.follow_up and not result.continued:
            return warned(result, texts_of(asked.language).new_conversation)
        return result

    async def thread(self, request: GetThread, /) -> Thread | None:
        """See `GetThread`."""
        del request
        conversation = self._open
        if conversation is None:
            return None
        try:
            await conversation.tab.ask(GetTraffic())
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

    def _checked(self, request: Search) -> Asked:
        limit = FOLLOW_UP_CHARS_MAX if request.follow_up and self._open else QUERY_CHARS_MAX
        query = checked_query(request.query, chars_max=limit)
        return Asked(query, checked_language(request.language or self._settings.search.language))

    async def _search_twice(self, request: Search, asked: Asked) -> SearchResult:
        """Searches, and after a network error once more, in a new tab."""
        try:
            return await self._search(request, asked)
        except NavigationFailed as error:
            if not error.retryable:
                raise
        advice = await self._supervisor.ask(LookAtProxy())
        try:
            return await self._search(request, asked)
        except NavigationFailed as error:
            error.advice = f"{error.advice} {advice}".strip()
            raise

    async def _search(self, request: Search, asked: Asked) -> SearchResult:
        conversation, self._open = self._open, None
        if conversation is None:
            return await self._begin(request, asked)
        try:
            return await self._go_on(conversation, request, asked)
        except Undelivered:  # its tab was closed, idle for too long or crashed
            return await self._begin(request, asked)

    async def _go_on(
        self, conversation: Conversation, request: Search, asked: Asked
    ) -> SearchResult:
        with self._kept_open(conversation):
            if request.follow_up:
                result = await conversation.follow_up(asked.query, request.progress)
                if result is not None:
                    return result
            conversation.language = asked.language
            return await conversation.search(asked.query, request.progress)

    async def _begin(self, request: Search, asked: Asked, *, visible: bool = False) -> SearchResult:
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
        conversation = Conversation(lease.tab, over, asked.language, self._governor, self._settings)
        patience_s = self._hand_over.within_s if visible else 0.0
        with self._kept_open(conversation), loss_told():
            result = await conversation.search(asked.query, request.progress, patience_s=patience_s)
        return warned(result, texts_of(asked.language).profile_in_use) if lease.notice else result

    @contextmanager
    def _kept_open(self, conversation: Conversation) -> Generator[None]:
        """Leaves the conversation open if the block ends well; gives its tab back if not."""
        try:
            yield
        except BaseException:
            conversation.over.set()
            raise
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
