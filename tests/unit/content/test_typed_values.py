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
        ("none", None),
        ("\u20b91,29,999.00", 129999),
        ("\u0661\u0662\u066b\u0665\u0660", 12.5),
        ("\uff11\uff12\uff0c\uff10\uff10\uff10\u5186", 12000),
        ("EUR12", 12),
        ("Rs.500", 500),
        ("-$5", -5),
        ("240 kcal per 100 g", 240),
        ("19.99 \u20ac/kg (was 24.99)", 19.99),
        ("4.5 (128)", 4.5),
        ("(128 reviews)", 128),
        ("4.5/5", 4.5),
        ("5m", 5),
    ],
)
def test_number_is_read_with_its_separators(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1.2M", 1_200_000),
        ("\u00a35m", 5_000_000),
        ("1.2 million", 1_200_000),
        ("3,5 Mio. \u20ac", 3_500_000),
        ("120\u4e07\u5186", 1_200_000),
        ("12k", None),
        ("5 billion", None),
        ("1\u51042000\u4e07\u5186", None),
    ],
)
def test_number_is_multiplied_only_by_words_with_one_meaning(
    text: str, number: float | None
) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Pack of 6: $12", 12),
        ("Size 10 $49.99", 49.99),
        ("Save 20% now $40", 40),
        ("$5.00 $5.00", 5),
        ("2 for $5", None),
        ("3/$10", None),
        ("$10 for 2", None),
        ("$12.00 with tax $10.00 without", None),
        ("8\u20139 \u20ac", None),
        ("\u20ac 9 95", None),
        ("1.299 \u20ac", None),
    ],
)
def test_amount_of_a_currency_is_read_only_if_it_is_one_price(
    text: str, number: float | None
) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02",
        "05.03.2024",
        "03/05/2024",
        "03/2019",
        "March 5, 2024",
        "5. M\u00e4rz 2024",
        "2024\u5e743\u67085\u65e5",
        "19:30",
        "2h30",
        "1.2.3",
        "v1.2",
        "MP3",
        "C-1",
        "iPhone 15 128 GB",
        "+43 664 123 456",
        "0800 123 456",
        "(555) 123-4567",
        "1920x1080",
        "5'10\"",
        "2\u00bd cups",
        "1/2",
        "128 GB / 256 GB",
        "36, 37, 38",
        "\u2605\u2605\u2605\u2605\u2606 (12)",
        "(12)",
        ".5 oz",
        "1.234.5",
    ],
)
def test_text_that_is_not_one_plain_number_has_none(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize("part", ["1,111", "1 ", "(", "$", "A-", "1/", "1 million "])
def test_number_of_a_hostile_text_is_answered(part: str) -> None:
    number_of(part * 50_000)


@pytest.mark.parametrize(("text", "number"), [("1.299", 1299), ("1,299", 1.299), ("0,5", 0.5)])
def test_decimal_comma_option_decides_how_a_single_separator_is_read(
    text: str, number: float
) -> None:
    assert number_of(text, decimal_comma=True) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Yes", True),
        ("https://schema.org/InStock", True),
        ("sold out", False),
        ("In stock.", True),
        ("maybe", None),
        ("\u2713", True),
        ("\u2717", False),
        ("\u2714\ufe0f", True),
        ("\u00d7", None),
    ],
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
