"""The console of a page: its entries, with values and formats such as ``%s`` as text.

Formats are those of the Console Standard, section 2.2.1 (https://console.spec.whatwg.org).
"""

import re
from collections import deque
from collections.abc import Container, Iterator, Sequence
from itertools import count

from tabwright.cdp.domains import log, runtime
from tabwright.cdp.wire import Event
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import ENTRY_MAX, truncate
from tabwright.protocol.actions import ConsoleCounts, ConsoleEntry, ConsoleLevel

STRING_MAX = 10_000
"""Maximum characters read of one value; an entry of the console keeps fewer."""

ABBREVIATED_MIN = 100
"""Characters of a string that Chromium has shortened in a preview."""

CODE_MAX = 100
"""Maximum characters of a function, which is described by its source."""

DEPTH_MAX = 4
"""Maximum depth of nested objects; Chromium describes them by previews only in tables."""

_FORMAT = re.compile(r"%([sdifoOc%])")
_INTEGER = re.compile(r"\s*([+-]?\d+)")
_FLOAT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")

_DESCRIBED = frozenset({"date", "error", "node", "proxy", "regexp"})
"""Kinds of objects whose description is more useful than their properties."""

_LISTS = frozenset({"array", "typedarray"})
_PRIMITIVES = frozenset({"bigint", "boolean", "number", "string", "symbol", "undefined"})


def arguments_text(arguments: Sequence[runtime.Argument]) -> str:
    """Return the text that a console shows for the arguments of one call."""
    if not arguments:
        return ""
    first, *others = arguments
    if first.type != "string" or not others:
        return " ".join(map(value_text, arguments))
    left = iter(others)
    text = _FORMAT.sub(lambda found: _filled(found, left), value_text(first))
    return " ".join((text, *map(value_text, left)))


def _filled(found: re.Match[str], left: Iterator[runtime.Argument]) -> str:
    """Return the text for a format, using the next argument; the format if none is left."""
    if found[1] == "%":
        return "%"
    argument = next(left, None)
    if argument is None:
        return found[0]
    match found[1]:
        case "c":  # a style
            return ""
        case "d" | "i":
            return _number(argument, _INTEGER)
        case "f":
            return _number(argument, _FLOAT)
        case _:
            return value_text(argument)


def _number(argument: runtime.Argument, form: re.Pattern[str]) -> str:
    number = form.match(value_text(argument)) if argument.type in {"number", "string"} else None
    return number[1] if number else "NaN"


def value_text(argument: runtime.Argument) -> str:
    """Return one value as text; a string is unchanged, and an object is its preview."""
    match argument:
        case runtime.Argument(value=str(text)):
            return text[:STRING_MAX]
        case runtime.Argument(value=bool(yes)):
            return "true" if yes else "false"
        case runtime.Argument(type="function"):
            return truncate(argument.description, CODE_MAX)
        case runtime.Argument(preview=runtime.ObjectPreview() as preview):
            return _preview_text(preview, argument.description)[:STRING_MAX]
        case _:  # null is identified by its subtype, and undefined by its type
            return (argument.description or argument.subtype or argument.type)[:STRING_MAX]


def _preview_text(preview: runtime.ObjectPreview, description: str, depth: int = 0) -> str:
    if preview.subtype in _DESCRIBED or depth > DEPTH_MAX:
        return description
    inner = [*_members(preview, depth), *(["…"] if preview.overflow else [])]
    if preview.subtype in _LISTS:
        name = "" if description.startswith("Array(") else f"{description} "
        return f"{name}[{', '.join(inner)}]"
    name = "" if description == "Object" else f"{description} "
    return f"{name}{{{', '.join(inner)}}}"


def _members(preview: runtime.ObjectPreview, depth: int) -> Iterator[str]:
    """Return the entries of a map or set, or the properties; list items without their index.

    The properties of a typed array include its buffer and its sizes, which are left out.
    """
    if preview.subtype in {"map", "set"}:
        for entry in preview.entries:
            value = _inner_text(entry.value, depth)
            yield f"{_inner_text(entry.key, depth)} => {value}" if entry.key else value
        return
    indexes = count()
    for one in preview.properties:
        value = _property_text(one, depth)
        if preview.subtype in _LISTS and one.name == str(next(indexes)):
            yield value
        elif preview.subtype != "typedarray":
            yield f"{one.name}: {value}"


def _inner_text(preview: runtime.ObjectPreview, depth: int) -> str:
    if preview.type == "string":
        return f"'{_beginning(preview.description)}'"
    if preview.type in _PRIMITIVES or preview.subtype == "null":
        return preview.description
    return _preview_text(preview, preview.description, depth + 1)


def _property_text(one: runtime.PropertyPreview, depth: int) -> str:
    if one.value_preview is not None:
        return _inner_text(one.value_preview, depth)
    match one.type:
        case "string":
            return f"'{_beginning(one.value)}'"
        case "function":
            return "function"
        case "accessor":
            return "(...)"
        case _:
            return "{…}" if one.value == "Object" else _beginning(one.value)


def _beginning(text: str) -> str:
    """Return a text without the end that Chromium leaves if it shortens a text in its middle.

    The end of a secret cannot be distinguished from other text, and so cannot be masked.
    """
    if len(text) < ABBREVIATED_MIN:
        return text
    kept, ellipsis, _ = text.partition("…")
    return kept + ellipsis


# The log of a page's console.

EVENTS = (runtime.ConsoleCalled, runtime.ExceptionThrown, log.EntryAdded)
"""The events of a `ConsoleLog`."""

TEXT_MAX = 2000
"""Maximum characters of an entry, or of a frame of a WebSocket."""

FRAMES_MAX = 10
"""Maximum number of calls of a stack."""

STACKS_OF = frozenset({"assert", "error", "trace", "warning"})
"""The types of entries that are kept with their call stack."""

LEVELS: tuple[ConsoleLevel, ...] = ("debug", "info", "warning", "error")

_LEVEL_OF: dict[str, ConsoleLevel] = {
    "debug": "debug",
    "verbose": "debug",
    "warning": "warning",
    "error": "error",
    "assert": "error",
}


class ConsoleLog:
    """A log of the latest console entries of one tab."""

    def __init__(self) -> None:
        self._entries = deque[tuple[ConsoleEntry, str]](maxlen=LATEST_MAX)
        self._numbers = count(1)
        self.last = 0
        self._of_before = 0

    def leave(self) -> None:
        """Record that the tab opens another page."""
        self._of_before = self.last

    def take(self, event: Event) -> None:
        """Add one of `EVENTS`."""
        match event:
            case runtime.ConsoleCalled():
                stack = _stack(event.stack_trace) if event.type in STACKS_OF else ()
                text = arguments_text(event.args)
                frames = event.stack_trace.call_frames if event.stack_trace else ()
                place = next(
                    (f"{_url(one.url)}:{one.line_number + 1}" for one in frames if one.url), ""
                )
                self._add(event.type, text, place, stack)
            case runtime.ExceptionThrown(exception_details=thrown):
                place = f"{_url(thrown.url)}:{thrown.line_number + 1}" if thrown.url else ""
                self._add("error", _thrown_text(thrown), place, _stack(thrown.stack_trace))
            case log.EntryAdded(entry=entry):
                request_id = entry.network_request_id
                self._add(entry.level, entry.text, _url(entry.url), request_id=request_id)
            case _:
                pass

    def entries(
        self,
        level: ConsoleLevel = "debug",
        after: int = 0,
        *,
        this_page: bool = False,
        without: Container[str] = (),
    ) -> tuple[ConsoleEntry, ...]:
        """Return the entries of a minimum severity after a number, or after the page load.

        Those of the browser about the requests with the ids `without` are left out.
        """
        grave = LEVELS[LEVELS.index(level) :]
        after = max(after, self._of_before) if this_page else after
        return tuple(
            one
            for one, request_id in self._entries
            if one.level in grave and one.number > after and request_id not in without
        )

    def counts(self) -> ConsoleCounts | None:
        """Return the counts since the tab opened its page, or None if there are none."""
        levels = [one.level for one in self.entries("warning", this_page=True)]
        return ConsoleCounts(levels.count("error"), levels.count("warning")) if levels else None

    def _add(
        self,
        level: str,
        text: str,
        place: str,
        stack: tuple[str, ...] = (),
        request_id: str = "",
    ) -> None:
        self.last = next(self._numbers)
        kept = text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 1]}…"
        level_of = _LEVEL_OF.get(level, "info")
        entry = ConsoleEntry(self.last, level_of, kept, place, stack)
        self._entries.append((entry, request_id))


def _thrown_text(thrown: runtime.ThrownDetails) -> str:
    """Return an error with its stack; any other value with the description of the exception."""
    if thrown.exception is None:
        return thrown.text
    if thrown.exception.subtype == "error":
        return thrown.exception.description or thrown.text
    return f"{thrown.text} {value_text(thrown.exception)}"


def _stack(trace: runtime.StackTrace | None) -> tuple[str, ...]:
    frames = trace.call_frames[:FRAMES_MAX] if trace else ()
    return tuple(
        f"{frame.function_name or '(anonymous)'} "
        f"{_url(frame.url)}:{frame.line_number + 1}:{frame.column_number + 1}"
        for frame in frames
    )


def _url(url: str) -> str:
    return truncate(url, ENTRY_MAX)
