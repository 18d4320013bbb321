"""The Log domain: the browser's own messages about a page."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing, Shape


class LogEntry(Shape, frozen=True):
    """A message; `level` is ``verbose``, ``info``, ``warning`` or ``error``.

    If it is about a request, `network_request_id` is set.
    """

    level: str
    text: str
    url: str = ""
    line_number: int = 0
    network_request_id: str = ""


class EntryAdded(Event, frozen=True):
    """The browser logged a message."""

    method = "Log.entryAdded"
    entry: LogEntry

    def lowered(self) -> "EntryAdded":
        """Return the same message at the lowest level."""
        entry = self.entry
        return EntryAdded(
            entry=LogEntry(
                "verbose", entry.text, entry.url, entry.line_number, entry.network_request_id
            )
        )


def enable() -> CDPCommand[Nothing]:
    """Log.enable."""
    return CDPCommand("Log.enable", {}, Nothing)
