"""Texts of a page as values of a type: numbers with separators, booleans."""

import re

from tabwright.protocol.structured_data import Scalar, ValueType

NUMBER = re.compile(
    r"(?<![\d.,])([-+\u2212]?)"
    r"(\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+(?!\d)|\d{1,15})([.,]\d{1,15})?(?!\d)"
)
RANGE_END = re.compile(
    r"(?:\s?[^\s\d\u2010-\u2015\u2212~-]{1,4})?"
    r"(?:[-\u2212]|\s*[\u2010-\u2015~]\s*|\s+(?:[-\u2212]|to|bis|à)\s+)"
    r"(?:[$€£¥₹₽₩₺]\s?|[A-Z]{3}\s)?\d"
)
"""The rest of a range after its first number; the ``-20%`` of ``$40 -20%`` does not match."""

ISO_DATE_END = re.compile(r"-\d\d(?:-\d\d)?\b")

SEPARATORS = re.compile(r"[.,'\u2019\u00a0\u202f ]")

COMMA_LANGUAGES = frozenset(
    {"bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv"}
    | {"nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi"}
)
"""Languages that write the decimals of a number after a comma."""

TRUE = frozenset({"true", "yes", "1", "on", "ja", "oui", "sí", "instock"})
FALSE = frozenset({"false", "no", "0", "off", "nein", "non", "outofstock", "soldout"})


def number_of(text: str, *, decimal_comma: bool = False) -> float | None:
    """Return the first number in a text; None without one, or if it begins a range (``$8-$9``).

    Args:
        text: for example ``$1,299.00`` or ``4.5 of 5``.
        decimal_comma: whether ``1,299`` is one and a bit rather than a thousand.
    """
    found = NUMBER.search(text)
    if found is None:
        return None
    rest_of_text = text[found.end() :]
    if RANGE_END.match(rest_of_text) and not ISO_DATE_END.match(rest_of_text):
        return None
    sign, whole, rest = found.groups()
    digits, separators = SEPARATORS.sub("", whole), SEPARATORS.findall(whole)
    decimals = (rest or "")[1:]
    if not rest and separators in (["."], [","]):
        is_decimal = (separators == [","]) == decimal_comma or whole.startswith("0")
        if is_decimal:
            digits, _, decimals = re.sub(r"[.,]", ".", whole).partition(".")
    value = float(f"{digits}.{decimals or 0}")
    return -value if sign in {"-", "\u2212"} else value


def converted(value: Scalar, kind: ValueType, *, decimal_comma: bool = False) -> Scalar | None:
    """Return a value as another type; None if it has no such value."""
    match kind, value:
        case "string", bool():
            return str(value).lower()
        case ("string", _) | ("number", int() | float()) if not isinstance(value, bool):
            return value if kind == "number" else str(value)
        case (("number" | "integer"), _):
            number = number_of(str(value), decimal_comma=decimal_comma)
            is_exact = number is not None and number.is_integer()
            return number if kind == "number" else int(number or 0) if is_exact else None
        case "boolean", _:
            word = str(value).strip().lower().rpartition("/")[2].replace(" ", "")
            return word in TRUE if word in TRUE | FALSE else None
        case _:
            return None
