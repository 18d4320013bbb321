"""What a client works with, and what outlives it."""

from collections.abc import Callable

import attrs

from tabwright.fetching.caching import Cache
from tabwright.fetching.permissions import Permissions
from tabwright.http.cookies import Jars
from tabwright.http.messages import Bearing
from tabwright.http.net import Net
from tabwright.http.retry import Retries
from tabwright.protocol.urls import Bounds


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
