"""The client: fetches a URL and follows redirects (RFC 9110, section 15.4)."""

from functools import partial
from http import HTTPStatus
from urllib.parse import urldefrag

import attrs
import trio

from tabwright.http import robots
from tabwright.http.cache import Cache, CacheEntry, confirming
from tabwright.http.config import ClientConfig
from tabwright.http.connect import Connector
from tabwright.http.connection_pool import ConnectionPool
from tabwright.http.content_coding import ContentDecodingError
from tabwright.http.cookies import CookieStore
from tabwright.http.exchange import RetryingExchange
from tabwright.http.request import (
    Headers,
    RequestMessage,
    Target,
    checked_headers,
    laid_over,
    target_of,
)
from tabwright.http.response import ResponseHead
from tabwright.protocol.errors import (
    BadInput,
    EndlessRedirects,
    ErrorCode,
    NavigationFailed,
    TabwrightError,
    TimeOut,
)
from tabwright.protocol.fetch import Fetch, Fetched, Method, Payload
from tabwright.protocol.proxy import ProxyChoice
from tabwright.protocol.untrusted_text import Message, Quoted
from tabwright.protocol.urls import Bounds, checked_url
from tabwright.protocol.web_urls import WebUrl
from tabwright.text.public_suffixes import is_public_suffix

KEEPING = frozenset((307, 308))
"""Statuses that repeat the request with the same method and body."""

REDIRECTS = frozenset((301, 302, 303)) | KEEPING

PERSONAL = frozenset(("authorization", "cookie"))
"""Headers that are sent to the original origin only."""

OF_THE_BODY = "content-"


@attrs.frozen
class RedirectStep:
    """One URL in a chain of redirects.

    Attributes:
        url: the URL, with its fragment.
        headers: the caller's headers.
    """

    url: str
    headers: Headers = ()
    payload: Payload | None = None
    target: Target = attrs.field(
        init=False, default=attrs.Factory(lambda step: target_of(step.url), takes_self=True)
    )

    @property
    def method(self) -> Method:
        """POST with a payload, GET without."""
        return "GET" if self.payload is None else "POST"


def redirected(step: RedirectStep, head: ResponseHead, bounds: Bounds) -> RedirectStep | None:
    """Return the next step of a redirect, or None if the response is final.

    Raises:
        BadInput: the target is not allowed.
    """
    location = head.first("location").strip()
    if head.status not in REDIRECTS or not location:
        return None
    try:
        # The fragment is kept unless the server sets another (RFC 9110, section 10.2.2).
        base, fragment = urldefrag(step.url)
        kept = f"#{fragment}" if fragment and "#" not in location else ""
        joined = WebUrl.read(location + kept, base)
        bounds.check(joined)
    except BadInput as error:
        error.sent()  # by this step
        raise
    url, target = joined.text, target_of(joined.text)
    headers = step.headers
    if target.origin != step.target.origin:
        headers = tuple(line for line in headers if line[0].lower() not in PERSONAL)
    if head.status in KEEPING:
        return RedirectStep(url, headers, step.payload)
    return RedirectStep(
        url, tuple(line for line in headers if not line[0].lower().startswith(OF_THE_BODY))
    )


@attrs.define
class RedirectChain:
    """The redirects that were followed so far.

    Attributes:
        redirects_max: maximum number of redirects.
        urls: URLs that redirected.
    """

    redirects_max: int
    urls: list[str] = attrs.field(factory=list[str])
    _seen: set[tuple[str, ...]] = attrs.field(factory=set[tuple[str, ...]])

    def request(self, step: RedirectStep, cookies: str) -> None:
        """Record a request for `step`; the same URL with other cookies can lead elsewhere.

        Raises:
            EndlessRedirects: the redirects form a loop.
        """
        asked = (step.method, step.target.url, cookies)
        if asked in self._seen:
            first = [target_of(url).url for url in self.urls].index(step.target.url)
            circle = " -> ".join([*self.urls[first:], step.url])
            raise _endless((Quoted(self.urls[0]), " redirects in a loop: ", Quoted(circle), "."))
        self._seen.add(asked)

    def redirect(self, step: RedirectStep) -> None:
        """Record that `step` redirected.

        Raises:
            EndlessRedirects: there are too many redirects.
        """
        self.urls.append(step.url)
        if len(self.urls) > self.redirects_max:
            raise _endless(
                (Quoted(self.urls[0]), f" redirects more than {self.redirects_max} times.")
            )


def _endless(message: Message) -> EndlessRedirects:
    return EndlessRedirects(message, advice="Open it in a browser: it may need cookies or scripts.")


# The client.

PDF, PDF_SIZE = "application/pdf", 4
"""PDF files can be so many times as large as pages: most of their bytes are pictures."""

ROBOTS_REDIRECTS_MAX = 5
"""Maximum redirects for robots.txt (RFC 9309, section 2.3.1.2)."""


@attrs.frozen(kw_only=True)
class _RequestRun:
    """State that is shared by all redirects of one fetch.

    Attributes:
        cookies: without a session, those that redirects set, which are not kept.
        until_s: deadline on trio's clock.
        cache: the cache for requests without session and without headers.
        is_guarded: whether robots.txt is checked first.
        max_age_s: see `Fetcher.fetch`.
    """

    session: str
    cookies: CookieStore
    user_agent: str
    until_s: float
    bytes_max: int
    chain: RedirectChain
    cache: Cache
    is_guarded: bool
    max_age_s: float | None


class Client:
    """An HTTP client; it fetches pages until it is closed.

    Args:
        config: configuration and shared state.
        proxy_choice: proxy for its connections.
    """

    def __init__(self, config: ClientConfig, proxy_choice: ProxyChoice) -> None:
        dialer = Connector(config.net, allow_private=config.rules.bounds.private)
        self.connections = ConnectionPool(dialer, proxy_choice)
        self._config = config
        self._exchanges = RetryingExchange(self.connections, config.retries, config.signer)

    async def fetch(self, request: Fetch) -> Fetched:
        """Return the response to a request, after all redirects, from the cache or the network.

        Raises:
            BadInput, NavigationFailed, RobotsRefused: see `Fetcher.fetch`.
            TimeOut: no response began within the configured timeout.
        """
        rules, cache = self._config.rules, self._config.cache
        in_person = bool(request.session or request.headers or request.user_agent)
        url = checked_url(request.url, rules.bounds)
        timeout_s = request.timeout_s or rules.timeout_s
        run = _RequestRun(
            session=request.session,
            cookies=self._cookies_for(request.session),
            user_agent=request.user_agent,
            until_s=trio.current_time() + timeout_s,
            bytes_max=rules.bytes_max,
            chain=RedirectChain(rules.redirects_max),
            cache=attrs.evolve(cache, disk=None) if in_person else cache,
            is_guarded=rules.robots and not request.is_api,
            max_age_s=request.max_age_s,
        )
        step = RedirectStep(url, checked_headers(request), request.payload)
        try:
            return await self._followed(step, run)
        except trio.TooSlowError as error:
            raise TimeOut(
                (Quoted(url), f" did not answer within {timeout_s:g} s."),
                advice="Try again, or raise network.page_timeout_s.",
            ) from error

    async def _followed(self, step: RedirectStep, run: _RequestRun) -> Fetched:
        while True:
            try:
                outcome = await self._requested(step, run)
            except TabwrightError as error:
                if run.chain.urls:
                    error.sent()
                raise
            if isinstance(outcome, Fetched):
                return attrs.evolve(outcome, chain=tuple(run.chain.urls))
            run.chain.redirect(step)
            step = outcome

    async def _requested(self, step: RedirectStep, run: _RequestRun) -> Fetched | RedirectStep:
        """Request one URL and return its response or the next redirect."""
        cookies = run.cookies.header(run.session, step.target, self._config.now())
        ours = self._config.default_headers.headers(run.user_agent)
        ours += (("Cookie", cookies),) if cookies else ()
        message = RequestMessage(
            step.method, step.target, laid_over(step.headers, ours), step.payload
        )
        run.chain.request(step, message.value("cookie"))
        cache = attrs.evolve(run.cache, disk=None) if cookies else run.cache
        kept = await cache.find(message)
        if kept and cache.is_fresh(kept, run.max_age_s):
            return _given(kept, step)
        if run.is_guarded:
            read = partial(self._robots_txt, run=run)
            await self._config.robots.check(step.target, read)
        asked = confirming(message, kept)
        async with self._exchanges.answered(asked, run.until_s) as answer:
            if run.session or answer.head.status in REDIRECTS:
                lines, now_s = answer.head.all("set-cookie"), self._config.now()
                if any("domain" in line.lower() for line in lines):
                    # The first use loads the list, which would stall the event loop.
                    await cache.offload(partial(is_public_suffix, step.target.host))
                run.cookies.take(run.session, lines, step.target, now_s)
            following = redirected(step, answer.head, self._config.rules.bounds)
            if following is not None:
                await answer.discard()
                return following
            if kept and answer.head.status == HTTPStatus.NOT_MODIFIED:
                return _given(await cache.confirmed(kept, answer.head), step)
            try:
                larger = PDF_SIZE if answer.head.value("content-type").startswith(PDF) else 1
                received = await answer.take(run.bytes_max * larger, run.until_s)
            except ContentDecodingError as error:
                raise NavigationFailed(
                    (
                        "The response of ",
                        Quoted(step.url),
                        " cannot be decoded: ",
                        Quoted(str(error)),
                        ".",
                    ),
                    advice="Try another URL: browsers refuse a wrong Content-Encoding, too.",
                    code=ErrorCode.ENCODING,
                    retryable=False,
                ) from error
            fetched = answer.head.fetched(step.url, received.body, cut=received.cut)
        if not fetched.cut:
            await cache.keep(message, answer.head, fetched.body, run.max_age_s)
        return fetched

    def _cookies_for(self, session: str) -> CookieStore:
        """Return the cookies of a fetch; those without a session start without any."""
        store = self._config.cookie_store
        return store if session else CookieStore(store.mode)

    async def _robots_txt(self, url: str, *, run: _RequestRun) -> Fetched:
        """Fetch robots.txt without a session, within the timeout of the page."""
        run = attrs.evolve(
            run,
            session="",
            cookies=self._cookies_for(""),
            user_agent="",
            bytes_max=robots.BYTES_MAX,
            chain=RedirectChain(ROBOTS_REDIRECTS_MAX),
            is_guarded=False,
            max_age_s=None,
        )
        return await self._followed(RedirectStep(url), run)


def _given(kept: CacheEntry, step: RedirectStep) -> Fetched:
    """Return a cached response as a fetched page."""
    fetched = kept.record.head.fetched(step.url, kept.body, cut=None)
    return attrs.evolve(fetched, from_cache=True)
