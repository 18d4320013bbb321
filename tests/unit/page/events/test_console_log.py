"""Console messages of a page."""

import msgspec
import pytest

from tabwright.cdp.domains.log import EntryAdded, LogEntry
from tabwright.cdp.domains.runtime import (
    Argument,
    CallFrame,
    ConsoleCalled,
    ExceptionThrown,
    StackTrace,
    ThrownDetails,
)
from tabwright.page.events.console_log import FRAMES_MAX, TEXT_MAX, ConsoleLog
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import ENTRY_MAX
from tabwright.protocol.actions import ConsoleEntry


def string(value):
    return Argument(type="string", value=value)


def called(*args, kind="log", trace=None):
    return ConsoleCalled(type=kind, args=args, stack_trace=trace)


def test_console_call_has_its_arguments_and_first_named_location():
    console = ConsoleLog()
    frames = (CallFrame(url="", line_number=1), CallFrame(url="app.js", line_number=6))
    args = (
        string("sum"),
        Argument(type="number", value=3, description="3"),
        Argument(type="object", description="Array(2)"),
    )
    console.take(called(*args, trace=StackTrace(call_frames=frames)))
    assert console.entries() == (ConsoleEntry(1, "info", "sum 3 Array(2)", "app.js:7"),)


def test_uncaught_exception_is_logged_with_text_and_location():
    console = ConsoleLog()
    thrown = Argument(type="object", subtype="error", description="Error: no\n    at app.js:3")
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


def test_browser_log_entry_is_in_the_console_log():
    console = ConsoleLog()
    console.take(EntryAdded(entry=LogEntry(level="error", text="404", url="https://a.example/x")))
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
def test_console_call_kind_maps_to_a_level(kind, level):
    console = ConsoleLog()
    console.take(called(string("x"), kind=kind))
    assert console.entries()[0].level == level


def test_console_entries_are_filtered_by_level_and_number():
    console = ConsoleLog()
    for kind in ("debug", "log", "warning", "error"):
        console.take(called(string(kind), kind=kind))
    assert [one.text for one in console.entries("warning")] == ["warning", "error"]
    assert [one.number for one in console.entries(after=2)] == [3, 4]
    assert console.entries("error", after=console.last) == ()


def logged(*args):
    """Return the text of a console call, with its arguments as Chromium sends them."""
    console = ConsoleLog()
    console.take(called(*msgspec.convert(args, tuple[Argument, ...])))
    return console.entries()[0].text


def text(value):
    return {"type": "string", "value": value}


def number(description):
    return {"type": "number", "value": None, "description": description}


def thing(preview, description="Object", **more):
    preview = {"type": "object", "description": description, **more, **preview}
    return {"type": "object", "description": description, **more, "preview": preview}


def prop(name, value, kind="number", **more):
    return {"name": name, "type": kind, "value": value, **more}


PAIR = thing({"properties": [prop("a", "1"), prop("b", "x", "string")]})
LIST = thing({"properties": [prop("0", "1"), prop("1", "2")]}, "Array(2)", subtype="array")


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        (PAIR, "{a: 1, b: 'x'}"),
        (LIST, "[1, 2]"),
        (thing({"properties": [prop("a", "1")], "overflow": True}), "{a: 1, …}"),
        (thing({"properties": [prop("a", "1")]}, "Foo"), "Foo {a: 1}"),
        (thing({"properties": [prop("a", "b" * 50 + "…" + "e" * 49, "string")]}),
         "{a: '" + "b" * 50 + "…'}"),
        (thing({"properties": [prop("a", "b…e", "string")]}), "{a: 'b…e'}"),
        (thing({"properties": [prop("a", "Object", "object")]}), "{a: {…}}"),
        (thing({"properties": [prop("a", "Array(3)", "object")]}), "{a: Array(3)}"),
        (thing({"properties": [prop("a", "", "accessor")]}), "{a: (...)}"),
        (thing({"properties": [prop("a", "", "object", valuePreview=PAIR["preview"])]}),
         "{a: {a: 1, b: 'x'}}"),
        (thing({"properties": [prop("2", "5")]}, "Array(3)", subtype="array"), "[2: 5]"),
        (thing({"properties": [prop("0", "7"), prop("length", "1")]}, "Uint8Array(1)",
               subtype="typedarray"), "Uint8Array(1) [7]"),
        (thing({"entries": [{"key": {"type": "string", "description": "k"},
                             "value": {"type": "number", "description": "1"}}]},
               "Map(1)", subtype="map"), "Map(1) {'k' => 1}"),
        (thing({"entries": [{"value": {"type": "number", "description": "1"}}]},
               "Set(1)", subtype="set"), "Set(1) {1}"),
        (thing({"properties": [prop("stack", "…", "string")]}, "Error: no\n    at x",
               subtype="error"), "Error: no\n    at x"),
        ({"type": "object", "description": "Object"}, "Object"),
        ({"type": "object", "subtype": "null", "value": None}, "null"),
        ({"type": "undefined"}, "undefined"),
        ({"type": "boolean", "value": False}, "false"),
        (number("-0"), "-0"),
        ({"type": "bigint", "description": "10n", "unserializableValue": "10n"}, "10n"),
        (text(""), ""),
    ],
)  # fmt: skip
def test_console_values_are_formatted_as_in_a_browser_console(argument, shown):
    assert logged(argument) == shown


def test_logged_function_shows_the_start_of_its_source():
    source = "function f() {" + "x" * 5000
    shown = logged({"type": "function", "description": source})
    assert shown.startswith("function f() {x")
    assert len(shown) < 200


def test_deeply_nested_object_preview_is_bounded():
    preview = {"type": "object", "description": "Object"}
    for _ in range(200):
        preview = {**preview, "properties": [prop("a", "", "object", valuePreview=preview)]}
    assert len(logged(thing(preview))) < 200


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ([text("%s is %d%%"), text("x"), number("42.7")], "x is 42%"),
        ([text("%i %f"), text("12px"), text("1.5em")], "12 1.5"),
        ([text("%d"), text("px")], "NaN"),
        ([text("%d"), {"type": "boolean", "value": True}], "NaN"),
        ([text("%o %O"), PAIR, LIST], "{a: 1, b: 'x'} [1, 2]"),
        ([text("%cred"), text("color: red"), text("rest")], "red rest"),
        ([text("%s and %s"), text("%d")], "%d and %s"),
        ([text("50%s")], "50%s"),
        ([PAIR, text("%s"), text("x")], "{a: 1, b: 'x'} %s x"),
        ([], ""),
    ],
)
def test_console_format_specifiers_are_substituted(args, shown):
    assert logged(*args) == shown


@pytest.mark.parametrize(
    ("exception", "shown"),
    [
        (text("plain reason"), "Uncaught plain reason"),
        ({"type": "object", "subtype": "null", "value": None}, "Uncaught null"),
        ({"type": "undefined"}, "Uncaught undefined"),
        (PAIR, "Uncaught {a: 1, b: 'x'}"),
    ],
)
def test_thrown_non_error_is_logged_by_its_value(exception, shown):
    console = ConsoleLog()
    thrown = msgspec.convert({"text": "Uncaught", "exception": exception}, ThrownDetails)
    console.take(ExceptionThrown(exception_details=thrown))
    assert console.entries()[0].text == shown


def frames(count, url="app.js"):
    called_from = [
        CallFrame(url=url, line_number=line, column_number=4, function_name=f"f{line}")
        for line in range(count)
    ]
    return StackTrace(call_frames=tuple(called_from))


@pytest.mark.parametrize(
    ("kind", "count"), [("error", 2), ("warning", 2), ("assert", 2), ("trace", 2), ("log", 0)]
)
def test_call_stack_is_kept_for_errors_warnings_and_traces(kind, count):
    console = ConsoleLog()
    console.take(called(string("x"), kind=kind, trace=frames(2)))
    assert console.entries()[0].stack == ("f0 app.js:1:5", "f1 app.js:2:5")[:count]


def test_stack_frames_and_their_urls_are_bounded():
    console = ConsoleLog()
    thrown = ThrownDetails(text="Uncaught", stack_trace=frames(50, "data:" + "x" * 10_000))
    console.take(ExceptionThrown(exception_details=thrown))
    (entry,) = console.entries()
    assert len(entry.stack) == FRAMES_MAX
    assert max(map(len, entry.stack)) < ENTRY_MAX + 20


def test_console_log_keeps_only_latest_entries_and_cuts_long_ones():
    console = ConsoleLog()
    for number in range(LATEST_MAX + 5):
        console.take(called(string(f"{number} " + "x" * 10_000)))
    entries = console.entries()
    assert len(entries) == LATEST_MAX
    assert (entries[0].number, entries[-1].number) == (6, console.last)
    assert max(len(one.text) for one in entries) == TEXT_MAX
