"""The page on the screen: scrolling, focus, search."""

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

from tabwright.protocol.snapshot import PageLink
from tabwright.tui.commands import PAGE_KEYS
from tabwright.tui.layout import PageLayout, Span, Spot, Target
from tabwright.tui.page import Page

FOCUSED = Style(reverse=True)
FOUND = Style(color="black", bgcolor="yellow")
FOUND_HERE = Style(color="black", bgcolor="bright_yellow", bold=True, underline=True)

PAGE = "page"
"""Its name on the screen."""

CONTEXT_LINES = 3
"""Above what is scrolled to."""


class PageView(ScrollView, can_focus=True):
    """Shows a sheet."""

    BINDINGS = PAGE_KEYS

    focused: reactive[int | None] = reactive(None)
    """Which of the sheet's spots is in focus."""

    def __init__(self) -> None:
        super().__init__(id=PAGE)
        self.sheet = PageLayout((), ())
        self._words = ""
        self._found: Sequence[tuple[Span, ...]] = ()
        self._found_here: int | None = None
        self._found_on: Mapping[int, Sequence[tuple[int, Span]]] = {}
        self._kept_line, self._kept_weight = 0, 0

    class Moved(Message):
        """The person has moved, or moved the focus."""

    def show_anew(self, sheet: PageLayout) -> None:
        """Shows the same page, set in another way, from where it was seen, with what is marked."""
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
        """Shows another page, from `line` on."""
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
        """What is in focus."""
        return None if self.focused is None else self.sheet.spots[self.focused]

    @property
    def top(self) -> int:
        """The first line that is seen."""
        return self.scroll_offset.y

    def action_next_spot(self, step: int) -> None:
        """Moves the focus on: from where it is if that is seen, else into what is seen."""
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
        """Focuses the place that leads there."""
        self._focus_again(target, comes_there=True)

    def find(self, words: str) -> int:
        """Marks where the words stand, and shows the first from the top on; gives their number."""
        self._mark(words)
        below = [n for n, spans in enumerate(self._found) if spans[0].line >= self.top]
        if self._found:
            self._show_found(below[0] if below else 0)
        self.refresh()
        return len(self._found)

    def find_next(self, step: int) -> str:
        """Shows the next place where the words stand; gives which of how many it is."""
        if not self._found or self._found_here is None:
            return ""
        self._show_found((self._found_here + step) % len(self._found))
        return f"{self._found_here + 1} of {len(self._found)}"

    def action_lines(self, count: int) -> None:
        """Scrolls by lines."""
        self.go_to(self.top + count)
        self.post_message(self.Moved())

    def action_pages(self, pages: float) -> None:
        """Scrolls by windows, or parts of one."""
        self.action_lines(round(self.size.height * pages))

    def action_columns(self, count: int) -> None:
        """Scrolls sideways."""
        self.scroll_to(x=self.scroll_offset.x + count, animate=False, immediate=True)

    def go_to(self, line: int) -> None:
        """Has a line be the first that is seen, as far as there are lines."""
        self.scroll_to(y=line, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """A line of the window."""
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
        """Draws the focus where it is now."""
        self.refresh()

    @property
    def _weight_above(self) -> int:
        """How much is written above what is seen.

        Where nobody has moved since the page was set anew, it is what it was before: else a window
        that is made wide and narrow again would show what stands further up each time.
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
        """Has a line be seen, with what is above it."""
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


def line_of_anchor(page: Page, sheet: PageLayout, link: PageLink) -> int | None:
    """The line that a link within the page leads to; None for one that leads elsewhere.

    Text has no anchors: it is the line that says what the link says, or what its fragment does.
    Where there is none, the top.
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
    """The digits so far."""

    _digits: str = attrs.field(default="", init=False)

    def __str__(self) -> str:
        return self._digits

    def take(self, digit: str, last: int) -> int | None:
        """Takes a digit; gives the number once no other up to `last` begins like it."""
        self._digits += digit
        return self.end() if int(self._digits) * 10 > last else None

    def end(self) -> int | None:
        """Gives the number as it is, and begins anew; None where nothing was typed."""
        digits, self._digits = self._digits, ""
        return int(digits) if digits else None


# The size of the terminal window.


def follow_window(app: App[int]) -> None:
    """Has a running app told whenever its window changes, of what it is now.

    Textual's own handler can be interrupted by the next signal, while a window is dragged, and
    then tells of the older size last; what the loop handles comes one after the other.
    """
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGWINCH, partial(_post_resize, app))


def _post_resize(app: App[int]) -> None:
    size = Size(*shutil.get_terminal_size())
    app.post_message(events.Resize(size, size))
