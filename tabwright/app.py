"""The composition root: starts every actor in order, with the settings and the environment.

Actors that drive a browser start when something is first asked of them, and their modules are
imported then: a command that reads one page over HTTP needs none of them.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import attrs
import trio
from platformdirs import user_state_path

from tabwright.actors import extractor_actor, fetcher_actor, rate_governor
from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.browser import machine
from tabwright.browser.tab_pool import ConcurrencyBackoff
from tabwright.cdp.connection import WireLog
from tabwright.client import Tabwright
from tabwright.config.engines import EngineConfig, configured_engines, own_file
from tabwright.config.loader import resolve_path, settings_from
from tabwright.config.search_parsers import load_apis
from tabwright.config.secrets import Secrets, any_site_warning, load_secrets
from tabwright.config.settings import NetworkSettings, Settings
from tabwright.content.embeddings import installed_ranker
from tabwright.environment import Environment, changed_by_plugins
from tabwright.http.net import web_network
from tabwright.http.signatures import RequestSigner
from tabwright.interventions.handoff import HumanHandoff
from tabwright.llm.router import ModelRouter, open_models
from tabwright.objects.parts import TabwrightParts
from tabwright.page.live_tabs import LiveTabs
from tabwright.protocol.actor import Address
from tabwright.protocol.ai_search import AISearch
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.tasks import Tasks
from tabwright.ratelimit.store import LimiterStore, MemoryLimiterStore, SqliteLimiterStore
from tabwright.reader.media import MediaFetcher, PictureReader
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import TieredLoader
from tabwright.reader.video import TranscriptReader, VideoReader, installed_ffmpeg
from tabwright.search.serp.engine import FailedPages, failed_pages_folder
from tabwright.search.serp.result_cache import ResultCache
from tabwright.search.serp.web_searcher import ParserRegistry, WebSearcher
from tabwright.view.service import PrincipalView, View, open_view

if TYPE_CHECKING:
    from tabwright.environment import Fleet

# How the actors that start on demand are supervised. Requests that wait inside one of them must not
# hold up others, so that many are worked on at once.

_log = logging.getLogger("tabwright.secrets")

SUPERVISOR_POLICY = RestartPolicy(mailbox_max=256, at_once=256, grace_s=4.0, on_demand=True)
"""Requests for a tab wait here; one that waits must not hold up the end of a lease."""

USUAL_POLICY = RestartPolicy(mailbox_max=256, at_once=256, on_demand=True)
"""For interventions, AI search and sessions."""

TASKS_POLICY = RestartPolicy(mailbox_max=64, at_once=64, on_demand=True)
"""More than the tasks that can run, so that one can be listed and changed at any time."""


@asynccontextmanager
async def open_tabwright(
    settings: Settings | None = None, environment: Environment | None = None
) -> AsyncGenerator[Tabwright]:
    """Run tabwright for as long as the block runs. The browser starts when it is first needed.

    It runs in the caller's event loop and sets up no globals, signal handlers or logging.
    Leaving the block, also with an exception or a cancellation, stops everything in reverse order
    and leaves no process. A single error of the block is raised as it is, not as a group.

    Args:
        settings: None for the defaults of tabwright.
        environment: None for the real clock, network and browser; tests pass another.

    Raises:
        SettingsError: a file named by the settings cannot be used.
        Escalated: an actor crashed repeatedly; the block is cancelled.
        RuntimeError: this is not trio's event loop.
    """
    async with open_shared(settings, environment) as shared, shared.open_for() as tabwright:
        yield tabwright


@asynccontextmanager
async def open_shared(
    settings: Settings | None = None, environment: Environment | None = None
) -> AsyncGenerator["SharedActors"]:
    """Run what the users of one server share, until the block ends; see `open_tabwright`.

    Raises:
        SettingsError, Escalated, RuntimeError: see `open_tabwright`.
    """
    if not trio.lowlevel.in_trio_task():
        raise RuntimeError(
            "open_tabwright runs on trio. In an asyncio program, use open_tabwright_asyncio; in a"
            " synchronous one, open_tabwright_sync."
        )
    settings = settings or settings_from()
    environment = changed_by_plugins(environment or Environment(), settings)
    secrets = load_secrets(settings.acting.secrets)
    if warning := any_site_warning(secrets):
        _log.warning(warning)
    signer = _request_signer(settings.network, environment)
    engines = environment.engines or configured_engines(settings.engines)
    async with (
        _open_fleet(environment) as fleet,
        _foundations(settings, environment, secrets, signer, engines, fleet) as below,
        open_models(settings, secrets, environment.system.random) as models,
    ):
        yield SharedActors(settings, environment, secrets, engines, below, models, fleet)


@attrs.frozen(eq=False)
class SharedActors:
    """The browsers, rates and models that several users of one server share.

    Attributes:
        settings: those of the server.
        secrets: the secrets that calls can name.
        engines: the search engines, and the rate limits of sites.
    """

    settings: Settings
    _environment: Environment
    secrets: Secrets
    engines: EngineConfig
    _below: "_Foundations"
    _models: ModelRouter
    _fleet: "Fleet | None"

    @property
    def view(self) -> View:
        """Return the live view of the server."""
        return self._below.view

    def shortage(self) -> str:
        """Return what the machine is short of, as a clause; empty for nothing."""
        return machine.shortage(self._environment.machine)

    @asynccontextmanager
    async def open_for(
        self, principal: str = "", settings: Settings | None = None
    ) -> AsyncGenerator[Tabwright]:
        """Run the actors of one user: sessions, cookies, tasks, conversations, interventions.

        They stop in reverse order when the block ends; nothing of them is seen by other users.

        Args:
            principal: the name of the user; empty for the only one.
            settings: of this user; None for those of the server.
        """
        settings, environment = settings or self.settings, self._environment
        secrets, system, now = self.secrets, environment.system, environment.now
        view = PrincipalView(self._below.view, principal)
        async with (
            _principal_actors(self._below, settings, environment, principal) as below,
            _supervised_queue(below, settings, system, view) as queue,
        ):
            within_s = settings.search.person_timeout_s
            person = HumanHandoff(below.supervisor, queue, view, within_s)
            tiers = TieredLoader(
                below.governor, below.fetcher, below.extractor, person, settings.network
            )
            captions = MediaFetcher(
                below.governor, lambda request: below.fetcher.ask(Fetcher.fetch, request)
            )
            transcripts = TranscriptReader(captions, below.extractor)
            reader = PageReader(below.supervisor, below.extractor, tiers, transcripts)
            async with (
                _supervised_ai_search(below, person, settings, system) as ai_search,
                _supervised_sessions(below, reader, settings, secrets, environment) as sessions,
                _supervised_tasks(sessions, secrets, system, now, settings) as tasks,
            ):
                media = MediaFetcher(below.governor, partial(_fetched_in_session, sessions))
                take_frames = environment.take_frames or installed_ffmpeg()
                parts = TabwrightParts(
                    secrets=secrets,
                    supervisor=below.supervisor,
                    governor=below.governor,
                    queue=queue,
                    view=view,
                    ai_search=ai_search,
                    searcher=_web_searcher(below, person, settings, self.engines, now),
                    sessions=sessions,
                    tasks=tasks,
                    models=self._models,
                    reader=reader,
                    picture_reader=PictureReader(media, below.extractor, settings.reading),
                    video_reader=VideoReader(media, below.extractor, take_frames, settings.reading),
                    jobs=self._fleet.jobs if self._fleet else None,
                )
                yield Tabwright(settings, parts)


@attrs.frozen(eq=False)
class _Foundations:
    """The actors that all others depend on, and that all users share."""

    governor: Address[Governor]
    extractor: Address[Extractor]
    supervisor: Address[BrowserPool]
    view: View
    fleet: "Fleet | None"
    signer: RequestSigner | None


@attrs.frozen(eq=False)
class _PrincipalActors(_Foundations):
    """The same for one user, with the client that has the user's cookies."""

    fetcher: Address[Fetcher]
    principal: str


@asynccontextmanager
async def _open_fleet(environment: Environment) -> AsyncGenerator["Fleet | None"]:
    """Yield what the processes of a fleet share, or None for a process that works alone."""
    if environment.open_fleet is None:
        yield None
        return
    async with environment.open_fleet() as fleet:
        yield fleet


def _request_signer(settings: NetworkSettings, environment: Environment) -> RequestSigner | None:
    if (signing := settings.signing) is None:
        return None
    from tabwright.http.signing_keys import signer_of_key

    return signer_of_key(signing.key, signing.agent, environment.now, environment.nonces)


@asynccontextmanager
async def _foundations(  # noqa: PLR0913, PLR0917  (all that they are made of)
    settings: Settings,
    environment: Environment,
    secrets: Secrets,
    signer: RequestSigner | None,
    engines: EngineConfig,
    fleet: "Fleet | None",
) -> AsyncGenerator[_Foundations]:
    system = environment.system
    store = environment.limiter_store or _limiter_store(settings.engines.counts)
    governing = partial(
        rate_governor.rate_governor_actor,
        engines.paces,
        store,
        environment.now,
        fleet.rates(environment.now) if fleet else None,
    )
    extracting = partial(
        extractor_actor.extractor,
        environment.offload,
        installed_ranker(),
        settings.plugins.enabled,
    )
    live = LiveTabs()
    async with (
        open_view(settings.view, live) as view,
        supervise(system, "governor", governing, rate_governor.RESTART_POLICY) as governor,
        supervise(system, "extractor", extracting, extractor_actor.RESTART_POLICY) as extractor,
        _supervised_pool(settings, environment, secrets, signer, live) as supervisor,
    ):
        yield _Foundations(governor, extractor, supervisor, view, fleet, signer)


@asynccontextmanager
async def _principal_actors(
    shared: _Foundations, settings: Settings, environment: Environment, principal: str
) -> AsyncGenerator[_PrincipalActors]:
    system = environment.system
    fetching = environment.fetching or fetcher_actor.open_fetcher(
        settings, environment.offload, system, environment.now, shared.signer
    )
    async with (
        supervise(system, "fetcher", fetching, fetcher_actor.RESTART_POLICY) as fetcher,
        _principal_pool(shared.supervisor, system, principal, settings) as supervisor,
    ):
        yield _PrincipalActors(
            shared.governor,
            shared.extractor,
            supervisor,
            shared.view,
            shared.fleet,
            shared.signer,
            fetcher,
            principal,
        )


@asynccontextmanager
async def _principal_pool(
    supervisor: Address[BrowserPool], system: ActorSystem, principal: str, settings: Settings
) -> AsyncGenerator[Address[BrowserPool]]:
    """Yield the browser pool as a user sees it; the only user sees all of it."""
    if not principal:
        yield supervisor
        return
    from tabwright.actors.principal_pool import principal_pool

    downloads = settings.acting.downloads or ""
    life = partial(principal_pool, supervisor, principal, downloads)
    async with supervise(system, f"pool-of-{principal}", life, SUPERVISOR_POLICY) as pool:
        yield pool


PAGE_MODULES = ("tabwright.actors.browser_supervisor", "tabwright.actors.session_registry")
"""The modules of the actors that act on pages: most first calls need them."""

OTHER_MODULES = (
    "tabwright.actors.intervention_queue",
    "tabwright.actors.ai_search_actor",
    "tabwright.actors.task_runner",
    "tabwright.content.extract",
    "tabwright.http.client",
)
"""The modules of the other actors that start on demand, and modules that actors import lazily."""

ON_DEMAND = (*PAGE_MODULES, *OTHER_MODULES)
"""The modules that a server imports if it has time before its first call."""


def import_modules(names: Sequence[str]) -> None:
    """Import modules that would otherwise be imported on demand."""
    for name in names:
        import_module(name)


def _supervised_pool(
    settings: Settings,
    environment: Environment,
    secrets: Secrets,
    signer: RequestSigner | None,
    live: LiveTabs,
) -> AbstractAsyncContextManager[Address[BrowserPool]]:
    system, limit = environment.system, ConcurrencyBackoff(settings.pool)
    many = environment.sources
    if many is not None:
        settings = attrs.evolve(settings, pool=attrs.evolve(settings.pool, workers=many.browsers))
    settings = machine.fitted(settings, environment.machine)
    shortage = partial(machine.shortage, environment.machine)

    def life() -> AbstractAsyncContextManager[BrowserPool]:
        """One life of the supervisor; the limits outlive it."""
        from tabwright.actors.browser_supervisor import browser_supervisor_actor
        from tabwright.browser.launch import launcher_of_settings
        from tabwright.browser.sources import only_source
        from tabwright.page.open_page import TabDependencies

        launcher = environment.launcher or launcher_of_settings(settings, web_network(settings))
        sources = many.opened(launcher) if many else only_source(launcher, settings)
        dependencies = TabDependencies(settings, secrets, signer)
        log = _masking(secrets, environment.wire_log)
        return browser_supervisor_actor(system, dependencies, live, limit, sources, log, shortage)

    return supervise(system, "supervisor", life, SUPERVISOR_POLICY)


def _supervised_queue(
    below: _PrincipalActors, settings: Settings, system: ActorSystem, view: PrincipalView
) -> AbstractAsyncContextManager[Address[Interventions]]:
    def life() -> AbstractAsyncContextManager[Interventions]:
        """One life of the queue."""
        from tabwright.actors.intervention_queue import intervention_queue

        return intervention_queue(
            below.supervisor, below.governor, view, settings.pool, system.random
        )

    return supervise(system, "interventions", life, USUAL_POLICY)


def _supervised_ai_search(
    below: _PrincipalActors,
    person: HumanHandoff,
    settings: Settings,
    system: ActorSystem,
) -> AbstractAsyncContextManager[Address[AISearch]]:
    def life() -> AbstractAsyncContextManager[AISearch]:
        """One life of the actor that asks Google AI Mode."""
        from tabwright.actors.ai_search_actor import ai_search_actor

        return ai_search_actor(below.supervisor, below.governor, person, settings, system.random)

    return supervise(system, "ai_search", life, USUAL_POLICY)


def _supervised_sessions(
    below: _PrincipalActors,
    reader: PageReader,
    settings: Settings,
    secrets: Secrets,
    environment: Environment,
) -> AbstractAsyncContextManager[Address[Sessions]]:
    def life() -> AbstractAsyncContextManager[Sessions]:
        """One life of the registry of sessions."""
        from tabwright.actors.session_registry import session_registry
        from tabwright.sessions.recorder import NoRecorder
        from tabwright.sessions.sleeping import SleepingFiles
        from tabwright.sessions.store import SessionFiles, sessions_folder

        saved = SessionFiles(sessions_folder(settings.session.dir), secrets)
        keep_s = settings.session.close_after_s
        files = SleepingFiles(saved, keep_s, environment.now, environment.offload)
        recorder_of = environment.recorder_of
        recorder = recorder_of(settings, secrets, environment.now) if recorder_of else NoRecorder()
        fleet, idle_s = below.fleet, settings.session.close_after_s
        leases = fleet.leases(below.principal, idle_s) if fleet else None
        return session_registry(reader, below.fetcher, files, settings, recorder, leases=leases)

    return supervise(environment.system, "sessions", life, USUAL_POLICY)


async def _fetched_in_session(sessions: Address[Sessions], request: Fetch) -> Fetched:
    """Fetch by HTTP with the cookies of a session that may sleep."""
    return await sessions.ask(Sessions.fetch, request)


def _supervised_tasks(
    sessions: Address[Sessions],
    secrets: Secrets,
    system: ActorSystem,
    now: Callable[[], float],
    settings: Settings,
) -> AbstractAsyncContextManager[Address[Tasks]]:
    def life() -> AbstractAsyncContextManager[Tasks]:
        """One life of the runner of tasks."""
        from tabwright.actors.task_runner import task_runner

        return task_runner(sessions, secrets, system.random, now, settings)

    return supervise(system, "tasks", life, TASKS_POLICY)


def _web_searcher(
    below: _PrincipalActors,
    person: HumanHandoff,
    settings: Settings,
    engines: EngineConfig,
    now: Callable[[], float],
) -> WebSearcher:
    return WebSearcher(
        supervisor=below.supervisor,
        governor=below.governor,
        extractor=below.extractor,
        person=person,
        settings=settings,
        engines=engines,
        parsers=ParserRegistry(own_file(settings.engines.parsers)),
        failed_pages=FailedPages(failed_pages_folder(settings.engines.failed_pages)),
        fetcher=below.fetcher,
        apis=load_apis,
        cache=ResultCache(settings.engines.cache_s),
        now=lambda: datetime.fromtimestamp(now(), tz=UTC),
    )


def _masking(secrets: Secrets, log: WireLog | None) -> WireLog | None:
    """The wire log without the values of secrets."""
    return None if log is None else lambda line: log(secrets.masked(line))


def _limiter_store(setting: str | None) -> LimiterStore:
    if setting is None:
        return MemoryLimiterStore()
    automatic = user_state_path("tabwright", appauthor=False) / "requests.sqlite"
    return SqliteLimiterStore(resolve_path(setting, automatic))


async def serve(
    settings: Settings | None = None,
    *,
    task_status: trio.TaskStatus[Tabwright] = trio.TASK_STATUS_IGNORED,
) -> None:
    """`open_tabwright` for ``await nursery.start(serve, settings)``; cancel it to stop."""
    async with open_tabwright(settings) as tabwright:
        task_status.started(tabwright)
        await trio.sleep_forever()
