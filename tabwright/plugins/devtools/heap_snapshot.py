"""Snapshots of a page's JavaScript heap: taking them, and counting their objects by class.

The form of a snapshot is that of V8, which Chromium's DevTools open: one flat list of numbers for
all nodes, with as many numbers for each node as there are names in ``snapshot.meta.node_fields``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

import attrs
import msgspec
import trio

from tabwright.cdp.domains import heap_profiler
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import Subscription
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.outline_text import truncate
from tabwright.plugins.devtools.performance import RECORDING_MB_MAX, RECORDING_S, STOP_S
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.inspection import Inspection
from tabwright.text.lines import NAMED_MAX

NAMED_BY_CONSTRUCTOR = frozenset({"object", "native"})
"""The types of nodes whose name is their class; the others are counted by their type."""


@attrs.frozen
class TakeHeapSnapshot(Inspection[bytes]):
    """Return a snapshot of the page's JavaScript heap, as JSON for Chromium's DevTools.

    Refused with `PageFailed` if it is too large.
    """


@answers(TakeHeapSnapshot)
async def take_heap_snapshot(runner: ActionRunner, _request: TakeHeapSnapshot) -> bytes:
    session = (await runner.documents.main()).session
    parts = bytearray()
    complete = trio.Event()

    async def collect(chunks: Subscription[heap_profiler.HeapSnapshotChunk]) -> None:
        """Collect the parts as they come.

        Raises:
            PageFailed: the snapshot is too large.
        """
        async for event in chunks:
            parts.extend(event.chunk.encode())
            if len(parts) > RECORDING_MB_MAX * 1_000_000 or chunks.dropped:
                raise PageFailed(
                    f"The heap snapshot is larger than {RECORDING_MB_MAX} MB.",
                    advice="Take it with DevTools.",
                    retryable=False,
                )
        complete.set()

    try:
        with (
            trio.fail_after(RECORDING_S),
            session.subscribe(heap_profiler.HeapSnapshotChunk) as chunks,
        ):
            async with background_nursery() as nursery:
                nursery.start_soon(collect, chunks)
                await session.execute_all((heap_profiler.enable(), heap_profiler.take_snapshot()))
                chunks.close()
                await complete.wait()
    finally:
        with trio.move_on_after(STOP_S, shield=True), suppress(CDPError):
            await session.execute(heap_profiler.disable())
    return bytes(parts)


# The objects of a snapshot by their classes.


@attrs.frozen
class HeapClass:
    """The objects of one class: their number, and their own size without what they refer to."""

    name: str
    count: int
    size_bytes: int


class _Meta(msgspec.Struct):
    node_fields: list[str]
    node_types: list[list[str] | str]


class _Head(msgspec.Struct):
    meta: _Meta


class _Snapshot(msgspec.Struct):
    snapshot: _Head
    nodes: list[int]
    strings: list[str]


def heap_classes(data: bytes) -> tuple[HeapClass, ...]:
    """Return the classes of a snapshot, the largest first. It runs for seconds on a large one.

    Raises:
        BadInput: it is not a heap snapshot.
    """
    try:
        heap = msgspec.json.decode(data, type=_Snapshot)
        fields, types = heap.snapshot.meta.node_fields, heap.snapshot.meta.node_types[0]
        width = len(fields)
        kinds = heap.nodes[fields.index("type") :: width]
        names = heap.nodes[fields.index("name") :: width]
        sizes = heap.nodes[fields.index("self_size") :: width]
        counts, bytes_of = Counter[str](), Counter[str]()
        for kind, name, size in zip(kinds, names, sizes, strict=True):
            is_named = types[kind] in NAMED_BY_CONSTRUCTOR
            known = heap.strings[name] if is_named else f"({types[kind]})"
            counts[known] += 1
            bytes_of[known] += size
    except (msgspec.DecodeError, ValueError, IndexError) as error:
        raise BadInput(
            "The file is not a heap snapshot.", advice="Use a file of heap_snapshot."
        ) from error
    return tuple(HeapClass(name, counts[name], size) for name, size in bytes_of.most_common())


def compared(before: Iterable[HeapClass], after: Iterable[HeapClass]) -> tuple[HeapClass, ...]:
    """Return what each class has gained or lost, the largest change first."""
    known = {one.name: one for one in before}
    changes = list[HeapClass]()
    for one in after:
        old = known.pop(one.name, HeapClass(one.name, 0, 0))
        changes.append(HeapClass(one.name, one.count - old.count, one.size_bytes - old.size_bytes))
    changes += [HeapClass(one.name, -one.count, -one.size_bytes) for one in known.values()]
    changed = [one for one in changes if one.count or one.size_bytes]
    return tuple(sorted(changed, key=lambda one: -abs(one.size_bytes)))


def class_lines(classes: Iterable[HeapClass], *, signed: bool = False) -> Iterator[str]:
    """Yield a line for each of the first classes; their names are text of the page."""
    form = "+,d" if signed else ",d"
    for one in islice(classes, NAMED_MAX):
        yield f"{truncate(one.name)}: {one.count:{form}} objects, {one.size_bytes:{form}} bytes"
