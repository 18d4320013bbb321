"""Outlines of very long, wide or deep pages within a budget, in a real Chromium."""

import pytest

from tabwright.page import frames
from tabwright.protocol.inspection import OutlineView, TakeOutline
from tabwright.text.token_budget import count_tokens
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

BUDGET = 1000


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a page as long as a busy machine needs for the largest of these."""
    monkeypatch.setattr(frames, "ANSWER_S", 120.0)


async def pages(agent) -> list[str]:
    """Return the parts of the whole outline, each within the budget."""
    texts, offset = [], 0
    while offset is not None:
        taken = await agent.ask(TakeOutline(OutlineView(BUDGET, offset)))
        texts.append(taken.text)
        offset = taken.next_offset
    return texts


async def test_main_content_is_not_grouped_in_outline(agent):
    seen = await agent.show(
        "<header><nav><a href=/home>Home</a></nav></header><main><h1>Tea</h1><article><header>"
        "By Ann</header><p>Hot.</p></article></main><aside>Ads</aside><footer>Imprint</footer>"
    )
    header, nav, home, *rest = seen.split("\n")
    assert (header, nav, home.partition("[")[0]) == ("header:", " nav:", "  ")
    assert rest == ["# Tea", "By Ann", "Hot.", "aside:", " Ads", "footer:", " Imprint"]


async def test_link_targets_are_shortened_relative_to_the_page(agent):
    seen = await agent.show(
        "<p id=top><a href='#top'>Up</a><p><a href='/?x=1'>Here</a>"
        "<p><a href='https://b.example/9/how-to-make-it'>There</a>"
        "<p><a href='/wiki/日本'>Land</a><p><a href='data:text/plain,%s'>Held</a>" % ("x" * 10_000)
    )
    reported = [line.partition("] ")[2] for line in seen.split("\n")]
    assert reported[:4] == [
        '"Up" #top', '"Here" /?x=1', '"There" b.example/9/how…', '"Land" /wiki/日本',
    ]  # fmt: skip
    assert len(reported[4]) < 100


async def test_row_of_thousands_of_cells_is_paged_within_the_budget(agent):
    cells = "".join(f"<td>c{number}<td><a href=/{number}>l{number}</a>" for number in range(300))
    await agent.show(f"<table><tr>{cells}</table><p>The end")
    texts = await pages(agent)
    assert all(count_tokens(text) <= BUDGET for text in texts)
    reported = " ".join(texts).replace("…", " ").split()
    every = [f"c{number}" for number in range(300)]
    assert [word for word in reported if word in set(every)] == every
    assert sum(word.startswith('"l') for word in reported) == 300
    assert "The end" in texts[-1]


@cases(
    ("made", "last"),
    [
        ("'<p>' + '<a href=/x>link</a> '.repeat(2000)", "link"),
        ("'<p>' + '<span>word </span>'.repeat(20000) + '<p>The end'", "The end"),
        ("'<p>' + 'word '.repeat(60000) + '<p>The end'", "The end"),
        ("'<div>'.repeat(400) + 'deep' + '</div>'.repeat(400) + '<p>The end'", "The end"),
        ("'<fieldset>'.repeat(150) + '<button>deep</button>'", "deep"),
    ],
)
async def test_outline_of_very_large_page_fits_budget_and_can_be_queried(agent, made, last):
    await agent.show(f"<div id=box></div><script>box.innerHTML = {made}</script>")
    taken = await agent.ask(TakeOutline(OutlineView(BUDGET)))
    found = await agent.ask(TakeOutline(OutlineView(BUDGET, query=last)))
    assert count_tokens(taken.text) <= BUDGET
    assert count_tokens(found.text) <= BUDGET
    assert last in found.text


async def test_outline_of_page_too_long_to_list_is_marked_incomplete(agent):
    await agent.show("<script>document.body.append('word '.repeat(500000))</script><p>The end")
    seen = await agent.see(view=OutlineView(BUDGET))
    assert "(The page is longer; the rest cannot be listed.)" in seen
