"""robots.txt (RFC 9309): the paths that a site closes to programs.

The file is untrusted. So parsing takes time linear in its length, and matching a path takes time
limited by `RULES_MAX`.
"""

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import quote

import attrs
import trio

from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.request import Target
from tabwright.protocol.errors import BadInput, NavigationFailed, RobotsRefused
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, SERVER_ERROR_STATUS_MIN
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.url_patterns import fits
from tabwright.protocol.web_urls import served_path, without_needless_escapes

TOKEN = "tabwright"  # noqa: S105  (RFC 9309 calls it so)
"""Our product token in robots.txt, whatever the configured user agent."""

BYTES_MAX = 524288
"""Maximum size of a file; the rest is ignored (section 2.5 requires at least 500 KiB)."""

RULES_MAX = 5000
"""Maximum rules per group, so that a path is matched within a tenth of a second."""

EVERYBODY = "*"

_NO_PRODUCT = re.compile(r"[^a-zA-Z_-]")
_AS_IT_IS = "%/!$&'()*+,-.:;=?@[]_~"


@attrs.frozen
class RobotsRule:
    """One rule of a group.

    Attributes:
        parts: the pattern, split at its stars.
        is_whole: whether the pattern must match to the end of the path.
    """

    allows: bool
    parts: tuple[str, ...]
    is_whole: bool

    @classmethod
    def of(cls, pattern: str, *, allows: bool) -> "RobotsRule":
        """Parse a rule."""
        is_whole = pattern.endswith("$")
        text = re.sub(r"\*+", "*", normal(pattern.removesuffix("$")))
        return cls(allows, tuple(text.split("*")), is_whole)

    @property
    def weight(self) -> tuple[int, bool]:
        """The precedence: the longest matching rule wins, and on a tie the one that allows."""
        return sum(map(len, self.parts)) + len(self.parts) + self.is_whole, self.allows

    def matches(self, path: str) -> bool:
        """Return whether the rule matches `path`, which must be normalized."""
        return fits(self.parts if self.is_whole else (*self.parts, ""), path)


@attrs.frozen
class Robots:
    """The rules of a robots.txt that apply to us.

    Attributes:
        rules: the rules, highest precedence first.
    """

    rules: tuple[RobotsRule, ...] = ()

    def allow(self, path: str) -> bool:
        """Return whether `path`, with its query, may be requested."""
        text = normal(path)
        found = next((rule for rule in self.rules if rule.matches(text)), None)
        return found is None or found.allows or text == "/robots.txt"


def read_robots(text: str) -> Robots:
    """Parse a file: the groups for our name or, if there are none, those for all."""
    groups: dict[str, list[RobotsRule]] = {}
    named = set[str]()
    in_head = False
    for line in text.removeprefix("\ufeff").splitlines():
        rule = line.partition("#")[0]
        key, colon, value = rule.partition(":")
        if not colon:  # authors forget it
            key, value = words if len(words := rule.split()) == 2 else ("", "")  # noqa: PLR2004
        key, value = key.strip().lower(), value.strip()
        if key == "user-agent":
            product = _NO_PRODUCT.split(value, 1)[0].lower()
            product = EVERYBODY if value.startswith(EVERYBODY) else product
            named = (named if in_head else set[str]()) | ({product} & {TOKEN, EVERYBODY})
            in_head = True
            groups.update({name: groups.get(name, []) for name in named})
        elif key in {"allow", "disallow"}:
            in_head = False
            rules = [RobotsRule.of(value, allows=key == "allow")] if value and named else []
            for name in named:
                groups[name] += rules
    ours = groups.get(TOKEN, groups.get(EVERYBODY, []))[:RULES_MAX]
    return Robots(tuple(sorted(ours, key=lambda rule: rule.weight, reverse=True)))


def normal(path: str) -> str:
    """Normalize a path for matching: ASCII, and no needless escapes (section 2.2.2)."""
    plain = without_needless_escapes(path)
    text = re.sub(r"%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), plain)
    return quote(text, _AS_IT_IS)


# Whether robots.txt allows programs to read a page.

SITES_MAX = 256
KEPT_S = 3600.0

UNWELL_S = 60.0
"""How long a site is not requested after its server failed to return the file."""

Read: TypeAlias = Callable[[str], Awaitable[Fetched]]
"""Fetches a robots.txt by its URL."""


@attrs.frozen
class _Known:
    """The cached rules of a site and their expiry on trio's clock; None if the server failed."""

    robots: Robots | None
    until_s: float


class RobotsPolicy:
    """The robots.txt rules of recent sites; the least recently fetched are forgotten."""

    def __init__(self) -> None:
        self._known = OrderedDict[str, _Known]()

    async def check(self, target: Target, read: Read) -> None:
        """Check that `target` may be read.

        A missing file allows everything. If the server fails to return it, everything is forbidden
        for a minute. If the site cannot be reached, the error reports that.

        Raises:
            RobotsRefused: the site forbids it.
            NavigationFailed: the site cannot be reached.
        """
        known = self._known.get(target.origin)
        if known is None or known.until_s <= trio.current_time():
            robots = await _read(f"{target.origin}/robots.txt", read)
            known = _Known(robots, trio.current_time() + (KEPT_S if robots else UNWELL_S))
            self._known[target.origin] = known
        self._known.move_to_end(target.origin)
        while len(self._known) > SITES_MAX:
            self._known.popitem(last=False)
        robots = known.robots
        if robots is None:
            raise RobotsRefused(
                (Quoted(target.authority), " did not return its robots.txt."),
                advice="Try again in a minute.",
                retryable=True,
            )
        path, mark, query = target.path.partition("?")
        read_as = served_path(path) + mark + query
        if not (robots.allow(target.path) and robots.allow(read_as)):
            raise RobotsRefused(
                (
                    Quoted(target.authority),
                    " disallows ",
                    Quoted(target.url),
                    " for programs (robots.txt).",
                ),
                advice="Set network.robots: false if you are allowed to read it.",
            )


async def _read(url: str, read: Read) -> Robots | None:
    try:
        fetched = await read(url)
    except (NotConnected, BrokenOff):
        raise
    except (NavigationFailed, BadInput):  # the redirect is not valid, so there is no file
        return Robots()
    status = fetched.page.status
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= SERVER_ERROR_STATUS_MIN:
        return None
    if status >= ERROR_STATUS_MIN:
        return Robots()
    return read_robots(fetched.body.decode(errors="replace"))
