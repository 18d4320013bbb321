"""The state of an AI Mode page at one moment, as `js/page_state.js` reads it.

Attributes contain only the data of the page; `page_kind`, `answer`, `sources` and `completion`
interpret them.
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
from tabwright.protocol.untrusted_text import Quoted
from tabwright.search.ai_mode.google_urls import is_ai_mode_url
from tabwright.search.consent import is_consent_page
from tabwright.search.urls import host_of, is_google_host
from tabwright.text.languages import LANGUAGES, read_words

NodeKind: TypeAlias = Literal[
    "text",
    "break",
    "bold",
    "italic",
    "mono",
    "sub",
    "sup",
    "struck",
    "formula",
    "image",
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
"""``text`` to ``chip`` are inside a line; the others begin a new line."""


@attrs.frozen
class ContentNode:
    """A visible part of the answer; which attributes count depends on its kind.

    Attributes:
        text: the characters of a ``text`` or of a ``code`` block, white space as in the page; the
            TeX or characters of a ``formula``.
        href: the target of a ``link`` or the URL of an ``image``, absolute.
        hrefs: the targets of the links of a citation ``chip``, absolute; may be empty.
        label: the accessible name of a ``link``, ``chip`` or ``image``.
        kids: the nodes inside; of a ``chip`` without a link or a source's name, the words that it
            is if it cites nothing.
        site: the words on the button of a ``chip``, such as ``Example +1``.
        level: of a ``heading``, 1 to 6.
        ordered: of a ``list``.
        start: the number of the first item of a ``list``.
        number: of an ``item``, if the page gives it one out of turn.
        language: of a ``code`` block, if an attribute names it.
        html: the MathML of a ``formula``; may be empty.
        paragraph: whether a ``box`` is marked as a paragraph of text.
        rows: the rows that a ``cell`` spans; 0 for all that follow.
        columns: the columns that a ``cell`` spans.
        alert: whether a ``box`` is an alert: part of the answer, or about a failure.
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
    number: int | None = None
    language: str = ""
    html: str = ""
    paragraph: bool = False
    rows: int = 1
    columns: int = 1
    alert: bool = False


@attrs.frozen
class Card:
    """A source card of the page.

    Attributes:
        href: its target, absolute; may be wrapped by the engine.
        label: ``Title. Opens in new tab.`` in the language of the page; may be empty.
        units: its lines of text, in order: title, excerpt, site.
    """

    href: str
    label: str = ""
    units: tuple[str, ...] = ()


@attrs.frozen
class ThreadTurn:
    """The question that is looked at, or the last of the page, with its answer.

    Attributes:
        identity: equal in two states if and only if it is the same part of the same document.
        query: the question as the page echoes it.
        column: the answer, without the question, the sources and the page's controls.
        cards: the sources, including hidden ones, in page order; may repeat.
        aside: whether the place of the sources is filled.
        sources_pending: whether grey bars or another mark of loading is shown in that place.
        complete: whether the turn is marked as complete.
        incomplete: whether the turn is marked as not complete yet.
        actions: whether the bar with copy, share and thumbs is shown.
        footnote: the text of the column after that bar, if only its buttons tell that it is one.
        loading: whether grey bars or another mark of loading is shown.
        error: the text of the alerts in the turn.
        counts: short texts with a number on or beside the sources, such as ``10 sites``.
    """

    identity: str = ""
    query: str = ""
    column: tuple[ContentNode, ...] = ()
    cards: tuple[Card, ...] = ()
    aside: bool = False
    sources_pending: bool = False
    complete: bool = False
    incomplete: bool = False
    actions: bool = False
    footnote: str = ""
    loading: bool = False
    error: str = ""
    counts: tuple[str, ...] = ()


@attrs.frozen
class PageState:
    """A page at one moment.

    Attributes:
        ready: whether the document has loaded.
        captcha: whether a CAPTCHA form or frame is shown.
        consent: whether a consent form or its buttons are shown.
        log_in: whether a form or the main part of the page asks to log in.
        composer: whether there is a field for the next question.
        text: the visible text, cut at 4,000 characters; only of a page without turns.
        announcements: the number of announcements to screen readers.
        stop: the button that stops an answer.
        streams: the number of answer streams that ended since the document was loaded.
        loaded_at: the load time in milliseconds; differs between documents.
        turns: the number of questions that the page shows.
        turn: the one that is looked at.
    """

    url: str
    title: str = ""
    ready: bool = True
    captcha: bool = False
    consent: bool = False
    log_in: bool = False
    composer: bool = False
    text: str = ""
    announcements: int = 0
    stop: Literal["absent", "hidden", "shown"] = "absent"
    streams: int = 0
    loaded_at: float = 0.0
    turns: int = 0
    turn: ThreadTurn | None = None


def parse_page_state(json_text: str) -> PageState:
    """Parse the page state that the page script returned.

    Raises:
        PageFailed: the text is not a result of the script; the page may have been torn down.
    """
    try:
        return msgspec.json.decode(json_text, type=PageState)
    except msgspec.MsgspecError as error:
        raise PageFailed(
            ("The state of the page could not be read: ", Quoted(str(error)), "."),
            advice="Load the page again.",
        ) from error


def shown_text(state: PageState) -> str:
    """Return the text of the answer so far, one line for each block; for progress reports."""
    pieces = [] if state.turn is None else _pieces(state.turn.column)
    lines = (" ".join(line.split()) for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)


INSIDE_A_LINE = frozenset(
    {"text", "bold", "italic", "mono", "sub", "sup", "struck", "formula", "image", "link", "chip"}
)
"""The kinds that begin no new line, without ``break``."""


def _pieces(nodes: tuple[ContentNode, ...]) -> list[str]:
    pieces: list[str] = []
    for node in nodes:
        if is_error_alert(node):
            continue
        edge = "" if node.kind in INSIDE_A_LINE else "\n"
        text = node.label if node.kind == "image" else node.text
        pieces += [edge, text, *_pieces(node.kids), edge]
    return pieces


# The scripts that read an engine's page and act on it, inside the browser.
#
# Each is a function declaration for ``Runtime.callFunctionOn`` in an isolated world.


_PAGE_STATE_PARTS = (
    "selectors",
    "composed_tree",
    "rendering",
    "texts",
    "content_nodes",
    "sources",
    "columns",
    "turns",
)


@cache
def page_state_function() -> str:
    """Return the function ``readPageState(...closedRoots, question)``.

    Its arguments are the page's closed shadow roots, if any, and the question whose turn is read,
    if it is not the last; its value is the JSON text that `parse_page_state` parses.
    """
    library = "\n".join(map(_source, _PAGE_STATE_PARTS))
    return _source("page_state").replace("/* library */", library)


def compose_function() -> str:
    """Return the function ``compose(...closedRoots, anywhere)``: focus the question field.

    With the word ``anywhere`` any field is accepted if the page's own is not found.
    Its value is ``ready``, or ``missing`` if the page has no such field.
    """
    return _source("compose")


def stop_function() -> str:
    """Return the function ``stop()``: stop an answer that is still being written.

    Its value is ``stopped``, or ``quiet`` if there was nothing to stop.
    """
    return _source("stop")


@cache
def _source(name: str) -> str:
    return files(__package__ or "").joinpath("js", f"{name}.js").read_text(encoding="utf-8")


# The words around an answer, or in its place, in the six languages.
#
# The gaps of a language are strings that were never seen on a page: nothing may depend on them.


@attrs.frozen
class PageWords:
    """The words of the engine's page around an answer, or in its place.

    Attributes:
        tab: the label of the AI Mode tab.
        labels: names of tabs, buttons, links and hidden headings, each a whole line.
        notices: sentences about AI answers, code and progress, each a whole line.
        sites: the toggle that counts the sources, as a pattern for a whole line.
        captcha: parts of sentences on a CAPTCHA page.
        no_answer: parts of sentences that replace an answer.
        errors: beginnings of sentences about a failure, in place of an answer or at its end.
        not_available: sentences of a page that offers no AI Mode.
    """

    tab: str
    labels: tuple[str, ...]
    notices: tuple[str, ...]
    sites: str
    captcha: tuple[str, ...]
    no_answer: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    not_available: tuple[str, ...] = ()


@attrs.frozen
class _File:
    page: PageWords


@cache
def all_page_words() -> dict[str, PageWords]:
    """Return the words by language code, in the order of `LANGUAGES`."""
    return {code: read_words(code, _File).page for code in LANGUAGES}


# The kind of the engine's page: an answer, or a page in its place.
#
# URL and structure decide; texts only confirm, and only on a page without a turn: an answer may
# mention captchas.

# Recognising texts of the page, in the six languages. They only confirm the structure.

_SPACES = re.compile(r"\s+")
_NUMBER = re.compile(r"\d{1,4}")
_SITES = r"\d+ (?:siti|fonti|sitios|fuentes|fontes|bronnen|stron|źródeł|сайтов|источников)"
"""The toggle that counts the sources in languages without a file of words."""


def is_notice(line: str) -> bool:
    """Return whether the whole line is a sentence that no answer would consist of."""
    return _folded(line) in _notices()


def is_no_answer_text(text: str) -> bool:
    """Return whether the text says, in any language, that there is no answer."""
    return _has_any(text, (part for page in _pages() for part in page.no_answer))


def is_control(line: str) -> bool:
    """Return whether the whole line is on a button of the page itself, or counts sources."""
    return _folded(line) in _labels() or sites_counted(line) > 0


def sites_counted(line: str) -> int:
    """Return the number of sources that the label of their toggle names; 0 for another label."""
    if not any(re.fullmatch(sites, line) for sites in (_SITES, *(p.sites for p in _pages()))):
        return 0
    digits = _NUMBER.search(line)
    return int(digits[0]) if digits else 0


def is_regret(line: str) -> bool:
    """Return whether the line begins, in any language, like a message that there is no answer."""
    folded = _folded(line)
    return any(folded.startswith(_folded(part)) for page in _pages() for part in page.no_answer)


def mentions_error(alerts: str) -> bool:
    """Return whether the text of alerts has, in any language, a sentence about a failure."""
    parts = (part for page in _pages() for part in (*page.errors, *page.no_answer))
    return _has_any(alerts, parts)


def is_error_alert(node: ContentNode) -> bool:
    """Return whether an element of the answer only reports a failure, in any language."""
    return node.alert and mentions_error(_text_below(node))


def ends_in_error(text: str, alerts: str) -> bool:
    """Return whether the last of several lines reports a failure, or is an alert of any kind.

    Args:
        text: the lines of the answer; notices at the end do not count.
        alerts: the text of the alerts in the turn.
    """
    lines = text.splitlines()
    while lines and is_notice(lines[-1]):
        lines.pop()
    *before, last = lines or [""]
    return bool(before) and (is_regret(last) or begins_like_error(last) or last in alerts)


def begins_like_error(line: str) -> bool:
    """Return whether the line begins, in any language, like a sentence about a failure."""
    folded = _folded(line)
    return any(folded.startswith(_folded(part)) for page in _pages() for part in page.errors)


def _text_below(node: ContentNode) -> str:
    return node.text + "".join(map(_text_below, node.kids))


def is_not_available_text(text: str) -> bool:
    """Return whether the text says, in any language, that AI Mode is not offered here."""
    return _has_any(text, (part for page in _pages() for part in page.not_available))


def mentions_captcha(text: str) -> bool:
    """Return whether the text contains a known part of a CAPTCHA page, in any language.

    Only a confirmation: an answer may quote it. `page_kind` tells pages apart.
    """
    return _has_any(text, (part for page in _pages() for part in page.captcha))


def _pages() -> list[PageWords]:
    return list(all_page_words().values())


def _has_any(text: str, parts: Iterable[str]) -> bool:
    folded = _folded(text)
    return any(_folded(part) in folded for part in parts)


def _folded(line: str) -> str:
    """Return the text in lower case without white space: pages vary the space after a full stop."""
    straight = line.replace("\u2019", "'")
    return _SPACES.sub("", straight).rstrip(".\u3002").casefold()


@cache
def _notices() -> frozenset[str]:
    return frozenset(_folded(line) for page in _pages() for line in page.notices)


@cache
def _labels() -> frozenset[str]:
    return frozenset(_folded(line) for page in _pages() for line in page.labels)


class PageKind(StrEnum):
    """The kind of a page.

    ``CAPTCHA`` is a block that a person can lift, ``BLOCKED`` is one that a person cannot lift.
    ``LOG_IN`` asks to log in. ``SHELL`` is AI Mode without a question: just loaded, or not offered
    here.
    """

    ANSWER = "answer"
    CAPTCHA = "captcha"
    BLOCKED = "blocked"
    CONSENT = "consent"
    LOG_IN = "log_in"
    SCRIPT_CHECK = "script_check"
    UNAVAILABLE = "unavailable"
    SHELL = "shell"
    OTHER = "other"


LOG_IN_HOST = "accounts.google."

BARE_CHARS_MAX = 1_500
"""The longest page that counts as a mere refusal."""


def page_kind(state: PageState) -> PageKind:
    """Return the kind of the page, in any language."""
    return _kind_by_url(state) or _kind_by_structure(state) or _kind_by_text(state)


def is_blank(state: PageState) -> bool:
    """Return whether a page has loaded and shows nothing."""
    is_empty = state.turn is None and not state.composer and not state.text.strip()
    return state.ready and is_empty


def is_unasked(state: PageState) -> bool:
    """Return whether a page of AI Mode shows no question, and may have a field for one.

    The field may be in a closed shadow root, or unmarked, so that it is not known to be there.
    """
    kind = page_kind(state)
    return kind is PageKind.SHELL or (kind is PageKind.OTHER and is_ai_mode_url(state.url))


KNOWN_EARLY = frozenset({PageKind.ANSWER, PageKind.SHELL, PageKind.CONSENT, PageKind.SCRIPT_CHECK})
"""The kind of a page that is known before it is loaded."""


def is_past_captcha(state: PageState) -> bool:
    """Return whether a page with a CAPTCHA has changed to another page of the engine."""
    kind = page_kind(state)
    is_there = state.ready and is_google_host(host_of(state.url))
    return kind in KNOWN_EARLY or (is_there and kind is not PageKind.CAPTCHA)


def _kind_by_url(state: PageState) -> PageKind | None:
    host = host_of(state.url)
    if not is_google_host(host):
        return PageKind.OTHER
    path = urlsplit(state.url).path
    if is_consent_page(state.url):
        return PageKind.CONSENT
    if f"{path}/".startswith("/sorry/"):
        # A form is for a person; a loaded page without a form cannot be solved.
        if state.captcha:
            return PageKind.CAPTCHA
        return PageKind.BLOCKED if state.ready else PageKind.OTHER
    if path.startswith("/httpservice/retry/enablejs"):
        return PageKind.SCRIPT_CHECK
    return None


def _kind_by_structure(state: PageState) -> PageKind | None:
    if state.consent:
        return PageKind.CONSENT
    if state.turn is not None:
        return PageKind.ANSWER
    if state.captcha:
        return PageKind.CAPTCHA
    is_log_in = state.log_in or host_of(state.url).startswith(LOG_IN_HOST)
    return PageKind.LOG_IN if is_log_in and not state.composer else None


def _kind_by_text(state: PageState) -> PageKind:
    if is_not_available_text(state.text):
        return PageKind.UNAVAILABLE
    if state.composer:
        return PageKind.SHELL
    # A few sentences and nothing else; a longer page may mention blocks for other reasons.
    is_bare = len(state.text) <= BARE_CHARS_MAX
    return PageKind.BLOCKED if is_bare and mentions_captcha(state.text) else PageKind.OTHER
