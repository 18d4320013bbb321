"""The lines that the engine's page puts round an answer, recognised in its six languages.

Extraction goes by structure; these only clean the edges of a plain text and confirm what the
structure says.
"""

import re
from collections.abc import Iterable
from functools import cache

from tabwright.searching.page_words import PageWords, all_page_words

_SPACES = re.compile(r"\s+")


def is_furniture(line: str) -> bool:
    """Whether the whole line is furniture in any language; case and white space do not count."""
    folded = _folded(line)
    return folded in _lines() or any(pattern.fullmatch(folded) for pattern in _counts_of_sites())


def is_notice(line: str) -> bool:
    """Whether the whole line is one of the sentences that no answer would consist of."""
    return _folded(line) in _notices()


def says_no_answer(text: str) -> bool:
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


def says_not_available(text: str) -> bool:
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
def _lines() -> frozenset[str]:
    lines = (line for page in _pages() for line in (page.tab, *page.labels, *page.notices))
    return frozenset(_folded(line) for line in lines)


@cache
def _notices() -> frozenset[str]:
    return frozenset(_folded(line) for page in _pages() for line in page.notices)


@cache
def _counts_of_sites() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(page.sites.replace(" ", "").casefold()) for page in _pages())
