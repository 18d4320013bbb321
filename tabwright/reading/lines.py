"""A line of a page as it grows: single spaces, and each run of one style in one piece."""

import re

import attrs

from tabwright.protocol.blocks import Formula, Inline, Inlines, Picture, Text

PLAIN = Text("")
"""The style of a text that has none."""

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc"
    "\ue000-\uf8ff\U000e0000-\U000e007f\U000f0000-\U0010ffff]+"
)
"""Control characters, soft hyphens, marks of direction and width, icons of fonts, tags.

The two joiners stay: Persian, Hindi and many emoji are spelled with them.
"""

_SOLID = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60"
_WRAPPED = re.compile(rf"(?<=[{_SOLID}])[ \t]*[\r\n]\s*(?=[{_SOLID}])")
"""A line break of the source between characters that are written without spaces."""


def visible(text: str) -> str:
    """The text without what nobody sees."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


def collapsed(text: str | None) -> str:
    """The text as a browser shows it in one line."""
    return visible(" ".join(text.split())) if text else ""


def styled(text: str, style: Text) -> Text:
    """Text in the style of another; by hand, since most of what a page holds goes through here."""
    return Text(text, style.bold, style.italic, style.code, style.url, style.struck, style.script)


def linking(style: Text, url: str) -> Text:
    """A style with a link, by hand too."""
    return Text("", style.bold, style.italic, style.code, url, style.struck, style.script)


@attrs.define(eq=False)
class Line:
    """Takes in text piece by piece.

    Attributes:
        is_begun: whether there is anything in it.
    """

    is_begun: bool = attrs.field(default=False, init=False)
    _runs: list[Inline] = attrs.field(factory=list[Inline], init=False)
    _pieces: list[str] = attrs.field(factory=list[str], init=False)
    _style: Text = attrs.field(default=PLAIN, init=False)
    _is_spaced: bool = attrs.field(default=True, init=False)
    _is_broken: bool = attrs.field(default=False, init=False)

    def add(self, text: str, style: Text) -> None:
        """Adds text of the page.

        Args:
            text: with white space as in the source.
            style: a `Text` without characters; equal styles should be the same object.
        """
        core = "" if text.isspace() else visible(" ".join(text.split()))
        if not core:
            if text[:1].isspace():
                self._add_space()
            return
        if not core.isascii() and "\n" in text:
            core = collapsed(_WRAPPED.sub("", text))
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

    def place(self, run: Picture | Formula) -> None:
        """Adds what is no text."""
        if self._is_broken:
            self._break(self._style)
        self._finish_run()
        self._runs.append(run)
        self._is_spaced = False
        self.is_begun = True

    def break_off(self) -> bool:
        """Breaks the line; whether it was broken just before, so that something new begins."""
        if self._is_broken:
            return True
        self._strip_end()
        self._is_broken = self.is_begun
        self._is_spaced = True
        return False

    def end(self) -> Inlines:
        """What was taken in; the next line begins."""
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

    def _break(self, style: Text) -> None:
        """Begins the new line, at the end of the run before it if there is one."""
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
