"""The number formats of Excel (ECMA-376, part 1, section 18.8.30): dates, currencies, texts.

A number with another format is written with its digits, however a format rounds or groups them.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum, auto
from unicodedata import category

import attrs


class NumberKind(Enum):
    """What a number of a cell is."""

    PLAIN = auto()
    PERCENTAGE = auto()
    DATE = auto()
    TIME = auto()
    DURATION = auto()


@attrs.frozen
class NumberFormat:
    """How a number is shown.

    Attributes:
        before, after: texts beside it, such as its currency; only of plain numbers.
        digits_min: with fewer digits before the point, zeros precede them.
    """

    kind: NumberKind
    before: str = ""
    after: str = ""
    digits_min: int = 0


PLAIN = NumberFormat(NumberKind.PLAIN)
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

BUILT_IN: Mapping[str, NumberFormat] = {
    str(number): NumberFormat(kind) for number, kind in _BUILT_IN.items()
}

CODE_MAX = 255
"""Excel accepts no longer formats."""

TEXTS_MAX = 40
"""Longer texts beside a number are left out, and more zeros before it."""

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


_SECTION = re.compile(r'(?:[^;"\\]|"[^"]*"?|\\.?)*')
_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*+)[^\]]*+\]|[_*].|\[[^\]]*\]'
    r"|(?P<digits>general|[0#?](?:[0#?., \u00a0\u202f]*[0#?])?)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[[<=>]")
_SIGNS = frozenset("+-()")


def number_format(code: str) -> NumberFormat:
    """Return how a number with a format is shown, by its format for positive numbers."""
    if len(code) > CODE_MAX:
        return PLAIN
    kind = _kind(code)
    return _with_texts(code) if kind is NumberKind.PLAIN else NumberFormat(kind)


def _with_texts(code: str) -> NumberFormat:
    """Return the texts of a format beside its digits; none if it scales or divides the digits."""
    texts = ["", ""]
    digits = ""
    section = _SECTION.match(code)
    if not section or _CONDITION.search(section[0]):
        return PLAIN
    for part in _PART.finditer(section[0]):
        other = part["other"] or ""
        if part["digits"]:
            if digits:
                return PLAIN
            digits = part["digits"]
        elif other and (other in ",/@" or other.isalnum()):
            return PLAIN
        elif other.isspace() or (other and category(other) == "Sc"):
            texts[bool(digits)] += other
        else:
            text = part["quoted"] or part["escaped"] or part["currency"] or ""
            texts[bool(digits)] += "" if text in _SIGNS else text
    zeros = digits.partition(".")[0].count("0")
    if not digits or max(zeros, *map(len, texts)) > TEXTS_MAX:
        return PLAIN
    return NumberFormat(NumberKind.PLAIN, texts[0].lstrip(), texts[1].rstrip(), zeros)


def _kind(code: str) -> NumberKind:
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


def number_text(digits: str, form: NumberFormat, epoch: datetime = EPOCH) -> str:
    """Return a number as text: a date as such, if it is one that Excel could show.

    Args:
        digits: the number, as the file has it; other texts are returned unchanged.
        form: how it is shown.
        epoch: the day 0 of dates.
    """
    kind = form.kind
    try:
        value = float(digits)
        if kind in {NumberKind.DATE, NumberKind.TIME, NumberKind.DURATION}:
            return _time(value, kind, epoch)
    except (OverflowError, ValueError):  # no number, or no date
        return digits
    if kind is NumberKind.PERCENTAGE:
        return f"{value * 100:.15g}%"
    text = digits if digits.lstrip("-").isdecimal() else f"{value:.15g}"
    if not form.after and not form.before and form.digits_min <= 1:
        return text
    whole, point, fraction = text.removeprefix("-").partition(".")
    sign = "-" * text.startswith("-")
    return f"{sign}{form.before}{whole.zfill(form.digits_min)}{point}{fraction}{form.after}"


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
