"""The number formats of Excel (ECMA-376, part 1, section 18.8.30): which numbers are dates.

A number with another format is written with its digits: what a format rounds or adds is left out.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum, auto


class NumberKind(Enum):
    """What a number of a cell is."""

    PLAIN = auto()
    PERCENTAGE = auto()
    DATE = auto()
    DURATION = auto()


EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  (dates of cells have no time zone)
EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
LEAP_DAY = 60
"""The number of 29 February 1900, which was none: the days before it are one too low."""

_BUILT_IN: Mapping[int, NumberKind] = {
    **dict.fromkeys((9, 10), NumberKind.PERCENTAGE),
    **dict.fromkeys((*range(14, 23), *range(27, 37), *range(50, 59)), NumberKind.DATE),
    **dict.fromkeys((45, 47), NumberKind.DATE),
    46: NumberKind.DURATION,
}
"""The formats that files do not declare."""

BUILT_IN: Mapping[str, NumberKind] = {str(number): kind for number, kind in _BUILT_IN.items()}

_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\[(?!hh?\]|mm?\]|ss?\])[^\]]*\]', re.IGNORECASE)
"""A part of a format that is no placeholder: a text, a sign, a width, a color or a currency."""

_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)


def number_kind(code: str) -> NumberKind:
    """Return what a number with a format is, by its format for positive numbers."""
    code = _LITERAL.sub("", code).partition(";")[0]
    if _DURATION.search(code):
        return NumberKind.DURATION
    if _DATE.search(code):
        return NumberKind.DATE
    return NumberKind.PERCENTAGE if "%" in code else NumberKind.PLAIN


def number_text(digits: str, kind: NumberKind, epoch: datetime = EPOCH) -> str:
    """Return a number as text: a date as such, if it is one that Excel could show.

    Args:
        digits: the number, as the file has it; other texts are returned unchanged.
        kind: what it is.
        epoch: the day 0 of dates.
    """
    try:
        value = float(digits)
        if kind in {NumberKind.DATE, NumberKind.DURATION}:
            return _time(value, kind, epoch)
    except (OverflowError, ValueError):  # no number, or no date
        return digits
    if kind is NumberKind.PERCENTAGE:
        return f"{value * 100:.15g}%"
    return digits if digits.lstrip("-").isdecimal() else f"{value:.15g}"


def _time(value: float, kind: NumberKind, epoch: datetime) -> str:
    """Return a number of days as a duration, a time of day or a date, to the second."""
    elapsed = timedelta(seconds=round(value * 86_400))
    if kind is NumberKind.DURATION:
        return str(elapsed)
    if elapsed < timedelta(0):
        return f"{value:.15g}"
    if not elapsed.days:
        return str(epoch + elapsed).partition(" ")[2]
    early = timedelta(days=epoch == EPOCH and value < LEAP_DAY)
    return str(epoch + elapsed + early).removesuffix(" 00:00:00")
