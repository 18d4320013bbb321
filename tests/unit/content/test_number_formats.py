"""Excel numbers as text, formatted by their number formats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.office.number_formats import (
    BUILT_IN,
    EPOCH_1904,
    NumberKind,
    number_kind,
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
    assert number_kind(code) is kind


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
    assert number_text(number, kind) == text


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        ("0", NumberKind.DATE, "1904-01-01"),
        ("1", NumberKind.DATE, "1904-01-02"),
        ("0.75", NumberKind.TIME, "18:00:00"),
    ],
)
def test_days_are_counted_from_the_first_of_january_in_the_1904_system(number, kind, text):
    assert number_text(number, kind, EPOCH_1904) == text


def test_built_in_format_ids_have_their_kinds():
    kinds = [BUILT_IN.get(number, NumberKind.PLAIN) for number in ("0", "9", "14", "18", "46")]
    assert kinds == [
        NumberKind.PLAIN,
        NumberKind.PERCENTAGE,
        NumberKind.DATE,
        NumberKind.TIME,
        NumberKind.DURATION,
    ]


@given(st.floats(), st.sampled_from(NumberKind))
def test_any_number_yields_nonempty_text(number, kind):
    assert number_text(str(number), kind)
