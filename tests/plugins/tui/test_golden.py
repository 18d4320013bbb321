"""The comparison of screens with golden files."""

import sys

import pytest

from tests.support.terminal import open_terminal

READER = [sys.executable, "-S", "-c", "print('http://127.0.0.1:41234/x |\\nend'); input()"]


@pytest.fixture
def kept(monkeypatch, tmp_path, golden):
    """A directory for the golden screens of one test."""
    monkeypatch.setitem(golden.__globals__, "SCREENS", tmp_path)
    return tmp_path


async def test_golden_screen_is_written_on_demand_without_port(golden, kept, monkeypatch) -> None:
    async with open_terminal(READER) as terminal:
        await terminal.until("end")
        monkeypatch.setenv("GOLDEN_SCREENS", "write")
        await golden(terminal, "one")
        assert (kept / "one.txt").read_text() == "http://127.0.0.1:PORT_/x |\nend\n"
        monkeypatch.delenv("GOLDEN_SCREENS")
        await golden(terminal, "one")


async def test_golden_screen_mismatch_is_reported_as_line_diff(golden, kept, monkeypatch) -> None:
    monkeypatch.setitem(golden.__globals__, "COMPARED_S", 0.1)
    (kept / "two.txt").write_text("http://127.0.0.1:PORT_/y |\nend\n")
    async with open_terminal(READER) as terminal:
        await terminal.until("end")
        with pytest.raises(AssertionError, match="another one") as reported:
            await golden(terminal, "two")
        assert "-http://127.0.0.1:PORT_/y |\n+http://127.0.0.1:PORT_/x |\n end" in str(
            reported.value
        )
        with pytest.raises(AssertionError, match="GOLDEN_SCREENS=write"):
            await golden(terminal, "three")
