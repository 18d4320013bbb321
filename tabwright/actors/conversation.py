"""A conversation with Google AI Mode: a leased tab, and the thread that it shows."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial

import attrs
import trio

from tabwright.actors.address import Address
from tabwright.actors.answer_stream import LOOK_EVERY_S, AnswerStream, take_look
from tabwright.actors.grant import granted
from tabwright.actors.passage import Passage
from tabwright.config.engines import GOOGLE_AI_MODE
from tabwright.config.settings import Settings
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import (
    BrowserDied,
    NavigationFailed,
    PageFailed,
    TimeOut,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.leases import Governor, Permit
from tabwright.protocol.searching import Progress, Thread
from tabwright.protocol.tabs import REFUSALS, FindRedirects, Navigate, RunScript, Tab, TypeText
from tabwright.searching import results
from tabwright.searching.ai_mode_url import Question, ai_mode_url
from tabwright.searching.asked_question import AskedQuestion
from tabwright.searching.completion import Completion
from tabwright.searching.languages import accept_language
from tabwright.searching.page_script import compose_function, stop_function
from tabwright.searching.phases import Phase
from tabwright.searching.sources import unresolved
from tabwright.searching.texts import texts_of

BARRIERS_MAX = 3
"""How many pages may stand one after the other before an answer: consent, a check, a CAPTCHA."""

ERROR_STATUS_MIN = 400

ASK_AGAIN = "Ask again."

STOP_TRIES_MAX = 5
"""How often an answer is stopped; a button that is still there then does not say anything."""


@contextmanager
def loss_told() -> Generator[None]:
    """Says of a tab that is gone what it means for the search.

    Raises:
        BrowserDied: the browser ended.
        PageFailed: the page did.
    """
    try:
        yield
    except (Undelivered, Unanswered) as loss:
        if isinstance(loss.__cause__, BrowserDied):
            raise BrowserDied(loss.__cause__.message, advice=ASK_AGAIN) from loss
        text = f"The page was lost before the answer was whole: {loss.message}"
        raise PageFailed(text, advice=ASK_AGAIN) from loss


@attrs.define(eq=False)
class Conversation:
    """One thread of questions and answers, in one language.

    Attributes:
        over: set to give the tab back.
        last_activity_s: when the last question was answered, on the clock of trio.
    """

    tab: Asked[Tab]
    over: trio.Event
    language: str
    _governor: Address[Governor]
    _settings: Settings
    last_activity_s: float = attrs.field(factory=trio.current_time)
    _asked: list[str] = attrs.field(factory=list[str])
    _pierced: bool = False
    _status: int = 0

    @property
    def thread(self) -> Thread:
        """What others may know of it."""
        return Thread(self.language, len(self._asked), self.last_activity_s)

    async def search(
        self, query: str, progress: Progress, *, patience_s: float = 0.0
    ) -> SearchResult:
        """Asks `query` in a new thread.

        Args:
            query: the question.
            progress: is told of the answer as it grows.
            patience_s: how long a CAPTCHA may stay, for a person to solve it.

        Raises:
            TabwrightError: as `tabwright.protocol.searching.Search` says.
        """
        async with granted(self._governor, partial(Permit, site=GOOGLE_AI_MODE)):
            await self._open(ai_mode_url(query, self.language))
            self._asked = []
            stream = await self._followed(AskedQuestion(query), progress, patience_s)
            self._check_status(stream)
            return await self._result(query, stream)

    async def follow_up(self, query: str, progress: Progress) -> SearchResult | None:
        """Asks `query` in the thread that the tab shows; None where the page takes no question.

        Raises:
            TabwrightError: as `search`; `Undelivered` where the tab was closed meanwhile.
        """
        async with granted(self._governor, partial(Permit, site=GOOGLE_AI_MODE)):
            await self._stop_writing()
            if not await self._composer_is_ready():
                return None
            before = await take_look(self.tab, pierce=self._pierced)
            await self.tab.ask(TypeText(query))
            question = AskedQuestion(query, before, tuple(self._asked))
            stream = await self._followed(question, progress)
            if stream.phase is Phase.IGNORED:
                return None
            return attrs.evolve(await self._result(query, stream), continued=True)

    async def _stop_writing(self) -> None:
        """Stops an answer that was given in part and is still being written."""
        for _ in range(STOP_TRIES_MAX):
            if await self.tab.ask(RunScript(stop_function())) == "quiet":
                return
            await trio.sleep(LOOK_EVERY_S)

    async def _composer_is_ready(self) -> bool:
        """Puts the focus into the field for the next question, in a closed shadow root too."""
        script = RunScript(compose_function())
        deeper = RunScript(compose_function(), pierce=True, values=("anywhere",))
        said = await self.tab.ask(script)
        return said == "ready" or await self.tab.ask(deeper) == "ready"

    async def _open(self, url: str) -> None:
        seconds = self._settings.network.page_timeout_s
        try:
            with trio.fail_after(seconds):
                page = await self.tab.ask(Navigate(url, accept_language(self.language)))
        except trio.TooSlowError as error:
            raise self._timed_out(seconds) from error
        self._status = page.status

    async def _followed(
        self, question: AskedQuestion, progress: Progress, patience_s: float = 0.0
    ) -> AnswerStream:
        """Follows the answer to its end, past what stands before it."""
        passage = Passage(self.tab, self.language, self._settings.search.consent, patience_s)
        stream = AnswerStream(self.tab, Completion(question.anew()), progress, self._pierced)
        left_s = await _follow(stream, self._settings.search.timeout_s)
        for _ in range(BARRIERS_MAX):
            if not await self._passed(passage, stream):
                break
            stream = AnswerStream(self.tab, Completion(question.anew()), progress)
            left_s = await _follow(stream, left_s)
        self._pierced = stream.pierced
        return stream

    async def _passed(self, passage: Passage, stream: AnswerStream) -> bool:
        """Whether what stood before the answer is gone, so that the page may be followed again."""
        if stream.phase is not Phase.BLOCKED or stream.look is None:
            return False
        with loss_told():
            passed = await passage.clear(stream.look)
        if passed:
            self._status = 0  # was that of the page that is gone
        return passed

    def _check_status(self, stream: AnswerStream) -> None:
        """An error of HTTP without a page that we know is one of the network."""
        known = self._status < ERROR_STATUS_MIN or self._status in REFUSALS
        if stream.phase is Phase.UNAVAILABLE and not known:
            raise NavigationFailed(
                f"Google answered with HTTP status {self._status}.", advice="Try again later."
            )

    async def _result(self, query: str, stream: AnswerStream) -> SearchResult:
        look, phase = stream.look, stream.phase
        if look is None or phase is Phase.WAITING:
            raise self._timed_out(self._settings.search.timeout_s)
        if phase in {Phase.BLOCKED, Phase.UNAVAILABLE}:
            raise results.blocked_by(look, self.language, self._status)
        self._asked.append(query)
        self.last_activity_s = trio.current_time()
        return results.result_of(
            Question(query, self.language),
            look,
            phase,
            resolved=await self._resolved(unresolved(look)),
            limit=self._settings.search.sources_max,
        )

    async def _resolved(self, links: tuple[str, ...]) -> Mapping[str, str]:
        return await self.tab.ask(FindRedirects(links)) if links else {}

    def _timed_out(self, seconds: float) -> TimeOut:
        return TimeOut(texts_of(self.language).timed_out.format(seconds=f"{seconds:g}"))


async def _follow(stream: AnswerStream, within_s: float) -> float:
    """Follows an answer for so long at most; gives what is left of the time."""
    began_s = trio.current_time()
    with loss_told(), trio.move_on_after(within_s):
        await stream.follow()
    return max(0.0, within_s - (trio.current_time() - began_s))
