"""Cassette files, and the data that they must not contain."""

from pathlib import Path

import attrs
import pytest

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput
from tabwright.testing.cassette.masking import masked_tape
from tabwright.testing.cassette.tape import (
    ReceivedEvent,
    ReceivedReply,
    RecordedBrowser,
    RecordedFetch,
    SentCommand,
    Tape,
    read_tape,
    write_tape,
)

SESSION, TARGET = "0123456789ABCDEF0123456789ABCDEF", "FEDCBA9876543210FEDCBA9876543210"
TAPE = Tape(
    [
        RecordedBrowser(
            visible=False,
            frames=[
                SentCommand(1, 0.5, "Target.attachToTarget", {"targetId": TARGET}),
                ReceivedReply(1, 0.75, {"sessionId": SESSION}),
                SentCommand(
                    2,
                    1.0,
                    "Network.setExtraHTTPHeaders",
                    {"headers": {"Authorization": "Bearer t0ken-of-the-shop"}},
                    SESSION,
                ),
                ReceivedReply(2, 1.25, None, {"code": -32000, "message": "no"}, SESSION),
                ReceivedEvent(
                    1.5,
                    "Network.responseReceivedExtraInfo",
                    {"headers": {"set-cookie": "sid=s3cret-cookie; Path=/"}, "headersText": "x"},
                    SESSION,
                ),
                ReceivedReply(
                    3,
                    2.0,
                    {"cookies": [{"name": "id", "value": "an0ther-one", "domain": "a.example"}]},
                ),
                ReceivedReply(4, 2.0, {"value": "sid=s3cret-cookie correct horse an0ther-one"}),
            ],
        )
    ],
    [
        RecordedFetch("https://a.example/?key=t0ken-of-the-shop", status=200, text="caf\u00e9"),
        RecordedFetch("https://a.example/x.png", data=b"\xff\xfe"),
        RecordedFetch("https://b.example/", problem="no answer", code=100),
    ],
    "1.2.3",
)


def test_tape_round_trips_through_its_file(tmp_path: Path) -> None:
    path = tmp_path / "cassettes" / "shop.jsonl"
    write_tape(path, TAPE)
    assert read_tape(path) == TAPE
    assert [one.name for one in path.parent.iterdir()] == ["shop.jsonl"]


@pytest.mark.parametrize("content", ["", "{}\n", '{"cassette": 99}\n', "no JSON\n"])
def test_file_that_is_not_a_cassette_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "shop.jsonl"
    path.write_text(content)
    with pytest.raises(BadInput):
        read_tape(path)


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    path = tmp_path / "shop.jsonl"
    write_tape(path, masked_tape(TAPE, Secrets({"PASSWORD": "correct horse"})))
    written = path.read_text()
    for secret in ("t0ken-of-the-shop", "s3cret-cookie", "an0ther-one", "correct horse"):
        assert secret not in written
    assert "{{PASSWORD}}" in written


def test_ids_are_replaced_wherever_they_occur(tmp_path: Path) -> None:
    masked = masked_tape(TAPE, Secrets())
    [browser] = masked.browsers
    assert {frame.session_id for frame in browser.frames} == {"", "session-1"}
    assert browser.frames[0] == SentCommand(
        1, 0.5, "Target.attachToTarget", {"targetId": "target-1"}
    )
    path = tmp_path / "shop.jsonl"
    write_tape(path, masked)
    assert SESSION not in path.read_text()


def test_recordings_that_differ_only_in_ids_give_the_same_tape() -> None:
    [browser] = TAPE.browsers
    other = attrs.evolve(
        browser,
        frames=[
            SentCommand(1, 0.5, "Target.attachToTarget", {"targetId": TARGET[::-1]}),
            ReceivedReply(1, 0.75, {"sessionId": SESSION[::-1]}),
        ],
    )
    first = masked_tape(Tape([attrs.evolve(browser, frames=browser.frames[:2])]), Secrets())
    assert masked_tape(Tape([other]), Secrets()) == first


def test_script_library_version_does_not_change_recorded_command() -> None:
    head = f"// The library.\n{' ' * 60}"
    commands = [
        SentCommand(1, 0.0, "Runtime.evaluate", {"expression": head + text})
        for text in ("a" * 2000, "b" * 3000)
    ]
    tape = Tape([RecordedBrowser(visible=None, frames=commands)])
    [first, second] = masked_tape(tape, Secrets()).browsers[0].frames
    assert first == second
