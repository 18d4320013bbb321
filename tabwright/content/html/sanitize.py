"""Remove parts of a page's source that would make a parser extremely slow.

Three things take a standard HTML parser quadratic time: nested elements, formatting elements that
are never closed and so reopened in each paragraph (HTML, section 13.2.4.3), and attributes of one
element. Ordinary pages have few of each and are returned unchanged. Other pages are checked tag by
tag; if the depth of a tag is unclear, the greater depth is assumed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from itertools import islice

import attrs

from tabwright.protocol.snapshot import FrameSource, PageSource

DEPTH_MAX = 512
"""Maximum depth; deeper tags are removed. Browsers have the same limit."""

ATTRIBUTES_MAX = 256
"""Maximum number of attributes; an element with more loses all of them."""

BEGUN_AGAIN_MAX = 400_000
"""Maximum number of elements that the parser can add to a page by reopening."""

MANY_TAGS = 10_000
"""Maximum number of tags in a page that is checked only for what makes many elements of few."""

_LOOKED_BACK_MAX = 64
"""Maximum number of open elements that an end tag is matched against."""

_FORMATTING = frozenset(
    {"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong"} | {"tt", "u"}
)

_FORMATTING_MIN = 4
"""Number of open formatting elements that is allowed on any page."""

_STYLED_TAG = re.compile(
    r"<(?=[bcefinstuBCEFINSTU])"
    r"(?:[bB](?:[iI][gG])?|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[iIuU]|[nN][oO][bB][rR]"
    r"|[sS](?:[mM][aA][lL][lL]|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG])?|[tT]{2})[\s/]"
)  # case spelled out and looked ahead, which is five times as fast
_ALIKE_MAX = 3
"""Maximum number of like formatting elements that a parser reopens (HTML, section 13.2.4.3)."""

_STYLED_CHARS_MAX = 300
"""Maximum length of a tag that is compared with others; a longer one counts as unlike them all."""

_ATTRIBUTE = r"[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?+"
_WHOLE_TAG = re.compile(rf"<[a-zA-Z]+(?:[\s/]*+{_ATTRIBUTE})*+[\s/]*+>")
_WIDE_TAG = re.compile(r"<[a-zA-Z]")
_WIDE_CHARS_MIN = 10_000
"""Length of a tag that can have more than `ATTRIBUTES_MAX` attributes."""

_CROWDED_TAG = re.compile(rf"<[a-zA-Z][^\s/>]*+(?:[\s/]*+{_ATTRIBUTE}){{{ATTRIBUTES_MAX}}}+")

_FLAT = frozenset(
    {"a", "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head"}
    | {"hr", "html", "img", "input", "li", "link", "meta", "optgroup", "option", "p"}
    | {"param", "rb", "rp", "rt", "rtc", "source", "tbody", "td", "tfoot", "th", "thead"}
    | {"tr", "track", "wbr"}
)
"""Elements without content, or that end where the next of their kind begins."""

_LEAVES = frozenset(
    {"circle", "ellipse", "image", "line", "path", "polygon", "polyline", "rect"} | {"stop", "use"}
)
"""Elements of SVG that can be self-closing."""

_WALLS = frozenset(
    {"applet", "button", "caption", "foreignobject", "marquee", "math", "object"}
    | {"select", "svg", "table", "template"}
)
"""Elements in which an end tag closes nothing outside (HTML, section 13.2.4.2)."""

_PIECE = re.compile(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\["
    r"|<(?P<plain>script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])[^>]*+>?"
    r"(?:(?<=/>)|(?P<body>.*?)(?=</(?P=plain)[\s/>]|\Z))"
    r"|</(?P<end>[a-z][^\s/>]*+)[^>]*+>?"
    r"|<[!?/][^>]*+>?"
    rf"|<(?P<start>[a-z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)>?",
    re.IGNORECASE | re.DOTALL,
)
"""A comment, an element of raw text up to its end, an end tag, or a start tag."""

_TAG = re.compile(r"<[a-z/]", re.IGNORECASE)


def sanitize_html(html: str) -> str:
    """Return the source without parts that overload a parser; nearly always unchanged."""
    tags = html.count("<")
    may_be_wild = (
        tags > MANY_TAGS
        or _may_reopen(html, BEGUN_AGAIN_MAX // (tags + 1))
        or any(_CROWDED_TAG.match(html, start) for start in _wide_tags(html))
    )
    if not may_be_wild:
        return html
    formatting_max = max(_FORMATTING_MIN, BEGUN_AGAIN_MAX // (tags + 1))
    return _PIECE.sub(_Sanitizer(formatting_max).piece, html)


def _may_reopen(html: str, elements_max: int) -> bool:
    """Return whether more formatting elements could be open at once, with attributes."""
    found = [match.start() for match in _STYLED_TAG.finditer(html)]
    if len(found) <= elements_max:
        return False
    tags = (_WHOLE_TAG.match(html, start, start + _STYLED_CHARS_MAX) for start in found)
    like = Counter(tag[0] if tag else start for tag, start in zip(tags, found, strict=True))
    return sum(min(number, _ALIKE_MAX) for number in like.values()) > elements_max


def _wide_tags(html: str) -> Iterator[int]:
    """Yield where the tags begin that have at least `_WIDE_CHARS_MIN` characters.

    Looking backwards for the last bracket in each window passes over nearly all of the source.
    """
    first = 0
    while (last := first + _WIDE_CHARS_MIN + 1) <= len(html):
        bracket = max(html.rfind("<", first, last), html.rfind(">", first, last))
        if bracket < 0 and first and _WIDE_TAG.match(html, first - 1):
            yield first - 1
        first = last if bracket < 0 else bracket + 1


@attrs.define
class _Sanitizer:
    """The open elements at one position of the source.

    Attributes:
        formatting_max: maximum number of open formatting elements.
    """

    formatting_max: int
    _open: list[tuple[str, bool]] = attrs.field(factory=list[tuple[str, bool]], init=False)
    _formatting: int = attrs.field(default=0, init=False)

    def piece(self, match: re.Match[str]) -> str:
        """Return the part of a match that is kept."""
        if start := match["start"]:
            return _slim(match) if self._begin(start.lower(), match[0]) else ""
        if end := match["end"]:
            return match[0] if self._end(end.lower()) else ""
        if match["plain"]:
            body = match["body"]
            if body is None:
                return ""
            return match[0].removesuffix(body) if _TAG.search(body) else match[0]
        return "" if match[0].startswith(("<!--", "<![")) else match[0]

    def _begin(self, name: str, tag: str) -> bool:
        """Return whether the start tag is kept."""
        if name in _FLAT or (name in _LEAVES and tag.endswith("/>")):
            return True
        stays = len(self._open) < DEPTH_MAX
        if name in _FORMATTING:
            stays = stays and self._formatting < self.formatting_max
            self._formatting += stays
        self._open.append((name, stays))
        return stays

    def _end(self, name: str) -> bool:
        """Return whether the end tag is kept: its start tag was kept, or it has none."""
        for back, (opened, stays) in enumerate(islice(reversed(self._open), _LOOKED_BACK_MAX)):
            if opened == name:
                del self._open[-1 - back :]
                self._formatting -= stays and name in _FORMATTING
                return stays
            if opened in _WALLS:
                break
        self._formatting -= self._formatting > 0 and name in _FORMATTING
        return True


def _slim(match: re.Match[str]) -> str:
    """Return a start tag without excess attributes, and with each inner ``<`` escaped."""
    attributes = match["attributes"]
    if len(attributes) > ATTRIBUTES_MAX and _CROWDED_TAG.match(match[0]):
        return f"<{match['start']}>"
    return "<" + match[0][1:].replace("<", "&lt;")


# The limit on the source that is parsed: a tree of bare tags needs eighty times its size.

PAGE_TAGS_MAX = 300_000
"""Maximum number of tags in the page and all its frames; their tree and blocks take 200 MB."""


def limit_source(source: PageSource) -> PageSource:
    """Return the source up to `PAGE_TAGS_MAX` tags, marked as cut if anything was removed."""
    whole = FrameSource(source.html, source.frames)
    if whole.length <= PAGE_TAGS_MAX:
        return source
    left = PAGE_TAGS_MAX

    def limited(frame: FrameSource) -> FrameSource:
        """Return what the tags that are left allow; frames have those that are left by others."""
        nonlocal left
        tags = frame.html.count("<")
        html = frame.html if tags <= left else "<".join(frame.html.split("<", left + 1)[:-1])
        left = max(0, left - tags)
        return FrameSource(html, tuple(map(limited, frame.frames)))

    kept = limited(whole)
    if kept == whole:
        return source
    return attrs.evolve(source, html=kept.html, frames=kept.frames, cut=True)


# XHTML, which any element can close itself.

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"}
    | {"source", "track", "wbr"}
)
"""Elements without an end tag (HTML, section 13.1.2)."""

_SELF_CLOSED = re.compile(r"<([A-Za-z][\w.:-]*)((?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?)/>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


def xhtml_as_html(text: str) -> str:
    """Return XHTML so that a parser of HTML reads the same: with end tags, without CDATA."""
    text = _CDATA.sub(lambda found: escape(found[1], quote=False), text)
    return _SELF_CLOSED.sub(_closed, text)


def _closed(found: re.Match[str]) -> str:
    name, attributes = found[1], found[2]
    return found[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"
