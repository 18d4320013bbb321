"""Layout: renders a page as lines for a terminal, and finds the links in them."""

import io
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, count
from typing import ClassVar, TypeAlias

import attrs
from markdown_it.token import Token
from PIL import Image
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement, TableElement
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme
from rich_pixels import Pixels

from tabwright.plugins.tui.markdown import PICTURE, parsed
from tabwright.plugins.tui.outline import PageControl, outline_lines
from tabwright.plugins.tui.page import FIELD, BrowsedPage, FieldName, FilledIn, form_lines
from tabwright.protocol.snapshot import PageLink
from tabwright.text.lines import strip_invisible

# A picture as half blocks, two pixels per cell.

LINES_MAX = 20
"""The maximum height of a picture in lines; smaller ones are not scaled."""


def drawn(file: bytes, width: int) -> RenderableType:
    """Draw a picture in lines of at most `width` cells, or a note if it cannot be decoded."""
    try:
        with Image.open(io.BytesIO(file)) as picture:
            scale = min(1.0, width / picture.width, 2 * LINES_MAX / picture.height)
            size = (
                max(round(picture.width * scale), 1),
                max(round(picture.height * scale / 2) * 2, 2),
            )
            shown: Pixels = Pixels.from_image(picture.convert("RGB").resize(size))
            return shown
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # Pillow's ways
        return Text("[image: damaged]")


WIDTH_MIN = 10
"""In a narrower terminal the lines are cut at the right."""

INDENT = 4
"""The maximum indentation of each level of lists and quotes, in cells."""

COLUMN_MIN = 6
"""The minimum width of a table column in cells; a narrower table is shown as a list."""

WIDTH_MAX = 100
"""Longer lines are hard to read in any window."""

THEME = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold cyan",
        "markdown.h3": "bold",
        "markdown.h4": "bold italic",
        "markdown.h5": "italic",
        "markdown.h6": "italic dim",
        "markdown.link_url": "underline blue",
        "markdown.code": "bold magenta",
        "markdown.block_quote": "green",
        "markdown.item.bullet": "yellow",
        "markdown.item.number": "yellow",
    }
)

Target: TypeAlias = PageLink | FieldName | PageControl
"""A target of the focus: a link, a field of a form, or a control of a page in its tab."""


@attrs.frozen
class Span:
    """A part of a line, in cells."""

    line: int
    start: int
    end: int


@attrs.frozen
class Spot:
    """A focusable place, on one line or over several."""

    target: Target
    spans: tuple[Span, ...]

    @property
    def line(self) -> int:
        """The first line."""
        return self.spans[0].line


@attrs.frozen(eq=False)
class PageLayout:
    """A page laid out in lines.

    Attributes:
        lines: in segments without line ends.
        spots: in reading order.
    """

    lines: Sequence[Sequence[Segment]]
    spots: Sequence[Spot]

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The lines without style."""
        return tuple("".join(part.text for part in line).rstrip() for line in self.lines)

    def line_at(self, weight: int) -> int:
        """Return the line at an amount of text; see `weight_before`."""
        weights = accumulate(map(_weight, self.plain), initial=0)
        return max((line for line, before in enumerate(weights) if before <= weight), default=0)

    def weight_before(self, line: int) -> int:
        """Return the amount of text before a line, independent of width and pictures."""
        return sum(map(_weight, self.plain[:line]))

    def found(self, words: str) -> tuple[tuple[Span, ...], ...]:
        """Return the matches of the words, case-insensitively, also across lines."""
        pattern = r"\s+".join(map(re.escape, words.split()))
        if not pattern:
            return ()
        text = "\n".join(self.plain)
        starts = list(accumulate((len(line) + 1 for line in self.plain), initial=0))
        return tuple(
            tuple(self._spans(starts, found.start(), found.end()))
            for found in re.finditer(pattern, text, re.IGNORECASE)
        )

    def _spans(self, starts: Sequence[int], begin: int, end: int) -> Iterator[Span]:
        first = bisect_right(starts, begin) - 1
        for line in range(first, bisect_right(starts, end - 1)):
            text = self.plain[line]
            left = max(begin - starts[line], 0)
            right = min(end - starts[line], len(text))
            if left < right:
                yield Span(line, cell_len(text[:left]), cell_len(text[:right]))


def _weight(line: str) -> int:
    return sum(map(str.isalnum, line))


def typeset(
    page: BrowsedPage,
    width: int,
    filled: FilledIn | None = None,
    pictures: Mapping[str, bytes] | None = None,
) -> PageLayout:
    """Lay out the page in lines of at most `width` cells.

    Args:
        page: the page.
        width: of the terminal.
        filled: the values of its form fields.
        pictures: the files to draw, by URL; other pictures are shown by name.
    """
    width = max(min(width, WIDTH_MAX), WIDTH_MIN)
    numbers = _Numbers(page.links)
    text = _Paper(page.text, numbers, pictures or {}, depth_max=max(width // INDENT - 2, 1))
    parts: list[RenderableType] = (
        [text, *_around(page, numbers), *form_lines(page.forms, filled or {})]
        if page.outline is None
        else list(outline_lines(page.outline))
    )
    console = Console(
        width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False, theme=THEME
    )
    lines = [line for part in parts for line in console.render_lines(part, pad=False)]
    # Their links are places to go to, and no commands to the terminal.
    spans: dict[str, list[Span]] = defaultdict(list)
    targets: dict[str, Target] = {}
    for number, line in enumerate(lines):
        start = 0
        for part in line:
            end = start + part.cell_length
            if part.style and (target := _target(part.style, numbers)):
                name = part.style.link_id
                targets[name] = target
                spans[name].append(Span(number, start, end))
            start = end
    spots = [Spot(target, tuple(spans[name])) for name, target in targets.items()]
    return PageLayout([[_unlinked(part) for part in line] for line in lines], spots)


def links_of(page: BrowsedPage) -> tuple[PageLink, ...]:
    """Return all links of the page, including those only in its text, by number."""
    numbers = _Numbers(page.links)
    parsed(page.text, numbers.of)
    return tuple(numbers.links[number] for number in sorted(numbers.links))


class _Numbers:
    """The numbers of a page's links; links that the server did not number follow its last."""

    def __init__(self, links: Iterable[PageLink]) -> None:
        self.links = {link.number: link for link in links}
        self.seen: set[str] = set()
        self._by_url = {link.url: link.number for link in links}
        self._next = count(max(self.links, default=0) + 1)

    def of(self, url: str) -> int:
        """Return the number of a URL; the next one for a link without a number."""
        self.seen.add(url)
        if url not in self._by_url:
            number = self._by_url[url] = next(self._next)
            self.links[number] = PageLink(number, url, url, "content")
        return self._by_url[url]

    def link(self, url: str) -> PageLink:
        """Return the link that was numbered."""
        return self.links[self._by_url[url]]


class _LeftHeading(Heading):
    """A heading aligned to the left, whatever its level."""

    LEVEL_ALIGN = {}  # noqa: RUF012  (as its class has it)


class _Table(TableElement):
    """A table; if it has too many columns for the window, a list of its cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header and self.header.row else []
        if len(heads) * COLUMN_MIN <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for row in self.body.rows if self.body else []:
            yield Text("")
            for head, cell in zip(heads, row.cells, strict=False):
                yield Text.assemble(head.content, ": ", cell.content)


class _Drawing(MarkdownElement):
    """A picture as a block."""

    new_line = True

    def __init__(self, file: bytes) -> None:
        self._file = file

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_Drawing":
        """Create the picture of a token; called by rich."""
        if not isinstance(markdown, _Paper):
            raise TypeError(f"{markdown} has no pictures")
        return cls(markdown.pictures[token.content])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield drawn(self._file, options.max_width)


class _Paper(Markdown):
    """Markdown from our tokens."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "table_open": _Table,
        PICTURE: _Drawing,
    }

    def __init__(
        self, text: str, numbers: _Numbers, pictures: Mapping[str, bytes], depth_max: int
    ) -> None:
        super().__init__("", code_theme="ansi_dark")
        self.pictures = pictures
        self.parsed = parsed(text, numbers.of, pictures, depth_max)


def _around(page: BrowsedPage, numbers: _Numbers) -> Iterator[RenderableType]:
    """Return the links outside the text of the page, from its menus and footer."""
    around = [link for link in page.links if link.url not in numbers.seen]
    if page.reader or not around:
        return
    yield Text("")
    yield Rule("Outside the main content", style="dim")
    for link in around:
        style = Style(link=link.url, underline=True, color="blue")
        yield Text(f"{strip_invisible(link.text) or link.url}[{link.number}]", style)


def _target(style: Style, numbers: _Numbers) -> Target | None:
    field = style.meta.get(FIELD)
    if isinstance(field, (FieldName, PageControl)):
        return field
    return numbers.link(style.link) if style.link else None


def _unlinked(part: Segment) -> Segment:
    if part.style is None or not part.style.link:
        return part
    return Segment(part.text, part.style.update_link(None))
