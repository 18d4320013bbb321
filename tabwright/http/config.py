"""What a client works with, and what outlives it."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
from platformdirs import user_cache_path

from tabwright._version import __version__
from tabwright.config.loader import resolve_path
from tabwright.config.settings import Settings
from tabwright.http.cache import Cache, DiskCache
from tabwright.http.cookies import CookieStore
from tabwright.http.messages import DefaultHeaders, accept_language
from tabwright.http.net import NetworkBackend
from tabwright.http.retry import Retries
from tabwright.http.robots import RobotsPolicy
from tabwright.protocol.actor import Offload
from tabwright.protocol.urls import Bounds

if TYPE_CHECKING:
    pass


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
            languages=accept_language(network.languages),
            do_not_track=network.do_not_track,
        ),
        retries=Retries(network.retries, chance),
        jars=CookieStore(network.cookies),
        cache=Cache(DiskCache(folder) if folder else None, offload, now),
        net=net,
        now=now,
    )
