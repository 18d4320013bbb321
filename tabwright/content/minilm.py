"""Text as the numbers that a language model of BERT's family reads: those of the pieces of words.

The pieces and their order are the model's own (``wordpieces.txt``, from BERT, uncased). How a text
comes apart is told in "BERT" (Devlin et al., 2018) and "Google's neural machine translation system"
(Wu et al., 2016), section 4.1.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import islice

import attrs

TEXT_MAX = 2_000
"""Characters of a text that are looked at."""

WORD_MAX = 100
"""A longer word is none."""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{_HAN}]+|[{_HAN}]|[^\w\s]|_")

_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_FURTHER = "##"
"""Stands before a piece with which no word begins."""


@attrs.frozen(eq=False)
class WordPieces:
    """The pieces that a model knows, by their numbers.

    Attributes:
        longest: how many characters the longest has.
    """

    numbers: Mapping[str, int]
    longest: int

    @classmethod
    def shipped(cls) -> "WordPieces":
        """Those of ``wordpieces.txt``, one a line, counted from 0."""
        text = resources.files(__package__ or "").joinpath("wordpieces.txt").read_text("utf-8")
        lines = text.split("\n")
        numbers = {piece: number for number, piece in enumerate(lines) if piece}
        return cls(numbers, max(map(len, lines)))

    def of(self, text: str, pieces_max: int) -> list[int]:
        """The numbers of a text, with those that begin and end one; `pieces_max` at most."""
        inner = islice(self._pieces(text), pieces_max - 2)
        return [self.numbers[piece] for piece in (_START, *inner, _END)]

    def _pieces(self, text: str) -> Iterator[str]:
        for match in _WORD.finditer(_plain(text[:TEXT_MAX])):
            yield from self._apart(match[0])

    def _apart(self, word: str) -> list[str]:
        """The word in the longest pieces that there are, from its beginning on."""
        if len(word) > WORD_MAX:
            return [_UNKNOWN]
        pieces: list[str] = []
        place = 0
        while place < len(word):
            piece = self._longest_at(word, place)
            if not piece:
                return [_UNKNOWN]
            pieces.append(piece)
            place += len(piece.removeprefix(_FURTHER)) if place else len(piece)
        return pieces

    def _longest_at(self, word: str, place: int) -> str:
        before = _FURTHER if place else ""
        for end in range(min(len(word), place + self.longest), place, -1):
            if (piece := before + word[place:end]) in self.numbers:
                return piece
        return ""


def _plain(text: str) -> str:
    """The text in small letters without accents."""
    apart = unicodedata.normalize("NFD", text.lower())
    return "".join(sign for sign in apart if unicodedata.category(sign) not in {"Mn", "Cf"})
