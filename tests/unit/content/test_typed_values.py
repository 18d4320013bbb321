"""Text converted to numbers and booleans."""

import pytest

from tabwright.content.typed_values import converted, number_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,299.00", 1299),
        ("1.299,00 €", 1299),
        ("1 234 567", 1234567),
        ("1'234.5", 1234.5),
        ("1,299", 1299),
        ("1.5", 1.5),
        ("12,5 kg", 12.5),
        ("0.125", 0.125),
        ("4.5 out of 5", 4.5),
        ("-3", -3),
        ("\u22123 °C", -3),
        ("12345", 12345),
        ("1,234,567.89", 1234567.89),
        ("$40.00 -20%", 40),
        ("2026-01-02", 2026),
        ("none", None),
    ],
)
def test_number_is_read_with_its_separators(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(("text", "number"), [("1.299", 1299), ("1,299", 1.299), ("0,5", 0.5)])
def test_decimal_comma_option_decides_how_a_single_separator_is_read(
    text: str, number: float
) -> None:
    assert number_of(text, decimal_comma=True) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [("Yes", True), ("https://schema.org/InStock", True), ("sold out", False), ("maybe", None)],
)
def test_boolean_is_read_from_known_words_alone(text: str, value: bool | None) -> None:
    assert converted(text, "boolean") is value


def test_fractional_number_is_not_converted_to_integer() -> None:
    assert converted("4.5", "integer") is None
    assert converted(4.0, "integer") == 4


@pytest.mark.parametrize(
    "text",
    [
        "$8\u2013$9",
        "$8 \u2013 $9",
        "8 € - 9 €",
        "8-9",
        "USD 8 - USD 9",
        "3 to 5 days",
        "8,50 bis 9,50",
        "1\u20132 kg",
    ],
)
def test_number_range_is_not_parsed_as_a_number(text: str) -> None:
    assert number_of(text, decimal_comma=True) is None
    assert converted(text, "integer") is None
