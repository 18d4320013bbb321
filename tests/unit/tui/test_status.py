"""The lines above and below the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tabwright.text.lines import strip_invisible
from tabwright.tui.page import Page, PendingIntervention
from tabwright.tui.status import Status, status_line

PAGE = Page("https://a.example/", "A page", "", status=200, tier=1, took_s=0.25, tokens=1234)
ASKED = PendingIntervention("cda4", "brave", "pending", 60.0)


def said(width: int = 80, **status: object) -> str:
    return status_line(Status(**status), width).plain


@pytest.mark.parametrize(
    ("status", "parts"),
    [
        ({}, ["o opens a page"]),
        ({"page": PAGE, "place": 7}, ["A page", "1,234 tokens", "0.2 s", "tier 1", "7%"]),
        ({"page": PAGE, "message": "Stopped."}, ["Stopped."]),
        ({"loading": "https://b.example/", "since_s": 3.4}, ["https://b.example/ 3 s (Esc stops)"]),
        ({"loading": "u", "step": "waits\nfor a tab"}, ["(Esc stops): waits for a tab"]),
        ({"page": Page("u", "", "", status=404, tier=2)}, ["HTTP 404", "tier 2"]),
        ({"waiting": (ASKED,)}, [" brave needs you: ! "]),
        ({"waiting": (ASKED, ASKED, ASKED)}, [" brave and 2 more needs you: ! "]),
    ],
)
def test_it_tells_what_is_shown_loaded_or_waits(status, parts):
    line = said(**status)
    assert all(part in line for part in parts), line


def test_where_there_is_little_room_what_matters_least_goes_first():
    assert "tokens" not in said(20, page=PAGE, place=50)
    assert said(20, page=PAGE, place=50).endswith("50%")


@given(st.integers(1, 120), st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_it_fills_the_window_exactly(width, title, message, waits):
    page = Page("https://a.example/", title, "", status=200, tier=1)
    line = said(width, page=page, message=message, waiting=(ASKED,) * waits)
    assert cell_len(line) == width
    assert strip_invisible(line) == line
