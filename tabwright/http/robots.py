"""What a site asks programs to leave alone: robots.txt (RFC 9309).

Anybody can write such a file, so reading one takes time in proportion to its length, and judging a
path by it no more than its rules are worth.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote_to_bytes

import attrs

from tabwright.protocol.url_patterns import fits

TOKEN = "tabwright"  # noqa: S105  (RFC 9309 calls it so)
"""Who we are in a robots.txt, whatever else we are told to call ourselves."""

BYTES_MAX = 524288
"""Of a file; the rest is not read (section 2.5 asks for 500 kibibytes at least)."""

RULES_MAX = 5000
"""Of a group; so a path is judged in a tenth of a second, whatever they are."""

EVERYBODY = "*"

_NO_PRODUCT = re.compile(r"[^a-zA-Z_-]")
_UNRESERVED = re.compile(r"%(?:2[dDeE]|3\d|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
_AS_IT_IS = "%/!$&'()*+,-.:;=?@[]_~"


@attrs.frozen
class Rule:
    """One line of a group.

    Attributes:
        parts: of the pattern, between its stars.
        is_whole: whether the pattern goes to the end of the path.
    """

    allows: bool
    parts: tuple[str, ...]
    is_whole: bool

    @classmethod
    def of(cls, pattern: str, *, allows: bool) -> "Rule":
        """As it is written."""
        is_whole = pattern.endswith("$")
        text = re.sub(r"\*+", "*", normal(pattern.removesuffix("$")))
        return cls(allows, tuple(text.split("*")), is_whole)

    @property
    def weight(self) -> tuple[int, bool]:
        """The longest rule that matches counts; of two as long, the one that allows."""
        return sum(map(len, self.parts)) + len(self.parts) + self.is_whole, self.allows

    def matches(self, path: str) -> bool:
        """Whether it is about `path`, which is normal."""
        return fits(self.parts if self.is_whole else (*self.parts, ""), path)


@attrs.frozen
class Robots:
    """What a robots.txt says to us.

    Attributes:
        rules: the weightiest first.
    """

    rules: tuple[Rule, ...] = ()

    def allow(self, path: str) -> bool:
        """Whether we may ask for `path`, a path with its query."""
        text = normal(path)
        found = next((rule for rule in self.rules if rule.matches(text)), None)
        return found is None or found.allows or text == "/robots.txt"


def read_robots(text: str) -> Robots:
    """What the file says to us: in the groups of our name or, without any, in those for all."""
    groups: dict[str, list[Rule]] = {}
    named = set[str]()
    in_head = False
    for key, value in _lines(text):
        if key == "user-agent":
            named = (named if in_head else set[str]()) | ({_product(value)} & {TOKEN, EVERYBODY})
            in_head = True
            groups.update({name: groups.get(name, []) for name in named})
        elif key in {"allow", "disallow"}:
            in_head = False
            rules = [Rule.of(value, allows=key == "allow")] if value and named else []
            for name in named:
                groups[name] += rules
    ours = groups.get(TOKEN, groups.get(EVERYBODY, []))[:RULES_MAX]
    return Robots(tuple(sorted(ours, key=lambda rule: rule.weight, reverse=True)))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Keys in lower case, with what they say."""
    for line in text.removeprefix("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _product(value: str) -> str:
    """The product token that a value begins with, in lower case."""
    return EVERYBODY if value.startswith(EVERYBODY) else _NO_PRODUCT.split(value, 1)[0].lower()


def normal(path: str) -> str:
    """A path as it is compared: in ASCII, and nothing escaped that needs none (section 2.2.2)."""
    text = _UNRESERVED.sub(lambda escape: unquote_to_bytes(escape[0]).decode(), path)
    text = re.sub(r"%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), text)
    return quote(text, _AS_IT_IS)
