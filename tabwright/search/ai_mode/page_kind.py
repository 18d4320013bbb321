"""What kind of page the engine shows: an answer, or something in its place.

URL and structure decide; texts only confirm, and only on a page without a turn: an answer may
speak of captchas.
"""

from enum import StrEnum
from urllib.parse import urlsplit

from tabwright.search.ai_mode.page_state import Look
from tabwright.searching.furniture import mentions_captcha, says_not_available
from tabwright.searching.links import host_of, is_engine


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


def page_kind(look: Look) -> PageKind:
    """What the page is, in any language."""
    return _kind_by_url(look) or _kind_by_structure(look) or _kind_by_text(look)


def is_consent_page(url: str) -> bool:
    """Whether the engine asks for consent there; the answer leads on."""
    host = host_of(url)
    return is_engine(host) and host.startswith("consent.")


KNOWN_EARLY = frozenset({PageKind.ANSWER, PageKind.SHELL, PageKind.CONSENT, PageKind.SCRIPT_CHECK})
"""What a page is known to be before it is loaded."""


def is_past_captcha(look: Look) -> bool:
    """Whether a page that showed a CAPTCHA has come to something else of the engine's."""
    kind = page_kind(look)
    is_there = look.ready and is_engine(host_of(look.url))
    return kind in KNOWN_EARLY or (is_there and kind is not PageKind.CAPTCHA)


def _kind_by_url(look: Look) -> PageKind | None:
    host = host_of(look.url)
    if not is_engine(host):
        return PageKind.OTHER
    path = urlsplit(look.url).path
    if is_consent_page(look.url):
        return PageKind.CONSENT
    if f"{path}/".startswith("/sorry/"):
        return _sorry_kind(look)
    if path.startswith("/httpservice/retry/enablejs"):
        return PageKind.SCRIPT_CHECK
    return None


def _sorry_kind(look: Look) -> PageKind:
    """A form is for a person; a page that has none when it is loaded is for nobody."""
    if look.captcha:
        return PageKind.CAPTCHA
    return PageKind.BLOCKED if look.ready else PageKind.OTHER


def _kind_by_structure(look: Look) -> PageKind | None:
    if look.consent:
        return PageKind.CONSENT
    if look.turn is not None:
        return PageKind.ANSWER
    if look.captcha:
        return PageKind.CAPTCHA
    return None


def _kind_by_text(look: Look) -> PageKind:
    if says_not_available(look.text):
        return PageKind.UNAVAILABLE
    if look.composer:
        return PageKind.SHELL
    return PageKind.BLOCKED if _is_bare_block(look) else PageKind.OTHER


def _is_bare_block(look: Look) -> bool:
    """A few sentences, and nothing else; a longer page may speak of blocks for its own reasons."""
    return len(look.text) <= BARE_CHARS_MAX and mentions_captcha(look.text)
