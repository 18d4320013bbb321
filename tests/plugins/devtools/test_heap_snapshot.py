"""Heap snapshots: their classes, and the changes between two of them."""

import msgspec
import pytest

from tabwright.plugins.devtools.heap_snapshot import HeapClass, class_lines, compared, heap_classes
from tabwright.protocol.errors import BadInput


def snapshot(*nodes: tuple[int, int, int]) -> bytes:
    """Return a heap snapshot of nodes, each with type, name and size."""
    fields, types = ["type", "name", "id", "self_size"], [["object", "string", "native"], "string"]
    meta = {"node_fields": fields, "node_types": types}
    flat = [part for kind, name, size in nodes for part in (kind, name, 0, size)]
    heap = {"snapshot": {"meta": meta}, "nodes": flat, "strings": ["Tea", "secret text", "Leaf"]}
    return msgspec.json.encode(heap)


def test_heap_objects_are_counted_by_class_without_string_contents() -> None:
    found = heap_classes(snapshot((0, 0, 10), (1, 1, 50), (0, 0, 10), (2, 2, 5)))
    assert found == (
        HeapClass("(string)", 1, 50),
        HeapClass("Tea", 2, 20),
        HeapClass("Leaf", 1, 5),
    )


def test_heap_comparison_lists_the_largest_change_first() -> None:
    before = heap_classes(snapshot((0, 0, 10), (1, 1, 50), (2, 2, 500)))
    after = heap_classes(snapshot((0, 0, 10), (0, 0, 12), (1, 1, 50)))
    found = compared(before, after)
    assert found == (HeapClass("Leaf", -1, -500), HeapClass("Tea", 1, 12))
    assert list(class_lines(found, signed=True)) == [
        "Leaf: -1 objects, -500 bytes",
        "Tea: +1 objects, +12 bytes",
    ]


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[1]", snapshot((0, 9, 1)), snapshot((7, 0, 1)), snapshot()[:-20]],
)
def test_malformed_heap_snapshot_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        heap_classes(data)
