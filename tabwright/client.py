"""The facade: every request that a program, a tool or a command can make."""

from collections.abc import Callable, Iterable, Mapping

import attrs
import trio

from tabwright.concurrency.nursery import isolate_callback
from tabwright.config.secrets import Secrets
from tabwright.config.session_settings import session_settings
from tabwright.config.settings import Settings
from tabwright.content.data_schema import read_schema
from tabwright.llm.router import ModelRouter
from tabwright.protocol.actions import Action, Outcome, TabInfo
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import AISearch, SearchResult, ThreadState
from tabwright.protocol.argument_types import checks_arguments
from tabwright.protocol.browser_pool import BrowserPool, PoolState
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection, PageTool
from tabwright.protocol.interventions import Intervention, Interventions, PersonsAnswer
from tabwright.protocol.jobs import JobQueue, QueueState
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.rate_limit import Governor, RateShare, SiteRate
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.sessions import (
    AnswerT,
    FieldValues,
    FilledForm,
    FormChoice,
    LinkChoice,
    Sessions,
    SessionState,
    TabsAction,
)
from tabwright.protocol.snapshot import PageSnapshot, Thumbnail
from tabwright.protocol.structured_data import DataRequest, ExtractedPage
from tabwright.protocol.tasks import RunTask, TaskResult, Tasks
from tabwright.protocol.traces import TraceAction, TraceStatus
from tabwright.protocol.web_search import WebResults, WebSearch
from tabwright.reader.media import PictureReader
from tabwright.reader.page_reader import PageReader, read_results
from tabwright.reader.tiers import check_status
from tabwright.reader.video import VideoFrames, VideoReader
from tabwright.search.serp.web_searcher import WebSearcher
from tabwright.view.links import LINK_S
from tabwright.view.service import PrincipalView

FLEET_S = 2.0
"""The time limit for the status of the fleet, which is shown beside that of this process."""


@checks_arguments
@attrs.frozen(eq=False)
class Tabwright:
    """A running tabwright, as `open_tabwright` yields it.

    Its methods raise `TypeError` for an argument of a wrong type, before anything is done.

    Attributes:
        settings: the settings that it was opened with.
        secrets: the secrets that calls can name.
        supervisor: the actor that manages browsers and tabs.
        governor: the actor that limits the rate of requests.
        queue: the actor that manages interventions.
        view: the live view of the tabs.
        ai_search: the actor that asks Google AI Mode.
        searcher: searches the result pages of engines.
        sessions: the actor that manages sessions; see `tabwright.protocol.sessions`.
        tasks: the actor that runs tasks in them; see `tabwright.protocol.tasks`.
        models: the language models for tasks.
        reader: reads pages.
        picture_reader: fetches the pictures of pages.
        video_reader: takes frames out of the videos of pages.
        jobs: the queue of the fleet; None without a fleet.
    """

    settings: Settings
    secrets: Secrets
    supervisor: Address[BrowserPool]
    governor: Address[Governor]
    queue: Address[Interventions]
    view: PrincipalView
    ai_search: Address[AISearch]
    searcher: WebSearcher
    sessions: Address[Sessions]
    tasks: Address[Tasks]
    models: ModelRouter
    reader: PageReader
    picture_reader: PictureReader
    video_reader: VideoReader
    jobs: JobQueue | None

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
        with isolate_callback(progress) as on_progress:
            return await self.ai_search.ask(
                AISearch.search, query, language, follow_up=follow_up, progress=on_progress
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
        request = WebSearch(request) if isinstance(request, str) else request
        with isolate_callback(progress) as on_progress:
            results = await self.searcher.search(request, on_progress)
            if not request.read:
                return results
            return await read_results(
                self.reader, results, request, self.default_reading, on_progress
            )

    async def interventions(self) -> tuple[Intervention, ...]:
        """Return the open interventions, oldest first, and the last ones that ended.

        Raises:
            Undelivered, Unanswered: the queue has stopped, or failed.
        """
        return await self.queue.ask(Interventions.list_all)

    async def answer_intervention(self, name: str, answer: PersonsAnswer) -> Intervention:
        """Open, confirm or skip an intervention; see `Interventions.answer`.

        Args:
            name: its id.
            answer: what the person does.

        Raises:
            BadInput: no intervention of this id is open.
            BrowserUnavailable, TabsBusy: its page cannot be shown.
        """
        return await self.queue.ask(Interventions.answer, name, answer)

    async def start_browser(self) -> None:
        """Start the browser before it is needed; see `BrowserPool.start_browser`.

        Raises:
            TabwrightError: it could not be started.
        """
        await self.supervisor.ask(BrowserPool.start_browser)

    async def view_link(self, tab: int | None = None, *, valid_s: float = LINK_S) -> str:
        """Return a one-time link to the live view, where a person can watch the tabs and act.

        Args:
            tab: the number of the only tab that it shows (`TabState.number`); None for all tabs.
            valid_s: seconds in which the link can be used.

        Raises:
            BadInput: there is no such tab, or the live view is switched off.
        """
        return await self.view.link(tab, valid_s)

    async def pool(self) -> PoolState:
        """Return the status of the browsers and tabs.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        return await self.supervisor.ask(BrowserPool.pool)

    async def reset_back_off(self) -> None:
        """Restore the number of tabs that can search with each engine to that of the settings.

        Raises:
            Undelivered, Unanswered: the supervisor has stopped, or failed.
        """
        await self.supervisor.ask(BrowserPool.reset_back_off)

    async def rates(self) -> tuple[SiteRate, ...]:
        """Return the rate limit status of each site that was used.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self.governor.ask(Governor.rates)

    async def rate_share(self) -> RateShare | None:
        """Return which part of the rates of sites this process keeps to; None without a fleet.

        Raises:
            Undelivered, Unanswered: the governor has stopped, or failed.
        """
        return await self.governor.ask(Governor.share)

    async def fleet(self) -> QueueState | None:
        """Return the jobs and the workers of the fleet; None without a fleet.

        Raises:
            FleetUnavailable: Redis cannot be reached, or does not answer soon.
        """
        if self.jobs is None:
            return None
        with trio.move_on_after(FLEET_S):
            return await self.jobs.state()
        raise FleetUnavailable(f"Redis does not answer within {FLEET_S:g} s.")

    async def threads(self) -> tuple[ThreadState, ...]:
        """Return the open conversations with Google AI Mode, the latest one last.

        A conversation in which a question is being answered is not included.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        return await self.ai_search.ask(AISearch.threads)

    async def close_threads(self) -> None:
        """End the open conversations and close their tabs.

        Raises:
            Undelivered, Unanswered: the AISearchActor has stopped, or failed.
        """
        await self.ai_search.ask(AISearch.close_threads)

    async def browse(
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        session: str = "",
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Read one page as text; see `PageReader.read`. With a session, see `Sessions.navigate`.

        Cancellation stops the loading; a session stays where it was.

        Args:
            url: of the page, http or https.
            reading: how it is read; None for the settings.
            session: the session to read in; empty for none.
            progress: is called with each step.

        Raises:
            BadInput: the URL or an option is not valid.
            ErrorPage: the server answered with an error status; the error has the page's text.
            TabwrightError: the page could not be read.
        """
        if session:
            page = await self.navigate(url, reading, session=session, progress=progress)
        else:
            with isolate_callback(progress) as on_progress:
                page = await self.reader.read(url, reading or self.default_reading, on_progress)
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
        with isolate_callback(progress) as on_progress:
            return await self.reader.extract(
                url, request, reading or self.default_reading, on_progress
            )

    async def navigate(
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        session: str,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Open a page in a session and read it, even an error page; see `Sessions.navigate`.

        Cancellation leaves the session where it was.

        Args:
            url: of the page, or ``back``, ``forward`` or ``reload``.
            reading: how it is read; as the settings of the session say if left out.
            session: its name; a session that is not open is opened.
            settings: of the session that is opened, for example ``{"reading.max_tier": 1}``.
            progress: is called with each step.

        Raises:
            BadInput: the session is already open, or the settings are not valid for a session.
            TabwrightError: the page could not be opened.
        """
        given = settings or {}
        if reading is None:
            own = (
                session_settings(self.settings, given)
                if given
                else await self.session_settings(session)
            )
            reading = own.reading.options
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(
                Sessions.navigate, session, url, reading, on_progress, given
            )

    async def session_settings(self, session: str) -> Settings:
        """Return the settings of a session: its own over those of the user.

        Raises:
            Undelivered, Unanswered: the registry of sessions has stopped, or failed.
        """
        return session_settings(self.settings, await self.sessions.ask(Sessions.settings, session))

    async def enter(  # noqa: PLR0913
        self,
        url: str,
        *,
        session: str,
        new_tab: bool = False,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
        leaves: bool = True,
    ) -> Outcome:
        """Open a page in a session's tab, to act on it; see `Sessions.enter`.

        Args:
            url: as in `navigate`.
            session: its name; a session that is not open is opened.
            new_tab: whether to open one more tab of the session.
            settings: as in `navigate`.
            leaves: whether the page in the tab is left even if it asks whether to.
            progress: is called with each step.

        Raises:
            BadInput: the session is already open, or the settings are not valid for a session.
            TabwrightError: the page could not be opened.
        """
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(
                Sessions.enter,
                session,
                url,
                new_tab=new_tab,
                progress=on_progress,
                settings=settings or {},
                leaves=leaves,
            )

    async def act(
        self,
        action: Action,
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Perform an action of `tabwright.protocol.actions` in a session's tab; see `Sessions.act`.

        Cancellation stops the action if it has not happened yet; it does not undo a click.

        Args:
            action: the action.
            session: the name of an open session.
            tab: the number of one of its tabs; None for the current one.
            progress: is called with each step.

        Raises:
            TabwrightError: the action failed; `TabwrightError.effect` says whether it may have
                happened.
        """
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(
                Sessions.act, session, action, tab=tab, progress=on_progress
            )

    async def inspect(
        self,
        inspection: Inspection[AnswerT],
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """Return a part of the state of a session's tab; see `tabwright.protocol.inspection`.

        Args:
            inspection: what is returned.
            session: the name of the session.
            tab: the number of one of its tabs; None for the current one.
            progress: is called with each step.
            blank: whether a blank page is opened if the session has no page; otherwise that is an
                error.

        Raises:
            SessionMissing: the session is not open.
            TabwrightError: the tab did not answer.
        """
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(
                Sessions.inspect, session, inspection, tab=tab, progress=on_progress, blank=blank
            )

    async def change_tabs(
        self, session: str, action: TabsAction = "list", tab: int | None = None
    ) -> tuple[TabInfo, ...]:
        """Switch to or close a tab of a session, and return its tabs; see `Sessions.change_tabs`.

        Raises:
            SessionMissing: the session is not open.
            BadInput: there is no such tab.
        """
        return await self.sessions.ask(Sessions.change_tabs, session, action, tab)

    async def view_page(self, session: str, view: RenderOptions) -> PageText:
        """Return the current page of a session as text, without reloading it.

        Raises:
            SessionMissing: the session is not open, or has no page.
        """
        return await self.sessions.ask(Sessions.view, session, view)

    async def snapshot(self, session: str) -> PageSnapshot:
        """Return the current page of a session as data, with its links and forms.

        Raises:
            SessionMissing: the session is not open, or has no page.
        """
        return await self.sessions.ask(Sessions.snapshot, session)

    async def follow_link(
        self,
        session: str,
        link: LinkChoice,
        view: RenderOptions,
        *,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Follow a link of a session's page, and read the new page; see `Sessions.follow`.

        Args:
            session: its name.
            link: the link.
            view: how the new page is written.
            progress: is called with each step.

        Raises:
            BadInput: there is no such link.
            TabwrightError: the page could not be opened.
        """
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(Sessions.follow, session, link, view, on_progress)

    async def fill_form(
        self, session: str, form: FormChoice, fields: FieldValues
    ) -> FilledForm | Outcome:
        """Fill in fields of a form of a session's page, without submitting it.

        If the page is open in a tab, or a field is named by a ref, they are filled in there, as a
        person would do it.

        Args:
            session: its name.
            form: the form.
            fields: values by field name, ref or label: text, true or false for a checkbox, several
                options as a tuple.

        Raises:
            BadInput: there is no such form or field, or a value is not valid.
            SessionMissing: the session is not open.
        """
        return await self.sessions.ask(Sessions.fill, session, form, fields)

    async def submit_form(
        self,
        session: str,
        form: FormChoice,
        view: RenderOptions,
        *,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Submit a form of a session's page, and read the resulting page; see `Sessions.submit`.

        Args:
            session: its name.
            form: the form.
            view: how the new page is written.
            progress: is called with each step.

        Raises:
            TabwrightError: the form was not submitted, or the page could not be read.
        """
        with isolate_callback(progress) as on_progress:
            return await self.sessions.ask(Sessions.submit, session, form, view, on_progress)

    async def list_sessions(self) -> tuple[SessionState, ...]:
        """Return the open sessions, the most recently used first.

        Raises:
            Undelivered, Unanswered: the registry of sessions has stopped, or failed.
        """
        return await self.sessions.ask(Sessions.list)

    async def page_tools(self, session: str) -> tuple[PageTool, ...]:
        """Return the tools that the session's page offers, if it is open in a tab (WebMCP).

        `CallPageTool` calls one.
        """
        return await self.sessions.ask(Sessions.page_tools, session)

    async def save_session(self, session: str) -> str:
        """Save a session on disk, and return the path of the file; see `Sessions.save`.

        Raises:
            SessionMissing: the session is not open.
            BadInput: the file cannot be written.
        """
        return await self.sessions.ask(Sessions.save, session)

    async def change_cookies(
        self, session: str, put: Iterable[Cookie] = (), removed: Iterable[Cookie] = ()
    ) -> tuple[Cookie, ...]:
        """Remove and set cookies of a session, and return all; see `Sessions.change_cookies`.

        Raises:
            BadInput: the browser does not accept a cookie.
        """
        return await self.sessions.ask(Sessions.change_cookies, session, tuple(put), tuple(removed))

    async def storage_state(self, session: str, *, indexed_db: bool = False) -> StorageState:
        """Return the cookies and the storage of a session; see `Sessions.storage_state`.

        Raises:
            SessionMissing: the session is not open.
            TabwrightError: the databases of a page cannot be read.
        """
        return await self.sessions.ask(Sessions.storage_state, session, indexed_db=indexed_db)

    async def set_storage_state(self, session: str, state: StorageState) -> tuple[str, ...]:
        """Replace the cookies and the storage of a session; see `Sessions.set_storage_state`.

        Raises:
            BadInput: the browser does not accept a cookie.
        """
        return await self.sessions.ask(Sessions.set_storage_state, session, state)

    async def change_context(
        self, session: str, change: Callable[[ContextOptions], ContextOptions]
    ) -> ContextOptions:
        """Change the options of a session, and return them; see `Sessions.change_context`.

        Raises:
            BadInput: a value is not valid.
        """
        return await self.sessions.ask(Sessions.change_context, session, change)

    async def change_trace(self, session: str, action: TraceAction) -> TraceStatus:
        """Start or stop the trace of a session, or return its status; see `Sessions.change_trace`.

        Raises:
            BadInput: the file cannot be written, or no trace is recorded.
        """
        return await self.sessions.ask(Sessions.change_trace, session, action)

    async def close_session(self, session: str, *, forget: bool = False) -> None:
        """Close a session, and with `forget` delete its saved data; see `Sessions.close`.

        Raises:
            SessionMissing: the session is not open.
        """
        await self.sessions.ask(Sessions.close, session, forget=forget)

    async def run_task(self, request: RunTask) -> TaskResult:
        """Have an agent do a task in a session's tabs; see `Tasks.run`.

        Cancellation ends the task before its next action.

        Raises:
            BadInput: the task cannot be started. A later failure is in the result instead.
        """
        with isolate_callback(request.report) as on_progress:
            return await self.tasks.ask(Tasks.run, attrs.evolve(request, report=on_progress))

    async def pictures(self, page: PageText) -> tuple[Thumbnail, ...]:
        """Return thumbnails of the first pictures of a page, without those that fail to load."""
        return await self.picture_reader.pictures(page)

    async def frames(self, page: PageText) -> VideoFrames:
        """Return frames of the first video of a page, or the reason for having none."""
        return await self.video_reader.frames(page)

    @property
    def default_reading(self) -> ReadOptions:
        """How pages are read if a call sets nothing else."""
        return self.settings.reading.options
