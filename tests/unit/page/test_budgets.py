"""Cutting text to token budgets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.token_budget import (
    NOTICE_TOKENS,
    beginning,
    count_tokens,
    cut,
    stretch,
    truncate_to_budget,
    within,
    wrapped,
)

from .pages import LONG

TEXTS = st.text() | st.sampled_from(LONG) | st.lists(st.text(max_size=9), max_size=99).map(" ".join)
LINES = st.lists(st.text("ab1 .中😀", max_size=30), max_size=30)


def squeezed(text):
    return "".join(text.split()).replace("…", "")


@given(TEXTS, st.integers(3, 150))
def test_wrapped_lines_fit_the_budget_and_keep_all_text(text, tokens_max):
    lines = list(wrapped(text, tokens_max))
    assert all(count_tokens(line) <= tokens_max for line in lines)
    assert squeezed("".join(lines)) == squeezed(text)
    assert all(line.startswith("…") for line in lines[1:])


def test_a_text_that_fits_is_left_as_it_is():
    assert list(wrapped("a b  c", 10)) == ["a b  c"]
    assert list(wrapped("", 3)) == [""]


def test_wrapped_lines_break_between_words():
    assert list(wrapped("one two three four five", 3)) == ["one two", "…three four", "…five"]
    assert [len(line) for line in wrapped("中" * 12, 5)] == [4, 5, 5]


def test_long_text_is_wrapped_in_linear_time():
    assert sum(1 for _ in wrapped("word " * 200_000, 100)) > 1000


@given(TEXTS, st.integers(1, 150))
def test_cut_text_stays_within_its_token_limit_and_ends_with_an_ellipsis(text, tokens_max):
    short = cut(text, tokens_max)
    assert count_tokens(short) <= tokens_max
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


@given(TEXTS, st.integers(NOTICE_TOKENS + 1, 150))
def test_beginning_of_a_text_fits_the_budget_and_counts_the_rest(text, tokens_max):
    kept, left = beginning(text, tokens_max)
    assert count_tokens(kept) <= tokens_max
    assert text.startswith(kept)
    assert left == len(text) - len(kept)


@given(TEXTS, st.integers(NOTICE_TOKENS + 5, 150))
def test_text_stretches_fit_the_budget_and_keep_all_text(text, tokens_max):
    shown, offset = "", 0
    while True:
        parts = stretch(text, offset, tokens_max)
        output = "".join(part.text for part in parts if isinstance(part, Quoted))
        assert count_tokens(output) <= tokens_max
        shown += output
        offset = len(shown)
        if offset == len(text):
            break
        assert f"offset={offset}." in parts[-1]
    assert shown == text


def test_stretch_beyond_the_end_is_refused():
    with pytest.raises(BadInput):
        stretch("abc", 3, 100)


def test_zero_budget_returns_the_whole_text():
    assert beginning(LONG[0], 0) == (LONG[0], 0)
    assert within(["a"] * 99, 0, str) == "\n".join(["a"] * 99)


@given(LINES, st.integers(60, 150))
def test_lines_over_the_budget_are_replaced_by_their_count(lines, tokens_max):
    reported = within(lines, tokens_max, lambda count: f"({len(lines) - count} more)").split("\n")
    if reported == (lines or [""]):
        return
    assert count_tokens("\n".join(reported)) <= tokens_max
    assert reported == [*lines[: len(reported) - 1], f"({len(lines) - len(reported) + 1} more)"]


def test_truncation_keeps_at_least_one_line():
    assert truncate_to_budget(["long " * 50, "b"], 3) == 1
    assert within(["long " * 50, "b"], 3, lambda count: f"+{2 - count}").endswith("\n+1")
    assert truncate_to_budget([], 3) == 0
