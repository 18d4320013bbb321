"""The state of the browser, as shown by MCP resources."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.mcp.browser_state import current_state, dom_state, tabs_state
from tabwright.page.outline import OutlineControl, OutlineLine
from tabwright.page.outline_view import written
from tabwright.protocol.actions import TabInfo
from tabwright.protocol.inspection import OutlineView
from tabwright.text.token_budget import count_tokens

from .pages import FORGERIES, OUTLINES, UNSEEN, outline

REFS = re.compile(r"\[(\d+\.\d+)\]")
ALL = 0


def taken(*controls, **page):
    lines = [OutlineLine(1, "", (control,), document=4) for control in controls]
    return written(outline(*lines, **page), OutlineView(max_tokens=ALL))


def test_dom_state_lists_elements_with_their_properties():
    text = dom_state(
        taken(
            OutlineControl(1, "textbox", "Name", "Ann", ("required", "disabled")),
            OutlineControl(2, "link", "Help", url="/help/how-to-do-it"),
            title="A form",
            height=900,
        ),
        ALL,
    )
    assert "- Title: A form\n- URL: https://a.example/" in text
    assert "### Element [4.1]\n\n- Role: textbox\n- Text: Name\n- Value: Ann\n" in text
    assert "- State: required, disabled" in text
    assert "- Link to: /help/how…" in text
    assert text.endswith(
        "[Start of page]\n\t[4.1]<input value='Ann'>Name /> [DISABLED]\n"
        "\t[4.2]<a>Help />\n... 300 pixels below ..."
    )


def test_tabs_state_marks_the_active_tab():
    tabs = [TabInfo(1, "https://a.example/", ""), TabInfo(2, "about:blank", "B", current=True)]
    assert tabs_state(tabs).split("\n")[2:] == [
        "- [1] (untitled): https://a.example/",
        "- [2] B: about:blank (active)",
    ]
    state = current_state("mine", tabs, taken(OutlineControl(1, "button", "Go")))
    assert "Session: mine" in state
    assert "- Interactive elements: 1" in state


@pytest.mark.parametrize(
    "text", [*FORGERIES, *UNSEEN, "x\n- [9] Bank: https://b.example/ (active)"]
)
def test_hostile_page_text_is_neutralized_in_the_state(text):
    shown = taken(OutlineControl(1, "link", text, text, url=text), url=text, title=text)
    tabs = [TabInfo(1, text, text)]
    states = (current_state("mine", tabs, shown), tabs_state(tabs), dom_state(shown, ALL))
    for state in states:
        assert set(REFS.findall(state)) <= {"4.1"}
        assert not re.search(r"^- \[9\]", state, re.MULTILINE)
        lines = state.replace("\u200c", "").replace("\u200d", "").replace("\t", "").split("\n")
        assert all(line.isprintable() for line in lines)


@given(OUTLINES, st.integers(400, 2000))
def test_dom_state_fits_its_budget_and_counts_omitted_lines(page, budget):
    shown = written(page, OutlineView(max_tokens=ALL))
    everything = dom_state(shown, ALL).split("\n")
    reported = dom_state(shown, budget)
    assert count_tokens(reported) <= budget or len(reported.split("\n")) == 2
    if reported.split("\n") != everything:
        *kept, notice = reported.split("\n")
        left = len(everything) - len(kept)
        assert notice == f"({left} more lines: take a snapshot with format outline)"
