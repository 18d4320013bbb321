"""What kind of page the engine shows: an answer, or something in its place.

URL and structure decide; texts only confirm, and only on a page without a turn: an answer may
speak of captchas.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from urllib.parse import urlsplit

import attrs

from tabwright.search.ai_mode.google_urls import host_of, is_engine
from tabwright.search.ai_mode.page_state import PageState
from tabwright.text.languages import LANGUAGES, read_words

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
