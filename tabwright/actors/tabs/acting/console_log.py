"""What a page says to its console, and the browser of it."""

from collections import deque
from itertools import count

from tabwright.cdp.domains import log, runtime
from tabwright.cdp.wire import Event
from tabwright.page.events.console_log import arguments_text, value_text
from tabwright.page.outline_text import shortened
from tabwright.protocol.actions import ConsoleCounts, ConsoleEntry, ConsoleLevel

EVENTS = (runtime.ConsoleCalled, runtime.ExceptionThrown, log.EntryAdded)
"""What a `ConsoleLog` is told."""

ENTRIES_MAX = 500
TEXT_MAX = 2000

FRAMES_MAX = 10
"""Calls that are kept of a stack."""

URL_MAX = 300
"""Characters of the URL of a script, which may hold the whole script."""

STACKS_OF = frozenset({"assert", "error", "trace", "warning"})
"""What is kept with the calls that led there."""

LEVELS: tuple[ConsoleLevel, ...] = ("debug", "info", "warning", "error")

_LEVEL_OF: dict[str, ConsoleLevel] = {
    "debug": "debug",
    "verbose": "debug",
    "warning": "warning",
    "error": "error",
    "assert": "error",
}


class ConsoleLog:
    """Remembers the latest entries of one tab."""

    def __init__(self) -> None:
        self._entries = deque[ConsoleEntry](maxlen=ENTRIES_MAX)
        self._numbers = count(1)
        self.last = 0
        self._of_before = 0

    def leave(self) -> None:
        """The tab goes to another page."""
        self._of_before = self.last

    def take(self, event: Event) -> None:
        """Learns from one of `EVENTS`."""
        match event:
            case runtime.ConsoleCalled():
                stack = _stack(event.stack_trace) if event.type in STACKS_OF else ()
                text = arguments_text(event.args)
                self._add(event.type, text, _place(event.stack_trace), stack)
            case runtime.ExceptionThrown(exception_details=thrown):
                place = f"{_url(thrown.url)}:{thrown.line_number + 1}" if thrown.url else ""
                self._add("error", _thrown_text(thrown), place, _stack(thrown.stack_trace))
            case log.EntryAdded(entry=entry):
                self._add(entry.level, entry.text, _url(entry.url))
            case _:
                pass

    def entries(
        self, level: ConsoleLevel = "debug", after: int = 0, *, this_page: bool = False
    ) -> tuple[ConsoleEntry, ...]:
        """Those that are at least as grave, and came later than a number, or than the page."""
        grave = LEVELS[LEVELS.index(level) :]
        after = max(after, self._of_before) if this_page else after
        return tuple(one for one in self._entries if one.level in grave and one.number > after)

    def counts(self) -> ConsoleCounts | None:
        """Return the counts since the tab came to its page; None for none at all."""
        levels = [one.level for one in self.entries("warning", this_page=True)]
        return ConsoleCounts(levels.count("error"), levels.count("warning")) if levels else None

    def _add(self, level: str, text: str, place: str, stack: tuple[str, ...] = ()) -> None:
        self.last = next(self._numbers)
        kept = text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 1]}…"
        level_of = _LEVEL_OF.get(level, "info")
        self._entries.append(ConsoleEntry(self.last, level_of, kept, place, stack))


def _thrown_text(thrown: runtime.ThrownDetails) -> str:
    """An error with its stack; any other value with what has become of it."""
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


def _place(trace: runtime.StackTrace | None) -> str:
    frames = trace.call_frames if trace else ()
    return next((f"{_url(one.url)}:{one.line_number + 1}" for one in frames if one.url), "")


def _url(url: str) -> str:
    return shortened(url, URL_MAX)
