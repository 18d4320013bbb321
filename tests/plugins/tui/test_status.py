"""The lines above and below the page: status and messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tabwright.plugins.tui.page import BrowsedPage, PendingIntervention
from tabwright.plugins.tui.status import ALL, Status, message_lines_max, status_line, status_text
from tabwright.text.lines import strip_invisible

PAGE = BrowsedPage("https://a.example/", "A page", "", status=200, tier=1, took_s=0.25, tokens=1234)
ASKED = PendingIntervention("cda4", "brave", "pending", 60.0)


def line_of(width: int = 80, **status: object) -> str:
    return status_line(Status(**status), width).plain


@pytest.mark.parametrize(
    ("status", "parts"),
    [
        ({}, ["o opens a page"]),
        ({"page": PAGE, "place": 7}, ["A page", "1,234 tokens", "0.2 s", "tier 1", "7%"]),
        ({"page": PAGE, "message": "Stopped."}, ["Stopped."]),
        ({"loading": "https://b.example/", "since_s": 3.4}, ["https://b.example/ 3 s (Esc stops)"]),
        ({"loading": "u", "step": "waits\nfor a tab"}, ["(Esc stops): waits for a tab"]),
        ({"page": BrowsedPage("u", "", "", status=404, tier=2)}, ["HTTP 404", "tier 2"]),
        ({"waiting": (ASKED,)}, [" brave needs you: ! "]),
        ({"waiting": (ASKED, ASKED, ASKED)}, [" brave and 2 more needs you: ! "]),
    ],
)
def test_status_line_shows_page_loading_and_pending_interventions(status, parts):
    line = line_of(**status)
    assert all(part in line for part in parts), line


def test_narrow_status_line_drops_the_least_important_part_first():
    assert "tokens" not in line_of(20, page=PAGE, place=50)
    assert line_of(20, page=PAGE, place=50).endswith("50%")


def test_loading_line_with_a_long_url_keeps_the_time_and_the_step():
    line = line_of(
        60, loading="https://a.example/" + "x" * 200, since_s=3.0, step="waits for a tab"
    )
    assert line.startswith("Loading https://a.ex")
    assert "… 3 s (Esc stops): waits for a tab" in line


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("waiting", [(), (ASKED,)])
def test_long_message_is_wrapped_above_the_status_line(width, waiting):
    words = " ".join(f"word{number}" for number in range(30))
    status = Status(page=PAGE, message=words, waiting=waiting)
    *rows, last = status_text(status, width, 10).plain.split("\n")
    assert " ".join(" ".join(rows).split()) == words
    assert {cell_len(row) for row in (*rows, last)} == {width}
    assert last == status_line(Status(page=PAGE, waiting=waiting), width).plain


def test_overlong_message_ends_with_the_key_that_shows_all_of_it():
    *rows, _last = status_text(Status(message="word " * 100), 40, 3).plain.split("\n")
    assert len(rows) == 3
    assert rows[-1].rstrip().endswith(ALL)


def test_message_in_a_low_window_is_cut_into_the_status_line():
    status = Status(page=PAGE, message="word " * 100)
    assert status_text(status, 40, message_lines_max(6)).plain == status_line(status, 40).plain
    assert message_lines_max(24) == 8


def test_short_message_shares_the_status_line():
    status = Status(page=PAGE, message="Stopped.")
    assert status_text(status, 80, 10).plain == status_line(status, 80).plain


@given(st.integers(2, 120), st.text(max_size=300), st.integers(0, 5))
def test_wrapped_message_fills_the_window_width_within_its_line_limit(width, message, lines_max):
    rows = status_text(Status(message=message), width, lines_max).plain.split("\n")
    assert {cell_len(row) for row in rows} == {width}
    assert len(rows) <= lines_max + 1


@given(st.integers(1, 120), st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_status_line_fills_the_window_width_exactly(width, title, message, waits):
    page = BrowsedPage("https://a.example/", title, "", status=200, tier=1)
    line = line_of(width, page=page, message=message, waiting=(ASKED,) * waits)
    assert cell_len(line) == width
    assert strip_invisible(line) == line
