"""The page view: scrolling, focus, search."""

import asyncio
import shutil
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import unquote, urldefrag

import attrs
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tabwright.plugins.tui.commands import PAGE_KEYS
from tabwright.plugins.tui.layout import PageLayout, Span, Spot, Target
from tabwright.plugins.tui.page import BrowsedPage
from tabwright.protocol.snapshot import PageLink

FOCUSED = Style(reverse=True)
FOUND = Style(color="black", bgcolor="yellow")
FOUND_HERE = Style(color="black", bgcolor="bright_yellow", bold=True, underline=True)

PAGE = "page"
"""The id of the widget."""

CONTEXT_LINES = 3
"""The lines shown above the target of a scroll."""


class PageView(ScrollView, can_focus=True):
    """Shows a page layout."""

    BINDINGS = PAGE_KEYS

    focused: reactive[int | None] = reactive(None)
    """The index of the focused spot in the layout."""

    def __init__(self) -> None:
        super().__init__(id=PAGE)
        self.sheet = PageLayout((), ())
        self._words = ""
        self._found: Sequence[tuple[Span, ...]] = ()
        self._found_here: int | None = None
        self._found_on: Mapping[int, Sequence[tuple[int, Span]]] = {}
        self._kept_line, self._kept_weight = 0, 0

    class Moved(Message):
        """The user scrolled or moved the focus."""

    def show_anew(self, sheet: PageLayout) -> None:
        """Show a new layout of the same page, keeping position, focus and matches."""
        spot, words, here, weight = self.spot, self._words, self._found_here, self._weight_above
        sees_spot = spot is not None and self._is_seen(spot.line)
        sees_found = here is not None and self._is_seen(self._found[here][0].line)
        self.show(sheet, sheet.line_at(weight))
        self._kept_line, self._kept_weight = self.top, weight
        if spot is not None:
            self._focus_again(spot.target, comes_there=sees_spot)
        if here is not None:
            self._mark(words)
            if here < len(self._found):
                self._found_here = here
                if sees_found:
                    self._have_seen(self._found[here][0].line)

    def show(self, sheet: PageLayout, line: int = 0) -> None:
        """Show another page, from `line` on."""
        self.sheet = sheet
        self._words, self._found, self._found_here, self._found_on = "", (), None, {}
        self.focused = None
        width = max((sum(part.cell_length for part in line) for line in sheet.lines), default=0)
        self.virtual_size = Size(width, len(sheet.lines))
        self.scroll_to(y=line, animate=False, force=True, immediate=True)
        self._kept_line, self._kept_weight = self.top, sheet.weight_before(self.top)
        self.refresh()

    @property
    def spot(self) -> Spot | None:
        """The focused spot."""
        return None if self.focused is None else self.sheet.spots[self.focused]

    @property
    def top(self) -> int:
        """The first visible line."""
        return self.scroll_offset.y

    def action_next_spot(self, step: int) -> None:
        """Move the focus: from the current spot if it is visible, otherwise to a visible one."""
        if not self.sheet.spots:
            return
        self.post_message(self.Moved())
        if self.focused is None or not self._is_seen(self.sheet.spots[self.focused].line):
            order = range(len(self.sheet.spots))[::step]
            seen = (number for number in order if self._is_seen(self.sheet.spots[number].line))
            self._focus(next(seen, order[0]))
        else:
            self._focus((self.focused + step) % len(self.sheet.spots))

    def focus_on(self, target: Target) -> None:
        """Focus the spot of a target."""
        self._focus_again(target, comes_there=True)

    def find(self, words: str) -> int:
        """Mark all matches, show the first from the top on, and return their number."""
        self._mark(words)
        below = [n for n, spans in enumerate(self._found) if spans[0].line >= self.top]
        if self._found:
            self._show_found(below[0] if below else 0)
        self.refresh()
        return len(self._found)

    def find_next(self, step: int) -> str:
        """Show the next match, and return its number and the total."""
        if not self._found or self._found_here is None:
            return ""
        self._show_found((self._found_here + step) % len(self._found))
        return f"{self._found_here + 1} of {len(self._found)}"

    def action_lines(self, count: int) -> None:
        """Scroll by lines."""
        self.go_to(self.top + count)
        self.post_message(self.Moved())

    def action_pages(self, pages: float) -> None:
        """Scroll by screens, or parts of one."""
        self.action_lines(round(self.size.height * pages))

    def action_columns(self, count: int) -> None:
        """Scroll sideways."""
        self.scroll_to(x=self.scroll_offset.x + count, animate=False, immediate=True)

    def go_to(self, line: int) -> None:
        """Scroll so that a line is the first visible one, as far as possible."""
        self.scroll_to(y=line, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Render a line of the widget."""
        number = self.top + y
        if number >= len(self.sheet.lines):
            return Strip.blank(self.size.width, self.rich_style)
        strip = Strip(self.sheet.lines[number])
        marks = [
            (span, FOUND_HERE if found == self._found_here else FOUND)
            for found, span in self._found_on.get(number, ())
        ]
        if self.spot:
            marks += [(span, FOCUSED) for span in self.spot.spans if span.line == number]
        for span, style in marks:
            # The line with a part of it in another style, which goes over that of the part.
            parts = strip.crop(span.start, span.end)
            over = [Segment(part.text, (part.style or Style()) + style) for part in parts]
            end = strip.cell_length
            strip = Strip.join([strip.crop(0, span.start), Strip(over), strip.crop(span.end, end)])
        left = self.scroll_offset.x
        return strip.crop_extend(left, left + self.size.width, None).apply_style(self.rich_style)

    def watch_focused(self) -> None:
        """Redraw the focus."""
        self.refresh()

    @property
    def _weight_above(self) -> int:
        """Return the amount of text above the view.

        If the user has not moved since the last layout, it is the previous amount: otherwise each
        change of the width and back would scroll further up.
        """
        if self.top == self._kept_line:
            return self._kept_weight
        return self.sheet.weight_before(self.top)

    def _focus(self, number: int) -> None:
        self.focused = number
        self._have_seen(self.sheet.spots[number].line)

    def _focus_again(self, target: Target, *, comes_there: bool) -> None:
        for number, spot in enumerate(self.sheet.spots):
            if spot.target == target:
                self.focused = number
                if comes_there:
                    self._have_seen(spot.line)
                return

    def _mark(self, words: str) -> None:
        self._words, self._found, self._found_here = words, self.sheet.found(words), None
        # What was found, with its numbers, by the lines on which it stands.
        lines: dict[int, list[tuple[int, Span]]] = {}
        for number, spans in enumerate(self._found):
            for span in spans:
                lines.setdefault(span.line, []).append((number, span))
        self._found_on = lines

    def _have_seen(self, line: int) -> None:
        """Scroll until a line is visible, with the lines above it."""
        if not self._is_seen(line):
            above = min(CONTEXT_LINES, max(self.size.height - 1, 0))
            self.go_to(max(line - above, 0))

    def _is_seen(self, line: int) -> bool:
        return self.top <= line < self.top + self.size.height

    def _show_found(self, number: int) -> None:
        self._found_here = number
        self._have_seen(self._found[number][0].line)
        self.refresh()


# Links to another place of the same page.


def line_of_anchor(page: BrowsedPage, sheet: PageLayout, link: PageLink) -> int | None:
    """Return the line that a link within the page leads to; None for other links.

    Text has no anchors: it is the line with the link's text, or with its fragment. If there is
    none, the top.
    """
    url, fragment = urldefrag(link.url)
    if not fragment or url != urldefrag(page.url).url:
        return None
    meant = {_bare(link.text), _bare(unquote(fragment))}
    alike = (number for number, line in enumerate(sheet.plain) if _bare(line) in meant)
    return next(alike, 0)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


# The number of a link, typed digit by digit.


@attrs.define(eq=False)
class TypedNumber:
    """The digits typed so far."""

    _digits: str = attrs.field(default="", init=False)

    def __str__(self) -> str:
        return self._digits

    def take(self, digit: str, last: int) -> int | None:
        """Add a digit; return the number once no other up to `last` begins with it."""
        self._digits += digit
        return self.end() if int(self._digits) * 10 > last else None

    def end(self) -> int | None:
        """Return the number and reset it; None if nothing was typed."""
        digits, self._digits = self._digits, ""
        return int(digits) if digits else None


# The size of the terminal window.


def follow_window(app: App[int]) -> None:
    """Notify a running app of each new window size.

    Textual's own handler can be interrupted by the next signal while a window is resized, and then
    reports the older size last; handlers of the event loop run in order.
    """
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGWINCH, partial(_post_resize, app))


def _post_resize(app: App[int]) -> None:
    size = Size(*shutil.get_terminal_size())
    app.post_message(events.Resize(size, size))
