"""When a cookie expires: dates as servers write them (RFC 6265, section 5.1.1)."""

import re
from datetime import UTC, datetime

CHARACTERS_MAX = 128

_DELIMITERS = re.compile(r"[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?", re.ASCII)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?", re.ASCII)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_CENTURY_TURN = 70
_YEAR_MIN = 1601


def cookie_date(text: str) -> float | None:
    """The moment in seconds since 1970 UTC; None where it is none."""
    tokens = _DELIMITERS.split(text[:CHARACTERS_MAX])
    clock = day = month = year = None
    for token in tokens:
        if clock is None and (found := _TIME.fullmatch(token)):
            clock = (int(found[1]), int(found[2]), int(found[3]))
        elif day is None and (found := _DAY.fullmatch(token)):
            day = int(found[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (found := _YEAR.fullmatch(token)):
            year = _full_year(int(found[1]))
    if clock is None or day is None or month is None or year is None or year < _YEAR_MIN:
        return None
    try:
        return datetime(year, month, day, *clock, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _full_year(year: int) -> int:
    """A year of two digits is one of 1970 to 2069."""
    if year >= 100:  # noqa: PLR2004
        return year
    return year + (1900 if year >= _CENTURY_TURN else 2000)
