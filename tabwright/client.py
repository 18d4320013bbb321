"""The facade: every request that a program, a tool or a command can make."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

import attrs
import trio

from tabwright.config.settings import DEFAULT_SESSION, Settings
from tabwright.content.data_schema import read_schema
from tabwright.objects.door import Door, same_loop
from tabwright.objects.page import Page
from tabwright.objects.parts import TabwrightParts
from tabwright.objects.session import Session
from tabwright.protocol.ai_search import AISearch, SearchResult, ThreadState
from tabwright.protocol.argument_types import checks_arguments
from tabwright.protocol.browser_pool import BrowserPool, PoolState
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.interventions import Intervention, Interventions, PersonsAnswer
from tabwright.protocol.jobs import JobQueue, QueueState
from tabwright.protocol.page_text import PageText
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.rate_limit import Governor, RateShare, SiteRate
from tabwright.protocol.sessions import (
    Sessions,
    SessionState,
)
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.structured_data import DataRequest, ExtractedPage
from tabwright.protocol.web_search import WebResults, WebSearch
from tabwright.reader.page_reader import read_results
from tabwright.reader.tiers import check_status
from tabwright.reader.video import VideoFrames
from tabwright.view.links import LINK_S

FLEET_S = 2.0
"""The time limit for the status of the fleet, which is shown beside that of this process."""

AnswerT = TypeVar("AnswerT")


@checks_arguments
@attrs.frozen(eq=False)
class Tabwright:
    """A running tabwright, as `open_tabwright` yields it.

    Its methods raise `TypeError` for an argument of a wrong type, before anything is done.

    Attributes:
        settings: the settings that it was opened with.
        parts: what it is made of, for tools, commands and plugins; can change without notice.
    """

    settings: Settings = attrs.field(repr=False)
    parts: TabwrightParts = attrs.field(repr=False)
    _door: Door = attrs.field(default=same_loop, repr=False)

    async def search(
        self,
        query: str,
        *,
        language: str | None = None,
        follow_up: bool | str = False,
        progress: OnProgress = ignore_progress,
    ) -> SearchResult:
        """Ask Google AI Mode a question; see `AISearch.search`.

        Cancellation stops the page.

        Args:
            query: the question.
            language: of the answer, a BCP 47 tag such as ``en-US``; None for that of the settings.
            follow_up: the id of the conversation to continue (`SearchResult.conversation`), or
                True for the latest one. Several conversations can be open at the same time.
            progress: is called with each step.

        Raises:
            BadInput: the question or the language is not valid.
            TabwrightError: there is no answer.
        """
        return await self._door(
            lambda on_progress: self.parts.ai_search.ask(
                AISearch.search, query, language, follow_up=follow_up, progress=on_progress
            ),
            progress,
        )

    async def web_search(
        self, request: WebSearch | str, *, progress: OnProgress = ignore_progress
    ) -> WebResults:
        """Search several engines and merge their results; see `WebSearcher.search`.

        With `WebSearch.read`, the first results are also read, each without a session. Cancellation
        stops every page.

        Args:
            request: the search, or only its query.
            progress: is called with each step.

        Raises:
            BadInput: the request is not valid.
            EnginesFailed: no engine returned results; with a single engine, its own error.
        """
        search = WebSearch(request) if isinstance(request, str) else request

        async def work(on_progress: OnProgress) -> WebResults:
            """Search, and read the first results if that is requested."""
            results = await self.parts.searcher.search(search, on_progress)
            if not search.read:
                return results
            return await read_results(
                self.parts.reader, results, search, self.default_reading, on_progress
            )

        return await self._door(work, progress)

    async def interventions(self) -> tuple[Intervention, ...]:
        """Return the open interventions, oldest first, and the last ones that ended.

        Raises:
            Undelivered, Unanswered: the queue has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.queue.ask(Interventions.list_all))

    async def answer_intervention(self, name: str, answer: PersonsAnswer) -> Intervention:
        """Open, confirm or skip an intervention; see `Interventions.answer`.

        Args:
            name: its id.
            answer: what the person does.

        Raises:
            BadInput: no intervention of this id is open.
            BrowserUnavailable, TabsBusy: its page cannot be shown.
        """
        return await self._door(lambda _: self.parts.queue.ask(Interventions.answer, name, answer))

    async def start_browser(self) -> None:
        """Start the browser before it is needed; see `BrowserPool.start_browser`.

        Raises:
            TabwrightError: it could not be started.
        """
        await self._door(lambda _: self.parts.supervisor.ask(BrowserPool.start_browser))

    async def view_link(self, tab: int | None = None, *, valid_s: float = LINK_S) -> str:
        """Return a one-time link to the live view, where a person can watch the tabs and act.

        Args:
            tab: the number of the only tab that it shows (`TabState.number`); None for all tabs.
            valid_s: seconds in which the link can be used.

        Raises:
            BadInput: there is no such tab, or the live view is switched off.
        """
        return await self._door(lambda _: self.parts.view.link(tab, valid_s))

    async def pool(self) -> PoolState:
        """Return the status of the browsers and tabs.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.supervisor.ask(BrowserPool.pool))

    async def reset_back_off(self) -> None:
        """Restore the number of tabs that can search with each engine to that of the settings.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        await self._door(lambda _: self.parts.supervisor.ask(BrowserPool.reset_back_off))

    async def rates(self) -> tuple[SiteRate, ...]:
        """Return the rate limit status of each site that was used.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.governor.ask(Governor.rates))

    async def rate_share(self) -> RateShare | None:
        """Return which part of the rates of sites this process keeps to; None without a fleet.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.governor.ask(Governor.share))

    async def fleet(self) -> QueueState | None:
        """Return the jobs and the workers of the fleet; None without a fleet.

        Raises:
            FleetUnavailable: Redis cannot be reached, or does not answer soon.
        """
        if self.parts.jobs is None:
            return None
        return await self._door(partial(_state_of_fleet, self.parts.jobs))

    async def threads(self) -> tuple[ThreadState, ...]:
        """Return the open conversations with Google AI Mode, the latest one last.

        A conversation in which a question is being answered is not included.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.ai_search.ask(AISearch.threads))

    async def close_threads(self) -> None:
        """End the open conversations and close their tabs.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        await self._door(lambda _: self.parts.ai_search.ask(AISearch.close_threads))

    async def read(  # noqa: PLR0913
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        query: str = "",
        max_tokens: int | None = None,
        session: str = "",
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Read one page as text: without a browser if that shows enough, otherwise in a tab.

        Cancellation stops the loading; a session stays where it was.

        Args:
            url: of the page, http or https.
            reading: how it is read; None for the settings.
            query: return only the passages most relevant to this question, over `reading`.
            max_tokens: the maximum length of the text, over `reading`.
            session: the session to read in; empty for none.
            progress: is called with each step.

        Raises:
            BadInput: the URL or an option is not valid.
            ErrorPage: the server answered with an error status; the error has the page's text.
            TabwrightError: the page could not be read.
        """
        named = self.session(session) if session else None
        usual = (await named.settings()).reading.options if named else self.default_reading
        options = reading or usual
        view = options.view
        if query:
            view = attrs.evolve(view, query=query)
        if max_tokens is not None:
            view = attrs.evolve(view, max_tokens=max_tokens)
        options = attrs.evolve(options, view=view)
        if named:
            page = await named.navigate(url, options, progress=progress)
        else:
            page = await self._door(
                lambda on_progress: self.parts.reader.read(url, options, on_progress), progress
            )
        check_status(page.url, page.status, page.text)
        return page

    async def extract(
        self,
        url: str,
        schema: Mapping[str, object] | None = None,
        reading: ReadOptions | None = None,
        *,
        progress: OnProgress = ignore_progress,
    ) -> ExtractedPage:
        """Return the structured data of a page, each value with its source.

        No model is used, and nothing is invented. Cancellation stops the loading.

        Args:
            url: of the page, http or https.
            schema: a JSON Schema of an object, or of an array of objects, to fill in. A property
                can have the keywords ``selector`` (CSS) and ``attribute``. None returns all
                records of the page: JSON-LD, microdata, tables and repeated elements.
            reading: how the page is loaded; None for the settings.
            progress: is called with each step.

        Raises:
            BadInput: the URL, the schema or a selector is not valid.
            ErrorPage: the server answered with an error status.
            TabwrightError: the page could not be read, or is not an HTML page.
        """
        request = DataRequest(read_schema(schema) if schema is not None else None)
        options = reading or self.default_reading
        return await self._door(
            lambda on_progress: self.parts.reader.extract(url, request, options, on_progress),
            progress,
        )

    async def open(
        self,
        url: str,
        *,
        session: str = DEFAULT_SESSION,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Page:
        """Open a page in a tab of its own, to act on it; as `Session.open`.

        Cancellation leaves the tabs of the session as they were.

        Args:
            url: of the page, http or https; ``about:blank`` for an empty tab.
            session: the name of the session, whose cookies the page has.
            settings: of the session, by dotted keys, if this opens it.
            progress: is called with each step.

        Raises:
            BadInput: the URL is not allowed, or the session is open and settings are given.
            TabwrightError: the page could not be opened.
        """
        return await self.session(session).open(url, settings=settings, progress=progress)

    def session(self, name: str = DEFAULT_SESSION) -> Session:
        """Return a session by its name; it is opened when it is first used."""
        return Session(name, self.settings, self.parts, self._door)

    async def list_sessions(self) -> tuple[SessionState, ...]:
        """Return the open sessions, the most recently used first.

        Raises:
            Undelivered, Unanswered: the registry of sessions has stopped, or failed.
        """
        return await self._door(lambda _: self.parts.sessions.ask(Sessions.list))

    async def pictures(self, page: PageText) -> tuple[Thumbnail, ...]:
        """Return thumbnails of the first pictures of a page, without those that fail to load."""
        return await self._door(lambda _: self.parts.picture_reader.pictures(page))

    async def frames(self, page: PageText) -> VideoFrames:
        """Return frames of the first video of a page, or the reason for having none."""
        return await self._door(lambda _: self.parts.video_reader.frames(page))

    @property
    def default_reading(self) -> ReadOptions:
        """How pages are read if a call sets nothing else."""
        return self.settings.reading.options

    async def call(
        self,
        work: Callable[["Tabwright", OnProgress], Awaitable[AnswerT]],
        progress: OnProgress = ignore_progress,
    ) -> AnswerT:
        """Run a function of a plugin, or of your own, where tabwright runs, and return its answer.

        In a trio program that is here; in a program of asyncio, tabwright has its own thread.

        Args:
            work: receives a tabwright to call there, and the callback for its progress. The
                sessions and pages that it makes can be used there only.
            progress: is called with each step.
        """
        inside = attrs.evolve(self, door=same_loop)
        return await self._door(lambda on_progress: work(inside, on_progress), progress)


async def _state_of_fleet(jobs: JobQueue, _: OnProgress) -> QueueState:
    """Return the jobs and the workers of the fleet.

    Raises:
        FleetUnavailable: Redis does not answer soon.
    """
    with trio.move_on_after(FLEET_S):
        return await jobs.state()
    raise FleetUnavailable(f"Redis does not answer within {FLEET_S:g} s.")
