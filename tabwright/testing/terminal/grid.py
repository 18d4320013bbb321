"""The cells of a screen: pyte's, with characters as wide as xterm makes them."""

from pyte import modes, screens
from pyte.screens import Char, StaticDefaultDict
from wcwidth import wcwidth

JOINED_MAX = 16
"""Characters in one cell: a letter, and what stands above and below it."""


class Grid(screens.Screen):
    """Draws every character, also those without a width and those that take two cells.

    The second cell of a wide one holds nothing. A character without a width joins the one before
    it, so that it can be read from the screen; a line does not begin with one.
    """

    def draw(self, data: str) -> None:
        """Draws at the cursor, and moves it."""
        for character in data:
            width = wcwidth(character)
            if width > 0:
                self._put(character, width)
            elif width == 0:
                self._join(character)

    def _put(self, character: str, width: int) -> None:
        if self.cursor.x + width > self.columns:
            self._turn(width)
        if modes.IRM in self.mode:
            self.insert_characters(width)
        row, x = self.buffer[self.cursor.y], self.cursor.x
        _cut(row, x)
        _cut(row, x + width)
        for place, data in zip(range(x, x + width), (character, ""), strict=False):
            row[place] = self.cursor.attrs._replace(data=data)
        self.cursor.x = min(x + width, self.columns)

    def _turn(self, width: int) -> None:
        """Goes on in the next line, or stays at the end of this one."""
        if modes.DECAWM in self.mode:
            self.carriage_return()
            self.index()
        else:
            self.cursor.x = max(0, self.columns - width)

    def _join(self, character: str) -> None:
        row, x = self.buffer[self.cursor.y], self.cursor.x - 1
        if row[x].data == "":
            x -= 1
        if x >= 0 and len(row[x].data) < JOINED_MAX:
            row[x] = row[x]._replace(data=row[x].data + character)


def _cut(row: StaticDefaultDict[int, Char], x: int) -> None:
    """Leaves blanks of a wide character whose second cell is here."""
    if row[x].data == "":
        row[x - 1] = row[x - 1]._replace(data=" ")
        row[x] = row[x]._replace(data=" ")
