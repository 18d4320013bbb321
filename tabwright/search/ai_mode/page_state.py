"""The state of an AI Mode page at one moment, as `look.js` reads it.

Attributes carry only what the page says; what it means is for `page_kind`, `answer`,
`sources` and `completion` to tell.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import attrs
import msgspec

from tabwright.protocol.errors import PageFailed
from tabwright.search.ai_mode.google_urls import host_of, is_engine
from tabwright.text.languages import LANGUAGES, read_words

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
            f"The state of the page could not be read: {error}.", advice="Load the page again."
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


# The words around an answer, or in its place, in the six languages.
#
# A language's gaps are strings that nobody has seen on a page: nothing may depend on them.


@attrs.frozen
class PageWords:
    """What the engine's page says round an answer, or in its place.

    Attributes:
        tab: the label of the AI Mode tab.
        labels: names of tabs, buttons, links and hidden headings, each a whole line.
        notices: sentences about AI answers, code and progress, each a whole line.
        sites: the toggle that counts the sources, as a pattern for a whole line.
        captcha: parts of sentences on a CAPTCHA page.
        no_answer: parts of sentences that stand in the place of an answer.
        not_available: sentences of a page that offers no AI Mode.
    """

    tab: str
    labels: tuple[str, ...]
    notices: tuple[str, ...]
    sites: str
    captcha: tuple[str, ...]
    no_answer: tuple[str, ...] = ()
    not_available: tuple[str, ...] = ()


@attrs.frozen
class _File:
    page: PageWords


@cache
def all_page_words() -> dict[str, PageWords]:
    """The words by language code, in the order of `LANGUAGES`."""
    return {code: read_words(code, _File).page for code in LANGUAGES}


# What kind of page the engine shows: an answer, or something in its place.
#
# URL and structure decide; texts only confirm, and only on a page without a turn: an answer may
# speak of captchas.

# Recognising texts of the page, in the six languages. They only confirm what the structure says.

_SPACES = re.compile(r"\s+")


def is_notice(line: str) -> bool:
    """Whether the whole line is one of the sentences that no answer would consist of."""
    return _folded(line) in _notices()


def is_no_answer_text(text: str) -> bool:
    """Whether the text tells, in any language, that there is no answer."""
    return _has_any(text, (part for page in _pages() for part in page.no_answer))


def is_regret(line: str) -> bool:
    """Whether the line begins as one that tells, in any language, that there is no answer."""
    folded = _folded(line)
    return any(folded.startswith(_folded(part)) for page in _pages() for part in page.no_answer)


def ends_in_regret(text: str) -> bool:
    """Whether the last of several lines tells that the answer came to nothing."""
    *before, last = text.splitlines() or [""]
    return bool(before) and is_regret(last)


def is_not_available_text(text: str) -> bool:
    """Whether the text tells, in any language, that AI Mode is not offered here."""
    return _has_any(text, (part for page in _pages() for part in page.not_available))


def mentions_captcha(text: str) -> bool:
    """Whether the text has a known part of a CAPTCHA page, in any language.

    Only a confirmation: an answer may quote one. `page_kind` tells pages apart.
    """
    return _has_any(text, (part for page in _pages() for part in page.captcha))


def _pages() -> list[PageWords]:
    return list(all_page_words().values())


def _has_any(text: str, parts: Iterable[str]) -> bool:
    folded = _folded(text)
    return any(_folded(part) in folded for part in parts)


def _folded(line: str) -> str:
    """Without case and white space: a page sets a space after a full stop, or none."""
    straight = line.replace("\u2019", "'")
    return _SPACES.sub("", straight).rstrip(".\u3002").casefold()


@cache
def _notices() -> frozenset[str]:
    return frozenset(_folded(line) for page in _pages() for line in page.notices)


class PageKind(StrEnum):
    """What the page is.

    ``CAPTCHA`` is a block that a person can lift, ``BLOCKED`` one that nobody can.
    ``SHELL`` is AI Mode without a question on it: just loaded, or not offered here.
    """

    ANSWER = "answer"
    CAPTCHA = "captcha"
    BLOCKED = "blocked"
    CONSENT = "consent"
    SCRIPT_CHECK = "script_check"
    UNAVAILABLE = "unavailable"
    SHELL = "shell"
    OTHER = "other"


BARE_CHARS_MAX = 1_500
"""The longest page that is taken for nothing but a refusal."""


def page_kind(look: PageState) -> PageKind:
    """What the page is, in any language."""
    return _kind_by_url(look) or _kind_by_structure(look) or _kind_by_text(look)


def is_consent_page(url: str) -> bool:
    """Whether the engine asks for consent there; the answer leads on."""
    host = host_of(url)
    return is_engine(host) and host.startswith("consent.")


KNOWN_EARLY = frozenset({PageKind.ANSWER, PageKind.SHELL, PageKind.CONSENT, PageKind.SCRIPT_CHECK})
"""What a page is known to be before it is loaded."""


def is_past_captcha(look: PageState) -> bool:
    """Whether a page that showed a CAPTCHA has come to something else of the engine's."""
    kind = page_kind(look)
    is_there = look.ready and is_engine(host_of(look.url))
    return kind in KNOWN_EARLY or (is_there and kind is not PageKind.CAPTCHA)


def _kind_by_url(look: PageState) -> PageKind | None:
    host = host_of(look.url)
    if not is_engine(host):
        return PageKind.OTHER
    path = urlsplit(look.url).path
    if is_consent_page(look.url):
        return PageKind.CONSENT
    if f"{path}/".startswith("/sorry/"):
        # A form is for a person; a page that has none when it is loaded is for nobody.
        if look.captcha:
            return PageKind.CAPTCHA
        return PageKind.BLOCKED if look.ready else PageKind.OTHER
    if path.startswith("/httpservice/retry/enablejs"):
        return PageKind.SCRIPT_CHECK
    return None


def _kind_by_structure(look: PageState) -> PageKind | None:
    if look.consent:
        return PageKind.CONSENT
    if look.turn is not None:
        return PageKind.ANSWER
    if look.captcha:
        return PageKind.CAPTCHA
    return None


def _kind_by_text(look: PageState) -> PageKind:
    if is_not_available_text(look.text):
        return PageKind.UNAVAILABLE
    if look.composer:
        return PageKind.SHELL
    # A few sentences, and nothing else; a longer page may speak of blocks for its own reasons.
    is_bare = len(look.text) <= BARE_CHARS_MAX
    return PageKind.BLOCKED if is_bare and mentions_captcha(look.text) else PageKind.OTHER
