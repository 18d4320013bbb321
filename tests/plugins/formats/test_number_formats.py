"""Excel numbers as text, formatted by their number formats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.formats.office.number_formats import (
    BUILT_IN,
    EPOCH_1904,
    PLAIN,
    NumberFormat,
    NumberKind,
    number_format,
    number_text,
)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", NumberKind.PLAIN),
        ("", NumberKind.PLAIN),
        ("#,##0.00", NumberKind.PLAIN),
        ('0 "days"', NumberKind.PLAIN),
        (r"0\d", NumberKind.PLAIN),
        ("[Red]0;[$-409]d mmm", NumberKind.PLAIN),
        ('_-* #,##0_s;"d"', NumberKind.PLAIN),
        ("0.0%;-0.0%", NumberKind.PERCENTAGE),
        ('0.0"%"', NumberKind.PLAIN),
        ('";"0%', NumberKind.PERCENTAGE),
        ("yyyy-mm-dd", NumberKind.DATE),
        ("yyyy-mm-dd hh:mm", NumberKind.DATE),
        ("mmm", NumberKind.DATE),
        ("[$-F400]h:mm:ss AM/PM", NumberKind.TIME),
        ("mm:ss.0", NumberKind.TIME),
        ("[=0]?;0%", NumberKind.PERCENTAGE),
        ('[=0]"-";yyyy-mm-dd', NumberKind.DATE),
        ("[<1]0.00%;0", NumberKind.PLAIN),
        ("[Red][<0]0%;[Blue]h:mm", NumberKind.TIME),
        ("[>=1]0%;0.00", NumberKind.PERCENTAGE),
        ("[=0]0%", NumberKind.PERCENTAGE),
        ("*d0", NumberKind.PLAIN),
        ("*s0", NumberKind.PLAIN),
        ("Standard", NumberKind.PLAIN),
        ("[h]:mm", NumberKind.DURATION),
    ],
)
def test_kind_of_a_number_follows_from_its_format(code, kind):
    assert number_format(code).kind is kind


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        ("12", NumberKind.PLAIN, "12"),
        ("1234567890123456789", NumberKind.PLAIN, "1234567890123456789"),
        ("0.30000000000000004", NumberKind.PLAIN, "0.3"),
        ("1E3", NumberKind.PLAIN, "1000"),
        ("n/a", NumberKind.PERCENTAGE, "n/a"),
        ("0.07", NumberKind.PERCENTAGE, "7%"),
        ("45413", NumberKind.DATE, "2024-05-01"),
        ("45413.999999", NumberKind.DATE, "2024-05-02"),
        ("45413.5", NumberKind.DATE, "2024-05-01 12:00:00"),
        ("1", NumberKind.DATE, "1900-01-01"),
        ("61", NumberKind.DATE, "1900-03-01"),
        ("0.75", NumberKind.DATE, "18:00:00"),
        ("-1", NumberKind.DATE, "-1"),
        ("99999999", NumberKind.DATE, "99999999"),
        ("nan", NumberKind.DATE, "nan"),
        ("0.75", NumberKind.TIME, "18:00:00"),
        ("45413.5", NumberKind.TIME, "2024-05-01 12:00:00"),
        ("0.0625", NumberKind.DURATION, "1:30:00"),
        ("1.5", NumberKind.DURATION, "36:00:00"),
        ("-0.0625", NumberKind.DURATION, "-1:30:00"),
        ("-1.500011574", NumberKind.DURATION, "-36:00:01"),
    ],
)
def test_number_text_depends_on_kind(number, kind, text):
    assert number_text(number, NumberFormat(kind)) == text


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        ("0", NumberKind.DATE, "1904-01-01"),
        ("1", NumberKind.DATE, "1904-01-02"),
        ("0.75", NumberKind.TIME, "18:00:00"),
    ],
)
def test_days_are_counted_from_the_first_of_january_in_the_1904_system(number, kind, text):
    assert number_text(number, NumberFormat(kind), EPOCH_1904) == text


def test_built_in_format_ids_have_their_kinds():
    kinds = [BUILT_IN.get(number, PLAIN).kind for number in ("0", "9", "14", "18", "46")]
    assert kinds == [
        NumberKind.PLAIN,
        NumberKind.PERCENTAGE,
        NumberKind.DATE,
        NumberKind.TIME,
        NumberKind.DURATION,
    ]


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        ("1234.5", '#,##0.00 "EUR"', "1234.5 EUR"),
        ("1234.5", '#,##0.00\\ "EUR"', "1234.5 EUR"),
        ("1234.5", "#\u00a0##0.00\\ [$€-407]", "1234.5 €"),
        ("1234.5", "# ##0.00\\ [$€-407];-# ##0.00\\ [$€-407]", "1234.5 €"),
        ("-3", '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', "-$3"),
        ("3", "[Red]$#,##0", "$3"),
        ("3", "[$USD] 0", "USD 3"),
        ("44", '"No. "000', "No. 044"),
        ("1234", "00000", "01234"),
        ("-1.25", "00.0", "-01.25"),
        ("3", 'General" kg"', "3 kg"),
        ("3", '"a;b"0', "a;b3"),
        ("3", "+0;-0", "3"),
        ("1234567", '#,##0,"k"', "1234567"),
        ("1.5", "# ?/?", "1.5"),
        ("1234567", "000-0000", "1234567"),
        ("12", '0.00E+00" m"', "12"),
        ("12", '"hidden"', "12"),
        ("12", f'0"{"x" * 50}"', "12"),
        ("12", '0"ki', "12"),
        ("12", '[>9]0" a";0" b"', "12"),
    ],
)
def test_plain_number_has_texts_and_zeros_of_its_format(number, code, text):
    assert number_text(number, number_format(code)) == text


@given(st.floats(), st.text(alphabet='0#?.,;"\\[]$€-_* Eky/', max_size=30))
def test_any_format_leaves_the_digits_of_a_number(number, code):
    assert number_text("7", number_format(code)).strip()
    assert number_text(str(number), number_format(code))


@given(st.floats(), st.sampled_from(NumberKind))
def test_any_number_yields_nonempty_text(number, kind):
    assert number_text(str(number), NumberFormat(kind))


@pytest.mark.parametrize("code", ["[$" * 127, "[$" * 50_000, '"$"0' + " " * 300])
def test_format_without_end_or_longer_than_those_of_excel_is_plain(code: str) -> None:
    assert number_format(code) == PLAIN
