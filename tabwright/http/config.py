"""What a client works with, and what outlives it; what it tries again, and when."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
from platformdirs import user_cache_path

from tabwright._version import __version__
from tabwright.concurrency.timers import Backoff
from tabwright.config.loader import resolve_path
from tabwright.config.settings import Settings
from tabwright.http.cache import Cache, DiskCache
from tabwright.http.cookies import CookieStore
from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.messages import DefaultHeaders, RequestMessage, accept_language
from tabwright.http.net import NetworkBackend
from tabwright.http.response import ResponseHead
from tabwright.http.robots import RobotsPolicy
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import NavigationFailed
from tabwright.protocol.urls import Bounds

if TYPE_CHECKING:
    pass

BUSY = frozenset((429, 502, 503, 504))
"""What a server says that may answer in a while (RFC 6585; RFC 9110, section 15.6)."""

PATIENCE_S = 5.0
"""A server that wants to be left alone for longer is; the answer says so."""

BACKOFF = Backoff(first_s=0.5)


@attrs.frozen(eq=False)
class Retries:
    """How often, and after which pauses.

    Attributes:
        most: how often after the first time.
        chance: for the jitter of the pauses.
    """

    most: int
    chance: random.Random

    def pause_after_failure(
        self, failure: NavigationFailed, message: RequestMessage, times: int
    ) -> float | None:
        """How long to wait after `times` failures, in seconds; None for giving up.

        What may have reached a server is not asked again, unless asking changes nothing.
        """
        is_safe = isinstance(failure, NotConnected) or message.method == "GET"
        passes = isinstance(failure, NotConnected | BrokenOff) and failure.retryable
        if not is_safe or not passes or times > self.most:
            return None
        return BACKOFF.pause_s(times, self.chance)

    def pause_after_answer(
        self, head: ResponseHead, message: RequestMessage, times: int
    ) -> float | None:
        """How long to wait after an answer, in seconds; None for taking it as it is."""
        if head.status not in BUSY or message.method != "GET" or times > self.most:
            return None
        wanted_s = head.retry_after_s or 0.0
        if wanted_s > PATIENCE_S:
            return None
        return max(wanted_s, BACKOFF.pause_s(times, self.chance))


@attrs.frozen(kw_only=True)
class FetchPolicy:
    """How far a fetch may go.

    Attributes:
        bounds: where it may lead.
        bytes_max: what is kept of a body.
        timeout_s: for all of it; what has come of a body by then is given.
        redirects_max: how often it may be sent on.
        robots: whether the wishes of sites are respected.
    """

    bounds: Bounds
    bytes_max: int
    timeout_s: float
    redirects_max: int
    robots: bool


@attrs.frozen(eq=False, kw_only=True)
class ClientConfig:
    """What clients work with, one after the other.

    Attributes:
        rules: how far they go.
        bearing: what they say of themselves.
        retries: what they ask again.
        jars: the cookies of all sessions.
        permissions: what sites want.
        cache: what they have fetched before.
        net: the network.
        now: the time in seconds since 1970 UTC.
    """

    rules: FetchPolicy
    bearing: DefaultHeaders
    retries: Retries
    jars: CookieStore
    cache: Cache
    now: Callable[[], float]
    net: NetworkBackend = attrs.field(factory=NetworkBackend)
    permissions: RobotsPolicy = attrs.field(factory=RobotsPolicy)


USER_AGENT = f"tabwright/{__version__}"


def client_config(
    settings: Settings,
    *,
    net: NetworkBackend,
    offload: Offload,
    chance: random.Random,
    now: Callable[[], float],
) -> ClientConfig:
    """What fetchers work with under these settings.

    Args:
        settings: of tabwright.
        net: the network.
        offload: where the disk is waited for.
        chance: varies the pauses between repetitions.
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
        bearing=DefaultHeaders(
            user_agent=network.user_agent or USER_AGENT,
            languages=accept_language(network.page_languages),
            do_not_track=network.do_not_track,
        ),
        retries=Retries(network.retries, chance),
        jars=CookieStore(network.cookies),
        cache=Cache(DiskCache(folder) if folder else None, offload, now),
        net=net,
        now=now,
    )
