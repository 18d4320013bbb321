"""The HeapProfiler domain: snapshots of the JavaScript heap."""

from tabwright.cdp.wire import CDPCommand, Event, Nothing


class HeapSnapshotChunk(Event, frozen=True):
    """A part of a snapshot; the last one precedes the reply of `take_snapshot`."""

    method = "HeapProfiler.addHeapSnapshotChunk"
    chunk: str


def enable() -> CDPCommand[Nothing]:
    """HeapProfiler.enable."""
    return CDPCommand("HeapProfiler.enable", {}, Nothing)


def take_snapshot() -> CDPCommand[Nothing]:
    """HeapProfiler.takeHeapSnapshot, after a garbage collection; sends `HeapSnapshotChunk`."""
    return CDPCommand("HeapProfiler.takeHeapSnapshot", {"reportProgress": False}, Nothing)


def disable() -> CDPCommand[Nothing]:
    """HeapProfiler.disable: forget the snapshots that were taken."""
    return CDPCommand("HeapProfiler.disable", {}, Nothing)
