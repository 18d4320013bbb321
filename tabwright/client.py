"""The house as programs see it: what may be asked of it as long as it is open."""

import attrs

from tabwright.concurrency.nursery import isolate_callback
from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings
from tabwright.llm.router import ModelRouter
from tabwright.protocol.actions import Outcome
from tabwright.protocol.actor import Address, Request
from tabwright.protocol.ai_search import (
    AISearch,
    CloseThreads,
    GetThreads,
    OnProgress,
    Search,
    SearchResult,
    ThreadState,
    ignore_progress,
)
from tabwright.protocol.browser_pool import (
    BrowserPool,
    GetPool,
    PoolState,
    ResetBackOff,
    StartBrowser,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.interventions import (
    AnswerIntervention,
    Intervention,
    Interventions,
    ListInterventions,
    PersonsAnswer,
)
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.rate_limit import GetRates, Governor, SiteRate
from tabwright.protocol.sessions import AnswerT, InTab, NavigateSession, OpenSession, Sessions
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.tab import ActingTab
from tabwright.protocol.tasks import RunTask, TaskResult, Tasks
from tabwright.protocol.web_search import WebResults, WebSearch
from tabwright.reader.media import PictureReader
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import check_status
from tabwright.reader.video import VideoFrames, VideoReader
from tabwright.search.serp.web_searcher import WebSearcher


@attrs.frozen(eq=False)
class Tabwright:
    """A running house, as `open_tabwright` gives it.

    Attributes:
        settings: what it runs with.
        secrets: what calls may name.
        supervisor: the actor that keeps browsers and tabs.
        governor: the actor that keeps the pace.
        queue: the actor that keeps what waits for a person.
        ai_search: the actor that asks Google AI Mode.
        searcher: what result pages are searched with.
        sessions: the actor that keeps readers' sessions; see `tabwright.protocol.sessions`.
        tasks: the actor that does tasks in them; see `tabwright.protocol.tasks`.
        models: who can think for these.
        reader: what pages are read with.
        picture_reader: what their pictures are got with.
        video_reader: what pictures out of their videos are got with.
    """

    settings: Settings
    secrets: Secrets
    supervisor: Address[BrowserPool]
    governor: Address[Governor]
    queue: Address[Interventions]
    ai_search: Address[AISearch]
    searcher: WebSearcher
    sessions: Address[Sessions]
    tasks: Address[Tasks]
    models: ModelRouter
    reader: PageReader
    picture_reader: PictureReader
    video_reader: VideoReader

    async def search(
        self,
        query: str,
        *,
        language: str | None = None,
        follow_up: bool | str = False,
        progress: OnProgress = ignore_progress,
    ) -> SearchResult:
        """Asks Google AI Mode; see `tabwright.protocol.ai_search.Search`.

        Many conversations stay open side by side; `follow_up` takes the id of one, which every
        result has as its `conversation`.

        Cancellation stops the page.

        Raises:
            TabwrightError: no answer, and why.
        """
        with isolate_callback(progress) as heard:
            return await self.ai_search.ask(Search(query, language, follow_up, heard))

    async def web_search(
        self, request: WebSearch, *, progress: OnProgress = ignore_progress
    ) -> WebResults:
        """Searches the result pages of several engines; see `WebSearcher.search`.

        Raises:
            TabwrightError: no results, and why.
        """
        with isolate_callback(progress) as heard:
            return await self.searcher.search(request, heard)

    async def interventions(self) -> tuple[Intervention, ...]:
        """All CAPTCHAs that wait for a person, oldest first, and the last ones that did.

        Raises:
            Undelivered, Unanswered: the queue has stopped, or failed.
        """
        return await self.queue.ask(ListInterventions())

    async def answer_intervention(self, name: str, answer: PersonsAnswer) -> Intervention:
        """What a person says to one of them; see `AnswerIntervention`.

        Raises:
            BadInput: none of that id waits for a person.
            BrowserUnavailable, TabsBusy: it cannot be shown.
        """
        return await self.queue.ask(AnswerIntervention(name, answer))

    async def start_browser(self) -> None:
        """Has the browser run before it is needed; see `StartBrowser`.

        Raises:
            TabwrightError: there is none to be had.
        """
        await self.supervisor.ask(StartBrowser())

    async def pool(self) -> PoolState:
        """How it stands with browsers and tabs.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        return await self.supervisor.ask(GetPool())

    async def reset_back_off(self) -> None:
        """Lets as many tabs search at the same time as the settings say, again.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        await self.supervisor.ask(ResetBackOff())

    async def rates(self) -> tuple[SiteRate, ...]:
        """How it stands with each site that was turned to.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self.governor.ask(GetRates())

    async def threads(self) -> tuple[ThreadState, ...]:
        """The open conversations with Google AI Mode, the one whose answer came last at the end.

        One in which a question is being answered is not among them.

        Raises:
            Undelivered, Unanswered: the desk has stopped, or failed.
        """
        return await self.ai_search.ask(GetThreads())

    async def close_threads(self) -> None:
        """Ends these conversations, and closes their tabs.

        Raises:
            Undelivered, Unanswered: the desk has stopped, or failed.
        """
        await self.ai_search.ask(CloseThreads())

    async def browse(
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        session: str = "",
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Reads one page; see `PageReader.read`. In a session it is a visit; see `NavigateSession`.

        Raises:
            ErrorPage: the server answered with an error, whose text is in it.
            TabwrightError: no text, and why.
        """
        reading = reading or self.default_reading
        with isolate_callback(progress) as heard:
            if session:
                page = await self.sessions.ask(NavigateSession(session, url, reading, heard))
            else:
                page = await self.reader.read(url, reading, heard)
        check_status(page)
        return page

    async def enter(
        self,
        url: str,
        *,
        session: str,
        new_tab: bool = False,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Goes to a page in a session's tab, to act there; see `OpenSession`.

        Raises:
            TabwrightError: there is no page, and why.
        """
        with isolate_callback(progress) as heard:
            return await self.sessions.ask(OpenSession(session, url, new_tab, heard))

    async def act(
        self, request: Request[ActingTab, AnswerT], *, session: str, tab: int | None = None
    ) -> AnswerT:
        """Has a session's tab do what is in `tabwright.protocol.actions`; see `InTab`.

        Cancellation stops what can still be stopped: a click that was made stays made.

        Raises:
            TabwrightError: it was not done, or what came of it.
        """
        return await self.sessions.ask(InTab(session, request, tab))

    async def run_task(self, request: RunTask) -> TaskResult:
        """Has an agent do a task in a session's tabs; see `RunTask`.

        Cancellation ends it before its next act.

        Raises:
            BadInput: it cannot be begun. What becomes of it later is in the result.
        """
        with isolate_callback(request.report) as heard:
            return await self.tasks.ask(attrs.evolve(request, report=heard))

    async def pictures(self, page: PageText) -> tuple[Thumbnail, ...]:
        """The first pictures of a page, made small; what cannot be had is left out."""
        return await self.picture_reader.pictures(page)

    async def frames(self, page: PageText) -> VideoFrames:
        """Pictures out of the first video of a page, or why there are none."""
        return await self.video_reader.frames(page)

    @property
    def default_reading(self) -> ReadOptions:
        """How pages are read where nobody says."""
        wishes = self.settings.reading
        view = RenderOptions(links=wishes.links, max_tokens=wishes.max_tokens)
        return ReadOptions(view=view, max_tier=wishes.max_tier)
