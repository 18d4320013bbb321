"""A conversation with Google AI Mode: a leased tab and the thread that it shows."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Literal

import attrs
import trio

from tabwright.config.settings import Settings
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import SearchResult, ThreadState
from tabwright.protocol.browser_pool import Lease
from tabwright.protocol.errors import (
    BrowserDied,
    NavigationFailed,
    TabwrightError,
    TimeOut,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.progress import AnswerProgress, OnProgress
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.tab import REFUSALS, Tab
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.completion import CompletionDetector, OwnTurn, Phase
from tabwright.search.ai_mode.google_urls import AIModeQuery
from tabwright.search.ai_mode.page_state import (
    PageKind,
    PageState,
    compose_function,
    is_blank,
    is_past_captcha,
    is_unasked,
    page_kind,
    page_state_function,
    parse_page_state,
    shown_text,
    stop_function,
)
from tabwright.search.ai_mode.result import blocked_by, result_of
from tabwright.search.ai_mode.sources import unresolved
from tabwright.search.consent import consent_function
from tabwright.search.slots import translate_answer_loss
from tabwright.text.languages import accept_language

BARRIERS_MAX = 3
"""Maximum number of successive pages before an answer: consent, a check, a CAPTCHA."""

STOP_TRIES_MAX = 5
"""How often an answer is stopped; a button that is still there afterwards means nothing."""


# An answer while it is being written: polled until it is known to be complete.

POLL_S = 0.1
"""Seconds between two polls of an answer that is being written; a poll costs the page a few ms."""

PIERCE_AFTER_S = 1.0
"""Seconds after which a missing answer may be in a closed shadow root, which is costly to open."""


async def read_page_state(
    tab: Address[Tab], *, pierce: bool = False, question: str = ""
) -> PageState:
    """Return the state of the page, including closed shadow roots if `pierce`.

    Its turn is the last one, unless one with the `question` has come since a call without.

    Raises:
        TabwrightError: the page state cannot be read.
    """
    values = (question,) if question else ()
    return parse_page_state(
        await tab.ask(Tab.run_script, page_state_function(), pierce=pierce, values=values)
    )


@attrs.define(eq=False)
class AnswerStream:
    """A watcher of one answer.

    Attributes:
        pierced: whether it reads closed shadow roots.
        phase: the phase of the answer.
        state: the last page state; None before the first.
    """

    tab: Address[Tab]
    completion: CompletionDetector
    progress: OnProgress
    pierced: bool = False
    phase: Phase = Phase.WAITING
    state: PageState | None = None
    _shown: str = ""

    async def follow(self) -> None:
        """Poll until the phase is final. If cancelled, the latest state is kept.

        Raises:
            TabwrightError: the page state can no longer be read.
        """
        pierce_at_s = trio.current_time() + PIERCE_AFTER_S
        while not await self._has_ended():
            self.pierced |= not self._shown and trio.current_time() >= pierce_at_s
            await trio.sleep(POLL_S)

    async def _has_ended(self) -> bool:
        question = self.completion.question.text
        self.state = await read_page_state(self.tab, pierce=self.pierced, question=question)
        traffic = await self.tab.ask(Tab.traffic)
        self.phase = self.completion.feed(self.state, trio.current_time(), traffic)
        shown = shown_text(self.state)
        if shown != self._shown and self.phase is not Phase.WAITING:
            self._shown = shown
            self.progress(AnswerProgress(markdown_of(read_answer(self.state).blocks)))
        return self.phase.is_final


# Passing a consent page, and checking whether a person has solved a CAPTCHA.

CONSENT_S = 15.0
"""Seconds for the page behind a consent form to load."""


@attrs.frozen(eq=False)
class ConsentHandler:
    """A handler of the pages between one tab and its answers.

    Attributes:
        consent: the answer to a privacy question.
    """

    tab: Address[Tab]
    consent: Literal["reject", "accept"]

    async def clear(self, state: PageState) -> bool:
        """Return whether the obstacle in `state` is gone now.

        Raises:
            TabwrightError: the page state can no longer be read.
        """
        if page_kind(state) is not PageKind.CONSENT:
            return False
        reply = await self.tab.ask(Tab.run_script, consent_function(), values=(self.consent,))
        return reply == "answered" and await self._leaves_consent()

    async def _leaves_consent(self) -> bool:
        with trio.move_on_after(CONSENT_S):
            while page_kind(await read_page_state(self.tab)) is PageKind.CONSENT:
                await trio.sleep(POLL_S)
            return True
        return False


async def is_solved(tab: Address[Tab]) -> bool:
    """Return whether a person has led the tab past the engine's CAPTCHA; see `Check`."""
    return is_past_captcha(await read_page_state(tab))


# The thread.


@attrs.define(eq=False)
class AIModeThread:
    """One thread of questions and answers, in one language.

    Attributes:
        id: its id in a follow-up.
        lease: the lease of its tab.
        over: set to give the tab back.
        last_activity_s: when the last question was answered, on trio's clock.
    """

    id: str
    lease: Lease
    over: trio.Event
    language: str
    _settings: Settings
    last_activity_s: float = attrs.field(factory=trio.current_time)
    _asked: list[str] = attrs.field(factory=list[str])
    _pierced: bool = False
    _status: int = 0
    _retry_after_s: float | None = None

    @property
    def tab(self) -> Address[Tab]:
        """Return the tab of the thread."""
        return self.lease.tab

    @property
    def thread(self) -> ThreadState:
        """Return the public state of the thread."""
        topic = self._asked[0] if self._asked else ""
        return ThreadState(
            self.id,
            topic,
            self.language,
            len(self._asked),
            self.last_activity_s,
            self.lease.number,
        )

    async def search(
        self, question: AIModeQuery, progress: OnProgress, asked: Callable[[], None]
    ) -> SearchResult:
        """Ask in a new thread, in the language of the question.

        Args:
            question: the question.
            progress: called with the answer as it grows.
            asked: called when the question has reached the engine.

        Raises:
            TabwrightError: see `AISearch.search`.
        """
        self.language = question.language
        seconds = self._settings.network.page_timeout_s
        try:
            with trio.fail_after(seconds):
                page = await self.tab.ask(
                    Tab.navigate, question.url, accept_language(question.language)
                )
        except trio.TooSlowError as error:
            raise _timed_out(question, seconds) from error
        self._status, self._retry_after_s = page.status, page.retry_after_s
        asked()
        return await self.read(question, progress)

    async def read(self, question: AIModeQuery, progress: OnProgress) -> SearchResult:
        """Read the answer to `question` in the new thread that the tab shows or is opening.

        Raises:
            TabwrightError: see `search`.
        """
        self._asked = []
        stream = await self._followed(OwnTurn(question.query), progress)
        # An HTTP error without a known page is a network error.
        known = self._status < ERROR_STATUS_MIN or self._status in REFUSALS
        if stream.phase is Phase.UNAVAILABLE and not known:
            raise NavigationFailed(
                f"Google answered with HTTP status {self._status}.", advice="Try again later."
            )
        if stream.phase is Phase.UNAVAILABLE and stream.state and is_unasked(stream.state):
            # The page ignored the question in its URL: it may be too long for one.
            before = await self._state_with_composer()
            if before is not None:
                await self.tab.ask(Tab.type_text, question.query)
                typed = await self._followed(OwnTurn(question.query, before), progress)
                stream = stream if typed.phase is Phase.IGNORED else typed
        return await self._result(question, stream)

    async def follow_up(
        self, question: AIModeQuery, progress: OnProgress, asked: Callable[[], None]
    ) -> SearchResult | None:
        """Ask in the thread that the tab shows; return None if the page accepts no question.

        The arguments are those of `search`; the language of the thread does not change.

        Raises:
            TabwrightError: see `search`; `Undelivered` if the tab was closed meanwhile.
        """
        try:
            # A partial answer may still be being written.
            for _ in range(STOP_TRIES_MAX):
                if await self.tab.ask(Tab.run_script, stop_function()) == "quiet":
                    break
                await trio.sleep(POLL_S)
            before = await self._state_with_composer()
        except (BrowserDied, Unanswered) as loss:
            raise Undelivered("The tab of the conversation was closed.") from loss
        if before is None:
            return None
        await self.tab.ask(Tab.type_text, question.query)
        asked()
        turn = OwnTurn(question.query, before, tuple(self._asked))
        stream = await self._followed(turn, progress)
        if stream.phase is Phase.IGNORED:
            return None
        question = attrs.evolve(question, language=self.language)
        return attrs.evolve(await self._result(question, stream), continued=True)

    async def _state_with_composer(self) -> PageState | None:
        """Focus the field for the next question and return the page state; None without one."""
        reply = await self.tab.ask(Tab.run_script, compose_function())
        if reply != "ready":
            reply = await self.tab.ask(
                Tab.run_script, compose_function(), pierce=True, values=("anywhere",)
            )
        if reply != "ready":
            return None
        return await read_page_state(self.tab, pierce=self._pierced)

    async def _followed(self, turn: OwnTurn, progress: OnProgress) -> AnswerStream:
        """Follow the answer to its end, past the pages before it."""
        passage = ConsentHandler(self.tab, self._settings.search.consent)
        stream = AnswerStream(self.tab, CompletionDetector(turn.anew()), progress, self._pierced)
        left_s = await _follow(stream, self._settings.search.timeout_s)
        for _ in range(BARRIERS_MAX):
            if not await self._passed(passage, stream):
                break
            stream = AnswerStream(self.tab, CompletionDetector(turn.anew()), progress)
            left_s = await _follow(stream, left_s)
        self._pierced = stream.pierced
        return stream

    async def _passed(self, passage: ConsentHandler, stream: AnswerStream) -> bool:
        """Return whether the page before the answer is gone, so that polling can continue."""
        if stream.phase is not Phase.BLOCKED or stream.state is None:
            return False
        with translate_answer_loss():
            passed = await passage.clear(stream.state)
        if passed:
            self._status = 0  # was that of the previous page
        return passed

    async def _result(self, question: AIModeQuery, stream: AnswerStream) -> SearchResult:
        state, phase = stream.state, stream.phase
        if state is None or phase is Phase.WAITING:
            raise _timed_out(question, self._settings.search.timeout_s)
        if phase is Phase.FAILED or (phase is Phase.UNAVAILABLE and is_blank(state)):
            failed = NavigationFailed(question.texts.stream_failed)
            failed.language = question.language
            raise failed
        if phase in {Phase.BLOCKED, Phase.UNAVAILABLE, Phase.DECLINED}:
            blocked = blocked_by(state, question, phase, self._status)
            blocked.retry_after_s = self._retry_after_s
            raise blocked
        self._asked.append(question.query)
        self.last_activity_s = trio.current_time()
        result = result_of(
            question,
            state,
            phase,
            resolved=await self._resolved(unresolved(state)),
            limit=self._settings.search.sources_max,
        )
        return attrs.evolve(result, conversation=self.id)

    async def _resolved(self, links: tuple[str, ...]) -> Mapping[str, str]:
        """Resolve the links that the engine redirects; the answer is available without them too."""
        with suppress(TabwrightError):
            return await self.tab.ask(Tab.find_redirects, links) if links else {}
        return {}


def _timed_out(question: AIModeQuery, seconds: float) -> TimeOut:
    late = TimeOut(question.texts.timed_out.format(seconds=f"{seconds:g}"))
    late.language = question.language
    return late


async def _follow(stream: AnswerStream, within_s: float) -> float:
    """Follow an answer for a limited time; return the time left."""
    began_s = trio.current_time()
    with translate_answer_loss(), trio.move_on_after(within_s):
        await stream.follow()
    return max(0.0, within_s - (trio.current_time() - began_s))
