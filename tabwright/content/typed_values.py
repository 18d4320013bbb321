"""Texts of a page as values of a type: numbers with separators, booleans.

A text that can be read in two ways has no value, because a wrong value is worse than none.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

import attrs

from tabwright.protocol.structured_data import Scalar, ValueType

SIGNS = "$€£¥₹₽₩₺₫₴₪฿₦₱₸₾"
CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN"
    "|ARS|CLP|COP|PEN|KRW|SGD|HKD|TWD|THB|IDR|MYR|PHP|VND|AED|SAR|ILS|EGP|NGN|KES|PKR|BTC|ETH"
)
"""Signs and ISO codes of currencies."""

CURRENCY_BEFORE = re.compile(
    rf"(?:\b[A-Z]{{1,3}})?[{SIGNS}]\s?$|\b(?:{CODES}|(?:Rs|Fr|kr|Kr)\.?|Rp)\s?$"
)
CURRENCY_AFTER = re.compile(
    rf"(?:[.,][-\u2013\u2014]{{1,2}})?\s?"
    rf"(?:(?:[A-Z]{{1,3}})?[{SIGNS}](?!\d)|(?:{CODES}|kr|zł|Kč|Ft|lei|\u0440\u0443\u0431|грн|ر\.س|د\.إ)(?!\w)|[円元원])"
)
CURRENCY_LENGTH = 8
"""Length of the text before a number that can be its currency."""

NUMBER = re.compile(
    r"(?:(?<=Rs\.)|(?<=[Kk]r\.)|(?<=Fr\.)|(?<![\d.,:/^'\u066b\u066c]))(?<!\w[-\u2212])([-+\u2212]?)"
    r"(\d{1,3}(?:,\d\d){1,5},\d{3}(?!\d)"
    r"|\d{1,3}([.,'\u066c ])\d{3}(?:\3\d{3}){0,5}(?!\d)|\d{1,15})([.,\u066b]\d{1,15})?"
    r"(?![.,:^'\u066b\u066c]?\d|\s?[¼-¾⅐-⅞]|[eE][-+]?\d)"
)
"""A number; not a part of a version, a time, an address or a date such as ``05.03.2024``."""

RANGE_END = re.compile(
    r"(?:\s?[^\s\d\u2010-\u2015\u2212~-]{1,4})?"
    r"(?:[-\u2212]|\s*[\u2010-\u2015~]\s*|\s+(?:[-\u2212]|to|bis|à)\s+)"
    rf"(?:[{SIGNS}]\s?|[A-Z]{{3}}\s)?\d"
)
"""The rest of a range or date after its first number; not the ``-20%`` of ``$40 -20%``."""

DATE_END = re.compile(
    r"\.?\s(?:de\s)?[^\W\d_]{3,10}\.?,?\s(?:de\s)?\d{4}(?!\d)|(?:[a-z]{2})?,\s\d{4}(?!\d)"
    r"|\s?[年月]\s?\d"
)
"""The rest of a date after its first number."""

PARTS_END = re.compile(
    r"\s?/\s?(?!(?:5|6|10|20|100)(?![\d/]))\d|\s?[x\u00d7*]\s?\d|[^\W\d_]{1,5}\d|\s\d"
)
"""The rest of a fraction, size, duration (``2h30``) or telephone number, or of a price whose cents
are raised; not the scale of a rating (``4/5``)."""

SEVERAL = re.compile(r"\W{0,3}(?:\b(?:for|für|pour|por|x)\b|[\u00d7/])\W{0,3}")
"""The text between a number of things and their price, such as ``2 for $5``."""

QUALIFIER_BEFORE = re.compile(r"(?:\b(?:of|von|sur|su|per|pro|par|je|incl\.?|inkl\.?)|\d\s?/)\s?$")
"""The end of a text before a number that only qualifies the number before it."""

BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
NEGATIVE_BEFORE = re.compile(r"(?<!\S)[-\u2212]$")
LETTER_BEFORE = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u04ff]$")

COMMA_LANGUAGES = frozenset(
    {"bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv"}
    | {"nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi"}
)
"""Languages that write the decimals of a number after a comma."""

SCALES: Mapping[str, int] = {
    **dict.fromkeys(("thousand", "tausend", "tsd", "тыс", "tys", "mila", "mil"), 3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "mln", "млн"), 6),
    **dict.fromkeys(("millón", "millones", "milhão", "milhões", "milione", "milioni"), 6),
    **dict.fromkeys(("milliard", "milliards", "milliarde", "milliarden", "mrd", "млрд"), 9),
    **dict.fromkeys(("miliardo", "miliardi", "mld"), 9),
    **dict.fromkeys(("lakh", "lakhs"), 5),
    **dict.fromkeys(("crore", "crores"), 7),
    **dict.fromkeys(("万", "萬"), 4),
    **dict.fromkeys(("億", "亿"), 8),
}
"""Words that multiply the number before them by a power of ten."""

AMOUNT_SCALES: Mapping[str, int] = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
"""Letters that multiply the amount of a currency; after other numbers, they can be units."""

UNCLEAR_SCALES = frozenset(
    {"billion", "billions", "trillion", "trillions", "hundred", "dozen", "千"}
)
"""Words after a number whose meaning depends on the language, or that are no power of ten."""

SCALE = re.compile(r"(\s?)([万萬億亿千]|[^\W\d_]+)")

TRUE = frozenset(
    {"true", "yes", "1", "on", "ja", "oui", "sí", "sim", "tak", "да", "はい", "是"}
    | {"instock", "limitedavailability", "available", "verfügbar", "auflager", "enstock"}
    | {"\u2713", "\u2714", "\u2611", "\u2705"}
)
FALSE = frozenset(
    {"false", "no", "0", "off", "nein", "non", "não", "nie", "нет", "いいえ", "否"}
    | {"outofstock", "soldout", "discontinued", "unavailable", "notavailable"}
    | {"nichtverfügbar", "ausverkauft"}
    | {"\u2717", "\u2718", "\u2715", "\u2716", "\u274c", "\u2612"}
)
"""Words and signs that say yes or no, in lower case and without white space."""

_PLAIN = str.maketrans("\u00a0\u202f\u2009\u2019\uff0c\uff0e\uff08\uff09\uff04", "   ',.()$")
"""Other spellings of separators and brackets."""


@attrs.frozen
class _Written:
    """A number as it is written in a text.

    Attributes:
        value: None if it can be read in two ways.
        start: where it begins, including the currency before it.
        currency: the sign or code beside it; empty without one.
    """

    value: float | None
    start: int
    end: int
    currency: str

    @property
    def is_amount(self) -> bool:
        """Return whether a currency is beside the number."""
        return bool(self.currency)


def number_of(text: str, *, decimal_comma: bool = False) -> float | None:
    """Return the number that a text states; None if it has none, or several that could be meant.

    The amount of a currency counts before other numbers. Ranges (``$8-$9``), dates, fractions,
    times, versions, and numbers in brackets beside other text are no numbers.

    Args:
        text: for example ``$1,299.00`` or ``4.5 of 5``.
        decimal_comma: whether ``1,299`` is one and a bit rather than a thousand.
    """
    text = _outside_brackets(text)
    numbers = list(_numbers(text, decimal_comma=decimal_comma))
    amounts = [one for one in numbers if one.is_amount]
    if any(one.value is None for one in numbers):
        return None
    for one, other in pairwise(numbers):
        is_priced = one.is_amount or other.is_amount
        if is_priced and SEVERAL.fullmatch(text[one.end : other.start]):
            return None
    values = {one.value for one in amounts or numbers}
    return values.pop() if len(values) == 1 else None


def currency_of(text: str) -> str:
    """Return the sign or the code of the currency of the amounts in a text; empty if unclear."""
    numbers = _numbers(_outside_brackets(text), decimal_comma=False)
    currencies = {one.currency for one in numbers if one.currency}
    return currencies.pop() if len(currencies) == 1 else ""


def _outside_brackets(text: str) -> str:
    """Return a text without what is in brackets, unless all of it is, and with plain separators."""
    text = text.translate(_PLAIN).strip()
    if text.startswith("(") and text.endswith(")") and any(map(str.isalpha, text)):
        text = text[1:-1]
    return BRACKETS.sub(" ", text)


def _numbers(text: str, *, decimal_comma: bool) -> Iterator[_Written]:
    """Yield the numbers of a text, except those after the first that only qualify another one."""
    is_first = True
    for found in NUMBER.finditer(text):
        before = text[max(0, found.start() - CURRENCY_LENGTH) : found.start()]
        rest = text[found.end() :]
        currency = CURRENCY_BEFORE.search(before)
        if LETTER_BEFORE.search(before) and not currency:
            continue  # a name, such as MP3
        after = CURRENCY_AFTER.match(rest)
        sign = currency[0] if currency else after[0].lstrip(",.-\u2013\u2014") if after else ""
        is_amount = bool(sign)
        is_qualifier = QUALIFIER_BEFORE.search(before) or rest.lstrip().startswith("%")
        if is_first or is_amount or not is_qualifier:
            start = found.start() - (len(currency[0]) if currency else 0)
            is_part = any(end.match(rest) for end in (RANGE_END, DATE_END, PARTS_END))
            value = (
                None
                if is_part
                else _value(found, rest, is_amount=is_amount, decimal_comma=decimal_comma)
            )
            if value and NEGATIVE_BEFORE.search(text[max(0, start - 2) : start]):
                value = -value
            yield _Written(value, start, found.end(), sign.strip())
        is_first = False


def _value(
    found: re.Match[str], rest: str, *, is_amount: bool, decimal_comma: bool
) -> float | None:
    """Return the value of a number; None if it can be read in two ways."""
    sign, whole, separator, fraction = found.groups()
    digits, decimals = re.sub(r"\D", "", whole), (fraction or "")[1:]
    is_single = separator is not None and whole.count(separator) == 1 and not decimals
    if fraction and fraction[0] in whole:
        return None
    if is_single and separator in {".", ","}:
        is_small = whole.startswith("0")
        if is_small or (separator == ",") == decimal_comma:
            if is_amount and not is_small:  # amounts rarely have three decimals
                return None
            digits, decimals = whole.split(separator)
    elif separator and whole.startswith("0"):
        return None
    elif separator == " " and (sign == "+" or (is_single and found.start() > 0 and not is_amount)):
        return None  # a telephone number, or a number after a name that ends with one
    power = _power(rest, is_amount=is_amount)
    value = None if power is None else float(f"{digits}.{decimals or 0}e{power}")
    return -value if value and sign in {"-", "\u2212"} else value


def _power(rest: str, *, is_amount: bool) -> int | None:
    """Return the power of ten after a number, usually 0; None if its meaning is not clear."""
    found = SCALE.match(rest)
    space, word = (found[1], found[2].lower()) if found else ("", "")
    if word in UNCLEAR_SCALES:
        return None
    if word in AMOUNT_SCALES and found and (is_amount or (found[2] != "m" and not space)):
        return AMOUNT_SCALES[word] if is_amount and not space else None
    return SCALES.get(word, 0)


def converted(value: Scalar, kind: ValueType, *, decimal_comma: bool = False) -> Scalar | None:
    """Return a value as another type; None if it has no such value."""
    match kind:
        case "string":
            return str(value).lower() if isinstance(value, bool) else str(value)
        case "number" | "integer":
            number = (
                number_of(value, decimal_comma=decimal_comma) if isinstance(value, str) else value
            )
            if isinstance(number, bool) or number is None or kind == "number":
                return None if isinstance(number, bool) else number
            return int(number) if float(number).is_integer() else None
        case "boolean":
            word = (
                str(value)
                .strip()
                .lower()
                .rpartition("/")[2]
                .replace(" ", "")
                .rstrip(".!\ufe0e\ufe0f")
            )
            return word in TRUE if word in TRUE | FALSE else None
        case _:
            return None
