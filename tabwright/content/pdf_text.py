"""The text of a PDF page, with what PDFium mistakes: superscripts, and right-to-left letters.

A correction keeps the length of the text, so that the positions of its letters stay valid.
"""

import ctypes
import math
import re
from itertools import chain
from typing import TYPE_CHECKING

import attrs
import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage


@attrs.frozen
class Letter:
    """The place of a letter, in points; one that is not upright has the size 0."""

    left: float = 0.0
    right: float = 0.0
    baseline: float = 0.0
    size: float = 0.0


def corrected_text(text_page: "PdfTextPage", text: str) -> str:
    """Return the text of a page with its scripts in their lines, and its letters in their order.

    Args:
        text_page: the letters of the page.
        text: as PDFium has it, one character for each letter.
    """
    joined = _LINE_END.sub(lambda end: _line_end(text_page, end), text)
    raised = _WORD.sub(lambda word: _superscripts(text_page, word), joined)
    if not _RIGHT_TO_LEFT.search(raised):
        return raised
    ordered = _RIGHT_TO_LEFT.sub(lambda letters: _in_order(text_page, letters), raised)
    return _LINE.sub(lambda line: _with_brackets(line[0]), ordered)


def _letter(text_page: "PdfTextPage", place: int) -> Letter:
    box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    x, y = ctypes.c_double(), ctypes.c_double()
    raw = text_page.raw
    if (
        not pdfium.FPDFText_GetLooseCharBox(raw, place, ctypes.byref(box))
        or not pdfium.FPDFText_GetMatrix(raw, place, ctypes.byref(matrix))
        or not pdfium.FPDFText_GetCharOrigin(raw, place, ctypes.byref(x), ctypes.byref(y))
        or abs(matrix.b) > abs(matrix.a) / 2
    ):
        return Letter()
    size = pdfium.FPDFText_GetFontSize(raw, place) * math.hypot(matrix.c, matrix.d)
    return Letter(box.left, box.right, y.value, size)


# Superscripts and subscripts, which PDFium takes for lines of their own.

SHIFT_MIN, SHIFT_MAX = 0.15, 0.75
"""How far the baselines of a script and its line are apart, in sizes of the larger letters."""

SMALLER = 0.95
"""The size of a script is at most this share of that of the letters before it."""

OVERLAP, SPACE, GAP = 0.15, 0.15, 0.5
"""The gap between letters of one line, in sizes of the larger letters.

They can overlap a little; larger gaps than `SPACE` are between words; `GAP` is the maximum.
"""

SUPERSCRIPTS = str.maketrans("0123456789+-\u2212()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾")

_NO_SPACE = "\u200b"
"""It has no width, and is left out with other invisible characters."""

_DIGITS = f"0123456789{_NO_SPACE}"

_LINE_END = re.compile(r"(?<=[^\s\ufffe\x02])\r?\n(?=[^\r\n])")
_WORD = re.compile(r"\S+")


def _line_end(text_page: "PdfTextPage", end: re.Match[str]) -> str:
    """Return a space for a line end between a script and its line, if there is one or a gap."""
    following = end.string[end.end() : end.end() + 2]
    spaces = len(following) - len(following.lstrip())
    before = _letter(text_page, end.start() - 1)
    after = _letter(text_page, end.end() + spaces)
    size = max(before.size, after.size)
    gap = after.left - before.right
    if not -OVERLAP * size <= gap <= GAP * size or not _is_script(before, after):
        return end[0]
    return (" " if gap > SPACE * size and not spaces else _NO_SPACE) * len(end[0])


def _is_script(one: Letter, other: Letter) -> bool:
    """Return whether one of two letters is smaller, and above or below the line of the other."""
    size = max(one.size, other.size)
    shift = abs(one.baseline - other.baseline)
    is_smaller = 0 < min(one.size, other.size) <= SMALLER * size
    return is_smaller and SHIFT_MIN * size <= shift <= SHIFT_MAX * size


def _superscripts(text_page: "PdfTextPage", word: re.Match[str]) -> str:
    """Return a word with its raised digits as superscripts: 12 with a note 3 is not 123."""
    if not any(map(str.isdecimal, word[0])):
        return word[0]
    signs = list(word[0])
    digits = len(signs) - len(word[0].lstrip(_DIGITS))
    is_first = 0 < digits < len(signs)  # as in a footnote
    base = _letter(text_page, word.start() + digits) if is_first else Letter()
    for number, sign in enumerate(signs):
        letter = _letter(text_page, word.start() + number)
        is_raised = letter.size < base.size and letter.baseline > base.baseline
        if is_raised and _is_script(letter, base):
            signs[number] = sign.translate(SUPERSCRIPTS)
        elif sign != _NO_SPACE:
            base = letter
    return "".join(signs)


# Arabic and Hebrew. PDFium reverses the letters of a line, also those of a ligature; and it mirrors
# brackets that the file has mirrored already, or leaves words of a mixed line as they are drawn.

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u05ff\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u08ff"
    "\ufb1d-\ufdff\ufe70-\ufefc]{2,}"
)
"""Letters of Hebrew, Arabic and their neighbors, without punctuation and digits."""

_LIGATURE = re.compile("[\u0622\u0623\u0625\u0627\u0671][\u064b-\u065f\u0670]*\u0644")
"""The letters of lam-alef, reversed."""

_LINE = re.compile(r"[^\r\n]+")
_BRACKETS = tuple(
    (re.compile(f"[\\{opening}\\{closing}]"), opening, closing)
    for opening, closing in (("(", ")"), ("[", "]"), ("{", "}"))
)
_SPACE_INSIDE = re.compile(r"(?<=\S)([(\[{]) (?=\S)")
_SPACE_BEFORE = re.compile(r"(?<=\S) ([)\]}])(?=\w)")


def _in_order(text_page: "PdfTextPage", letters: re.Match[str]) -> str:
    """Return letters that follow each other in the order from right to left."""
    first, last = (_letter(text_page, place) for place in (letters.start(), letters.end() - 1))
    if first.left < last.left:
        return letters[0][::-1]

    def ligature(found: re.Match[str]) -> str:
        start = letters.start()
        places = {_origin(text_page, start + number) for number in range(*found.span())}
        return found[0][::-1] if len(places) == 1 else found[0]

    return _LIGATURE.sub(ligature, letters[0])


def _origin(text_page: "PdfTextPage", place: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text_page.raw, place, ctypes.byref(x), ctypes.byref(y))
    return x.value


def _with_brackets(line: str) -> str:
    """Return a line with brackets that open before a word and close after one, in pairs."""
    if not _RIGHT_TO_LEFT.search(line):
        return line
    for pattern, opening, closing in _BRACKETS:
        found = list(pattern.finditer(line))
        signs = "".join(bracket[0] for bracket in found)
        if _are_pairs(signs, opening):
            continue
        turned = "".join(
            closing if line[one.start() - 1 : one.start()].strip() else opening for one in found
        )
        is_list = len({*signs}) == 1 and {*turned} == {closing}  # "1) … 2) …"
        if len(found) % 2 == 0 and not is_list and not _are_pairs(turned, opening):
            turned = (opening + closing) * (len(found) // 2)
        parts = pattern.split(line)
        line = "".join(chain.from_iterable(zip(parts, (*turned, ""), strict=True)))
    return _SPACE_BEFORE.sub(r"\1 ", _SPACE_INSIDE.sub(r" \1", line))


def _are_pairs(signs: str, opening: str) -> bool:
    depth = 0
    for sign in signs:
        depth += 1 if sign == opening else -1
        if depth < 0:
            return False
    return not depth
