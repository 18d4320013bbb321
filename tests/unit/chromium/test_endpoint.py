from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.chromium.endpoint import parse_endpoint, read_endpoint

ID = "7a81d51d-cec5-42e6-8e07-fa2db62e16d7"
COMPLETE = f"36365\n/devtools/browser/{ID}"


@pytest.mark.parametrize("text", [COMPLETE, COMPLETE + "\n"])
def test_complete_file_gives_the_address(text: str) -> None:
    assert parse_endpoint(text) == f"ws://127.0.0.1:36365/devtools/browser/{ID}"


@given(length=st.integers(0, len(COMPLETE) - 1))
def test_half_written_file_gives_nothing(length: int) -> None:
    assert parse_endpoint(COMPLETE[:length]) is None


@given(text=st.text())
def test_any_other_text_gives_nothing(text: str) -> None:
    assert parse_endpoint(text) is None


def test_missing_file_directory_and_binary_are_nothing_yet(tmp_path: Path) -> None:
    port_file = tmp_path / "DevToolsActivePort"

    assert read_endpoint(tmp_path) is None
    port_file.write_bytes(b"\xff\xfe\n")
    assert read_endpoint(tmp_path) is None
    port_file.unlink()
    port_file.mkdir()
    assert read_endpoint(tmp_path) is None
