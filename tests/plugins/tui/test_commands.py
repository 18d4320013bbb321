"""Commands typed after a colon."""

import pytest

from tabwright.plugins.tui.commands import (
    COMMANDS,
    TUICommand,
    completed,
    details_page,
    help_page,
    read_command,
    start_page,
    with_scheme,
)
from tabwright.plugins.tui.layout import typeset
from tabwright.plugins.tui.replies import WrongCommand


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("open https://a.example/", TUICommand("open", "https://a.example/")),
        ("o  x ", TUICommand("open", "x")),
        ("12", TUICommand("follow", "12")),
        ("q", TUICommand("quit", action="end")),
        ("exit", TUICommand("quit", action="end")),
        ("forw", TUICommand("forward", action="step(1)")),
        ("b", TUICommand("back", action="step(-1)")),
        ("tab", TUICommand("tab", action="new_tab")),
        ("tab x", TUICommand("tab", "x")),
        ("ask why is it so", TUICommand("ask", "why is it so")),
        ("submit 2", TUICommand("submit", "2")),
    ],
)
def test_command_is_read_by_name_short_name_or_prefix(line, command):
    assert read_command(line) == command


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("nonsense", "There is no command :nonsense"),
        ("re", "is ambiguous: refresh or reader"),
        ("open", "needs an argument: :open URL"),
        ("ask  ", "needs an argument: :ask QUESTION"),
        ("²", "There is no command"),
        ("9" * 5000, "There is no command"),
    ],
)
def test_invalid_command_is_reported(line, reported):
    with pytest.raises(WrongCommand, match=reported):
        read_command(line)


def test_command_line_completes_commands_urls_and_history():
    assert completed("re", (), ()) == ("refresh", "reader")
    urls = ("https://a.example/", "https://b.example/")
    before = ("open https://a.example/x", "ask why")
    assert completed("open https://a", before, urls) == (
        "open https://a.example/",
        "open https://a.example/x",
    )
    assert completed("a", before, urls) == ("ask", "ask why")
    assert completed("ask https", (), urls) == ()


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "https://example.org"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://a.example", "http://a.example"),
        ("about:blank", "about:blank"),
    ],
)
def test_url_typed_without_scheme_gets_one(typed, url):
    assert with_scheme(typed) == url


def test_help_page_lists_every_command():
    assert all(f"`:{one.name}" in help_page().text for one in COMMANDS)


def test_start_page_shows_the_loading_url_as_plain_text():
    assert "No page is open." in start_page("").text
    lines = typeset(start_page("https://a.example/_x_"), 80).plain
    assert "Loading https://a.example/_x_ …" in lines


def test_details_page_omits_empty_fields():
    lines = typeset(details_page({"Message": "It failed.", "URL": ""}), 80).plain
    assert "It failed." in lines
    assert "URL" not in lines
