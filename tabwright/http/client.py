"""The client: from a request to what a site answers, through every redirect."""

from functools import partial

import attrs
import trio

from tabwright.http import robots
from tabwright.http.cache import CONFIRMED, Cache, CacheEntry, confirming
from tabwright.http.config import ClientConfig
from tabwright.http.connect import Connector
from tabwright.http.connection_pool import ConnectionPool
from tabwright.http.content_coding import ContentDecodingError
from tabwright.http.exchange import RetryingExchange
from tabwright.http.messages import RequestMessage, checked_headers, laid_over
from tabwright.http.redirects import RedirectChain, RedirectStep, redirected
from tabwright.protocol.errors import ErrorCode, NavigationFailed, TabwrightError, TimeOut
from tabwright.protocol.fetch import Fetch, Fetched
from tabwright.protocol.proxy import ProxyChoice
from tabwright.protocol.urls import checked_url

ROBOTS_REDIRECTS_MAX = 5
"""RFC 9309, section 2.3.1.2."""


@attrs.frozen(kw_only=True)
class _RequestRun:
    """What stays the same from hop to hop.

    Attributes:
        until_s: on trio's clock.
        cache: keeps what nobody in particular asks for: without session, and without headers.
        is_guarded: whether robots.txt is asked first.
    """

    session: str
    user_agent: str
    until_s: float
    bytes_max: int
    trail: RedirectChain
    cache: Cache
    is_guarded: bool


class Client:
    """Fetches pages, for as long as nobody closes it.

    Args:
        outfit: what it works with.
        way_out: by which proxy its connections go.
    """

    def __init__(self, outfit: ClientConfig, way_out: ProxyChoice) -> None:
        dialer = Connector(outfit.net, allow_private=outfit.rules.bounds.private)
        self.connections = ConnectionPool(dialer, way_out)
        self._outfit = outfit
        self._exchanges = RetryingExchange(self.connections, outfit.retries)

    async def fetch(self, request: Fetch) -> Fetched:
        """See `Fetch`.

        Raises:
            BadInput, NavigationFailed, RobotsRefused: see `Fetch`.
            TimeOut: no answer began within the time of the rules.
        """
        rules, cache = self._outfit.rules, self._outfit.cache
        in_person = bool(request.session or request.headers or request.user_agent)
        url = checked_url(request.url, rules.bounds)
        errand = _RequestRun(
            session=request.session,
            user_agent=request.user_agent,
            until_s=trio.current_time() + rules.timeout_s,
            bytes_max=rules.bytes_max,
            trail=RedirectChain(rules.redirects_max),
            cache=attrs.evolve(cache, shelf=None) if in_person else cache,
            is_guarded=rules.robots,
        )
        hop = RedirectStep(url, checked_headers(request), request.payload)
        try:
            return await self._followed(hop, errand)
        except trio.TooSlowError as error:
            raise TimeOut(
                f"{url} did not answer within {rules.timeout_s:g} s.",
                advice="Try again, or raise network.page_timeout_s.",
            ) from error

    async def _followed(self, hop: RedirectStep, errand: _RequestRun) -> Fetched:
        while True:
            try:
                outcome = await self._hopped(hop, errand)
            except TabwrightError as error:
                if errand.trail.urls:
                    error.sent()
                raise
            if isinstance(outcome, Fetched):
                return attrs.evolve(outcome, chain=tuple(errand.trail.urls))
            errand.trail.leave(hop)
            hop = outcome

    async def _hopped(self, hop: RedirectStep, errand: _RequestRun) -> Fetched | RedirectStep:
        """What a URL answers, or where it sends us."""
        cookies = self._outfit.jars.header(errand.session, hop.target, self._outfit.now())
        ours = self._outfit.bearing.headers(errand.user_agent)
        ours += (("Cookie", cookies),) if cookies else ()
        message = RequestMessage(hop.method, hop.target, laid_over(hop.headers, ours), hop.payload)
        errand.trail.step(hop, message.value("cookie"))
        kept = await errand.cache.find(message)
        if kept and errand.cache.is_fresh(kept):
            return _given(kept, hop)
        if errand.is_guarded:
            read = partial(self._robots_txt, errand=errand)
            await self._outfit.permissions.check(hop.target, read)
        asked = confirming(message, kept)
        async with self._exchanges.answered(asked, errand.until_s) as answer:
            lines, now_s = answer.head.all("set-cookie"), self._outfit.now()
            self._outfit.jars.take(errand.session, lines, hop.target, now_s)
            following = redirected(hop, answer.head, self._outfit.rules.bounds)
            if following is not None:
                await answer.discard()
                return following
            if kept and answer.head.status == CONFIRMED:
                return _given(await errand.cache.confirmed(kept, answer.head), hop)
            try:
                intake = await answer.take(errand.bytes_max, errand.until_s)
            except ContentDecodingError as error:
                raise NavigationFailed(
                    f"{hop.url} is coded in a way that cannot be read: {error}.",
                    advice="Open it in a browser.",
                    code=ErrorCode.ENCODING,
                    retryable=False,
                ) from error
            fetched = answer.head.fetched(hop.url, intake.body, cut=intake.cut)
        if not fetched.cut:
            await errand.cache.keep(message, answer.head, fetched.body)
        return fetched

    async def _robots_txt(self, url: str, *, errand: _RequestRun) -> Fetched:
        """Fetched in nobody's name, and within the time that the page has."""
        errand = attrs.evolve(
            errand,
            session="",
            user_agent="",
            bytes_max=robots.BYTES_MAX,
            trail=RedirectChain(ROBOTS_REDIRECTS_MAX),
            is_guarded=False,
        )
        return await self._followed(RedirectStep(url), errand)


def _given(kept: CacheEntry, hop: RedirectStep) -> Fetched:
    """An answer that was kept, given again."""
    fetched = kept.record.head.fetched(hop.url, kept.body, cut=None)
    return attrs.evolve(fetched, from_cache=True)
