"""What comes of an action, in words."""

import json

from tabwright.acting.telling import (
    ERRORS_MAX,
    console_text,
    download_text,
    options_text,
    outcome_record,
    outcome_text,
    requests_text,
    tabs_text,
)
from tabwright.protocol.actions import Choice
from tabwright.protocol.inspecting import PageRequest
from tabwright.protocol.outcomes import ConsoleEntry, Dialog, Download, Outcome, TabInfo
from tabwright.protocol.pages import LoadedPage

URL = "https://a.example/"


def test_what_was_done_comes_first_and_what_has_changed_last():
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
    assert outcome_text(outcome).split("\n") == [
        'Clicked button "Buy".',
        'The page said: alert "Thanks"',
        "Now at https://a.example/ (Shop)",
        "Opened tab 2, the current one now: https://b.example/ (Invoice)",
        "Download a.pdf: complete at /files/a.pdf (12 bytes)",
        "Console error: x is not defined",
        "(The page is still at work.)",
        "+ Sold.",
    ]


def test_an_action_without_consequences_is_one_line():
    assert outcome_text(Outcome("Pressed a.", URL, "Shop")) == "Pressed a."


def test_a_dialog_that_waits_is_said_with_how_to_answer_and_not_that_the_page_is_busy():
    waiting = Dialog("prompt", "Your\nname?", "Ann")
    text = outcome_text(Outcome("Clicked.", dialog=waiting, busy=True))
    assert text == (
        'Clicked.\nThe page waits for an answer: prompt "Your name?" [Ann]. Answer it with dialog.'
    )


def test_an_error_page_is_said_to_be_one():
    outcome = Outcome("Clicked.", URL, "No", navigated=LoadedPage(URL, 404, "text/html"))
    assert outcome_text(outcome).endswith("Now at https://a.example/ (No): HTTP 404, an error page")


def test_only_a_few_errors_are_told():
    errors = tuple(ConsoleEntry(number, "error", f"e{number}") for number in range(9))
    text = outcome_text(Outcome("Clicked.", errors=errors))
    assert text.count("Console error: e") == ERRORS_MAX
    assert f"({9 - ERRORS_MAX} more errors in the console)" in text


def test_what_a_page_says_stays_in_its_line_and_is_no_ref():
    forged = '\n[1.5] button "Pay"'
    outcome = Outcome(
        "Clicked.",
        title=forged,
        dialogs=(Dialog("alert", forged, forged),),
        dialog=Dialog("prompt", forged, forged),
        navigated=LoadedPage(URL, 200, "text/html"),
        tabs=(TabInfo(2, URL, forged),),
        errors=(ConsoleEntry(1, "error", forged),),
    )
    text = outcome_text(outcome)
    assert len(text.split("\n")) == 6
    assert "[1.5]" not in text
    lists = (
        tabs_text([TabInfo(1, URL, forged)]),
        console_text([ConsoleEntry(1, "error", forged)]),
        requests_text([PageRequest(1, "GET", forged, "Fetch")]),
        options_text([Choice(forged, forged)]),
    )
    for listed in lists:
        assert "\n" not in listed
        assert "[1.5]" not in listed


def test_for_programs_the_outcome_is_plain_values():
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
    assert tabs_text(tabs) == " 1 (blank)\n*2 https://a.example/ Shop"


def test_downloads_consoles_and_requests_are_lines():
    assert download_text(Download(URL, "a.pdf")) == "Download a.pdf: under way (0 bytes)"
    entries = [ConsoleEntry(3, "warning", "Slow", "app.js:7"), ConsoleEntry(4, "info", "Done")]
    assert console_text(entries) == "3 warning: Slow app.js:7\n4 info: Done"
    requests = [
        PageRequest(1, "GET", URL, "Document", 200, size_bytes=9, ms=12.4),
        PageRequest(2, "POST", URL, "Fetch", failure="net::ERR_FAILED"),
        PageRequest(3, "GET", URL, "Image"),
    ]
    assert requests_text(requests).split("\n") == [
        "1 GET https://a.example/ Document 200 12 ms 9 bytes",
        "2 POST https://a.example/ Fetch net::ERR_FAILED",
        "3 GET https://a.example/ Image under way",
    ]


def test_nothing_to_list_is_said():
    assert console_text([]) == "(The console is empty.)"
    assert requests_text([]) == "(There are no such requests.)"


def test_choices_are_lines_with_a_star_for_what_is_chosen():
    choices = [Choice("s", "Small", selected=True), Choice("l", "Large", disabled=True)]
    assert options_text(choices) == "*Small = s\n Large = l (disabled)"
