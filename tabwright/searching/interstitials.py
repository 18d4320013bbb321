"""What kind of page the engine shows: an answer, or something in its place.

URL and structure decide; texts only confirm, and only on a page without a turn: an answer may
speak of captchas.
"""

from enum import StrEnum
from urllib.parse import urlsplit

from tabwright.searching.furniture import mentions_captcha, says_not_available
from tabwright.searching.links import host_of, is_engine
from tabwright.searching.look import Look


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


_BARE_BLOCK = ("automated queries", "but your computer or network may be sending")


def page_kind(look: Look) -> PageKind:
    """What the page is, in any language."""
    return _kind_by_url(look) or _kind_by_structure(look) or _kind_by_text(look)


def _kind_by_url(look: Look) -> PageKind | None:
    host = host_of(look.url)
    if not is_engine(host):
        return None
    path = urlsplit(look.url).path
    if host.startswith("consent."):
        return PageKind.CONSENT
    if f"{path}/".startswith("/sorry/"):
        return PageKind.CAPTCHA if look.captcha or not _is_bare_block(look) else PageKind.BLOCKED
    if path.startswith("/httpservice/retry/enablejs"):
        return PageKind.SCRIPT_CHECK
    return None


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
    if mentions_captcha(look.text):
        return PageKind.CAPTCHA
    return PageKind.BLOCKED if _is_bare_block(look) else PageKind.OTHER


def _is_bare_block(look: Look) -> bool:
    return any(mark in look.text.casefold() for mark in _BARE_BLOCK)
