import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.text.lines import one_line, shortened, verbatim

WORDS = st.lists(st.text("abc面", min_size=1, max_size=60), min_size=1, max_size=60).map(" ".join)


def test_verbatim_text_keeps_lines_and_tabs() -> None:
    assert verbatim("a\r\n\tb\u2066\n\nc\x85") == "a\n\tb\n\nc"
    assert verbatim("a\x0cb\u2028c") == "a\nb\nc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]0;title\x07b\x1b[31m", "a]0;titleb[31m"),
        ("a\x9b31m \x7f b", "a31m b"),
        ("a\u202eb\u202a\u2066c\u2069\u200e\u200f\u061cd", "abcd"),
        ("a\ufeff\u00ad\u200bb\U000e0041", "ab"),
        ("a\ud800b\x00", "ab"),
        (" a\n\tb\u2028c\u00a0d\x85e ", "a b c d e"),
        ("خ\u200cم", "خ\u200cم"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("面包 ünï", "面包 ünï"),
    ],
)
def test_one_line_keeps_only_printable_text(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(text=st.text(st.characters()))
def test_one_line_of_any_text_has_no_terminal_control_characters(text: str) -> None:
    line = one_line(text)
    assert not {unicodedata.category(character) for character in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(line) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068")
    assert one_line(line) == line == " ".join(line.split())


@pytest.mark.parametrize(
    ("text", "chars_max", "short"),
    [
        ("one two", 7, "one two"),
        ("one two three", 8, "one two\u2026"),
        ("one two three", 9, "one two\u2026"),
        ("x" * 50, 10, "x" * 9 + "\u2026"),
        ("a " + "面" * 100, 60, "a " + "面" * 57 + "\u2026"),
    ],
)
def test_long_line_is_cut_at_a_word_with_an_ellipsis(text: str, chars_max: int, short: str) -> None:
    assert shortened(text, chars_max) == short


@given(line=WORDS, chars_max=st.integers(1, 400))
def test_shortened_line_never_exceeds_its_limit(line: str, chars_max: int) -> None:
    short = shortened(line, chars_max)
    assert len(short) <= chars_max
    assert short == line or line.startswith(short.removesuffix("\u2026"))
