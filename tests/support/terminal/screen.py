"""xterm's screen, as far as the programs of today use it: no process, no input or output.

What a program asks is answered as xterm does: what it is (DA1, DA2, XTVERSION), how it is (DSR 5),
where the cursor is (DSR 6, with ``?`` too), which modes are on (DECRQM), how large it is (``CSI 14
t``, ``16 t``, ``18 t``), and its colours (OSC 10 and 11). It says that it knows synchronized
output (mode 2026), unlike many versions of xterm, so that no test sees half a screen. It supports
neither kitty's keyboard protocol nor in-band size reports (mode 2048): it does not answer the
former, and answers 0 to the latter. Unknown strings are ignored, as they should be.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pyte import modes, screens
from pyte.screens import Char, StaticDefaultDict
from wcwidth import wcwidth

from tests.support.terminal.sequences import (
    ALTERNATE,
    CURSOR,
    SYNCHRONIZED,
    WRAP,
    ControlSequence,
    Escape,
    Piece,
    Pieces,
    PrintedText,
    Sequence,
    String,
    answer,
    colour,
)

# The cells of a screen: pyte's, with characters as wide as xterm makes them.

JOINED_MAX = 16
"""Characters in one cell: a letter, and its combining marks."""


class Grid(screens.Screen):
    """Draws every character, also those without a width and those that take two cells.

    The second cell of a wide one holds nothing. A character without a width joins the one before
    it, so that it can be read from the screen; a line does not begin with one.
    """

    def draw(self, data: str) -> None:
        """Draw at the cursor, and move it."""
        wraps = modes.DECAWM in self.mode and modes.IRM not in self.mode and not self.margins
        if wraps and data.isascii():  # whole lines that would be drawn over again scroll away
            unseen = len(data) - self.columns * (self.lines + 1)
            data = data[max(unseen, 0) // self.columns * self.columns :]
        for character in data:
            width = wcwidth(character)
            if width > 0:
                self._put(character, width)
            elif width == 0:
                row, x = self.buffer[self.cursor.y], self.cursor.x - 1
                if row[x].data == "":
                    x -= 1
                if x >= 0 and len(row[x].data) < JOINED_MAX:
                    row[x] = row[x]._replace(data=row[x].data + character)

    def _put(self, character: str, width: int) -> None:
        if self.cursor.x + width > self.columns:
            # Goes on in the next line, or stays at the end of this one.
            if modes.DECAWM in self.mode:
                self.carriage_return()
                self.index()
            else:
                self.cursor.x = max(0, self.columns - width)
        if modes.IRM in self.mode:
            self.insert_characters(width)
        row, x = self.buffer[self.cursor.y], self.cursor.x
        _cut(row, x)
        _cut(row, x + width)
        for place, data in zip(range(x, x + width), (character, ""), strict=False):
            row[place] = self.cursor.attrs._replace(data=data)
        self.cursor.x = min(x + width, self.columns)


def _cut(row: StaticDefaultDict[int, Char], x: int) -> None:
    """Leave blanks of a wide character whose second cell is here."""
    if row[x].data == "":
        row[x - 1] = row[x - 1]._replace(data=" ")
        row[x] = row[x]._replace(data=" ")


Rows: TypeAlias = tuple[tuple[Char, ...], ...]

_CONTROLS: Mapping[str, Callable[[Grid], None]] = {
    "\b": Grid.backspace,
    "\t": Grid.tab,
    "\n": Grid.linefeed,
    "\v": Grid.linefeed,
    "\f": Grid.linefeed,
    "\r": Grid.carriage_return,
}

_EDITS: Mapping[str, Callable[..., None]] = {
    "@": Grid.insert_characters,
    "A": Grid.cursor_up,
    "B": Grid.cursor_down,
    "C": Grid.cursor_forward,
    "D": Grid.cursor_back,
    "E": Grid.cursor_down1,
    "F": Grid.cursor_up1,
    "G": Grid.cursor_to_column,
    "J": Grid.erase_in_display,
    "K": Grid.erase_in_line,
    "L": Grid.insert_lines,
    "M": Grid.delete_lines,
    "P": Grid.delete_characters,
    "X": Grid.erase_characters,
    "`": Grid.cursor_to_column,
    "a": Grid.cursor_forward,
    "d": Grid.cursor_to_line,
    "e": Grid.cursor_down,
    "g": Grid.clear_tab_stop,
}
"""Control sequences with one number."""

_PLACES: Mapping[str, Callable[..., None]] = {
    "H": Grid.cursor_position,
    "f": Grid.cursor_position,
    "r": Grid.set_margins,
}
"""Control sequences with two numbers."""

_ERASURES = "JK"
_ERASURE_MAX = 3


class TerminalScreen:
    """The screen of a terminal.

    Attributes:
        modes: the private modes that are on, by number.
        title: what the program has called its window.
        clipboard: what the program has last put there (OSC 52).
    """

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self.modes = {WRAP, CURSOR}
        self.title = ""
        self.clipboard = ""
        self._grid = Grid(columns, lines)
        self._pieces = Pieces()
        self._beneath: Rows | None = None
        self._held: Rows | None = None

    @property
    def columns(self) -> int:
        """How wide it is, in cells."""
        return self._grid.columns

    @property
    def lines(self) -> int:
        """How high it is."""
        return self._grid.lines

    @property
    def rows(self) -> Rows:
        """The cells, line by line; those before the change while a program is changing them."""
        return self._held or self._cells()

    @property
    def text(self) -> tuple[str, ...]:
        """The lines, without the blanks at their ends."""
        return tuple("".join(cell.data for cell in row).rstrip() for row in self.rows)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and line, counted from 0."""
        return min(self._grid.cursor.x, self.columns - 1), self._grid.cursor.y

    def place(self, text: str) -> tuple[int, int] | None:
        """Column and line, counted from 0, where `text` is first seen; None where it is not."""
        for y, row in enumerate(self.rows):
            before, found, _ = "".join(cell.data for cell in row).partition(text)
            if found:
                return _column(row, len(before)), y
        return None

    def resize(self, columns: int, lines: int) -> None:
        """Resize the screen, as a person does by dragging its corner."""
        self._held = None
        self._grid.resize(lines, columns)
        self._grid.ensure_hbounds()
        self._grid.ensure_vbounds()

    def feed(self, data: bytes) -> bytes:
        """Process the output of a program, and return the replies of the terminal."""
        answers = [self._take(piece) for piece in self._pieces.feed(data)]
        return "".join(answers).encode()

    def _take(self, piece: Piece) -> str:
        match piece:
            case PrintedText(text):
                self._grid.draw(text)
            case ControlSequence(character):
                _CONTROLS.get(character, _nothing)(self._grid)
            case Escape(code):
                self._escape(code)
            case String("]", text):
                # Of an OSC.
                number, _, rest = text.partition(";")
                match number:
                    case "0" | "2":
                        self.title = rest
                    case "52":
                        self.clipboard = _copied(rest) or self.clipboard
                    case _ if rest == "?":
                        return colour(number)
                    case _:
                        pass
                return ""
            case Sequence():
                self._edit(piece)
                size = self.columns, self.lines
                return answer(piece, size, self.cursor, self.modes)
            case String():
                pass
        return ""

    def _escape(self, code: str) -> None:
        grid = self._grid
        match code:
            case "7":
                grid.save_cursor()
                del grid.savepoints[:-1]
            case "8":
                grid.restore_cursor()
            case "D":
                grid.index()
            case "E":
                grid.carriage_return()
                grid.index()
            case "H":
                grid.set_tab_stop()
            case "M":
                grid.reverse_index()
            case "c":
                self.modes = {WRAP, CURSOR}
                self._beneath = self._held = None
                self._grid.reset()
            case _:
                pass

    def _edit(self, sequence: Sequence) -> None:
        numbers, form = sequence.numbers, sequence.form
        if form in _ERASURES and numbers[0] > _ERASURE_MAX:
            return
        if edit := _EDITS.get(form):
            edit(self._grid, numbers[0])
        elif edit := _PLACES.get(form):
            edit(self._grid, *(number or None for number in numbers[:2]))
        elif form == "m":
            self._grid.select_graphic_rendition(*_looks(sequence.parameters))
        elif form in {"?h", "?l"}:
            for mode in numbers:
                self._switch(mode, on=form == "?h")
        elif form in {"h", "l"} and modes.IRM in numbers:
            (self._grid.set_mode if form == "h" else self._grid.reset_mode)(modes.IRM)

    def _switch(self, mode: int, *, on: bool) -> None:
        """Set or reset a private mode."""
        if mode in {WRAP, CURSOR}:
            (self._grid.set_mode if on else self._grid.reset_mode)(mode, private=True)
        elif mode in ALTERNATE:
            # Shows the alternate screen, empty, or what is beneath it.
            if on and self._beneath is None:
                self._grid.save_cursor()
                self._beneath = self._cells()
                self._grid.erase_in_display(2)
            elif not on and self._beneath is not None:
                self._grid.buffer.clear()
                for y, row in enumerate(self._beneath[: self.lines]):
                    self._grid.buffer[y].update(enumerate(row[: self.columns]))
                self._beneath = None
                self._grid.restore_cursor()
        elif mode == SYNCHRONIZED:
            self._held = self.rows if on else None
        (self.modes.add if on else self.modes.discard)(mode)

    def _cells(self) -> Rows:
        buffer, columns = self._grid.buffer, range(self.columns)
        rows = (buffer[y] for y in range(self.lines))
        return tuple(tuple(row[x] for x in columns) for row in rows)


def _nothing(_grid: Grid) -> None:
    """Ignore a control character without a visible effect, such as a bell."""


def _column(row: tuple[Char, ...], characters: int) -> int:
    """The cell that begins after so many characters, or more."""
    for x, cell in enumerate(row):
        if characters <= 0 and cell.data:
            return x
        characters -= len(cell.data)
    return len(row) - 1


def _looks(parameters: str) -> tuple[int, ...]:
    """The numbers of an SGR, with colours in colons (ISO 8613-6) in the usual form."""
    numbers = list[int]()
    for field in parameters.split(";"):
        first, *rest = (min(int(part[:5] or 0), 9999) for part in field.split(":"))
        match first, rest:
            case _, []:
                numbers.append(first)
            case 4, [style, *_]:
                numbers.append(4 if style else 24)
            case 38 | 48, [5, colour, *_]:
                numbers += [first, 5, colour]
            case 38 | 48, [2, *_, red, green, blue]:
                numbers += [first, 2, red, green, blue]
            case _:
                pass
    return tuple(numbers)


def _copied(command: str) -> str:
    """Decode the text for the clipboard from ``c;BASE64``; empty if it is not valid."""
    try:
        return base64.b64decode(command.partition(";")[2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
