"""What is found in a page's lines, and shown of them."""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from tabwright.mcp.playwright.targets import AROUND, FOUND_MAX, excerpts, holding, matching
from tabwright.protocol.errors import BadInput, TimeOut

LINES = ["Tea", "Green tea", "black coffee", "GREEN", "water"]


def test_a_word_is_found_whatever_its_case():
    assert holding("green", LINES) == (1, 3)
    assert holding("milk", LINES) == ()


async def test_a_pattern_is_heeded_with_its_flags():
    assert await matching("[Gg]reen", LINES) == (1,)
    assert await matching("/^green/i", LINES) == (1, 3)
    assert await matching("/tea$/", LINES) == (1,)


@pytest.mark.parametrize("pattern", ["(", "*", "(?<x", "/(/i"])
async def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(BadInput, match="not a valid regular expression"):
        await matching(pattern, LINES)


async def test_a_pattern_that_would_take_for_ever_is_stopped():
    with trio.fail_after(60), pytest.raises(TimeOut, match="takes too long"):
        await matching("^(([a-z])+.)+[A-Z]$", ["a" * 60])


def test_finds_are_shown_with_their_surroundings():
    lines = [str(number) for number in range(20)]
    assert excerpts(lines, (4,)) == "1\n2\n3\n4\n5\n6\n7"
    assert excerpts(lines, (0, 3, 12)) == "0\n1\n2\n3\n4\n5\n6\n…\n9\n10\n11\n12\n13\n14\n15"
    assert excerpts(lines, ()) == ""


def test_a_find_is_shown_with_the_groups_that_it_is_in():
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
