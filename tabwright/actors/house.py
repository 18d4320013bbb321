"""The whole house: every actor in its order, and what a program asks of them."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, date, datetime
from functools import partial

import attrs
import trio
from platformdirs import user_state_path

from tabwright.acting.secrets import Secrets
from tabwright.actors.agent import tasks as tasks_life
from tabwright.actors.browsers.browser import Launcher
from tabwright.actors.browsers.launcher import ChromiumLauncher
from tabwright.actors.engines import desk as desk_life
from tabwright.actors.engines.failed_pages import FailedPages, failed_pages_folder
from tabwright.actors.engines.parser_book import ParserBook
from tabwright.actors.engines.web_searching import WebSearcher
from tabwright.actors.governing import governor as governor_life
from tabwright.actors.governing.ledger import Ledger, MemoryLedger, SqliteLedger
from tabwright.actors.kit.address import Address
from tabwright.actors.kit.hearing import guarded
from tabwright.actors.kit.keeping import keep
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.actors.models.choosing import Models, open_models
from tabwright.actors.pages import extractor as extractor_life
from tabwright.actors.pages import fetcher as fetcher_life
from tabwright.actors.pages.extractor import InThread, Offload
from tabwright.actors.pages.frame_taking import FrameTaker, ffmpeg_at
from tabwright.actors.pages.judging import judge_of_queries
from tabwright.actors.pages.media_fetching import MediaFetcher
from tabwright.actors.pages.page_reading import PageReader
from tabwright.actors.pages.picture_reading import PictureReader
from tabwright.actors.pages.tiers import Tiers
from tabwright.actors.pages.transcripts import TranscriptReader
from tabwright.actors.pages.video_reading import VideoFrames, VideoReader
from tabwright.actors.people import interventions as interventions_life
from tabwright.actors.people.person import Person
from tabwright.actors.secret_file import load_secrets
from tabwright.actors.sessions import keeper as sessions_life
from tabwright.actors.sessions.files import SessionFiles, sessions_folder
from tabwright.actors.supervision import supervisor as supervisor_life
from tabwright.actors.supervision.search_limit import SearchLimit
from tabwright.actors.tabs.outfit import TabOutfit
from tabwright.cdp.wire_log import WireLog
from tabwright.config.engines import Engines, configured_engines, own_file
from tabwright.config.file import load_settings
from tabwright.config.places import chosen_place
from tabwright.config.settings import Settings
from tabwright.protocol.acting import ActingTab
from tabwright.protocol.answers import SearchResult
from tabwright.protocol.asking import Request
from tabwright.protocol.fetching import Fetcher
from tabwright.protocol.interventions import (
    AnswerIntervention,
    Intervention,
    Interventions,
    ListInterventions,
    PersonsAnswer,
)
from tabwright.protocol.leases import (
    GetPool,
    PoolState,
    ResetBackOff,
    StartBrowser,
    Supervisor,
)
from tabwright.protocol.outcomes import Outcome
from tabwright.protocol.permits import GetRates, Governor, SiteRate
from tabwright.protocol.pictures import SmallPicture
from tabwright.protocol.reading import Extractor, Reading
from tabwright.protocol.searching import (
    CloseThread,
    Desk,
    GetThread,
    Progress,
    Search,
    Thread,
    unheard,
)
from tabwright.protocol.sessions import AnswerT, Enter, InTab, Sessions, Visit
from tabwright.protocol.tasks import RunTask, TaskResult, Tasks
from tabwright.protocol.views import PageText, View
from tabwright.protocol.web_search import WebResults, WebSearch


@attrs.frozen(eq=False)
class Tabwright:
    """A running house, as `open_tabwright` gives it.

    Attributes:
        settings: what it runs with.
        secrets: what calls may name.
        supervisor: the actor that keeps browsers and tabs.
        governor: the actor that keeps the pace.
        queue: the actor that keeps what waits for a person.
        desk: the actor that asks Google AI Mode.
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
    supervisor: Address[Supervisor]
    governor: Address[Governor]
    queue: Address[Interventions]
    desk: Address[Desk]
    searcher: WebSearcher
    sessions: Address[Sessions]
    tasks: Address[Tasks]
    models: Models
    reader: PageReader
    picture_reader: PictureReader
    video_reader: VideoReader

    async def search(
        self,
        query: str,
        *,
        language: str | None = None,
        follow_up: bool = False,
        progress: Progress = unheard,
    ) -> SearchResult:
        """Asks Google AI Mode; see `tabwright.protocol.searching.Search`.

        Cancellation stops the page.

        Raises:
            TabwrightError: no answer, and why.
        """
        with guarded(progress) as heard:
            return await self.desk.ask(Search(query, language, follow_up, heard))

    async def web_search(self, request: WebSearch, *, progress: Progress = unheard) -> WebResults:
        """Searches the result pages of several engines; see `WebSearcher.search`.

        Raises:
            TabwrightError: no results, and why.
        """
        with guarded(progress) as heard:
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

    async def thread(self) -> Thread | None:
        """The conversation in which a follow-up would be asked; None where it would begin one.

        There is none either while a question is being answered in it.

        Raises:
            Undelivered, Unanswered: the desk has stopped, or failed.
        """
        return await self.desk.ask(GetThread())

    async def close_thread(self) -> None:
        """Ends that conversation, if there is one, and closes its tab.

        Raises:
            Undelivered, Unanswered: the desk has stopped, or failed.
        """
        await self.desk.ask(CloseThread())

    async def browse(
        self,
        url: str,
        reading: Reading | None = None,
        *,
        session: str = "",
        progress: Progress = unheard,
    ) -> PageText:
        """Reads one page; see `PageReader.read`. In a session it is a visit; see `Visit`.

        Raises:
            TabwrightError: no text, and why.
        """
        reading = reading or self.default_reading
        with guarded(progress) as heard:
            if session:
                return await self.sessions.ask(Visit(session, url, reading, heard))
            return await self.reader.read(url, reading, heard)

    async def enter(
        self,
        url: str,
        *,
        session: str,
        new_tab: bool = False,
        progress: Progress = unheard,
    ) -> Outcome:
        """Goes to a page in a session's tab, to act there; see `Enter`.

        Raises:
            TabwrightError: there is no page, and why.
        """
        with guarded(progress) as heard:
            return await self.sessions.ask(Enter(session, url, new_tab, heard))

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
        with guarded(request.report) as heard:
            return await self.tasks.ask(attrs.evolve(request, report=heard))

    async def pictures(self, page: PageText) -> tuple[SmallPicture, ...]:
        """The first pictures of a page, made small; what cannot be had is left out."""
        return await self.picture_reader.pictures(page)

    async def frames(self, page: PageText) -> VideoFrames:
        """Pictures out of the first video of a page, or why there are none."""
        return await self.video_reader.frames(page)

    @property
    def default_reading(self) -> Reading:
        """How pages are read where nobody says."""
        wishes = self.settings.reading
        view = View(links=wishes.links, max_tokens=wishes.max_tokens)
        return Reading(view=view, max_tier=wishes.max_tier)


@attrs.frozen(eq=False, kw_only=True)
class Seams:
    """What comes into the house from outside; each has a real and a simulated form.

    Attributes:
        launcher: where browsers come from; None for what the settings say.
        fetching: the life of what fetches pages by HTTP; None for what the settings say.
        system: tracer and randomness.
        engines: whom a search asks, and how often sites may be turned to.
        ledger: where requests are counted; None for what the settings say.
        now: the time in seconds since 1970 UTC.
        offload: where CPU work runs.
        take_frames: takes pictures out of videos; None for what the settings say.
        wire_log: is called with a line for each CDP frame.
    """

    launcher: Launcher | None = None
    fetching: Callable[[], AbstractAsyncContextManager[Fetcher]] | None = None
    system: ActorSystem = attrs.field(factory=ActorSystem)
    engines: Engines | None = None
    ledger: Ledger | None = None
    now: Callable[[], float] = time.time
    offload: Offload = attrs.field(factory=InThread)
    take_frames: FrameTaker | None = None
    wire_log: WireLog | None = None


@asynccontextmanager
async def open_tabwright(
    settings: Settings | None = None, seams: Seams | None = None
) -> AsyncGenerator[Tabwright]:
    """Runs the house for as long as the block runs. The browser starts on first need.

    Belongs to nobody's event loop but the caller's: no globals, signals or logging set-up.
    Leaving the block, also by an exception or a cancellation, stops everything in reverse order
    and leaves no process; a sole error of the block comes out unwrapped.

    Args:
        settings: the shipped defaults if left out.
        seams: the real world if left out.
    """
    settings = settings or load_settings()
    seams = seams or Seams()
    secrets = load_secrets(settings.acting.secrets)
    engines = seams.engines or configured_engines(settings.engines)
    system, now = seams.system, seams.now
    async with (
        _foundations(settings, seams, secrets, engines) as below,
        keep(
            system, "interventions", _queueing(below, settings, system), interventions_life.CARE
        ) as queue,
        open_models(settings, secrets, system.random) as models,
    ):
        media = MediaFetcher(below.governor, below.fetcher)
        reader = _page_reader(below, media, settings)
        searching = partial(
            desk_life.search_desk, below.supervisor, below.governor, queue, settings
        )
        files = SessionFiles(sessions_folder(settings.session.dir))
        idle_s = settings.session.reading_idle_timeout_s
        keeping = partial(sessions_life.session_keeper, reader, below.fetcher, files, idle_s)
        async with (
            keep(system, "desk", searching, desk_life.CARE) as desk,
            keep(system, "sessions", keeping, sessions_life.CARE) as sessions,
            keep(
                system,
                "tasks",
                partial(tasks_life.task_keeper, sessions, secrets, system.random, now),
                tasks_life.CARE,
            ) as tasks,
        ):
            yield Tabwright(
                settings=settings,
                secrets=secrets,
                supervisor=below.supervisor,
                governor=below.governor,
                queue=queue,
                desk=desk,
                searcher=_web_searcher(below, queue, settings, engines, now),
                sessions=sessions,
                tasks=tasks,
                models=models,
                reader=reader,
                picture_reader=PictureReader(media, below.extractor, settings.reading),
                video_reader=_video_reader(below, media, seams, settings),
            )


@attrs.frozen(eq=False)
class _Foundations:
    """The actors that all others stand on."""

    governor: Address[Governor]
    extractor: Address[Extractor]
    fetcher: Address[Fetcher]
    supervisor: Address[Supervisor]


@asynccontextmanager
async def _foundations(
    settings: Settings, seams: Seams, secrets: Secrets, engines: Engines
) -> AsyncGenerator[_Foundations]:
    system, network = seams.system, settings.network
    ledger = seams.ledger or _ledger(settings.engines.counts)
    governing = partial(governor_life.rate_governor, engines.paces, ledger, seams.now)
    judge = judge_of_queries(settings.reading.query_judge)
    extracting = partial(extractor_life.extractor, seams.offload, judge)
    fetching = seams.fetching or fetcher_life.real_fetcher(
        settings, seams.offload, system, seams.now
    )
    supervising = partial(
        supervisor_life.browser_supervisor,
        system,
        TabOutfit(settings, secrets),
        SearchLimit(settings.pool),
        seams.launcher or ChromiumLauncher(settings, fetcher_life.real_net(network)),
        _masking(secrets, seams.wire_log),
    )
    async with (
        keep(system, "governor", governing, governor_life.CARE) as governor,
        keep(system, "extractor", extracting, extractor_life.CARE) as extractor,
        keep(system, "fetcher", fetching, fetcher_life.CARE) as fetcher,
        keep(system, "supervisor", supervising, supervisor_life.CARE) as supervisor,
    ):
        yield _Foundations(governor, extractor, fetcher, supervisor)


def _queueing(
    below: _Foundations, settings: Settings, system: ActorSystem
) -> Callable[[], AbstractAsyncContextManager[Interventions]]:
    return partial(
        interventions_life.intervention_queue,
        below.supervisor,
        below.governor,
        settings.pool,
        system.random,
    )


def _page_reader(below: _Foundations, media: MediaFetcher, settings: Settings) -> PageReader:
    tiers = Tiers(below.governor, below.fetcher, below.extractor, settings.network)
    transcripts = TranscriptReader(media, below.extractor)
    return PageReader(below.supervisor, below.extractor, tiers, transcripts)


def _web_searcher(
    below: _Foundations,
    queue: Address[Interventions],
    settings: Settings,
    engines: Engines,
    now: Callable[[], float],
) -> WebSearcher:
    return WebSearcher(
        supervisor=below.supervisor,
        governor=below.governor,
        extractor=below.extractor,
        person=Person(below.supervisor, queue, settings.search.person_timeout_s),
        settings=settings,
        engines=engines,
        parsers=ParserBook(own_file(settings.engines.parsers)),
        failed_pages=FailedPages(failed_pages_folder(settings.engines.failed_pages)),
        today=partial(_day, now),
    )


def _video_reader(
    below: _Foundations, media: MediaFetcher, seams: Seams, settings: Settings
) -> VideoReader:
    take_frames = seams.take_frames or ffmpeg_at(settings.reading.ffmpeg)
    return VideoReader(media, below.extractor, take_frames, settings.reading)


def _masking(secrets: Secrets, log: WireLog | None) -> WireLog | None:
    """The wire log without the values of secrets."""
    return None if log is None else lambda line: log(secrets.masked(line))


def _ledger(setting: str | None) -> Ledger:
    if setting is None:
        return MemoryLedger()
    automatic = user_state_path("tabwright", appauthor=False) / "requests.sqlite"
    return SqliteLedger(chosen_place(setting, automatic))


def _day(now: Callable[[], float]) -> date:
    return datetime.fromtimestamp(now(), tz=UTC).date()


async def serve(
    settings: Settings | None = None,
    *,
    task_status: trio.TaskStatus[Tabwright] = trio.TASK_STATUS_IGNORED,
) -> None:
    """`open_tabwright` for ``await nursery.start(serve, settings)``; cancel it to stop."""
    async with open_tabwright(settings) as house:
        task_status.started(house)
        await trio.sleep_forever()
