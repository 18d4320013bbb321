"""The lines of the wire log."""

import json

import pytest

from tabwright.cdp.connection import received_line, sent_line
from tabwright.cdp.wire import encode_command
from tabwright.page.tab_storage import restoring
from tabwright.protocol.tab import OriginStorage


@pytest.mark.parametrize(
    ("session_id", "line"),
    [
        ("A1B2C3D4", '=> #12 @a1b2 Page.navigate {"url":"https://example.com/"}'),
        ("", '=> #12 Page.navigate {"url":"https://example.com/"}'),
    ],
)
def test_sent_command_is_logged_with_id_session_and_params(session_id: str, line: str) -> None:
    frame = encode_command(12, session_id, "Page.navigate", {"url": "https://example.com/"})
    assert sent_line(frame) == line


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        (b'{"id":12,"result":{"frameId":"F"},"sessionId":"A1B2"}', '<= #12 @a1b2 {"frameId":"F"}'),
        (b'{"id":12,"result":{}}', "<= #12 {}"),
        (
            b'{"id":12,"error":{"code":-32601,"message":"\'No.such\' wasn\'t found"}}',
            "<= #12 error -32601 'No.such' wasn't found",
        ),
        (b'{"error":{"code":-32700,"message":"What?"}}', "<= error -32700 What?"),
        (
            b'{"method":"Page.loadEventFired","params":{"timestamp":1.5},"sessionId":"A1B2C3"}',
            '<- @a1b2 Page.loadEventFired {"timestamp":1.5}',
        ),
        (b"{this is no JSON", "<- (16 bytes, unreadable)"),
        (b"\xff\xfe", "<- (2 bytes, unreadable)"),
        (b'{"id":1,"result":{"a":"\xff"}}', '<= #1 {"a":"\ufffd"}'),
    ],
)
def test_received_frame_is_logged_as_one_line(frame: bytes, line: str) -> None:
    assert received_line(frame) == line


def test_a_long_frame_is_cut() -> None:
    frame = json.dumps({"id": 1, "result": {"text": "ä" * 5000}}, ensure_ascii=False).encode()
    line = received_line(frame)
    assert line.startswith('<= #1 {"text": "ää')
    assert line.endswith(f"ä… ({len(frame)} bytes)")
    assert len(line) < 450


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Input.insertText", {"text": "SECRET"}),
        (
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": restoring([OriginStorage("https://a.example", (("token", "SECRET"),))])},
        ),
        ("Network.setCookie", {"value": "SECRET"}),
        ("Fetch.continueWithAuth", {"password": "SECRET"}),
        ("Network.setExtraHTTPHeaders", {"X-Token": "SECRET"}),
        ("Page.navigate", {"padding": "x" * 5000, "Cookie": "SECRET"}),
    ],
)
def test_secrets_in_sent_commands_are_not_logged(method: str, params: dict[str, str]) -> None:
    frame = encode_command(1, "s1", method, params)
    assert sent_line(frame) == f"=> #1 @s1 {method} ({len(frame)} bytes, private)"


@pytest.mark.parametrize(
    "content",
    [
        {"result": {"cookies": [{"value": "SECRET"}]}},
        {"method": "Network.responseReceivedExtraInfo", "params": {"headers": {"a": "SECRET"}}},
        {"method": "A.b", "params": {"headers": {"set-cookie": "SECRET"}}},
        {"method": "A.b", "params": {"headers": {"Authorization": "SECRET"}}},
        {"error": {"code": 1, "message": "Bad cookie SECRET"}},
    ],
)
def test_secrets_in_received_frames_are_not_logged(content: dict[str, object]) -> None:
    line = received_line(json.dumps(content).encode())
    assert "SECRET" not in line
    assert line.endswith("private)")
