"""Whether a site lets programs read a page, as far as it says so in its robots.txt (RFC 9309)."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio

from tabwright.fetching.targets import Target
from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.robots import Robots, read_robots
from tabwright.protocol.errors import BadInput, NavigationFailed, RobotsRefused
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, SERVER_ERROR_STATUS_MIN
from tabwright.protocol.web_urls import served_path

SITES_MAX = 256
KEPT_S = 3600.0

UNWELL_S = 60.0
"""For which a site is left alone whose server could not give its file."""

TOO_MANY_REQUESTS = 429

Read: TypeAlias = Callable[[str], Awaitable[Fetched]]
"""Fetches a robots.txt by its URL."""


@attrs.frozen
class _Known:
    """What a site has said, until a time on trio's clock; None where its server is not well."""

    robots: Robots | None
    until_s: float


class Permissions:
    """What the sites that were last asked say; those asked longest ago are forgotten."""

    def __init__(self) -> None:
        self._known = OrderedDict[str, _Known]()

    async def check(self, target: Target, read: Read) -> None:
        """Returns where `target` may be read.

        A file that is not there forbids nothing; one that a server fails to give forbids all, but
        for a minute only. Where the site cannot be reached at all, the page cannot either, and
        the error says so.

        Raises:
            RobotsRefused: its site does not want that.
            NavigationFailed: the site cannot be reached.
        """
        robots = await self._robots(target, read)
        if robots is None:
            raise RobotsRefused(
                f"{target.authority} could not say what programs may read (robots.txt).",
                advice="Try again in a minute.",
                retryable=True,
            )
        path, mark, query = target.path.partition("?")
        read_as = served_path(path) + mark + query
        if not (robots.allow(target.path) and robots.allow(read_as)):
            raise RobotsRefused(
                f"{target.authority} asks programs to leave {target.url} alone (robots.txt).",
                advice="Set network.robots: false if you may read it all the same.",
            )

    async def _robots(self, target: Target, read: Read) -> Robots | None:
        known = self._known.get(target.origin)
        if known is None or known.until_s <= trio.current_time():
            robots = await _read(f"{target.origin}/robots.txt", read)
            known = _Known(robots, trio.current_time() + (KEPT_S if robots else UNWELL_S))
            self._known[target.origin] = known
        self._known.move_to_end(target.origin)
        while len(self._known) > SITES_MAX:
            self._known.popitem(last=False)
        return known.robots


async def _read(url: str, read: Read) -> Robots | None:
    try:
        fetched = await read(url)
    except (NotConnected, BrokenOff):
        raise
    except (NavigationFailed, BadInput):  # it leads nowhere: there is none
        return Robots()
    status = fetched.page.status
    if status == TOO_MANY_REQUESTS or status >= SERVER_ERROR_STATUS_MIN:
        return None
    if status >= ERROR_STATUS_MIN:
        return Robots()
    return read_robots(fetched.body.decode(errors="replace"))
