"""A conversation with Google AI Mode: a leased tab, and the thread that it shows."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial

import attrs
import trio

from tabwright.actors.address import Address
from tabwright.actors.answer_stream import AnswerStream
from tabwright.actors.grant import granted
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import (
    NavigationFailed,
    PageFailed,
    SearchBlocked,
    TimeOut,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.leases import Governor, Permit
from tabwright.protocol.searching import Progress
from tabwright.protocol.tabs import FindRedirects, Navigate, RunScript, Tab, TypeText
from tabwright.searching.ai_mode_url import ai_mode_url
from tabwright.searching.answer import read_answer
from tabwright.searching.completion import Completion, Phase
from tabwright.searching.interstitials import PageKind, page_kind
from tabwright.searching.languages import accept_language
from tabwright.searching.look import Look
from tabwright.searching.markdown import markdown_of
from tabwright.searching.page_script import compose_function
from tabwright.searching.sources import unresolved
from tabwright.searching.texts import texts_of

NAVIGATION_TRIES_MAX = 2
"""A network error is tried again once."""


@contextmanager
def loss_told() -> Generator[None]:
    """Says of a tab that is gone what it means for the search.

    Raises:
        PageFailed: the tab was lost between two requests.
    """
    try:
        yield
    except (Undelivered, Unanswered) as loss:
        text = f"The page was lost before the answer was whole: {loss.message}"
        raise PageFailed(text, advice="Ask again.") from loss


@attrs.define(eq=False)
class Conversation:
    """One thread of questions and answers, in one language.

    Attributes:
        over: set to give the tab back.
        look: how the page looked when the last answer was read.
    """

    tab: Asked[Tab]
    over: trio.Event
    language: str
    _governor: Address[Governor]
    _settings: Settings
    look: Look | None = None

    async def search(self, query: str, progress: Progress) -> SearchResult:
        """Asks `query` in a new thread.

        Raises:
            TabwrightError: as `tabwright.protocol.searching.Search` says.
        """
        async with granted(self._governor, partial(Permit, site=GOOGLE_AI_MODE)):
            await self._open(ai_mode_url(query, self.language))
            return await self._answer(query, Completion(), progress)

    async def follow_up(self, query: str, progress: Progress) -> SearchResult | None:
        """Asks `query` in the thread that the tab shows; None where the page takes no question.

        Raises:
            TabwrightError: as `search`; `Undelivered` where the tab was closed meanwhile.
        """
        async with granted(self._governor, partial(Permit, site=GOOGLE_AI_MODE)):
            if await self.tab.ask(RunScript(compose_function())) != "ready":
                return None
            await self.tab.ask(TypeText(query))
            return await self._answer(query, Completion(before=self.look), progress)

    async def _open(self, url: str) -> None:
        request = Navigate(url, accept_language(self.language))
        for _ in range(NAVIGATION_TRIES_MAX - 1):
            try:
                return await self._load(request)
            except NavigationFailed as error:
                if not error.retryable:
                    raise
        return await self._load(request)

    async def _load(self, request: Navigate) -> None:
        seconds = self._settings.network.page_timeout_s
        try:
            with trio.fail_after(seconds):
                await self.tab.ask(request)
        except trio.TooSlowError as error:
            raise self._timed_out(seconds) from error

    async def _answer(self, query: str, completion: Completion, progress: Progress) -> SearchResult:
        seconds = self._settings.search.timeout_s
        stream = AnswerStream(self.tab, completion, progress)
        with loss_told(), trio.move_on_after(seconds):
            await stream.follow()
        self.look = stream.look
        if self.look is None or stream.phase is Phase.WAITING:
            raise self._timed_out(seconds)
        return await self._result(query, self.look, stream.phase)

    async def _result(self, query: str, look: Look, phase: Phase) -> SearchResult:
        texts = texts_of(self.language)
        if phase in {Phase.BLOCKED, Phase.UNAVAILABLE}:
            raise SearchBlocked(self._why_blocked(look))
        if phase in {Phase.NO_ANSWER, Phase.EMPTY}:
            return SearchResult(
                success=True, query=query, language=self.language, warning=texts.no_answer
            )
        answer = read_answer(
            look,
            resolved=await self._resolved(unresolved(look)),
            limit=self._settings.search.sources_max,
        )
        return SearchResult(
            success=True,
            query=query,
            ai_answer=markdown_of(answer.blocks),
            sources=answer.sources,
            language=self.language,
            warning="" if phase is Phase.COMPLETE else texts.partial,
            blocks=answer.blocks,
        )

    async def _resolved(self, links: tuple[str, ...]) -> Mapping[str, str]:
        return await self.tab.ask(FindRedirects(links)) if links else {}

    def _timed_out(self, seconds: float) -> TimeOut:
        return TimeOut(texts_of(self.language).timed_out.format(seconds=f"{seconds:g}"))

    def _why_blocked(self, look: Look) -> str:
        texts = texts_of(self.language)
        reasons = {
            PageKind.CAPTCHA: texts.captcha,
            PageKind.CONSENT: texts.consent,
            PageKind.BLOCKED: texts.blocked,
            PageKind.SCRIPT_CHECK: texts.blocked,
        }
        return reasons.get(page_kind(look), texts.unavailable)
