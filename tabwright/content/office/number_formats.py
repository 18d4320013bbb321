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
    TIME = auto()
    DURATION = auto()


EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  (dates of cells have no time zone)
EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
LEAP_DAY = 60
"""The number of 29 February 1900 in Excel, a day that did not exist.

A date before it is one day later than `EPOCH` and its number.
"""

_BUILT_IN: Mapping[int, NumberKind] = {
    **dict.fromkeys((9, 10), NumberKind.PERCENTAGE),
    **dict.fromkeys((*range(14, 23), *range(27, 37), *range(50, 59)), NumberKind.DATE),
    **dict.fromkeys((*range(18, 22), 32, 33, 45, 47), NumberKind.TIME),
    46: NumberKind.DURATION,
}
"""The formats that files do not declare."""

BUILT_IN: Mapping[str, NumberKind] = {str(number): kind for number, kind in _BUILT_IN.items()}

_LITERAL = re.compile(
    r'"[^"]*"|\\.|[_*].|standard|\[(?![<=]|hh?\]|mm?\]|ss?\])[^\]]*\]', re.IGNORECASE
)
"""A part of a format that is no placeholder: a text, a sign, a width, a color or a currency.

Some programs write the format "General" by its name in other languages, "Standard".
"""

_FOR_OTHER_NUMBERS = re.compile(r"\[[<=]")
"""The condition of a section that is not for most numbers, for example ``[=0]``."""

_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dy]", re.IGNORECASE)
_TIME = re.compile(r"[hs]", re.IGNORECASE)
_MONTH = re.compile("m", re.IGNORECASE)


def number_kind(code: str) -> NumberKind:
    """Return what a number with a format is, by its format for positive numbers."""
    sections = _LITERAL.sub("", code).split(";")
    section = next((one for one in sections if not _FOR_OTHER_NUMBERS.match(one)), sections[0])
    for pattern, kind in (
        (_DURATION, NumberKind.DURATION),
        (_DATE, NumberKind.DATE),
        (_TIME, NumberKind.TIME),
        (_MONTH, NumberKind.DATE),
    ):
        if pattern.search(section):
            return kind
    return NumberKind.PERCENTAGE if "%" in section else NumberKind.PLAIN


def number_text(digits: str, kind: NumberKind, epoch: datetime = EPOCH) -> str:
    """Return a number as text: a date as such, if it is one that Excel could show.

    Args:
        digits: the number, as the file has it; other texts are returned unchanged.
        kind: what it is.
        epoch: the day 0 of dates.
    """
    try:
        value = float(digits)
        if kind in {NumberKind.DATE, NumberKind.TIME, NumberKind.DURATION}:
            return _time(value, kind, epoch)
    except (OverflowError, ValueError):  # no number, or no date
        return digits
    if kind is NumberKind.PERCENTAGE:
        return f"{value * 100:.15g}%"
    return digits if digits.lstrip("-").isdecimal() else f"{value:.15g}"


def _time(value: float, kind: NumberKind, epoch: datetime) -> str:
    """Return a number of days as a duration, a time of day or a date, to the second."""
    seconds = round(value * 86_400)
    elapsed = timedelta(seconds=seconds)
    if kind is NumberKind.DURATION:
        minutes, second = divmod(abs(seconds), 60)
        return f"{'-' * (seconds < 0)}{minutes // 60}:{minutes % 60:02}:{second:02}"
    if seconds < 0:
        return f"{value:.15g}"
    if not elapsed.days and (kind is NumberKind.TIME or epoch == EPOCH):  # it has no day 0 of 1900
        return str(epoch + elapsed).partition(" ")[2]
    early = timedelta(days=epoch == EPOCH and value < LEAP_DAY)
    return str(epoch + elapsed + early).removesuffix(" 00:00:00")
