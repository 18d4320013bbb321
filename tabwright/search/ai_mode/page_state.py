"""The state of an AI Mode page at one moment, as `look.js` reads it.

Attributes carry only what the page says; what it means is for `page_kind`, `answer`,
`sources` and `completion` to tell.
"""

from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import attrs
import msgspec

from tabwright.protocol.errors import PageFailed

NodeKind: TypeAlias = Literal[
    "text",
    "break",
    "bold",
    "italic",
    "mono",
    "link",
    "chip",
    "box",
    "heading",
    "list",
    "item",
    "table",
    "row",
    "cell",
    "code",
    "quote",
    "rule",
]
"""``text`` to ``chip`` stand inside a line; the others begin a line of their own."""


@attrs.frozen
class ContentNode:
    """A visible part of the answer; which attributes count depends on its kind.

    Attributes:
        text: the characters of a ``text`` or of a ``code`` block, white space as in the page.
        href: where a ``link`` leads, absolute.
        hrefs: where the links of a citation ``chip`` lead, absolute; may be none.
        label: how a ``link`` or ``chip`` names itself to a screen reader.
        site: the words on the button of a ``chip``, such as ``Example +1``.
        level: of a ``heading``, 1 to 6.
        ordered: of a ``list``.
        start: the number of the first item of a ``list``.
        language: of a ``code`` block, where an attribute names it.
    """

    kind: NodeKind
    text: str = ""
    kids: "tuple[ContentNode, ...]" = ()
    href: str = ""
    hrefs: tuple[str, ...] = ()
    label: str = ""
    site: str = ""
    level: int = 0
    ordered: bool = False
    start: int = 1
    language: str = ""


@attrs.frozen
class Card:
    """A source as the page shows it.

    Attributes:
        href: where it leads, absolute; may be wrapped by the engine.
        label: ``Title. Opens in new tab.`` in the language of the page; may be empty.
        units: its lines of text, in order: title, excerpt, site.
    """

    href: str
    label: str = ""
    units: tuple[str, ...] = ()


@attrs.frozen
class ThreadTurn:
    """The last question of the page, with its answer.

    Attributes:
        identity: the same in two looks exactly if it is the same part of the same document.
        query: the question as the page echoes it.
        column: the answer, without the question, the sources and the page's furniture.
        cards: the sources, hidden ones too, in the order of the page; may repeat.
        aside: whether something stands where the sources will.
        complete: whether the turn is marked as complete.
        incomplete: whether the turn is marked as not complete yet.
        actions: whether the bar with copy, share and thumbs is shown.
        loading: whether grey bars or another mark of loading is shown.
        error: the text of an alert in the turn.
    """

    identity: str = ""
    query: str = ""
    column: tuple[ContentNode, ...] = ()
    cards: tuple[Card, ...] = ()
    aside: bool = False
    complete: bool = False
    incomplete: bool = False
    actions: bool = False
    loading: bool = False
    error: str = ""


@attrs.frozen
class PageState:
    """A page at one moment.

    Attributes:
        ready: whether the document has loaded.
        captcha: whether a CAPTCHA form or frame is shown.
        consent: whether a consent form or its buttons are shown.
        composer: whether the field for the next question is there.
        text: the visible text, cut at 4,000 characters; only of a page without turns.
        announcements: how often the page has said something to screen readers.
        stop: the button that stops an answer.
        streams: how many answer streams have ended since the document was loaded.
        loaded_at: when that was, in milliseconds; tells one document from another.
        turns: how many questions the page shows.
        turn: the last of them.
    """

    url: str
    title: str = ""
    ready: bool = True
    captcha: bool = False
    consent: bool = False
    composer: bool = False
    text: str = ""
    announcements: int = 0
    stop: Literal["absent", "hidden", "shown"] = "absent"
    streams: int = 0
    loaded_at: float = 0.0
    turns: int = 0
    turn: ThreadTurn | None = None


def read_look(json_text: str) -> PageState:
    """The look that the page script returned.

    Raises:
        PageFailed: the text is not what the script returns; the page may have been torn down.
    """
    try:
        return msgspec.json.decode(json_text, type=PageState)
    except msgspec.MsgspecError as error:
        raise PageFailed(
            f"The page gave no readable look: {error}.", advice="Load the page again."
        ) from error


def shown_text(look: PageState) -> str:
    """The text of the answer as far as it is there, one line for each block; for progress."""
    pieces = [] if look.turn is None else _pieces(look.turn.column)
    lines = (" ".join(line.split()) for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)


_INSIDE_A_LINE = frozenset({"text", "bold", "italic", "mono", "link", "chip"})


def _pieces(nodes: tuple[ContentNode, ...]) -> list[str]:
    pieces: list[str] = []
    for node in nodes:
        edge = "" if node.kind in _INSIDE_A_LINE else "\n"
        pieces += [edge, node.text, *_pieces(node.kids), edge]
    return pieces


# The scripts that look at an engine's page and act on it, inside the browser.
#
# Each is a function declaration for ``Runtime.callFunctionOn`` in an isolated world.


def look_function() -> str:
    """``look(...closedRoots)``.

    Its arguments are the page's closed shadow roots, which may be none; its value is the JSON text
    that `read_look` takes.
    """
    return _source("look.js")


def compose_function() -> str:
    """``compose(...closedRoots, anywhere)``: focuses the field for the next question.

    With the word ``anywhere`` any field will do, where the page's own is not to be found.
    Its value is ``ready``, or ``missing`` where the page has no such field.
    """
    return _source("compose.js")


def stop_function() -> str:
    """``stop()``: stops an answer that is still being written.

    Its value is ``stopped``, or ``quiet`` where there was nothing to stop.
    """
    return _source("stop.js")


def consent_function() -> str:
    """``consent(choice)``: answers the engine's privacy question by ``reject`` or ``accept``.

    Its value is ``answered``, or ``missing`` where there is nothing to answer by.
    """
    return _source("consent.js")


def submit_function() -> str:
    """``submit(selector, fields)``: fills in a form and submits it; `fields` is a JSON object.

    Its value is ``submitted``, or ``missing`` where there is no such form.
    """
    return _source("submit.js")


@cache
def _source(name: str) -> str:
    return files(__package__ or "").joinpath("js", name).read_text(encoding="utf-8")
