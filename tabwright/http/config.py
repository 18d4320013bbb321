"""Configuration and shared state of clients, and their retry policy."""

import random
from collections.abc import Callable

import attrs
from platformdirs import user_cache_path

from tabwright._version import __version__
from tabwright.concurrency.timers import Backoff
from tabwright.config.loader import resolve_path
from tabwright.config.settings import Settings
from tabwright.http.cache import Cache, DiskCache
from tabwright.http.cookies import CookieStore
from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.net import NetworkBackend
from tabwright.http.request import DefaultHeaders, RequestMessage, accept_language
from tabwright.http.response import ResponseHead
from tabwright.http.robots import RobotsPolicy
from tabwright.http.signatures import RequestSigner
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import NavigationFailed
from tabwright.protocol.urls import Bounds

BUSY = frozenset((429, 502, 503, 504))
"""Statuses that can be temporary (RFC 6585; RFC 9110, section 15.6)."""

PATIENCE_S = 5.0
"""Longest ``Retry-After`` that is waited for; beyond it the response is returned."""

BACKOFF = Backoff(first_s=0.5)


@attrs.frozen(eq=False)
class Retries:
    """How often a request is retried, and after which pauses.

    Attributes:
        most: maximum number of retries.
        chance: random source for the jitter of the pauses.
    """

    most: int
    chance: random.Random

    def pause_after_failure(
        self, failure: NavigationFailed, message: RequestMessage, times: int
    ) -> float | None:
        """Return the pause after `times` failures in seconds, or None to give up.

        A request that may have reached a server is only retried if it changes nothing there.
        """
        is_safe = isinstance(failure, NotConnected) or message.method == "GET"
        passes = isinstance(failure, NotConnected | BrokenOff) and failure.retryable
        if not is_safe or not passes or times > self.most:
            return None
        return BACKOFF.pause_s(times, self.chance)

    def pause_after_answer(
        self, head: ResponseHead, message: RequestMessage, times: int
    ) -> float | None:
        """Return the pause before a retry in seconds, or None to accept the response."""
        if head.status not in BUSY or message.method != "GET" or times > self.most:
            return None
        wanted_s = head.retry_after_s or 0.0
        if wanted_s > PATIENCE_S:
            return None
        return max(wanted_s, BACKOFF.pause_s(times, self.chance))


@attrs.frozen(kw_only=True)
class FetchPolicy:
    """Limits of a fetch.

    Attributes:
        bounds: URLs that can be visited.
        bytes_max: maximum size of a body; the rest is cut off.
        timeout_s: timeout of the whole fetch; a body that is incomplete by then is returned cut.
        redirects_max: maximum number of redirects.
        robots: whether robots.txt is respected.
    """

    bounds: Bounds
    bytes_max: int
    timeout_s: float
    redirects_max: int
    robots: bool


@attrs.frozen(eq=False, kw_only=True)
class ClientConfig:
    """Configuration and state that clients share and that outlives each of them.

    Attributes:
        rules: limits of a fetch.
        default_headers: default request headers.
        retries: when requests are retried.
        cookie_store: cookies of all sessions.
        robots: robots.txt of the sites visited.
        cache: the HTTP cache.
        net: the network.
        now: the time in seconds since 1970 UTC.
        signer: signs each request; None to leave them unsigned.
    """

    rules: FetchPolicy
    default_headers: DefaultHeaders
    retries: Retries
    cookie_store: CookieStore
    cache: Cache
    now: Callable[[], float]
    net: NetworkBackend = attrs.field(factory=NetworkBackend)
    robots: RobotsPolicy = attrs.field(factory=RobotsPolicy)
    signer: RequestSigner | None = None


USER_AGENT = f"tabwright/{__version__}"


def client_config(
    settings: Settings,
    *,
    net: NetworkBackend,
    offload: Offload,
    chance: random.Random,
    now: Callable[[], float],
) -> ClientConfig:
    """Build the configuration of clients from the settings.

    Args:
        settings: tabwright's settings.
        net: the network.
        offload: runs disk access outside the event loop.
        chance: varies the pauses between retries.
        now: the time in seconds since 1970 UTC.
    """
    network = settings.network
    automatic = user_cache_path("tabwright", appauthor=False) / "pages"
    folder = resolve_path(network.cache, automatic) if network.cache else None
    return ClientConfig(
        rules=FetchPolicy(
            bounds=network.bounds,
            bytes_max=network.page_bytes_max,
            timeout_s=network.page_timeout_s,
            redirects_max=network.redirects_max,
            robots=network.robots,
        ),
        default_headers=DefaultHeaders(
            user_agent=network.user_agent or USER_AGENT,
            languages=accept_language(network.page_languages),
            do_not_track=network.do_not_track,
        ),
        retries=Retries(network.retries, chance),
        cookie_store=CookieStore(network.cookies),
        cache=Cache(DiskCache(folder) if folder else None, offload, now),
        net=net,
        now=now,
    )
