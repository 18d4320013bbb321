"""Lines of text: built from runs, and shortened for a terminal."""

import re
from collections.abc import Mapping

import attrs

from tabwright.protocol.blocks import Formula, Image, Inline, Inlines, TextSpan

NAMED_MAX = 10
"""How many things a message names one by one, of any number."""

QUOTED_CHARACTERS = 100
"""How much of a text a message or a list quotes."""

PLAIN = TextSpan("")
"""The style of plain text."""

_SHAPELESS = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufe03-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe"
    "\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U00040000-\U000e00ff"
    "\U000e01f0-\U0010ffff"
)
"""Invisible characters: control characters, soft hyphens, direction marks, widths, fillers, tags,
icon fonts, and code points that are not characters."""


def counted(number: int, noun: str) -> str:
    """Return a number with a noun whose plural ends in ``s``: ``1 page``, ``2 pages``."""
    return f"{number} {noun if number == 1 else f'{noun}s'}"


_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def words_of_name(name: str) -> str:
    """Return the words of a name such as ``SelectOption``: ``select option``."""
    return _WORD_START.sub(" ", name).lower()


_UNSEEN = re.compile(f"[{_SHAPELESS}]+")

_SUSPECT = re.compile(f"[{_SHAPELESS}\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_EMOJI = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINED = (
    rf"{_EMOJI}\ufe0f\u0600-\u085f\u0870-\u0dff\u0f00-\u109f\u1780-\u17df\u1820-\u18af"
    "\u1b00-\u1bff\ua800-\ua8ff\ua930-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff"
)
"""Emoji, and letters of Arabic, Syriac, N'Ko, Mongolian and the Brahmic scripts."""

_STRAY_SELECTOR = re.compile(
    rf"(?<![{_EMOJI}])(?<![#*0-9](?=.\u20e3))[\ufe0e\ufe0f]"
    rf"|(?<![{_IDEOGRAPHS}])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
)
"""A redundant variation selector: the character before it has one shape, or a selector."""

_STRAY_JOINER = re.compile(
    rf"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![\u200c\u200d]{{0,4}}[{_JOINED}])"
)
"""A joiner that is not between two letters or emoji that it could join or separate."""

_SOLID = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60"
_WRAPPED = re.compile(rf"(?<=[{_SOLID}])[ \t]*[\r\n]\s*(?=[{_SOLID}])")
"""A line break in the source between characters of scripts without spaces."""


def strip_invisible(text: str) -> str:
    """Remove invisible characters, in which a page could hide words from a person.

    Variation selectors and joiners are kept, one at a time, where they have an effect: Persian,
    Hindi and many emoji need them.
    """
    if text.isprintable() if text.isascii() else not _SUSPECT.search(text):
        return text
    return _STRAY_JOINER.sub("", _STRAY_SELECTOR.sub("", _UNSEEN.sub("", text)))


def verbatim(text: str) -> str:
    """Return the text with its lines and tabs, but without invisible and control characters.

    Form feeds, and the line separators of Unicode, end lines too.
    """
    lines = ("\t".join(map(strip_invisible, line.split("\t"))) for line in text.splitlines())
    return "\n".join(lines).strip("\n")


def collapse_whitespace(text: str | None) -> str:
    """Return the text as a browser shows it on one line."""
    return strip_invisible(" ".join(text.split())) if text else ""


def styled(text: str, style: TextSpan) -> TextSpan:
    """Return text in the style of another; written by hand, since it handles most of a page."""
    return TextSpan(
        text, style.bold, style.italic, style.code, style.url, style.struck, style.script
    )


def linking(style: TextSpan, url: str) -> TextSpan:
    """Return a style with a link; written by hand for speed too."""
    return TextSpan("", style.bold, style.italic, style.code, url, style.struck, style.script)


@attrs.define(eq=False)
class InlineBuilder:
    """Builds inline content from pieces of text.

    Attributes:
        is_begun: whether it has any content.
    """

    is_begun: bool = attrs.field(default=False, init=False)
    _runs: list[Inline] = attrs.field(factory=list[Inline], init=False)
    _pieces: list[str] = attrs.field(factory=list[str], init=False)
    _style: TextSpan = attrs.field(default=PLAIN, init=False)
    _is_spaced: bool = attrs.field(default=True, init=False)
    _is_broken: bool = attrs.field(default=False, init=False)

    def add(self, text: str, style: TextSpan) -> None:
        """Add text of the page.

        Args:
            text: with white space as in the source.
            style: a `TextSpan` without characters; equal styles should be the same object.
        """
        core = "" if text.isspace() else strip_invisible(" ".join(text.split()))
        if not core:
            if text[:1].isspace():
                self._add_space()
            return
        if not core.isascii() and "\n" in text:
            core = collapse_whitespace(_WRAPPED.sub("", text))
        if self._is_broken:
            self._break(style)
        elif not self._is_spaced and text[0].isspace():
            core = f" {core}"
        if style is not self._style:
            self._finish_run()
            self._style = style
        self._is_spaced = text[-1].isspace()
        self._pieces.append(f"{core} " if self._is_spaced else core)
        self.is_begun = True

    def place(self, run: Image | Formula) -> None:
        """Add a picture or formula."""
        if self._is_broken:
            self._break(self._style)
        self._finish_run()
        self._runs.append(run)
        self._is_spaced = False
        self.is_begun = True

    def set_apart(self, style: TextSpan) -> None:
        """Put a space in this style after what is there, which is not joined to what follows."""
        if not self.is_begun or self._is_broken:
            return
        self._strip_end()
        self._finish_run()
        self._style = style
        self._pieces.append(" ")
        self._is_spaced = True

    def break_off(self) -> bool:
        """Break the line; return whether it was broken before, which starts a new block."""
        if self._is_broken:
            return True
        self._strip_end()
        self._is_broken = self.is_begun
        self._is_spaced = True
        return False

    def end(self) -> Inlines:
        """Return the content, and start a new line."""
        self._strip_end()
        self._finish_run()
        content = tuple(self._runs)
        self._runs.clear()
        self.is_begun = self._is_broken = False
        self._is_spaced = True
        return content

    def _add_space(self) -> None:
        if self._is_spaced:
            return
        if not self._pieces:
            self._style = PLAIN
        self._pieces.append(" ")
        self._is_spaced = True

    def _break(self, style: TextSpan) -> None:
        """Start a new line, at the end of the previous run unless that is code."""
        if self._style.code:
            self._finish_run()
            style = PLAIN
        if not self._pieces:
            self._style = style
        self._pieces.append("\n")
        self._is_broken = False

    def _strip_end(self) -> None:
        while self._pieces:
            self._pieces[-1] = self._pieces[-1].rstrip()
            if self._pieces[-1]:
                return
            self._pieces.pop()

    def _finish_run(self) -> None:
        if self._pieces:
            self._runs.append(styled("".join(self._pieces), self._style))
            self._pieces.clear()


# The headings of HTML (HTML, section 4.3.6).

HEADING_LEVELS: Mapping[str, int] = {f"h{level}": level for level in range(1, 7)}
"""The level of each heading, by its tag."""


# Text of pages as single lines that are safe for a terminal.

JOINERS = "\u200c\u200d"
"""Not printed, but needed to spell Persian, Hindi and many emoji."""

_WORD_CHARS_MAX = 40
"""If no word ends within this length, as in Chinese, a line is cut anywhere."""


def one_line(text: str) -> str:
    """Return the text on one line with single spaces, without invisible characters.

    Control characters would control the terminal, direction marks would reorder the text, and tag
    characters would hide words.
    """
    shown = (
        character
        for character in text
        if character.isprintable() or character.isspace() or character in JOINERS
    )
    return " ".join("".join(shown).split())


def shortened(line: str, chars_max: int = QUOTED_CHARACTERS) -> str:
    """Return the line, shortened with an ellipsis at the end of a word if it is too long."""
    if len(line) <= chars_max:
        return line
    head = line[: chars_max - 1]
    words = line[:chars_max].rpartition(" ")[0]
    ends_near = words and len(words) >= len(head) - _WORD_CHARS_MAX
    return f"{words if ends_near else head}\u2026"
