"""Outcomes of actions as text."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.render import (
    EVENTS_MAX,
    EVENTS_TOKENS_MAX,
    LIST_LINE_TOKENS_MAX,
    SCRIPT_TOKENS_MAX,
    console_parts,
    downloads_parts,
    options_parts,
    outcome_parts,
    outcome_record,
    render_events,
    render_outcome,
    requests_parts,
    sessions_text,
    tabs_text,
)
from tabwright.protocol.actions import (
    BackgroundEvents,
    ConsoleEntry,
    Dialog,
    Download,
    NetworkEntry,
    Outcome,
    ScriptEnd,
    TabInfo,
)
from tabwright.protocol.inspection import Choice
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.snapshot import LoadedPage
from tabwright.protocol.untrusted_text import Quoted, plain
from tabwright.text.token_budget import count_tokens

from .pages import FORGERIES, TEXTS, UNSEEN

ALL = 0


def downloads_text(*arguments):
    return plain(downloads_parts(*arguments))


def console_text(*arguments):
    return plain(console_parts(*arguments))


def requests_text(*arguments):
    return plain(requests_parts(*arguments))


def options_text(*arguments):
    return plain(options_parts(*arguments))


URL = "https://a.example/"


def test_outcome_starts_with_the_action_and_ends_with_the_changes():
    outcome = Outcome(
        'Clicked button "Buy".',
        URL,
        "Shop",
        navigated=LoadedPage(URL, 200, "text/html"),
        dialogs=(Dialog("alert", "Thanks"),),
        tabs=(TabInfo(2, "https://b.example/", "Invoice", current=True),),
        downloads=(Download(URL, "a.pdf", "/files/a.pdf", 12, "complete"),),
        errors=(ConsoleEntry(1, "error", "x is not defined"),),
        changes="+ Sold.",
        busy=True,
    )
    assert render_outcome(outcome).split("\n") == [
        'Clicked button "Buy".',
        'Dialog: alert "Thanks"',
        "Now at https://a.example/ (Shop)",
        "Opened tab 2, now the current tab: https://b.example/ (Invoice)",
        "Download a.pdf: complete at /files/a.pdf (12 bytes)",
        "Console error: x is not defined",
        "+ Sold.",
        "(The page is still changing.)",
    ]


EARLIER = BackgroundEvents(
    dialogs=(Dialog("alert", "Hi"),),
    tabs=(TabInfo(3, URL, "Ad"),),
    downloads=(Download(URL, "b.pdf"),),
    errors=(ConsoleEntry(4, "error", "y"),),
)


def test_background_events_are_labelled_as_earlier():
    reported = [
        'Earlier: Dialog: alert "Hi"',
        "Earlier: Opened tab 3: https://a.example/ (Ad)",
        "Earlier: Download b.pdf: under way (0 bytes)",
        "Earlier: Console error: y",
    ]
    assert render_outcome(Outcome("Clicked.", meanwhile=EARLIER)).split("\n") == [
        "Clicked.",
        *reported,
    ]
    assert render_events(EARLIER).split("\n") == reported
    assert render_events(BackgroundEvents()) == ""


@given(TEXTS)
def test_background_events_fit_their_own_budget(text):
    much = BackgroundEvents(dialogs=(Dialog("alert", text, text),) * 9)
    assert count_tokens(render_events(much)) <= EVENTS_TOKENS_MAX


def test_an_action_without_consequences_is_one_line():
    assert render_outcome(Outcome("Pressed a.", URL, "Shop")) == "Pressed a."


SAVED = NetworkEntry(1, "POST", "https://a.example/save?token=1", "Fetch", 200)
COUNTED = NetworkEntry(2, "POST", "https://count.example/hit", "Ping", 500)
LIST = NetworkEntry(3, "GET", "https://a.example/list", "Fetch", 200)


@pytest.mark.parametrize(
    ("requests", "line"),
    [
        ((SAVED,), "Requests: POST /save 200"),
        ((SAVED, COUNTED), "Requests: POST count.example/hit failed (500), POST /save 200"),
        ((LIST, LIST, SAVED), "Requests: POST /save 200, GET /list 200 (2 times)"),
        ((attrs.evolve(SAVED, status=0),), "Requests: POST /save pending"),
        (
            (attrs.evolve(SAVED, status=0, failure="net::ERR_FAILED"),),
            "Requests: POST /save failed (net::ERR_FAILED)",
        ),
        (
            tuple(attrs.evolve(LIST, url=f"https://a.example/{number}") for number in range(5)),
            "Requests: GET /0 200, GET /1 200, GET /2 200, 2 more",
        ),
    ],
)
def test_requests_are_named_with_method_path_and_result(requests, line):
    assert render_outcome(Outcome("Clicked.", URL, requests=requests)) == f"Clicked.\n{line}"


@pytest.mark.parametrize(
    ("requests", "doubted"),
    [
        ((attrs.evolve(SAVED, status=500),), True),
        ((attrs.evolve(SAVED, status=500), LIST), True),
        ((SAVED, COUNTED), False),
        ((LIST,), False),
        ((), False),
    ],
)
def test_page_is_doubted_if_no_request_changed_data_and_one_failed(requests, doubted):
    text = render_outcome(Outcome("Clicked.", URL, changes="+ Saved", requests=requests))
    assert ("The request failed" in text) == doubted


def test_waiting_dialog_is_rendered_with_how_to_answer_and_not_as_busy():
    waiting = Dialog("prompt", "Your\nname?", "Ann")
    text = render_outcome(Outcome("Clicked.", dialog=waiting, busy=True))
    assert text == (
        'Clicked.\nA dialog is waiting for an answer: prompt "Your name?" [Ann].\n'
        "Answer it with dialog."
    )


def test_dialog_answered_during_loading_is_rendered_as_dismissed():
    outcome = Outcome("Clicked.", dialogs=(Dialog("confirm", "Now?"),))
    assert render_outcome(outcome).endswith(
        'Dismissed dialog (shown while the page loaded): confirm "Now?"'
    )


def test_error_page_is_rendered_with_its_http_status():
    outcome = Outcome("Clicked.", URL, "No", navigated=LoadedPage(URL, 404, "text/html"))
    assert outcome_parts(outcome) == (
        Quoted("Clicked.\nNow at https://a.example/ (No)"),
        "HTTP status 404: an error page.",
    )


def test_repeated_events_are_limited_with_a_count_of_the_rest():
    outcome = Outcome(
        "Clicked.",
        errors=tuple(ConsoleEntry(number, "error", f"e{number}") for number in range(9)),
        dialogs=tuple(Dialog("alert", f"d{number}") for number in range(9)),
        downloads=tuple(Download(URL, f"f{number}") for number in range(9)),
        tabs=tuple(TabInfo(number, URL, f"t{number}") for number in range(9)),
    )
    text = render_outcome(outcome)
    for reported, more in (
        ("Console error: e", "errors in the console"),
        ("Dialog: alert", "dialogs"),
        ("Download f", "files: download lists them"),
        ("Opened tab", "tabs: tabs lists them"),
    ):
        assert text.count(reported) == EVENTS_MAX
        assert f"({9 - EVENTS_MAX} more {more})" in text


def outcome_of(text, count=1):
    """Return an outcome with `text` everywhere a page can put text."""
    return Outcome(
        f"Did {text}",
        text,
        text,
        navigated=LoadedPage(text, 200, text),
        dialogs=(Dialog("alert", text, text),) * count,
        dialog=Dialog("prompt", text, text),
        tabs=(TabInfo(1, text, text),) * count,
        downloads=(Download(text, text, text, 1, "complete"),) * count,
        errors=(ConsoleEntry(1, "error", text, text),) * count,
    )


def lists_of(text, count=1):
    """Return the text of each kind of list, with `text` in every field."""
    return (
        tabs_text([TabInfo(1, text, text)] * count),
        sessions_text([SessionState("s", text, text, None, 1, 0, saved=True)] * count),
        downloads_text([Download(text, text, text)] * count, ALL),
        console_text([ConsoleEntry(1, "error", text, text)] * count, ALL),
        requests_text([NetworkEntry(1, "GET", text, text, failure=text)] * count, ALL),
        options_text([Choice(text, text)] * count, ALL),
    )


@pytest.mark.parametrize("text", [*FORGERIES, *UNSEEN, "\n\n(9 more files)\n[1.5] button"])
def test_page_text_stays_on_its_line_without_forged_refs_or_invisible_text(text):
    reported = "\n".join((render_outcome(outcome_of(text)), *lists_of(text)))
    lines = reported.splitlines()
    assert len(lines) == 8 + 6
    assert not any(ref in reported for ref in ("[1.5]", "[*12.34]", "[7.7]", "[0.0]"))
    assert all(line.replace("\u200c", "").replace("\u200d", "").isprintable() for line in lines)


@given(TEXTS)
def test_page_text_is_limited_in_outcomes_and_lists(text):
    outcome = render_outcome(outcome_of(text * 9, count=20))
    for reported in (outcome, *lists_of(text * 9, count=20)):
        assert all(count_tokens(line) <= LIST_LINE_TOKENS_MAX for line in reported.split("\n"))
    assert len(outcome.split("\n")) <= 4 + 4 * (EVENTS_MAX + 1)


@given(st.integers(1, 60), st.integers(LIST_LINE_TOKENS_MAX + 30, 2000))
def test_lists_fit_their_budget_and_count_the_omitted_items(count, budget):
    downloads = [Download(URL, "f" * 99)] * count
    entries = [ConsoleEntry(number, "info", "word " * 150) for number in range(1, count + 1)]
    requests = [NetworkEntry(1, "GET", URL * 9, "Fetch")] * count
    choices = [Choice("v" * 99, "l" * 99)] * count
    for reported, more in (
        (downloads_text(downloads, budget), "files in the same folder)"),
        (requests_text(requests, budget), "requests: offset="),
        (options_text(choices, budget), "options: select any of them by its label)"),
        (console_text(entries, budget), "entries: after="),
    ):
        lines = reported.split("\n")
        assert count_tokens(reported) <= budget
        assert len(lines) == count or f"({count - len(lines) + 1} more {more}" in lines[-1]


def test_console_text_continues_after_the_last_shown_entry():
    entries = [ConsoleEntry(number, "info", "word " * 50) for number in range(11, 31)]
    *reported, notice = console_text(entries, 400).split("\n")
    assert notice.endswith(f"after={10 + len(reported)})")
    assert reported[-1].startswith(f"{10 + len(reported)} info")


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        (ScriptEnd(json='"yes"'), '"yes"'),
        (ScriptEnd(failure="The script failed: it threw"), "it threw"),
    ],
)
def test_end_of_interrupted_script_is_quoted_after_the_answer(end, shown):
    outcome = Outcome("Accepted the confirm: Sure?", script=end)
    page_text = [part.text for part in outcome_parts(outcome) if isinstance(part, Quoted)]
    assert page_text[-1] == end.json + end.failure
    assert shown in render_outcome(outcome)


def test_long_value_of_interrupted_script_is_cut():
    parts = outcome_parts(Outcome("Accepted.", script=ScriptEnd(json=f'"{"word " * 9000}"')))
    assert count_tokens(plain(parts)) < SCRIPT_TOKENS_MAX + 100


def test_outcome_record_has_only_json_values():
    outcome = Outcome(
        "Clicked.",
        URL,
        navigated=LoadedPage(URL, 404, "text/html"),
        opened=("target-1",),
        dialog=Dialog("confirm", "Sure?"),
    )
    record = json.loads(json.dumps(outcome_record(outcome)))
    assert record["status"] == 404
    assert record["dialog"] == {"kind": "confirm", "message": "Sure?", "preset": ""}
    assert record["opened"] == []
    assert "status" not in outcome_record(Outcome("Clicked."))


def test_tabs_are_lines_with_a_star_for_the_current_one():
    tabs = [TabInfo(1, "", ""), TabInfo(2, URL, "Shop", current=True)]
    assert tabs_text(tabs) == "- 1 (blank)\n* 2 https://a.example/ Shop"


def test_sessions_are_lines_with_their_page_settings_and_owner():
    blank = SessionState("new", "", "", None, 0, 0.2, saved=False)
    shop = attrs.evolve(blank, name="shop", url=URL, title="Shop", pages=1, saved=True)
    set_up = attrs.evolve(shop, settings={"reading.links": False}, owner="b")
    assert sessions_text([blank, shop, set_up]).splitlines() == [
        "- new: (blank) (0 pages, idle for 0 s, not saved)",
        "- shop: https://a.example/ Shop (1 page, idle for 0 s, saved)",
        "- shop: https://a.example/ Shop (1 page, idle for 0 s, saved, reading.links=false, at b)",
    ]


def test_console_error_is_rendered_with_part_of_its_stack():
    stack = tuple(f"f{number} app.js:{number}:1" for number in range(9))
    whole = "Error: no\n    at f0 (app.js:0:1)"
    shown = console_text([ConsoleEntry(1, "error", "no", "app.js:0", stack)], ALL)
    once = console_text([ConsoleEntry(1, "error", whole, "app.js:0", stack)], ALL)
    assert shown == (
        "1 error: no f0 app.js:0:1 (called by f1 app.js:1:1, f2 app.js:2:1, f3 app.js:3:1, …)"
    )
    assert once.count("f0") == 1
    assert "f1" not in once


def test_downloads_consoles_and_requests_are_lines():
    files = [Download(URL, "a.pdf")]
    assert downloads_text(files, ALL) == "Download a.pdf: under way (0 bytes)"
    entries = [ConsoleEntry(3, "warning", "Slow", "app.js:7"), ConsoleEntry(4, "info", "Done")]
    assert console_text(entries, ALL) == "3 warning: Slow app.js:7\n4 info: Done"
    requests = [
        NetworkEntry(1, "GET", URL, "Document", 200, size_bytes=9, ms=12.4),
        NetworkEntry(2, "POST", URL, "Fetch", failure="net::ERR_FAILED"),
        NetworkEntry(3, "GET", URL, "Image"),
        NetworkEntry(4, "GET", "wss://a.example/", "WebSocket", 101, size_bytes=9, frames=2),
    ]
    assert requests_text(requests, ALL).split("\n") == [
        "1 GET https://a.example/ Document 200 12 ms 9 bytes",
        "2 POST https://a.example/ Fetch net::ERR_FAILED",
        "3 GET https://a.example/ Image under way",
        "4 GET wss://a.example/ WebSocket 101 9 bytes 2 frames",
    ]


def test_empty_lists_have_a_placeholder():
    assert console_text([], ALL) == "(The console is empty.)"
    assert requests_text([], ALL) == "(No matching requests.)"
    assert downloads_text([], ALL) == "(No downloads.)"
    assert options_text([], ALL) == "(No options.)"


def test_choices_are_lines_with_a_star_for_what_is_chosen():
    choices = [Choice("s", "Small", selected=True), Choice("l", "Large", disabled=True)]
    assert options_text(choices, ALL) == "* Small = s\n- Large = l (disabled)"
