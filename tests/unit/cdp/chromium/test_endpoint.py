import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.chromium.errors import PortTaken
from tabwright.cdp.chromium.process import (
    announced_endpoint,
    parse_endpoint,
    read_endpoint,
    require_port,
)

ID = "7a81d51d-cec5-42e6-8e07-fa2db62e16d7"
COMPLETE = f"36365\n/devtools/browser/{ID}"


@pytest.mark.parametrize("text", [COMPLETE, COMPLETE + "\n"])
def test_complete_port_file_gives_the_endpoint(text: str) -> None:
    assert parse_endpoint(text) == f"ws://127.0.0.1:36365/devtools/browser/{ID}"


@given(length=st.integers(0, len(COMPLETE) - 1))
def test_truncated_port_file_gives_no_endpoint(length: int) -> None:
    assert parse_endpoint(COMPLETE[:length]) is None


@given(text=st.text())
def test_arbitrary_text_gives_no_endpoint(text: str) -> None:
    assert parse_endpoint(text) is None


@pytest.mark.parametrize("after", ["", "\n", "\n[1:1:ERROR:bus.cc] Failed to connect to the bus"])
def test_announced_endpoint_is_parsed_despite_later_output(after: str) -> None:
    output = (
        f"Warning: a word before\nDevTools listening on ws://127.0.0.1:9222/devtools/browser/{ID}"
    )
    assert announced_endpoint(output + after) == f"ws://127.0.0.1:9222/devtools/browser/{ID}"
    assert announced_endpoint(output[:-1]) is None


def test_missing_or_unreadable_port_file_gives_no_endpoint(tmp_path: Path) -> None:
    port_file = tmp_path / "DevToolsActivePort"

    assert read_endpoint(tmp_path) is None
    port_file.write_bytes(b"\xff\xfe\n")
    assert read_endpoint(tmp_path) is None
    port_file.unlink()
    port_file.mkdir()
    assert read_endpoint(tmp_path) is None


def test_port_that_another_program_has_is_reported(taken_port: int) -> None:
    with pytest.raises(PortTaken, match=f"Port {taken_port} is in use by another program"):
        require_port(taken_port)


def test_port_in_time_wait_is_available() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _address = server.accept()
            accepted.close()  # the side that closes first waits: TIME_WAIT
            assert client.recv(1) == b""
    require_port(port)


def test_port_zero_is_always_available() -> None:
    require_port(0)
