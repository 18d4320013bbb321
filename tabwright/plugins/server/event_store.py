"""The latest messages to a client, in case it loses its connection (streamable HTTP of MCP)."""

from collections import OrderedDict
from itertools import count

import mcp_types as mcp
from mcp.server.streamable_http import (
    EventCallback,
    EventId,
    EventMessage,
    EventStore,
    StreamId,
)

EVENTS_MAX = 200
BYTES_MAX = 4 << 20
"""For each client, so that an answer with pictures fits in."""


class RecentEvents(EventStore):
    """Keeps the newest messages of one MCP session, whose client can ask for those it missed.

    A client that was away for too long is not resumed, and has to call again.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._bytes = 0
        self._events: OrderedDict[EventId, tuple[StreamId, mcp.JSONRPCMessage | None, int]] = (
            OrderedDict()
        )

    async def store_event(self, stream_id: StreamId, message: mcp.JSONRPCMessage | None) -> EventId:
        """Keep a message, and drop the oldest ones beyond the limits."""
        size = len(message.model_dump_json()) if message is not None else 0
        event_id = str(next(self._numbers))
        self._events[event_id] = stream_id, message, size
        self._bytes += size
        while len(self._events) > EVENTS_MAX or self._bytes > BYTES_MAX:
            _, (_, _, dropped) = self._events.popitem(last=False)
            self._bytes -= dropped
        return event_id

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        """Send the later messages of the same stream; None if that one is not kept."""
        last = self._events.get(last_event_id)
        if last is None:
            return None
        stream = last[0]
        later = [
            EventMessage(message, event_id)
            for event_id, (stream_id, message, _) in self._events.items()
            if stream_id == stream and message is not None and int(event_id) > int(last_event_id)
        ]
        for event in later:
            await send_callback(event)
        return stream
