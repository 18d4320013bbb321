"""The browser that a client needs at once, known before the tools are imported."""

from collections.abc import Mapping
from contextlib import suppress

import attrs
import msgspec
import trio

from tabwright.protocol.browser_pool import BrowserUse


class _Call(msgspec.Struct, frozen=True):
    name: str
    arguments: Mapping[str, object]


class _CallMessage(msgspec.Struct, frozen=True, tag_field="method", tag="tools/call"):
    params: _Call


@attrs.define
class BrowserRequest:
    """The browser that a call of the client needs.

    Attributes:
        made: set once a call needs a browser.
        use: which one.
    """

    made: trio.Event = attrs.field(factory=trio.Event, init=False)
    use: BrowserUse = attrs.field(default=BrowserUse.ALL, init=False)

    def take(self, line: bytes) -> None:
        """Note a message of the client, if it is the first call that needs a browser."""
        if self.made.is_set():
            return
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            call = msgspec.json.decode(line, type=_CallMessage).params
            use = begins_in_browser(call.name, call.arguments)
            if use is not None:
                self.use = use
                self.made.set()


def begins_in_browser(name: str, arguments: Mapping[str, object]) -> BrowserUse | None:
    """Return which browser a call will need at once, judged by its arguments alone."""
    match name, arguments:
        case "google_ai_search" | "web_search", _:
            return BrowserUse.SEARCH
        case "browser_navigate", _:
            return BrowserUse.PAGES
        case "navigate", {"format": "outline"} | {"min_tier": 2 | 3}:
            return BrowserUse.PAGES
        case _:
            return None
