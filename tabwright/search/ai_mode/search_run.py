"""Searches with Google AI Mode: choosing the conversation, and recovering from failures."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from random import Random

import attrs
import trio

from tabwright.concurrency.grants import end_on_failure
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.interventions.handoff import HandoffRequest, HumanHandoff
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import SearchResult, ThreadState
from tabwright.protocol.browser_pool import BrowserPool, Lease
from tabwright.protocol.errors import (
    BadInput,
    Barrier,
    NavigationFailed,
    SearchBlocked,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.tab import Tab
from tabwright.search.ai_mode.conversation import (
    AIModeThread,
    is_solved,
    read_page_state,
)
from tabwright.search.ai_mode.google_urls import AIModeQuery
from tabwright.search.ai_mode.result import warned
from tabwright.search.slots import EngineSlots, translate_answer_loss
from tabwright.search.urls import asks
from tabwright.text.languages import accept_language

OPEN_MAX = 8
"""Maximum number of open conversations: each keeps a tab, until it is idle for too long."""


@attrs.define(eq=False)
class OpenThreads:
    """The open conversations, the most recently answered last."""

    _random: Random
    _open: dict[str, AIModeThread] = attrs.field(factory=dict[str, AIModeThread], init=False)
    _busy: dict[str, trio.Event] = attrs.field(factory=dict[str, trio.Event], init=False)
    _known: set[str] = attrs.field(factory=set[str], init=False)

    def __len__(self) -> int:
        return len(self._open)

    async def states(self) -> tuple[ThreadState, ...]:
        """Return the state of each open conversation with a tab, the most recently used last."""
        found: list[ThreadState] = []
        for conversation in tuple(self._open.values()):
            with suppress(Undelivered, Unanswered):  # the tab is gone
                # This returns at once if the tab still exists.
                await conversation.tab.ask(Tab.traffic)
                found.append(conversation.thread)
        return tuple(found)

    def close(self) -> None:
        """Give the tabs of the open conversations back."""
        for conversation in self._open.values():
            conversation.over.set()
        self._open.clear()

    async def take(self, follow_up: bool | str) -> AIModeThread | None:  # noqa: FBT001
        """Return the conversation to continue, reserved until it is put back.

        Return None to begin a new one, also if the requested one is closed.

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
                    advice=f"Open conversations: {', '.join(self._open) or 'none'}. Omit "
                    "follow_up to start a new one.",
                )
            while (busy := self._busy.get(name)) is not None:
                await busy.wait()
        conversation = self._open.pop(name, None)
        if conversation is not None:
            self._busy[name] = trio.Event()
        return conversation

    def new_id(self) -> str:
        """Return an id that no other conversation has had, probably not even before a restart."""
        name = f"c{self._random.getrandbits(32):08x}"
        self._known.add(name)
        return name

    @asynccontextmanager
    async def kept_open(self, conversation: AIModeThread) -> AsyncGenerator[None]:
        """Keep the conversation open if the block succeeds.

        It is reserved until the block has ended.
        """
        name = conversation.id
        free = self._busy.setdefault(name, trio.Event())
        try:
            yield
            self._open[conversation.id] = conversation
            while len(self._open) > OPEN_MAX:
                self._open.pop(next(iter(self._open))).over.set()
        finally:
            del self._busy[name]
            free.set()


REFUSED = frozenset({Barrier.CAPTCHA, Barrier.REFUSED})
"""The pages of an engine that refuses further requests."""


@attrs.frozen(eq=False)
class SearchRun:
    """One question on its way to an answer.

    It is asked in an open conversation or begins a new one. After a network error it begins
    another. After a CAPTCHA it continues once a person has solved it.
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
            conversation: the open conversation to continue; None for a new one.

        Raises:
            TabwrightError: see `AISearch.search`.
        """
        try:
            return await self._search_twice(conversation)
        except SearchBlocked as blocked:
            if not blocked.intervention:
                raise
            return await self._with_a_person(blocked)

    async def _search_twice(self, conversation: AIModeThread | None) -> SearchResult:
        """Search; after a network error, search once more in a new conversation."""
        try:
            return await self._search(conversation)
        except NavigationFailed as error:
            if not error.retryable:
                raise
        advice = await self._supervisor.ask(BrowserPool.check_proxy)
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
                    result = await conversation.follow_up(self._query, self._progress, turn.begin)
                if result is not None:
                    return result
                # The page accepts no further question: the thread is over; its tab begins another.
                conversation.id = self._threads.new_id()
                async with self._slots.next(conversation.lease, self._progress) as turn:
                    return await conversation.search(self._query, self._progress, turn.begin)
        except Undelivered:  # the tab was closed: idle for too long, or crashed
            return await self._begin()
        except Unanswered:  # with the question in it, which is not asked again
            with translate_answer_loss():
                raise

    async def _begin(self) -> SearchResult:
        over = trio.Event()
        async with self._slots.first(over, self._progress) as turn:
            conversation = self._conversation(turn.lease, over)
            async with self._kept_open(conversation):
                with translate_answer_loss():
                    result = await conversation.search(self._query, self._progress, turn.begin)
        return self._noticed(result, turn.lease)

    async def _with_a_person(self, blocked: SearchBlocked) -> SearchResult:
        """Continue in the tab in which a person has solved the CAPTCHA of the search."""
        over = trio.Event()
        with end_on_failure(over):
            lease = await self._person.help(blocked, over, self._query.language, self._progress)
        if lease is None:
            return await self._begin()
        conversation = self._conversation(lease, over)
        async with self._kept_open(conversation):
            with translate_answer_loss():
                # If the person has led the tab to another answer, the question is asked again.
                if asks((await read_page_state(lease.tab)).url, self._query.query):
                    await self._slots.work(lease, self._progress)
                    result = await conversation.read(self._query, self._progress)
                else:
                    async with self._slots.next(lease, self._progress) as turn:
                        result = await conversation.search(self._query, self._progress, turn.begin)
        return self._noticed(result, lease)

    def _conversation(self, lease: Lease, over: trio.Event) -> AIModeThread:
        return AIModeThread(
            self._threads.new_id(), lease, over, self._query.language, self._settings
        )

    def _noticed(self, result: SearchResult, lease: Lease) -> SearchResult:
        if not lease.notice:
            return result
        return warned(result, self._query.texts.profile_in_use)

    @asynccontextmanager
    async def _kept_open(self, conversation: AIModeThread) -> AsyncGenerator[None]:
        """Keep the conversation open, with its tab, if the block succeeds.

        Otherwise its tab is given back, or kept for a person if the engine demands one.
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
        with end_on_failure(over):
            way = partial(self._lead, self._query.url)  # no person can ask what has no URL
            if blocked.barrier in REFUSED:
                await self._slots.refused(blocked)
        await self._person.call(
            blocked, HandoffRequest(GOOGLE_AI_MODE, way, is_solved), lease, over
        )

    async def _lead(self, url: str, tab: Address[Tab]) -> None:
        """Open the page in a tab in a person's window; see `Way`."""
        async with self._slots.for_person() as begin:
            await tab.ask(Tab.navigate, url, accept_language(self._query.language))
            begin()
