"""Fake browsers (shell scripts) and a check that a test leaves no resources behind."""

import gc
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import trio

FakeBrowser = Callable[[str], Path]
NothingLeft = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def temporary(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A temporary directory with a short path that replaces the system's for one test."""
    tmp_path_factory.getbasetemp()  # which would else come to lie in it
    path = Path(tempfile.mkdtemp(prefix="t"))
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def fake_browser(tmp_path: Path) -> FakeBrowser:
    """Return a function that makes an executable from the body of a shell script."""

    def make(body: str) -> Path:
        path = tmp_path / "browser"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return make


@pytest.fixture(params=["127.0.0.1", ""], ids=["here", "everywhere"])
def taken_port(request: pytest.FixtureRequest) -> Iterator[int]:
    """A port on 127.0.0.1 that another server already listens on."""
    with socket.create_server((str(request.param), 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def nothing_left(temporary: Path) -> NothingLeft:
    """Return a context manager that checks that its body leaves nothing behind.

    It compares descriptors, children (zombies too) and private directories. The body may take
    30 seconds.
    """

    @contextmanager
    def check() -> Iterator[None]:
        before, started_earlier = descriptors(), children().keys()
        with trio.fail_after(30):
            yield
        assert descriptors() == before
        assert not {pid: stat for pid, stat in children().items() if pid not in started_earlier}
        assert list(temporary.iterdir()) == []

    return check


def descriptors() -> list[Path]:
    gc.collect()  # what an earlier test has left to it closes its descriptors at any time
    gc.freeze()  # else the next call looks at all of it again
    return sorted(Path("/proc/self/fd").iterdir())


def children() -> dict[str, str]:
    """Return the ``stat`` line of every child process not yet reaped, by its pid."""
    found = {process.name: read_stat(process) for process in Path("/proc").glob("[0-9]*")}
    return {
        pid: stat
        for pid, stat in found.items()
        if stat and stat.rpartition(")")[2].split()[1] == str(os.getpid())
    }


def read_stat(process: Path) -> str:
    try:
        return (process / "stat").read_text()
    except OSError:
        return ""
