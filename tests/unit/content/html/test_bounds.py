"""Limits on how many elements of a page are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html import sanitize
from tabwright.content.html.forms import NODES_MAX
from tabwright.content.html.sanitize import limit_source
from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.html.tree import parsed
from tabwright.content.render.markdown import text_of
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource, Selection

PAGE = LoadedPage("https://a.example/", 200, "text/html")

TAGS_MAX = 3_000
"""The limit for these tests, instead of hundreds of thousands."""


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "PAGE_TAGS_MAX", TAGS_MAX)


def elements(source: PageSource) -> int:
    return len(parsed(source).css("*"))


@pytest.mark.usefixtures("low_limit")
def test_page_beyond_tag_limit_is_truncated_and_marked() -> None:
    page = take_snapshot(PageSource(PAGE, "<p>x" * (TAGS_MAX + 1)), Selection())
    assert len(page.content) == TAGS_MAX
    assert page.cut == "element_limit"


@pytest.mark.usefixtures("low_limit")
def test_page_at_tag_limit_is_not_cut() -> None:
    source = PageSource(PAGE, "<p>x" * TAGS_MAX)
    assert limit_source(source) is source
    assert not source.cut


@pytest.mark.usefixtures("low_limit")
def test_frames_share_remaining_tag_budget_of_page() -> None:
    frame = "<p>x" * (TAGS_MAX // 2)
    frames = FrameSource("<iframe></iframe>", (FrameSource(frame),)), FrameSource(frame)
    source = PageSource(PAGE, "<iframe></iframe>" * 2, frames=frames)
    kept = limit_source(source)
    inner, last = kept.frames
    texts = kept.html, inner.html, inner.frames[0].html, last.html
    assert sum(html.count("<") for html in texts) == TAGS_MAX
    assert inner == frames[0]
    assert len(last.html) < len(frame)
    assert kept.cut
    assert elements(source) < TAGS_MAX + len(("html", "head", "body"))


@given(st.lists(st.sampled_from(["<b>", "</b>", "x", "<", "&lt;", "<!--", "\n"])))
def test_page_below_tag_limit_is_unchanged(pieces: list[str]) -> None:
    source = PageSource(PAGE, "".join(pieces), frames=(FrameSource(), FrameSource("".join(pieces))))
    assert limit_source(source) is source


def test_label_of_many_fields_is_searched_for_a_name_to_a_limit() -> None:
    fields = "<select aria-label=Size><option>S</select>" * (NODES_MAX + 1)
    page = take_snapshot(PageSource(PAGE, f"<label>{fields}of it</label>"), Selection())
    assert "Size: " in text_of(page.content)
