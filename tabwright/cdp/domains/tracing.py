"""The Tracing and IO domains: recording a performance trace, and reading it."""

from collections.abc import Iterable

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape


class TracingComplete(Event, frozen=True):
    """The recording has ended; `stream` is for `read`."""

    method = "Tracing.tracingComplete"
    stream: str = ""
    data_loss_occurred: bool = False


class StreamChunk(Shape, frozen=True):
    """A part of a stream."""

    data: str
    eof: bool
    base64_encoded: bool = False


def start(categories: Iterable[str]) -> CDPCommand[Nothing]:
    """Tracing.start of the whole browser; the trace is returned as a stream."""
    config: dict[str, JSON] = {"includedCategories": list(categories)}
    params: dict[str, JSON] = {"transferMode": "ReturnAsStream", "traceConfig": config}
    return CDPCommand("Tracing.start", params, Nothing)


def end() -> CDPCommand[Nothing]:
    """Tracing.end; `TracingComplete` follows."""
    return CDPCommand("Tracing.end", {}, Nothing)


def read(stream: str) -> CDPCommand[StreamChunk]:
    """IO.read: the next part of a stream."""
    return CDPCommand("IO.read", {"handle": stream}, StreamChunk)


def close(stream: str) -> CDPCommand[Nothing]:
    """IO.close: discard a stream."""
    return CDPCommand("IO.close", {"handle": stream}, Nothing)
