"""The composition root: starts every actor in order, from the settings and the environment."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, date, datetime
from functools import partial

import attrs
import trio
from platformdirs import user_state_path

from tabwright.actors import (
    ai_search_actor,
    browser_supervisor,
    extractor_actor,
    fetcher_actor,
    intervention_queue,
    rate_governor,
    session_registry,
    task_runner,
)
from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser.launch import ChromiumLauncher
from tabwright.browser.tab_pool import ConcurrencyBackoff
from tabwright.cdp.connection import WireLog
from tabwright.client import Tabwright
from tabwright.config.engines import EngineConfig, configured_engines, own_file
from tabwright.config.loader import load_settings, resolve_path
from tabwright.config.secrets import Secrets, load_secrets
from tabwright.config.settings import Settings
from tabwright.content.embeddings import judge_of_queries
from tabwright.environment import Environment
from tabwright.http.net import system_network
from tabwright.interventions.handoff import HumanHandoff
from tabwright.llm.router import open_models
from tabwright.page.open_page import TabDependencies
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetcher
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.rate_limit import Governor
from tabwright.ratelimit.store import LimiterStore, MemoryLimiterStore, SqliteLimiterStore
from tabwright.reader.media import MediaFetcher, PictureReader
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import TieredLoader
from tabwright.reader.video import TranscriptReader, VideoReader, ffmpeg_at
from tabwright.search.serp.engine import FailedPages, failed_pages_folder
from tabwright.search.serp.web_searcher import ParserRegistry, WebSearcher
from tabwright.sessions.store import SessionFiles, sessions_folder


@asynccontextmanager
async def open_tabwright(
    settings: Settings | None = None, environment: Environment | None = None
) -> AsyncGenerator[Tabwright]:
    """Run tabwright for as long as the block runs. The browser starts on first need.

    Belongs to nobody's event loop but the caller's: no globals, signals or logging set-up.
    Leaving the block, also by an exception or a cancellation, stops everything in reverse order
    and leaves no process; a sole error of the block comes out unwrapped.

    Args:
        settings: the shipped defaults if left out.
        environment: the real world if left out.

    Raises:
        SettingsError: a file that the settings name cannot be used.
        Escalated: an actor crashed again and again; the block is cancelled.
        RuntimeError: this is not trio's event loop.
    """
    _require_trio()
    settings = settings or load_settings()
    environment = environment or Environment()
    secrets = load_secrets(settings.acting.secrets)
    engines = environment.engines or configured_engines(settings.engines)
    system, now = environment.system, environment.now
    async with (
        _foundations(settings, environment, secrets, engines) as below,
        supervise(
            system, "interventions", _queueing(below, settings, system), intervention_queue.CARE
        ) as queue,
        open_models(settings, secrets, system.random) as models,
    ):
        media = MediaFetcher(below.governor, below.fetcher)
        reader = _page_reader(below, media, settings)
        searching = partial(
            ai_search_actor.ai_search_actor,
            below.supervisor,
            below.governor,
            queue,
            settings,
            system.random,
        )
        files = SessionFiles(sessions_folder(settings.session.dir), secrets)
        keeping = partial(session_registry.session_registry, reader, below.fetcher, files, settings)
        async with (
            supervise(system, "ai_search", searching, ai_search_actor.CARE) as ai_search,
            supervise(system, "sessions", keeping, session_registry.CARE) as sessions,
            supervise(
                system,
                "tasks",
                partial(task_runner.task_runner, sessions, secrets, system.random, now),
                task_runner.CARE,
            ) as tasks,
        ):
            yield Tabwright(
                settings=settings,
                secrets=secrets,
                supervisor=below.supervisor,
                governor=below.governor,
                queue=queue,
                ai_search=ai_search,
                searcher=_web_searcher(below, queue, settings, engines, now),
                sessions=sessions,
                tasks=tasks,
                models=models,
                reader=reader,
                picture_reader=PictureReader(media, below.extractor, settings.reading),
                video_reader=_video_reader(below, media, environment, settings),
            )


def _require_trio() -> None:
    if not trio.lowlevel.in_trio_task():
        raise RuntimeError(
            "open_tabwright runs on trio. In an asyncio program, use open_tabwright_asyncio; in a"
            " synchronous one, open_tabwright_sync."
        )


@attrs.frozen(eq=False)
class _Foundations:
    """The actors that all others stand on."""

    governor: Address[Governor]
    extractor: Address[Extractor]
    fetcher: Address[Fetcher]
    supervisor: Address[BrowserPool]


@asynccontextmanager
async def _foundations(
    settings: Settings, environment: Environment, secrets: Secrets, engines: EngineConfig
) -> AsyncGenerator[_Foundations]:
    system, network = environment.system, settings.network
    ledger = environment.ledger or _limiter_store(settings.engines.counts)
    governing = partial(rate_governor.rate_governor_actor, engines.paces, ledger, environment.now)
    judge = judge_of_queries(settings.reading.query_judge)
    extracting = partial(extractor_actor.extractor, environment.offload, judge)
    fetching = environment.fetching or fetcher_actor.open_fetcher(
        settings, environment.offload, system, environment.now
    )
    supervising = partial(
        browser_supervisor.browser_supervisor_actor,
        system,
        TabDependencies(settings, secrets),
        ConcurrencyBackoff(settings.pool),
        environment.launcher or ChromiumLauncher(settings, system_network(network)),
        _masking(secrets, environment.wire_log),
    )
    async with (
        supervise(system, "governor", governing, rate_governor.CARE) as governor,
        supervise(system, "extractor", extracting, extractor_actor.CARE) as extractor,
        supervise(system, "fetcher", fetching, fetcher_actor.CARE) as fetcher,
        supervise(system, "supervisor", supervising, browser_supervisor.CARE) as supervisor,
    ):
        yield _Foundations(governor, extractor, fetcher, supervisor)


def _queueing(
    below: _Foundations, settings: Settings, system: ActorSystem
) -> Callable[[], AbstractAsyncContextManager[Interventions]]:
    return partial(
        intervention_queue.intervention_queue,
        below.supervisor,
        below.governor,
        settings.pool,
        system.random,
    )


def _page_reader(below: _Foundations, media: MediaFetcher, settings: Settings) -> PageReader:
    tiers = TieredLoader(below.governor, below.fetcher, below.extractor, settings.network)
    transcripts = TranscriptReader(media, below.extractor)
    return PageReader(below.supervisor, below.extractor, tiers, transcripts)


def _web_searcher(
    below: _Foundations,
    queue: Address[Interventions],
    settings: Settings,
    engines: EngineConfig,
    now: Callable[[], float],
) -> WebSearcher:
    return WebSearcher(
        supervisor=below.supervisor,
        governor=below.governor,
        extractor=below.extractor,
        person=HumanHandoff(below.supervisor, queue, settings.search.person_timeout_s),
        settings=settings,
        engines=engines,
        parsers=ParserRegistry(own_file(settings.engines.parsers)),
        failed_pages=FailedPages(failed_pages_folder(settings.engines.failed_pages)),
        today=partial(_day, now),
    )


def _video_reader(
    below: _Foundations, media: MediaFetcher, environment: Environment, settings: Settings
) -> VideoReader:
    take_frames = environment.take_frames or ffmpeg_at(settings.reading.ffmpeg)
    return VideoReader(media, below.extractor, take_frames, settings.reading)


def _masking(secrets: Secrets, log: WireLog | None) -> WireLog | None:
    """The wire log without the values of secrets."""
    return None if log is None else lambda line: log(secrets.masked(line))


def _limiter_store(setting: str | None) -> LimiterStore:
    if setting is None:
        return MemoryLimiterStore()
    automatic = user_state_path("tabwright", appauthor=False) / "requests.sqlite"
    return SqliteLimiterStore(resolve_path(setting, automatic))


def _day(now: Callable[[], float]) -> date:
    return datetime.fromtimestamp(now(), tz=UTC).date()


async def serve(
    settings: Settings | None = None,
    *,
    task_status: trio.TaskStatus[Tabwright] = trio.TASK_STATUS_IGNORED,
) -> None:
    """`open_tabwright` for ``await nursery.start(serve, settings)``; cancel it to stop."""
    async with open_tabwright(settings) as tabwright:
        task_status.started(tabwright)
        await trio.sleep_forever()
