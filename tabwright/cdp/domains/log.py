"""The Log domain: what the browser itself says of a page."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing, Shape


class LogEntry(Shape, frozen=True):
    """A line of it; `level` is ``verbose``, ``info``, ``warning`` or ``error``.

    Where it is about a request, `network_request_id` names that.
    """

    level: str
    text: str
    url: str = ""
    line_number: int = 0
    network_request_id: str = ""


class EntryAdded(Event, frozen=True):
    """The browser said something."""

    method = "Log.entryAdded"
    entry: LogEntry

    def lowered(self) -> "EntryAdded":
        """The same as something that only a thorough reader looks at."""
        said = self.entry
        return EntryAdded(
            entry=LogEntry(
                "verbose", said.text, said.url, said.line_number, said.network_request_id
            )
        )


def enable() -> CDPCommand[Nothing]:
    """Log.enable."""
    return CDPCommand("Log.enable", {}, Nothing)
