"""Traps: parts of a site that have no end, such as calendars and combinations of filters.

A part is the pages whose URLs have the same shape. It is closed if many of its pages in a row show
nothing new and lead nowhere new. That holds for calendars, sort orders, filters, visits in URLs and
pages that link to themselves, without a list of their names. Links within a closed part are no
longer followed; what is already queued, or linked from elsewhere, is still read, up to a limit. So
a part that has an end loses little if it only looks like a trap.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b

import attrs

FRUITLESS_MAX = 25
"""The maximum number of pages in a row that show nothing new; then the part is closed."""

CLOSED_MAX = 200
"""The maximum number of pages of a part that are read after it was closed."""

SKETCH = 32
"""The number of lines of a page that are compared, chosen by their hash."""

LINES_MAX = 20_000
"""The maximum number of lines that are remembered of a part, to bound memory."""

NEW_SHARE = 0.2
"""A page with a larger share of new lines shows something new."""

_WORD = re.compile(r"\b[^\W\d_]{2,}\b")
"""A word without digits: a page with a new one shows something new, however short the page is.

Filters combine the words of other pages, and calendars count.
"""

_REFERENCES = re.compile(r"^(?:\[\d+\]: .*|## Links)$", re.MULTILINE)
_LINKED_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s.*(?:\[\d+\]|\]\([^)]*\)).*$", re.MULTILINE)
"""An item of a list with a link: what it leads to counts, and not its words."""

_TARGET = re.compile(r" \[\d+\]|\]\([^)\s]*\)")

_NUMBER = re.compile(r"\d+")
_DATE = re.compile(
    r"(?<!\d)(?:19|20|21)\d\d[-/.](?:0?[1-9]|1[0-2])(?!\d)"
    r"|[?&](?:year|month|week|day|date|from|start)=[^&]*\d",
    re.IGNORECASE,
)
"""A date in a URL: a calendar has endless pages, which differ in their numbers only."""


@attrs.define
class _Part:
    lines: set[int] = attrs.field(factory=set[int])
    words: set[str] = attrs.field(factory=set[str])
    stale: int = 0
    fruitless: int = 0
    read_closed: int = 0


@attrs.define(eq=False)
class TrapDetector:
    """Judges the parts of a site by their pages, in the order in which they come."""

    _parts: defaultdict[str, _Part] = attrs.field(factory=lambda: defaultdict(_Part), init=False)

    def is_closed(self, shape: str) -> bool:
        """Return whether links within a part are no longer followed."""
        part = self._parts.get(shape)
        return part is not None and part.fruitless >= FRUITLESS_MAX

    def is_exhausted(self, shape: str) -> bool:
        """Return whether nothing more of a part is read."""
        part = self._parts.get(shape)
        return part is not None and part.read_closed >= CLOSED_MAX and self.is_closed(shape)

    def leads_on(self, shape: str, new_shapes: Iterable[str]) -> bool:
        """Return whether a page leads somewhere new.

        Args:
            shape: of its URL.
            new_shapes: those of the URLs that it is the first to link to. Parts whose pages have
                shown no new text for long do not count, so that two traps do not keep each other
                open.
        """
        return any(
            one != shape and (one not in self._parts or self._parts[one].stale < FRUITLESS_MAX)
            for one in new_shapes
        )

    def take(self, url: str, shape: str, text: str, *, leads_on: bool) -> None:
        """Add a page.

        Args:
            url: its URL.
            shape: of its URL.
            text: of its content; empty for a page that was there before.
            leads_on: whether it leads somewhere new.
        """
        part = self._parts[shape]
        shown = _LINKED_ITEM.sub("", text)
        lines = _some_lines(_NUMBER.sub("#", shown) if _DATE.search(url) else shown)
        new = lines.keys() - part.lines
        words = {word for key in new for word in _WORD.findall(lines[key].casefold())} - part.words
        if len(part.lines) < LINES_MAX:
            part.lines |= new
            part.words |= words
        is_new = bool(words) or len(new) > NEW_SHARE * len(lines)
        part.read_closed += self.is_closed(shape)
        part.stale = 0 if is_new else part.stale + 1
        part.fruitless = 0 if leads_on or is_new else part.fruitless + 1


def words_of(text: str) -> str:
    """Return the text of a page in Markdown without the targets of its links.

    They can change with each visit while the page stays the same.
    """
    return " ".join(_TARGET.sub("", _REFERENCES.sub("", text)).split())


def sketch_of(text: str) -> set[int]:
    """Return the hashes of some lines of a text: always the same lines for the same text."""
    return set(_some_lines(text))


def _some_lines(text: str) -> dict[int, str]:
    lines = {line.strip() for line in _TARGET.sub("", _REFERENCES.sub("", text)).splitlines()}
    hashes = {
        int.from_bytes(blake2b(line.encode(errors="replace"), digest_size=8).digest()): line
        for line in lines
        if line
    }
    return {key: hashes[key] for key in sorted(hashes)[:SKETCH]}
