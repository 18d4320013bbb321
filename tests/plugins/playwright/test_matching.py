"""Searching the lines of a page, and the excerpts that are shown."""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.playwright.targets import AROUND, FOUND_MAX, excerpts, holding, matching
from tabwright.protocol.errors import BadInput, TimeOut

LINES = ["Tea", "Green tea", "black coffee", "GREEN", "water"]


def test_plain_text_search_ignores_case():
    assert holding("green", LINES) == (1, 3)
    assert holding("milk", LINES) == ()


async def test_regular_expression_search_honours_its_flags():
    assert await matching("[Gg]reen", LINES) == (1,)
    assert await matching("/^green/i", LINES) == (1, 3)
    assert await matching("/tea$/", LINES) == (1,)


@pytest.mark.parametrize("pattern", ["(", "*", "(?<x", "/(/i"])
async def test_invalid_regular_expression_is_rejected(pattern):
    with pytest.raises(BadInput, match="not a valid regular expression"):
        await matching(pattern, LINES)


async def test_catastrophic_regular_expression_times_out():
    with trio.fail_after(60), pytest.raises(TimeOut, match="takes too long"):
        await matching("^(([a-z])+.)+[A-Z]$", ["a" * 60])


def test_matches_are_shown_with_surrounding_lines():
    lines = [str(number) for number in range(20)]
    assert excerpts(lines, (4,)) == "1\n2\n3\n4\n5\n6\n7"
    assert excerpts(lines, (0, 3, 12)) == "0\n1\n2\n3\n4\n5\n6\n…\n9\n10\n11\n12\n13\n14\n15"
    assert excerpts(lines, ()) == ""


def test_match_is_shown_with_its_parent_lines():
    links = [f"    link {number}" for number in range(9)]
    lines = ["heading", "main:", "  list:", "", *links, "  after", "end"]
    shown = excerpts(lines, (lines.index("    link 8"),)).splitlines()
    assert shown == ["main:", "  list:", "…", *links[5:], "  after", "end"]


@given(st.integers(0, 200).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n)))))
def test_each_find_is_shown_once_or_counted(case):
    last, found = case
    shown = excerpts([f"line {number}" for number in range(last + 1)], sorted(found)).splitlines()
    kept, more = sorted(found)[:FOUND_MAX], len(found) - FOUND_MAX
    assert all(shown.count(f"line {number}") == 1 for number in kept)
    assert len(shown) <= 1 + (2 * AROUND + 2) * max(len(kept), 1)
    assert (f"({more} more matches.)" in shown) is (more > 0)
