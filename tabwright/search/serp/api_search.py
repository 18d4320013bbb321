"""One engine's part in a search by its API: HTTP requests at the engine's pace, without a tab."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

import attrs
import trio

from tabwright.concurrency.grants import hold_grant
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.errors import (
    Barrier,
    MarkupChanged,
    NavigationFailed,
    SearchBlocked,
)
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.progress import OnProgress, report_wait
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.tab import REFUSALS
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.web_search import (
    ResultPage,
    ResultPageStatus,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
    WebQuery,
)
from tabwright.search.serp.api_answer import (
    api_language,
    api_url,
    details_url,
    nothing,
    read_ids,
)
from tabwright.search.slots import name_pause


@attrs.frozen(eq=False)
class ApiAccess:
    """The resources that a search by API needs.

    Attributes:
        server: the setting ``engines.searxng``; empty for none.
        now: returns the current time.
    """

    governor: Address[Governor]
    extractor: Address[Extractor]
    fetcher: Address[Fetcher]
    server: str
    now: Callable[[], datetime]


@attrs.define(eq=False)
class ApiSearch:
    """A search at one engine by its API.

    Attributes:
        engine: its name in the configuration.
        query: the search query.
        pages: the numbers of the pages to request, from 1.
    """

    engine: str
    api: SearchApi
    query: WebQuery
    pages: range
    _access: ApiAccess
    _progress: OnProgress
    _listed: dict[str, SerpEntry] = attrs.field(factory=dict[str, SerpEntry], init=False)
    _notices: dict[SearchNoticeKind, SearchNotice] = attrs.field(
        factory=dict[SearchNoticeKind, SearchNotice], init=False
    )

    @property
    def listed(self) -> tuple[SerpEntry, ...]:
        """Return the results of the engine so far, each once."""
        return tuple(self._listed.values())

    @property
    def notices(self) -> tuple[SearchNotice, ...]:
        """Return the limits of the results, one of each kind."""
        return tuple(attrs.evolve(notice, engine=self.engine) for notice in self._notices.values())

    async def run(self) -> None:
        """Request all pages, until a page adds nothing.

        Raises:
            BadInput: the engine cannot limit results as requested.
            SearchBlocked: it refuses the request.
            MarkupChanged: its answer has another form.
            RateLimited: it is paused for a while.
            TabwrightError: it could not be reached.
        """
        for number in self.pages:
            page = await self._page(number)
            before = len(self._listed)
            for notice in page.notices:
                self._notices.setdefault(notice.kind, notice)
            for entry in page.found:
                self._listed.setdefault(entry.url, entry)
            if len(self._listed) == before:
                break
        await self._access.governor.ask(Governor.note_answer, self.engine)

    async def _page(self, number: int) -> ResultPage:
        if number > self.api.pages_max:
            return nothing(self.api, number)
        query = attrs.evolve(self.query, page=number)
        url = api_url(self.api, query, self._access.now(), self._access.server)
        body = await self._requested(url)
        if self.api.details is not None:
            ids = read_ids(self.api, body)
            if ids is None:
                raise self._changed(f"The answer of {self.api.name} has no ids.")
            if not ids:
                return nothing(self.api, number)
            body = await self._requested(details_url(self.api, ids))
        language = api_language(self.api, query)
        page = await self._access.extractor.ask(Extractor.answer, self.api, body, language, number)
        if page.verdict is ResultPageStatus.CHANGED:
            raise self._changed(page.message)
        return page

    async def _requested(self, url: str) -> bytes:
        """Return the answer to a request, made when the rate limit allows it."""
        begun = trio.Event()

        def permit(over: Expiry) -> AcquirePermit:
            """Return the request for a permit that ends with `over`."""
            waiting = partial(report_wait, self._progress, who=self.engine)
            return AcquirePermit(over, self.engine, begun, 0, waiting)

        headers: Mapping[str, str] = {"Accept": "application/json", **self.api.headers}
        async with hold_grant(self._access.governor, Governor.permit, permit):
            begun.set()
            request = Fetch(url, headers=tuple(headers.items()), is_api=True)
            fetched = await self._access.fetcher.ask(Fetcher.fetch, request)
            await self._check(fetched)
        return fetched.body

    async def _check(self, fetched: Fetched) -> None:
        """Reject an answer that is not one, and report a refusal to the rate limit."""
        status = fetched.page.status
        if status in REFUSALS:
            blocked = SearchBlocked(
                f"{self.api.name} refuses the request (HTTP status {status}).",
                barrier=Barrier.REFUSED,
                url=fetched.page.url,
                advice="Wait before you use it again.",
            )
            blocked.retry_after_s = fetched.page.retry_after_s
            blocked.paused_for_s = await self._access.governor.ask(
                Governor.note_refusal, self.engine, blocked.retry_after_s
            )
            name_pause(blocked, self.engine)
            raise blocked
        if status >= ERROR_STATUS_MIN:
            raise NavigationFailed(
                f"{self.api.name} answered with HTTP status {status}.", advice="Try again later."
            )
        if fetched.cut:
            raise NavigationFailed(
                ("The answer of ", Quoted(self.api.name), " is incomplete or too large."),
                advice="Try again later.",
            )

    def _changed(self, message: str) -> MarkupChanged:
        return MarkupChanged(message, advice="Use another engine, and report this.")
