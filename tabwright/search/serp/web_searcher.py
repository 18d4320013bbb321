"""Searching several engines at the same time, and merging their results."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from math import ceil
from pathlib import Path
from typing import TypeAlias

import attrs
import trio

from tabwright.config.engines import EngineConfig
from tabwright.config.search_parsers import load_parsers
from tabwright.config.settings import Settings
from tabwright.config.yaml_tables import suggestion
from tabwright.interventions.handoff import HumanHandoff
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.errors import (
    BadInput,
    EnginesFailed,
    RateLimited,
    SearchBlocked,
    SettingsError,
    TabwrightError,
)
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetcher
from tabwright.protocol.progress import EngineDoneProgress, OnProgress
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.web_search import (
    EngineFailure,
    ResultParser,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
    WebQuery,
    WebResults,
    WebSearch,
)
from tabwright.search.progress_texts import failure_text, found_text, in_language
from tabwright.search.serp.api_search import ApiAccess, ApiSearch
from tabwright.search.serp.engine import EngineAccess, EngineReader, EngineSearch, FailedPages
from tabwright.search.serp.page_requests import PAGES_MAX
from tabwright.search.serp.result_cache import ResultCache
from tabwright.search.serp.results import merged, of_site
from tabwright.search.slots import EngineSlots
from tabwright.search.urls import checked_query
from tabwright.text.file_errors import file_problem
from tabwright.text.languages import checked_language

# The parsers of result pages, reloaded when the user changes the file.


class ParserRegistry:
    """The parsers of the result pages of every engine.

    Args:
        user_file: the file that overrides the shipped one; None for none.
    """

    def __init__(self, user_file: Path | None) -> None:
        self._user_file = user_file
        self._version: tuple[int, int] | None = None
        self._parsers: Mapping[str, ResultParser] = {}
        self._problem = ""

    def parsers(self) -> tuple[Mapping[str, ResultParser], tuple[SearchNotice, ...]]:
        """Return the parsers by engine, from the last user file that had no mistakes.

        If the current file has mistakes or cannot be read, a notice is returned with them.

        Raises:
            SettingsError: the file has mistakes and there was none before it; all of them are
                listed.
        """
        try:
            version = self._current_version()
            if version != self._version or not self._parsers:
                self._version, self._problem = version, ""
                self._parsers = load_parsers(self._user_file)
        except SettingsError as error:
            if not self._parsers:
                raise
            self._problem = error.message
        if not self._problem:
            return self._parsers, ()
        message = f"{self._problem} The last valid version is used until the file is fixed."
        return self._parsers, (SearchNotice(SearchNoticeKind.PARSERS_FILE, message),)

    def _current_version(self) -> tuple[int, int] | None:
        if self._user_file is None:
            return None
        try:
            status = self._user_file.stat()
        except OSError as error:
            self._version = None  # when the file is back, it is read again
            raise SettingsError(
                f"engines.parsers: {file_problem(error, self._user_file)}"
            ) from error
        return status.st_mtime_ns, status.st_size


AnySearch: TypeAlias = EngineSearch | ApiSearch
"""The search of an engine, in a browser or by its API."""

RESULTS_ON_PAGE = 10
"""Results per page, roughly as many as engines list."""

LIMIT_MAX = 50

Part: TypeAlias = Callable[[], Awaitable[None]]
"""The search of one engine."""


@attrs.define(eq=False)
class _Findings:
    """The results and failures so far, by engine; one engine may have both.

    Attributes:
        language: of the progress.
    """

    progress: OnProgress
    language: str
    cache: ResultCache
    found: dict[str, tuple[SerpEntry, ...]] = attrs.field(factory=dict[str, tuple[SerpEntry, ...]])
    failed: dict[str, TabwrightError] = attrs.field(factory=dict[str, TabwrightError])
    notices: dict[str, tuple[SearchNotice, ...]] = attrs.field(
        factory=dict[str, tuple[SearchNotice, ...]]
    )

    async def ask(self, search: AnySearch) -> None:
        """Record the result of one engine: a recent one, or a new one."""
        key = (search.engine, search.query, search.pages)
        kept = self.cache.find(key)
        if kept is None:
            await self.take(search, search.run)
            if search.engine not in self.failed:
                self.cache.keep(key, search.listed, search.notices)
            return
        self.found[search.engine], self.notices[search.engine] = kept.listed, kept.notices
        summary = found_text(len(kept.listed), self.language, is_recent=True)
        self.progress(EngineDoneProgress(search.engine, summary))

    async def take(self, search: AnySearch, part: Part) -> None:
        """Record the result of one engine; its failure does not fail the whole search."""
        self.failed.pop(search.engine, None)
        try:
            await part()
        except TabwrightError as error:
            self.failed[search.engine] = error
        if search.listed or search.engine not in self.failed:
            self.found[search.engine] = search.listed
        self.notices[search.engine] = search.notices
        failed = self.failed.get(search.engine)
        summary = (
            failure_text(_failure(search.engine, failed), self.language)
            if failed
            else found_text(len(search.listed), self.language)
        )
        self.progress(EngineDoneProgress(search.engine, summary))


@attrs.frozen(eq=False, kw_only=True)
class WebSearcher:
    """A web search with several engines.

    Attributes:
        engines: the engines, and the order in which they are asked.
        parsers: the parsers of their result pages.
        fetcher: requests the APIs of the others.
        apis: returns the engines that are asked by their API.
        cache: the latest results of each.
        now: returns the current time.
    """

    supervisor: Address[BrowserPool]
    governor: Address[Governor]
    extractor: Address[Extractor]
    person: HumanHandoff
    settings: Settings
    engines: EngineConfig
    parsers: ParserRegistry
    failed_pages: FailedPages
    fetcher: Address[Fetcher]
    apis: Callable[[], Mapping[str, SearchApi]]
    cache: ResultCache
    now: Callable[[], datetime]

    async def search(self, request: WebSearch, progress: OnProgress) -> WebResults:
        """Search with all engines at the same time, each at its own pace.

        A failed engine is reported beside the results of the others. If there are no other results,
        a CAPTCHA waits for a person. Cancellation stops every page.

        Raises:
            BadInput: the request is invalid: no such engine, page or limit.
            EnginesFailed: all engines failed. If only one was asked, its own error is raised.
        """
        parsers, about_parsers = self.parsers.parsers()
        language = request.language or self.settings.language
        on_progress = in_language(progress, language)
        searches = self._searches(request, parsers, on_progress)
        findings = _Findings(on_progress, language, self.cache)
        async with trio.open_nursery() as nursery:
            for search in searches:
                await nursery.start(_begin, findings, search)
        if not findings.found:
            await _ask_person(findings, searches)
        engines = [search.engine for search in searches]
        failures = tuple(
            _failure(name, findings.failed[name]) for name in engines if name in findings.failed
        )
        if not findings.found:
            errors = [findings.failed[name] for name in engines]
            if len(errors) == 1:
                raise errors[0]
            lines = "\n".join(f"  {name}: {findings.failed[name]}" for name in engines)
            retryable = any(error.retryable for error in errors)
            advice = " ".join(notice.message for notice in about_parsers)
            raise EnginesFailed(
                ("No engine returned results:\n", Quoted(lines)), advice=advice, retryable=retryable
            )
        found = {name: findings.found[name] for name in engines if name in findings.found}
        about_engines = [one for name in engines for one in findings.notices[name]]
        if request.site:
            for name, entries in found.items():
                found[name], more = of_site(name, entries, request.site)
                about_engines += more
        return WebResults(
            query=request.query,
            engines=tuple(engines),
            page=request.page,
            results=merged(found, request.limit),
            failures=failures,
            notices=(*about_parsers, *about_engines),
        )

    def _searches(
        self, request: WebSearch, parsers: Mapping[str, ResultParser], progress: OnProgress
    ) -> Sequence[AnySearch]:
        checked_query(request.query)
        if request.language is not None:
            checked_language(request.language)
        wanted = request.language or self.settings.search.language or ""
        usual = self.engines.usual(request.category, wanted)
        names = dict.fromkeys(usual if request.engines is None else request.engines)
        asked = self.settings.engines.searxng
        apis = {
            name: api
            for name, api in self.apis().items()
            if asked or "server" not in api.url.placeholders()
        }
        known = [name for name in (*parsers, *apis) if name in self.engines.paces]
        unknown = [name for name in names if name not in known]
        if unknown or not names:
            problems = [f"Unknown engine {name!r}.{suggestion(name, known)}" for name in unknown]
            raise BadInput(
                " ".join(problems) or "No engine is given.",
                advice=f"The engines are {', '.join(sorted(known))}.",
            )
        # The engines' result pages for one page of merged results.
        if not 1 <= request.limit <= LIMIT_MAX:
            raise BadInput(f"limit is {request.limit}; it must be from 1 to {LIMIT_MAX}.")
        each = ceil(request.limit / RESULTS_ON_PAGE)
        first = (request.page - 1) * each + 1
        if not 1 <= first <= PAGES_MAX:
            raise BadInput(
                f"There is no page {request.page} of results.",
                advice=f"With this limit, pages go from 1 to {ceil(PAGES_MAX / each)}.",
            )
        pages = range(first, min(first + each, PAGES_MAX + 1))
        query = WebQuery(
            request.query,
            pages[0],
            request.language,
            request.time_range,
            request.category,
            request.safe_search,
            request.region,
            request.limits,
        )
        language = request.language or self.settings.language
        access = ApiAccess(self.governor, self.extractor, self.fetcher, asked or "", self.now)
        return [
            ApiSearch(name, apis[name], query, pages, access, progress)
            if name in apis
            else EngineSearch(query, pages, language, self._access(name, parsers[name]), progress)
            for name in sorted(names, key=lambda name: self.engines.paces[name].priority)
        ]

    def _access(self, name: str, parser: ResultParser) -> EngineAccess:
        reader = EngineReader(
            name,
            parser,
            self.extractor,
            self.failed_pages,
            self.settings.network.page_timeout_s,
            self.settings.search.consent,
        )
        turns = EngineSlots(name, self.governor, self.supervisor)
        return EngineAccess(turns, reader, self.person, lambda: self.now().date())


async def _begin(
    findings: _Findings, search: AnySearch, task_status: trio.TaskStatus[None]
) -> None:
    task_status.started()  # one after the other, so that the best engine has the first tab
    await findings.ask(search)


async def _ask_person(findings: _Findings, searches: Sequence[AnySearch]) -> None:
    """Continue with the best engine whose CAPTCHA a person can solve, if there is one."""
    for search in searches:
        error = findings.failed[search.engine]
        if isinstance(search, ApiSearch):
            continue
        if isinstance(error, SearchBlocked) and error.intervention:
            await findings.take(search, partial(search.run_after, error))
            return


def _failure(engine: str, error: TabwrightError) -> EngineFailure:
    waiting, paused_for_s = "", 0.0
    match error:
        case SearchBlocked():
            waiting, paused_for_s = error.intervention, error.paused_for_s
        case RateLimited():
            paused_for_s = error.retry_after_s
        case _:
            pass
    return EngineFailure(engine, error.kind, str(error), error.retryable, waiting, paused_for_s)
