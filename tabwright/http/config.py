"""What a client works with, and what outlives it."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from platformdirs import user_cache_path

from tabwright._version import __version__
from tabwright.config.loader import chosen_place
from tabwright.config.settings import Settings
from tabwright.http.cache import Cache, Shelf
from tabwright.http.cookies import Jars
from tabwright.http.messages import Bearing, accept_language
from tabwright.http.net import Net
from tabwright.http.retry import Retries
from tabwright.http.robots import Permissions
from tabwright.protocol.actor import Offload
from tabwright.protocol.urls import Bounds

if TYPE_CHECKING:
    pass


@attrs.frozen(kw_only=True)
class Rules:
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
class Outfit:
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

    rules: Rules
    bearing: Bearing
    retries: Retries
    jars: Jars
    cache: Cache
    now: Callable[[], float]
    net: Net = attrs.field(factory=Net)
    permissions: Permissions = attrs.field(factory=Permissions)


USER_AGENT = f"tabwright/{__version__}"


def outfit_of(
    settings: Settings,
    *,
    net: Net,
    offload: Offload,
    chance: random.Random,
    now: Callable[[], float],
) -> Outfit:
    """What fetchers work with under these settings.

    Args:
        settings: of the house.
        net: the network.
        offload: where the disk is waited for.
        chance: varies the pauses between repetitions.
        now: the time in seconds since 1970 UTC.
    """
    network = settings.network
    folder = _cache_folder(network.cache)
    return Outfit(
        rules=Rules(
            bounds=network.bounds,
            bytes_max=network.page_bytes_max,
            timeout_s=network.page_timeout_s,
            redirects_max=network.redirects_max,
            robots=network.robots,
        ),
        bearing=Bearing(
            user_agent=network.user_agent or USER_AGENT,
            languages=accept_language(network.languages),
            do_not_track=network.do_not_track,
        ),
        retries=Retries(network.retries, chance),
        jars=Jars(network.cookies),
        cache=Cache(Shelf(folder) if folder else None, offload, now),
        net=net,
        now=now,
    )


def _cache_folder(setting: str | None) -> Path | None:
    automatic = user_cache_path("tabwright", appauthor=False) / "pages"
    return chosen_place(setting, automatic) if setting else None
