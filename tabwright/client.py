"""The facade: everything that a program, a tool or a command can ask of an open tabwright."""

from collections.abc import Mapping
from typing import Literal

import attrs

from tabwright.concurrency.nursery import isolate_callback
from tabwright.config.secrets import Secrets
from tabwright.config.session_settings import session_settings
from tabwright.config.settings import Settings
from tabwright.llm.router import ModelRouter
from tabwright.protocol.actions import Action, Outcome, TabInfo
from tabwright.protocol.actor import Address, Invoke, Request
from tabwright.protocol.ai_search import AISearch, Search, SearchResult, ThreadState
from tabwright.protocol.browser_pool import BrowserPool, PoolState
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.interventions import (
    AnswerIntervention,
    Intervention,
    Interventions,
    PersonsAnswer,
)
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.rate_limit import Governor, SiteRate
from tabwright.protocol.sessions import (
    AnswerT,
    ChangeTabs,
    CloseSession,
    FilledForm,
    FillForm,
    FollowLink,
    GetSettings,
    GetSnapshot,
    InTab,
    NavigateSession,
    OpenSession,
    SaveSession,
    Sessions,
    SessionState,
    SubmitForm,
    ViewPage,
)
from tabwright.protocol.snapshot import PageSnapshot, Thumbnail
from tabwright.protocol.tab import Act, Inspect, Tab
from tabwright.protocol.tasks import RunTask, TaskResult, Tasks
from tabwright.protocol.web_search import WebResults, WebSearch
from tabwright.reader.media import PictureReader
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import check_status
from tabwright.reader.video import VideoFrames, VideoReader
from tabwright.search.serp.web_searcher import WebSearcher


@attrs.frozen(eq=False)
class Tabwright:
    """A running tabwright, as `open_tabwright` yields it.

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
        return await self.queue.ask(Invoke(Interventions.list_all))

    async def answer_intervention(self, name: str, answer: PersonsAnswer) -> Intervention:
        """What a person says to one of them; see `AnswerIntervention`.

        Raises:
            BadInput: none of that id waits for a person.
            BrowserUnavailable, TabsBusy: it cannot be shown.
        """
        return await self.queue.ask(AnswerIntervention(name, answer))

    async def start_browser(self) -> None:
        """Has the browser run before it is needed; see `BrowserPool.start_browser`.

        Raises:
            TabwrightError: there is none to be had.
        """
        await self.supervisor.ask(Invoke(BrowserPool.start_browser))

    async def pool(self) -> PoolState:
        """How it stands with browsers and tabs.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        return await self.supervisor.ask(Invoke(BrowserPool.pool))

    async def reset_back_off(self) -> None:
        """Lets as many tabs search at the same time as the settings say, again.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        await self.supervisor.ask(Invoke(BrowserPool.reset_back_off))

    async def rates(self) -> tuple[SiteRate, ...]:
        """How it stands with each site that was turned to.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self.governor.ask(Invoke(Governor.rates))

    async def threads(self) -> tuple[ThreadState, ...]:
        """The open conversations with Google AI Mode, the one whose answer came last at the end.

        One in which a question is being answered is not among them.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        return await self.ai_search.ask(Invoke(AISearch.threads))

    async def close_threads(self) -> None:
        """Ends these conversations, and closes their tabs.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        await self.ai_search.ask(Invoke(AISearch.close_threads))

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
        if session:
            page = await self.navigate(url, reading, session=session, progress=progress)
        else:
            with isolate_callback(progress) as heard:
                page = await self.reader.read(url, reading or self.default_reading, heard)
        check_status(page)
        return page

    async def navigate(
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        session: str,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Goes to a page in a session and reads it, an error page too; see `NavigateSession`.

        Cancellation leaves the session where it was.

        Args:
            url: of the page, or ``back``, ``forward`` or ``reload``.
            reading: how it is read; as the settings of the session say if left out.
            session: its name; a session that is not open is opened.
            settings: of the session that is opened, for example ``{"reading.max_tier": 1}``.
            progress: is called with each step.

        Raises:
            BadInput: the session is open already, or cannot have these settings.
            TabwrightError: there is no page, and why.
        """
        given = settings or {}
        if reading is None:
            reading = (await self._settings_in(session, given)).reading.options
        with isolate_callback(progress) as heard:
            return await self.sessions.ask(NavigateSession(session, url, reading, heard, given))

    async def session_settings(self, session: str) -> Settings:
        """Returns the settings of a session: its own over those of the user.

        Raises:
            Undelivered, Unanswered: the registry of sessions has stopped, or failed.
        """
        return session_settings(self.settings, await self.sessions.ask(GetSettings(session)))

    async def _settings_in(self, session: str, given: Mapping[str, object]) -> Settings:
        if given:
            return session_settings(self.settings, given)
        return await self.session_settings(session)

    async def enter(
        self,
        url: str,
        *,
        session: str,
        new_tab: bool = False,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Goes to a page in a session's tab, to act there; see `OpenSession`.

        Args:
            url: as in `navigate`.
            session: its name; a session that is not open is opened.
            new_tab: whether to open one more tab of the session.
            settings: as in `navigate`.
            progress: is called with each step.

        Raises:
            BadInput: the session is open already, or cannot have these settings.
            TabwrightError: there is no page, and why.
        """
        with isolate_callback(progress) as heard:
            request = OpenSession(session, url, new_tab, heard, settings or {})
            return await self.sessions.ask(request)

    async def act(
        self,
        action: Action,
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Has a session's tab do what is in `tabwright.protocol.actions`; see `InTab`.

        Cancellation stops what can still be stopped: a click that was made stays made.

        Raises:
            TabwrightError: it was not done, or what came of it.
        """
        return await self.in_tab(Act(action), session=session, tab=tab, progress=progress)

    async def inspect(
        self, inspection: Inspection[AnswerT], *, session: str, tab: int | None = None
    ) -> AnswerT:
        """Returns what a session's tab shows; see `tabwright.protocol.inspection` and `InTab`.

        Raises:
            TabwrightError: it cannot be had.
        """
        return await self.in_tab(Inspect(inspection), session=session, tab=tab)

    async def in_tab(
        self,
        request: Request[Tab, AnswerT],
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
    ) -> AnswerT:
        """Has a session's tab answer any request that a tab accepts; see `InTab`.

        Raises:
            TabwrightError: as the request.
        """
        with isolate_callback(progress) as heard:
            return await self.sessions.ask(InTab(session, request, tab, heard))

    async def change_tabs(
        self,
        session: str,
        action: Literal["list", "switch", "close"] = "list",
        tab: int | None = None,
    ) -> tuple[TabInfo, ...]:
        """Returns the tabs of a session, after one was switched to or closed; see `ChangeTabs`.

        Raises:
            SessionMissing, BadInput: there is no such session or tab.
        """
        return await self.sessions.ask(ChangeTabs(session, action, tab))

    async def view_page(self, session: str, view: RenderOptions) -> PageText:
        """Returns the page of a session as text again.

        Raises:
            SessionMissing: there is no such session, or it has no page.
        """
        return await self.sessions.ask(ViewPage(session, view))

    async def snapshot(self, session: str) -> PageSnapshot:
        """Returns the page of a session as data, with its links and forms.

        Raises:
            SessionMissing: there is no such session, or it has no page.
        """
        return await self.sessions.ask(GetSnapshot(session))

    async def follow_link(self, request: FollowLink) -> PageText:
        """Goes where a link of a session's page leads; see `FollowLink`.

        Raises:
            TabwrightError: there is no such link, or no page there.
        """
        with isolate_callback(request.progress) as heard:
            return await self.sessions.ask(attrs.evolve(request, progress=heard))

    async def fill_form(self, request: FillForm) -> FilledForm | Outcome:
        """Fills in fields of a form of a session's page; see `FillForm`.

        Raises:
            BadInput, SessionMissing: there is no such form, field or session.
        """
        return await self.sessions.ask(request)

    async def submit_form(self, request: SubmitForm) -> PageText:
        """Sends a form of a session's page and reads where it leads; see `SubmitForm`.

        Raises:
            TabwrightError: it was not sent, or there is no page there.
        """
        with isolate_callback(request.progress) as heard:
            return await self.sessions.ask(attrs.evolve(request, progress=heard))

    async def list_sessions(self) -> tuple[SessionState, ...]:
        """Returns the open sessions, the latest used first.

        Raises:
            Undelivered, Unanswered: the registry of sessions has stopped, or failed.
        """
        return await self.sessions.ask(Invoke(Sessions.list))

    async def save_session(self, session: str) -> str:
        """Keeps a session on disk, and returns the path of its file; see `SaveSession`.

        Raises:
            SessionMissing: there is no such session.
            BadInput: it cannot be written.
        """
        return await self.sessions.ask(SaveSession(session))

    async def close_session(self, session: str, *, forget: bool = False) -> None:
        """Ends a session, and with `forget` deletes what was saved of it; see `CloseSession`.

        Raises:
            SessionMissing: there is no such session.
        """
        await self.sessions.ask(CloseSession(session, forget))

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
        return self.settings.reading.options
