"""What a page says to its console, and the browser of it."""

from collections import deque
from collections.abc import Iterable
from itertools import count

from tabwright.cdp.domains import log, runtime
from tabwright.cdp.wire import Event
from tabwright.protocol.outcomes import ConsoleEntry, ConsoleLevel

EVENTS = (runtime.ConsoleCalled, runtime.ExceptionThrown, log.EntryAdded)
"""What a `ConsoleLog` is told."""

ENTRIES_MAX = 500
TEXT_MAX = 2000

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
                self._add(event.type, " ".join(map(_shown, event.args)), _place(event.stack_trace))
            case runtime.ExceptionThrown(exception_details=thrown):
                what = thrown.exception.description if thrown.exception else ""
                place = f"{thrown.url}:{thrown.line_number + 1}" if thrown.url else ""
                self._add("error", what or thrown.text, place)
            case log.EntryAdded(entry=entry):
                self._add(entry.level, entry.text, entry.url)
            case _:
                pass

    def entries(
        self, level: ConsoleLevel = "debug", after: int = 0, *, this_page: bool = False
    ) -> tuple[ConsoleEntry, ...]:
        """Those that are at least as grave, and came later than a number, or than the page."""
        grave = LEVELS[LEVELS.index(level) :]
        after = max(after, self._of_before) if this_page else after
        return tuple(one for one in self._entries if one.level in grave and one.number > after)

    def _add(self, level: str, text: str, place: str) -> None:
        self.last = next(self._numbers)
        kept = text[:TEXT_MAX]
        self._entries.append(ConsoleEntry(self.last, _LEVEL_OF.get(level, "info"), kept, place))


def _shown(argument: runtime.Argument) -> str:
    return str(argument.value) if argument.value is not None else argument.description


def _place(trace: runtime.StackTrace | None) -> str:
    frames: Iterable[runtime.CallFrame] = trace.call_frames if trace else ()
    return next((f"{frame.url}:{frame.line_number + 1}" for frame in frames if frame.url), "")
