"""Trace files: written event by event, read with limits, and removed when old."""

import os
import zipfile
from pathlib import Path

import msgspec
import pytest

from tabwright.plugins.trace.events import TraceEvent, TraceHeader
from tabwright.plugins.trace.trace_file import (
    SUFFIX,
    append_event,
    create_trace,
    picture_name,
    prune_traces,
    read_trace,
)
from tabwright.protocol.errors import BadInput

HEADER = TraceHeader(session="shop", started=1.5, made_by="1")


def event(number: int, **values: object) -> dict[str, object]:
    made = TraceEvent(number=number, kind="navigate", request={"url": "/"}, **values)
    return msgspec.to_builtins(made)


def test_trace_is_complete_after_each_event(tmp_path: Path):
    path = create_trace(tmp_path / "new" / "traces", HEADER, "now")
    assert read_trace(path).events == ()
    append_event(path, event(1, picture=picture_name(1)), 1, b"\xff\xd8 picture")
    size = append_event(path, event(2), 2, b"")
    trace = read_trace(path)
    assert (trace.header, [one.number for one in trace.events]) == (HEADER, [1, 2])
    assert trace.pictures == {picture_name(1): b"\xff\xd8 picture"}
    assert size == path.stat().st_size
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_traces_created_in_the_same_second_have_different_names(tmp_path: Path):
    names = {create_trace(tmp_path, HEADER, "now").name for _ in range(3)}
    assert names == {f"shop-now{SUFFIX}", f"shop-now-2{SUFFIX}", f"shop-now-3{SUFFIX}"}


@pytest.mark.parametrize(
    "entries",
    [
        {},
        {"trace.json": b"[]"},
        {"trace.json": b'{"session": "s", "started": 1, "made_by": "x", "version": 99}'},
        {"trace.json": b'{"session": "s", "started": 1e300, "made_by": "x"}'},
        {"trace.json": msgspec.json.encode(HEADER), "events/000001.json": b"{}"},
    ],
)
def test_invalid_trace_file_is_rejected(tmp_path: Path, entries: dict[str, bytes]):
    path = tmp_path / f"x{SUFFIX}"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(BadInput):
        read_trace(path)


def test_missing_or_invalid_trace_file_is_refused(tmp_path: Path):
    (tmp_path / "text").write_text("no archive")
    for name in ("text", "missing"):
        with pytest.raises(BadInput):
            read_trace(tmp_path / name)


def test_pruning_removes_the_oldest_traces_and_no_other_files(tmp_path: Path):
    for age, name in enumerate(("c", "b", "a")):
        path = tmp_path / f"{name}{SUFFIX}"
        path.write_bytes(bytes(100))
        os.utime(path, (1000 - age, 1000 - age))
    (tmp_path / "notes.txt").write_bytes(bytes(1000))
    prune_traces(tmp_path, 150, frozenset({tmp_path / f"a{SUFFIX}"}))
    assert {path.name for path in tmp_path.iterdir()} == {f"a{SUFFIX}", "notes.txt"}
