"""Scripts in a page: those that read and change it from outside, and the injected library."""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TypeVar

import attrs
import msgspec

from tabwright.content.escalation import BUILDERS
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource, ScrollEnd
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.placeholders import (
    BLANK_PATTERN,
    LOADING_PATTERNS,
    OTHER_TEXTS,
    PLACEHOLDER_CHARACTERS_MAX,
    SAYING,
)


def load_script(name: str, package: str = "tabwright.page") -> str:
    """Return the text of a script in the folder `js` of a package."""
    return files(package).joinpath("js", f"{name}.js").read_text(encoding="utf-8")


_SHADOW_TREES = load_script("shadow_trees").replace(
    "/* possible hosts */", load_script("possible_hosts")
)


def _with_shadow_trees(name: str) -> str:
    """Return the text of a script that needs the functions of ``shadow_trees.js``."""
    return load_script(name).replace("/* shadow trees */", _SHADOW_TREES)


_MARKED_COPIES = load_script("marked_copies").replace("BUILDERS", f"/{BUILDERS.pattern}/")

READ_SOURCE = _with_shadow_trees("source").replace("/* marked copies */", _MARKED_COPIES)
"""A function declaration that returns a JSON string for `parse_source` and `parse_frames`."""

NEXT_HOSTS = _with_shadow_trees("next_hosts")
"""A function declaration that returns the elements that may have closed shadow roots.

The first item of the list is the number of those beyond the limits.
"""

FRAME_AT = _with_shadow_trees("frame_at")
"""A function declaration that returns the frame element at a place, counted from 0."""

_PLACEHOLDERS = {
    "loading": LOADING_PATTERNS,
    "saying": SAYING,
    "blank": BLANK_PATTERN,
    "others": OTHER_TEXTS,
    "charactersMax": PLACEHOLDER_CHARACTERS_MAX,
}

CONTENT_STATE = load_script("content_state").replace("PLACEHOLDERS", json.dumps(_PLACEHOLDERS))
"""A function declaration that returns a `tabwright.page.content_wait.ContentState` as JSON."""


def _with_scrollers(name: str) -> str:
    """Return the text of a script that needs the functions of ``scrollers.js``."""
    scrollers = f"{load_script('native_functions')}\n{load_script('scrollers')}"
    return load_script(name).replace("/* scrollers */", scrollers)


LIST_END = _with_scrollers("list_end")
"""A function declaration that scrolls to the end of a list, and measures what it loads."""

_ROW_GATHERING = load_script("row_gathering").replace(
    "/* marked copies */", f"{_SHADOW_TREES}\n{_MARKED_COPIES}"
)

SCROLL_THROUGH = _with_scrollers("scroll_through").replace("/* row gathering */", _ROW_GATHERING)
"""A function declaration that scrolls to the end of the page; returns a `ScrollEnd`."""

PLAIN_VALUE = load_script("plain_value")
"""A function declaration that returns its ``this`` as data that JSON has a form for."""

SUBMIT_FORM = load_script("submit_form")
"""A function declaration that submits a form, with values from `form_values`."""


@attrs.frozen
class _SourceAnswer:
    url: str
    html: str
    cut: bool
    frames: tuple[str, ...] = ()
    charset: str = ""
    gone: int = 0


def parse_source(answer: str, loaded: LoadedPage) -> PageSource:
    """Parse the result of the script for a page that was `loaded` and may have moved on since.

    Raises:
        PageFailed: it is not a result of the script; the page may have been torn down.
    """
    try:
        read = msgspec.json.decode(answer, type=_SourceAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed(
            ("The source of the page could not be read: ", Quoted(str(error)), ".")
        ) from error
    page = attrs.evolve(loaded, url=read.url)
    frames = tuple(map(FrameSource, read.frames))
    charset = read.charset.lower()
    scrolled = ScrollEnd.RECYCLED if read.gone else ScrollEnd.WHOLE
    return PageSource(
        page, read.html, read.cut, frames, charset=charset, scrolled=scrolled, is_laid_out=True
    )


@attrs.frozen
class _HostsAnswer:
    hosts: int = 0


def hosts_of(answer: str) -> int:
    """Return how many elements may have closed shadow roots, by a result of the script.

    Raises:
        PageFailed: it is not a result of the script.
    """
    return read_answer(answer, _HostsAnswer).hosts


@attrs.frozen
class ApartFrame:
    """A frame whose content the page may not access.

    Attributes:
        place: its place among the frames of its document.
        url: the value of its ``src``.
        large: whether it is large enough to hold the main content.
        deferred: whether it loads when it is scrolled to.
        still: whether no script may run in it; its content is in its HTML, and timers do not run.
    """

    place: int
    url: str
    large: bool
    deferred: bool
    still: bool


@attrs.frozen
class FramesAhead:
    """The frames of a document that remain to be read, and whether it shows little itself.

    Attributes:
        apart: the frames that remain to be read.
        thin: whether the document has such frames, and shows little itself.
        blank: whether it is that of a frame, and shows neither text nor pictures.
    """

    apart: tuple[ApartFrame, ...] = ()
    thin: bool = False
    blank: bool = False


def parse_frames(answer: str) -> FramesAhead:
    """Parse the frames in a result of the script that `parse_source` accepts.

    Raises:
        PageFailed: it is not a result of the script.
    """
    try:
        return msgspec.json.decode(answer, type=FramesAhead)
    except msgspec.MsgspecError as error:
        raise PageFailed(
            ("The frames of the page could not be read: ", Quoted(str(error)), ".")
        ) from error


def form_values(values: Mapping[str, tuple[str, ...]]) -> str:
    """Return the values of fields by name, for `SUBMIT_FORM`."""
    return msgspec.json.encode(values).decode()


# Reading the answers of scripts.
#
# The answers come from a page: their form is never trusted.

ShapeT = TypeVar("ShapeT")

_ESCAPE = re.compile(r"\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_ESCAPED_HALF = 5


def read_answer(answer: str, shape: type[ShapeT]) -> ShapeT:
    """Parse the answer of one of our scripts.

    Raises:
        PageFailed: it is not an answer of the script.
    """
    try:
        return msgspec.json.decode(_whole(answer), type=shape)
    except msgspec.MsgspecError as error:
        raise PageFailed(
            ("The page returned an invalid answer: ", Quoted(str(error)), ".")
        ) from error


def _whole(answer: str) -> str:
    """Return the answer without lone surrogates, which JavaScript escapes and JSON cannot carry.

    Whole pairs are not escaped (ECMA-262, QuoteJSONString), so this splits none.
    """
    if "\\ud" not in answer:
        return answer
    return _ESCAPE.sub(
        lambda found: "\ufffd" if len(found[1]) == _ESCAPED_HALF else found[0], answer
    )


# The script that is installed in each document with actions.

SCRIPT_PARTS = (
    "native_functions",
    "roles",
    "accessible_name",
    "name_guesses",
    "values",
    "possible_hosts",
    "elements",
    "identity",
    "controls",
    "unnamed_pictures",
    "outline",
    "locators",
    "actionability",
    "text_selection",
    "pictures",
    "form_submission",
    "settle",
    "mask_secrets",
    "descriptions",
)
_PLACE = "/* library */"

_UNREAD = re.compile(r"^ *(?://.*\n)?", re.MULTILINE)
"""Indentation and lines of comments, which no document needs."""

LIBRARY = _UNREAD.sub("", "\n".join(map(load_script, SCRIPT_PARTS)))
"""The functions that the installed script is made of, in one scope."""

INSTALL = load_script("install").replace(_PLACE, LIBRARY)
"""A function declaration: gives the document a number, unless it has one of the same session of
CDP, and returns its number.
"""

INSTALLED = 'globalThis[Symbol.for("tabwright")]'
"""The installed library, as an expression in a script of our world."""

IS_SHOWN = "function isShown() {}"
"""A function declaration that can be called as long as a document is shown."""

CALL = f"""async function call(name, ...values) {{
  const answer = await {INSTALLED}[name](...values);
  return JSON.stringify(answer ?? null).toWellFormed();
}}"""
"""A function declaration: calls a library function by its name, and returns JSON."""

ORIGIN = "function origin() { return self.origin; }"
"""Returns the origin of a document; ``null`` if it has none of its own."""

HOLD = f"""function hold(name, ...values) {{ return {INSTALLED}[name](...values); }}"""
"""The same for a function that returns elements: returns a handle on them."""
