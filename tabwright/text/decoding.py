"""Decode all escapes in a text, and map each part of the result to its source.

The same words can be written in many ways: escaped for HTML, by name or by number; for URLs; for
JSON and scripts, and for JSON in JSON. To search all of them, the text is decoded repeatedly until
nothing changes, with white space collapsed and letters in lower case.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from html import unescape
from typing import TypeAlias

import attrs

ROUNDS_MAX = 6
"""Maximum nesting of escapes that is decoded; deeper nesting does not occur by chance."""

_BYTE = "[89ab][0-9a-f]"
_CODED = re.compile(
    rf"%(?:u[0-9a-f]{{4}}|[cd][0-9a-f]%{_BYTE}|e[0-9a-f](?:%{_BYTE}){{2}}|f[0-7](?:%{_BYTE}){{3}}"
    r"|[0-9a-f]{2})"
    r"|&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});?"
    r"|\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}"
    r"|[nrt]|[^\w\s])",
    re.IGNORECASE,
)

_SPACES = (
    "+\t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""White space, and its encoding in the query of a URL."""

_BLANKS = str.maketrans(dict.fromkeys(_SPACES, " "))
Decode: TypeAlias = Callable[[str], str]

_RUN = re.compile(" {2,}")
_WHITE = {"n": "\n", "r": "\r", "t": "\t"}


@attrs.frozen
class _Step:
    """The replacements of one round, in order, with positions before and after."""

    starts: list[int]
    changes: list[tuple[int, int, int]]

    def before(self, place: int, *, end: bool) -> int:
        """Map a position back; with `end`, to the end of the escape that contains it."""
        at = bisect_right(self.starts, place) - 1
        if at < 0:
            return place
        now_end, old_start, old_end = self.changes[at]
        if place < now_end:
            return old_end - 1 if end else old_start
        return old_end + place - now_end


@attrs.frozen
class Unspelt:
    """A decoded text.

    Attributes:
        decoded: with original case and white space.
        folded: in lower case, with each run of white space as one space.
    """

    decoded: str
    folded: str
    _steps: tuple[_Step, ...]
    _folding: _Step

    def span_of_decoded(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of `decoded` to the original text."""
        last = end - 1
        for step in reversed(self._steps):
            start, last = step.before(start, end=False), step.before(last, end=True)
        return start, last + 1

    def span_of_folded(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of `folded` to the original text."""
        if not self._steps and not self._folding.starts:
            return start, end
        before = self._folding.before
        return self.span_of_decoded(before(start, end=False), before(end - 1, end=True) + 1)


def unspelt(text: str) -> Unspelt:
    """Decode all escapes of a text, in time linear in its length."""
    steps: list[_Step] = []
    decoded = text
    while len(steps) < ROUNDS_MAX:
        changed, step = _decoded(decoded)
        if not step.starts:
            break
        decoded = changed
        steps.append(step)
    small = decoded.lower()
    if len(small) != len(decoded):  # a letter can become several; the first counts
        small = "".join(one.lower()[0] for one in decoded)
    folded, folding = _replaced(small.translate(_BLANKS), _RUN, lambda _: " ")
    return Unspelt(decoded, folded, tuple(steps), folding)


def _decoded(text: str) -> tuple[str, _Step]:
    known: dict[str, str] = {}

    def decode(coded: str) -> str:
        """Return the decoded character, or the text itself if it is not an escape."""
        if coded not in known:
            known[coded] = _meant(coded)
        return known[coded]

    return _replaced(text, _CODED, decode)


def _replaced(text: str, coded: re.Pattern[str], meant: Decode) -> tuple[str, _Step]:
    pieces: list[str] = []
    step = _Step([], [])
    copied = length = 0
    for found in coded.finditer(text):
        was = found[0]
        now = meant(was)
        if now == was:
            continue
        start, end = found.span()
        length += start - copied
        step.starts.append(length)
        step.changes.append((length + len(now), start, end))
        length += len(now)
        pieces += (text[copied:start], now)
        copied = end
    pieces.append(text[copied:])
    return "".join(pieces) if step.starts else text, step


def _meant(coded: str) -> str:
    """Decode one escape; return it unchanged if it is not valid."""
    lead, rest = coded[0], coded[1:]
    if lead == "&":
        return unescape(coded)
    if lead == "%":
        return _of_url(rest)
    kind = rest[0].lower()
    if kind in "ux" and len(rest) > 1:
        first, *more = re.findall("[0-9a-f]+", rest[1:].lower().replace("\\u", " "))
        if more:
            return (int(first, 16).to_bytes(2) + int(more[0], 16).to_bytes(2)).decode("utf-16-be")
        number = int(first, 16)
        return chr(number) if number <= sys.maxunicode else f"\\{rest}"
    return _WHITE.get(kind, rest)


def _of_url(digits: str) -> str:
    if digits[0] in "uU":
        return chr(int(digits[1:], 16))
    data = bytes.fromhex(digits.replace("%", ""))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
