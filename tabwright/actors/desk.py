"""The SearchDesk: who asks what in which conversation."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import trio

from tabwright.actors.address import Address
from tabwright.actors.conversation import Conversation, loss_told
from tabwright.actors.keeping import Care
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.errors import Undelivered
from tabwright.protocol.leases import Governor, LeaseTab, Supervisor
from tabwright.protocol.searching import Search
from tabwright.searching.ai_mode_url import (
    FOLLOW_UP_CHARS_MAX,
    QUERY_CHARS_MAX,
    checked_query,
)
from tabwright.searching.languages import checked_language


def care(settings: Settings) -> Care:
    """How a desk is looked after: it works on as many searches at once as the settings say."""
    return Care(at_once=settings.search.at_once_max)


class SearchDesk:
    """Answers `Search`.

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

    async def search(self, request: Search, /) -> SearchResult:
        """See `Search`."""
        limit = FOLLOW_UP_CHARS_MAX if request.follow_up and self._open else QUERY_CHARS_MAX
        query = checked_query(request.query, chars_max=limit)
        language = checked_language(request.language or self._settings.search.language)
        conversation, self._open = self._open, None
        if conversation is None:
            return await self._begin(query, language, request)
        try:
            return await self._go_on(conversation, query, language, request)
        except Undelivered:  # its tab was closed, idle for too long or crashed
            return await self._begin(query, language, request)

    def close(self) -> None:
        """Gives the open conversation's tab back."""
        if self._open is not None:
            self._open.over.set()

    async def _go_on(
        self, conversation: Conversation, query: str, language: str, request: Search
    ) -> SearchResult:
        with self._kept_open(conversation):
            if request.follow_up:
                result = await conversation.follow_up(query, request.progress)
                if result is not None:
                    return result
            conversation.language = language
            return await conversation.search(query, request.progress)

    async def _begin(self, query: str, language: str, request: Search) -> SearchResult:
        over = trio.Event()
        try:
            tab = await self._supervisor.ask(LeaseTab(over, private=False))
        except BaseException:
            over.set()
            raise
        conversation = Conversation(tab, over, language, self._governor, self._settings)
        with self._kept_open(conversation), loss_told():
            return await conversation.search(query, request.progress)

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
