"""Text within a budget of tokens: what fits, and where it stops.

The estimate of a whole is never above the sum over its parts and the breaks between them, so that
a part can be judged by itself.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf

import attrs

from tabwright.text.token_budget import tokens_in

_NUMBER = re.compile(r"\[(\d{1,9})\]", re.ASCII)
_LINES = re.compile(r"\n")
_WORDS = re.compile(r"\s+|(?<=[\u3002\uff0c\uff01\uff1f])")
LINKS = "## Links"


@attrs.frozen
class Piece:
    """A block of a page as it is written.

    Attributes:
        text: lines; it may be cut between two of them.
        resumed: what has to stand before a part of it that is not the first.
        closing: what has to stand after a part of it that is not the last.
        title: of a heading, what it says.
        level: of a heading.
    """

    text: str
    resumed: str = ""
    closing: str = ""
    title: str = ""
    level: int = 0


@attrs.frozen
class Manuscript:
    """All pieces of a text one after the other; a place in it is a number of characters."""

    pieces: Sequence[Piece]
    separator: str

    def starts(self) -> list[int]:
        """Where each piece begins, in characters."""
        lengths = (len(piece.text) + len(self.separator) for piece in self.pieces[:-1])
        return list(accumulate(lengths, initial=0)) if self.pieces else []

    def index_at(self, offset: int) -> int:
        """The index of the piece that a place is in; `offset` counts characters."""
        return max(0, bisect_right(self.starts(), offset) - 1)

    @property
    def length(self) -> int:
        """The place after the last piece, in characters."""
        return self.starts()[-1] + len(self.pieces[-1].text) if self.pieces else 0


@attrs.define
class Sheet:
    """What has been written so far, and how many tokens there is room for."""

    room: float
    urls: Mapping[int, str]
    separator: str
    _parts: list[str] = attrs.field(factory=list[str], init=False)
    _listed: dict[int, str] = attrs.field(factory=dict[int, str], init=False)

    def add(self, text: str) -> bool:
        """Writes the text down if there is room for it, and for the links that it names."""
        if not text:
            return True
        named = self._named(text)
        cost = 0 if self.room == inf else self._cost(text, named)
        if cost > self.room:
            return False
        self.room -= cost
        self._parts.append(text)
        self._listed.update(named)
        return True

    def fits(self, text: str) -> bool:
        """Whether there is room for the text."""
        return self._cost(text, self._named(text)) <= self.room

    def _cost(self, text: str, named: Mapping[int, str]) -> int:
        """The tokens of a text and of the links that it is the first to name."""
        heading = tokens_in(LINKS) + 2 if named and not self._listed else 0
        lines = sum(tokens_in(line) + 1 for line in _link_lines(named))
        return tokens_in(text) + (not self.blank) + heading + lines

    def _named(self, text: str) -> dict[int, str]:
        numbers = map(int, _NUMBER.findall(text)) if self.urls else ()
        return {
            number: self.urls[number]
            for number in numbers
            if number in self.urls and number not in self._listed
        }

    @property
    def blank(self) -> bool:
        """Whether nothing stands on it."""
        return not self._parts

    @property
    def text(self) -> str:
        """All of it."""
        body = self.separator.join(self._parts)
        if not self._listed:
            return body
        return f"{body}\n\n{LINKS}\n\n" + "\n".join(_link_lines(self._listed))


def _link_lines(listed: Mapping[int, str]) -> Iterator[str]:
    return (f"[{number}]: {url}" for number, url in listed.items())


def fill(sheet: Sheet, manuscript: Manuscript, offset: int) -> int:
    """Writes down what fits, from a place on; gives the place after it.

    A piece is cut between lines. One of which not even a line fits is cut inside the line where
    the sheet would stay blank otherwise.
    """
    starts = manuscript.starts()
    for index in range(manuscript.index_at(offset), len(manuscript.pieces)):
        piece, done = manuscript.pieces[index], max(0, offset - starts[index])
        if done > len(piece.text):
            continue
        if not sheet.add(_part(piece, done, len(piece.text))):
            return starts[index] + _fill_from(sheet, piece, done)
    return manuscript.length


def _fill_from(sheet: Sheet, piece: Piece, done: int) -> int:
    """Writes down what fits of a piece that does not fit whole; gives how far it is done."""
    begun = max(done, len(piece.resumed))  # what opens a piece says nothing by itself
    end = _longest(sheet, piece, done, _places(_LINES, piece.text, begun))
    if end == done and sheet.blank:
        end = _longest(sheet, piece, done, _places(_WORDS, piece.text, begun))
    if end == done and sheet.blank:
        end = _longest(sheet, piece, done, range(begun + 1, len(piece.text)))
    if end > done:
        sheet.add(_part(piece, done, end))
    return end


def _places(breaks: re.Pattern[str], text: str, done: int) -> list[int]:
    """Where the rest of a text may be cut."""
    return [match.end() for match in breaks.finditer(text, done) if match.end() > done]


def _longest(sheet: Sheet, piece: Piece, done: int, places: Sequence[int]) -> int:
    """The last of the places up to which the piece fits; `done` if there is none."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        part = _part(piece, done, places[middle])
        if sheet.fits(part):
            low = middle + 1
        else:
            high = middle
    return places[low - 1] if low else done


def _part(piece: Piece, start: int, end: int) -> str:
    head = piece.resumed if start else ""
    tail = piece.closing if end < len(piece.text) else ""
    return head + piece.text[start:end].rstrip() + tail
