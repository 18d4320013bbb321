"""What a page says to its console."""

import pytest

from tabwright.actors.tabs.acting.console_log import ENTRIES_MAX, TEXT_MAX, ConsoleLog
from tabwright.cdp.domains.log import Entry, EntryAdded
from tabwright.cdp.domains.runtime import (
    Argument,
    CallFrame,
    ConsoleCalled,
    ExceptionThrown,
    StackTrace,
    ThrownDetails,
)
from tabwright.protocol.outcomes import ConsoleEntry


def said(value):
    return Argument(type="string", value=value)


def called(*args, kind="log", trace=None):
    return ConsoleCalled(type=kind, args=args, stack_trace=trace)


def test_a_call_is_its_arguments_and_the_first_place_that_has_a_name():
    console = ConsoleLog()
    frames = (CallFrame(url="", line_number=1), CallFrame(url="app.js", line_number=6))
    args = (said("sum"), said(3), Argument(type="object", description="Array(2)"))
    console.take(called(*args, trace=StackTrace(call_frames=frames)))
    assert console.entries() == (ConsoleEntry(1, "info", "sum 3 Array(2)", "app.js:7"),)


def test_an_error_that_nobody_caught_says_what_and_where():
    console = ConsoleLog()
    thrown = Argument(type="object", description="Error: no\n    at app.js:3")
    console.take(
        ExceptionThrown(
            exception_details=ThrownDetails(
                text="Uncaught", exception=thrown, url="app.js", line_number=2
            )
        )
    )
    console.take(ExceptionThrown(exception_details=ThrownDetails(text="Uncaught")))
    first, second = console.entries()
    assert first == ConsoleEntry(1, "error", "Error: no\n    at app.js:3", "app.js:3")
    assert second == ConsoleEntry(2, "error", "Uncaught")


def test_the_browser_speaks_there_too():
    console = ConsoleLog()
    console.take(EntryAdded(entry=Entry(level="error", text="404", url="https://a.example/x")))
    assert console.entries() == (ConsoleEntry(1, "error", "404", "https://a.example/x"),)


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ("log", "info"),
        ("info", "info"),
        ("verbose", "debug"),
        ("debug", "debug"),
        ("warning", "warning"),
        ("assert", "error"),
        ("table", "info"),
    ],
)
def test_every_kind_has_a_level(kind, level):
    console = ConsoleLog()
    console.take(called(said("x"), kind=kind))
    assert console.entries()[0].level == level


def test_entries_are_asked_for_by_level_and_by_what_was_seen():
    console = ConsoleLog()
    for kind in ("debug", "log", "warning", "error"):
        console.take(called(said(kind), kind=kind))
    assert [one.text for one in console.entries("warning")] == ["warning", "error"]
    assert [one.number for one in console.entries(after=2)] == [3, 4]
    assert console.entries("error", after=console.last) == ()


def test_only_the_latest_are_kept_and_none_is_without_end():
    console = ConsoleLog()
    for number in range(ENTRIES_MAX + 5):
        console.take(called(said(f"{number} " + "x" * 10_000)))
    entries = console.entries()
    assert len(entries) == ENTRIES_MAX
    assert (entries[0].number, entries[-1].number) == (6, console.last)
    assert max(len(one.text) for one in entries) == TEXT_MAX
