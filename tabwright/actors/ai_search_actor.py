"""The AISearchActor: questions to Google AI Mode, and its open conversations."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import trio

from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.interventions.handoff import HumanHandoff
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import SearchResult, ThreadState
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.rate_limit import Governor
from tabwright.search.ai_mode.google_urls import FOLLOW_UP_CHARS_MAX, AIModeQuery
from tabwright.search.ai_mode.result import warned
from tabwright.search.ai_mode.search_run import OpenThreads, SearchRun
from tabwright.search.progress_texts import in_language
from tabwright.search.slots import EngineSlots
from tabwright.search.urls import QUERY_CHARS_MAX, checked_query
from tabwright.text.languages import checked_language, texts_of
from tabwright.text.lines import shortened


class AISearchActor:
    """Answers what `tabwright.protocol.ai_search.AISearch` asks.

    Each question that is not a follow-up starts a new conversation in a new tab. Several
    conversations can be open; above `OPEN_MAX` the least recently used is closed. A follow-up names
    a conversation by its id, and waits while another question is being answered in it. Without an
    id it continues the idle conversation with the latest answer.
    """

    def __init__(
        self,
        supervisor: Address[BrowserPool],
        governor: Address[Governor],
        person: HumanHandoff,
        settings: Settings,
        chance: Random,
    ) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._slots = EngineSlots(GOOGLE_AI_MODE, governor, supervisor)
        self._person = person
        self._threads = OpenThreads(chance)

    async def search(
        self,
        query: str,
        language: str | None = None,
        *,
        follow_up: bool | str = False,
        progress: OnProgress = ignore_progress,
    ) -> SearchResult:
        question = self._checked(query, language, follow_up=follow_up)
        choosable = len(self._threads)
        conversation = await self._threads.take(follow_up)
        begun_in = conversation.language if conversation else ""
        topic = conversation.thread.topic if conversation else ""
        run = SearchRun(
            question,
            in_language(progress, begun_in or question.language),
            self._threads,
            self._slots,
            self._person,
            self._supervisor,
            self._settings,
        )
        result = await run.run(conversation)
        texts = texts_of(result.language)
        if follow_up and not result.continued:
            return warned(result, texts.new_conversation)
        if result.continued and language and question.language != begun_in:
            result = warned(result, texts.language_kept.format(language=begun_in))
        if follow_up is True and choosable > 1:
            begun = shortened(topic)
            result = warned(result, texts.conversation_taken.format(topic=begun))
        return result

    async def threads(self) -> tuple[ThreadState, ...]:
        return await self._threads.states()

    async def close_threads(self) -> None:
        await trio.lowlevel.checkpoint()
        self.close()

    def close(self) -> None:
        """Release the tabs of the open conversations."""
        self._threads.close()

    def _checked(self, query: str, language: str | None, *, follow_up: bool | str) -> AIModeQuery:
        limit = FOLLOW_UP_CHARS_MAX if follow_up and self._threads else QUERY_CHARS_MAX
        query = checked_query(query, chars_max=limit)
        language = language or self._settings.language
        return AIModeQuery(query, checked_language(language))


@asynccontextmanager
async def ai_search_actor(
    supervisor: Address[BrowserPool],
    governor: Address[Governor],
    person: HumanHandoff,
    settings: Settings,
    chance: Random,
) -> AsyncGenerator[AISearchActor]:
    """Run the actor; stopping it ends its conversations."""
    ai_search = AISearchActor(supervisor, governor, person, settings, chance)
    try:
        yield ai_search
    finally:
        ai_search.close()
