"""What holds for every test: it leaves no process behind."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def no_child_left() -> Iterator[None]:
    """Fails a test that leaves a child process of ours, alive or as a zombie."""
    before = children()
    yield
    assert children() <= before


def children() -> set[str]:
    """The ids of our child processes, zombies too; a child belongs to the thread that made it."""
    found = set[str]()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has ended, and another has its children
            found.update((thread / "children").read_text().split())
    return found
