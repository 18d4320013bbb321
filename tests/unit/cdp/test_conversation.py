"""The rules of a CDP conversation, one by one."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.conversation import CommandMultiplexer, PendingCall
from tabwright.cdp.errors import (
    CommandFailed,
    Gone,
    MalformedReply,
    SessionEnded,
    TargetCrashed,
    UnsendableText,
)
from tabwright.cdp.wire import JSON


def frame(**parts: JSON) -> bytes:
    return json.dumps(parts).encode()


def begin(
    conversation: CommandMultiplexer, session_id: str = "s1", method: str = "Page.enable"
) -> PendingCall:
    return conversation.open(session_id, method, {})[0]


def result_of(call: PendingCall) -> object:
    assert call.outcome is not None
    return json.loads(bytes(call.outcome.unwrap()))


def error_of(call: PendingCall) -> Exception:
    assert call.outcome is not None
    with pytest.raises(Gone) as caught:
        call.outcome.unwrap()
    return caught.value


def test_command_is_encoded_as_single_json_frame() -> None:
    _, sent = CommandMultiplexer().open("s1", "Page.navigate", {"url": "https://a.example/ä"})
    assert json.loads(sent) == {
        "id": 1,
        "method": "Page.navigate",
        "params": {"url": "https://a.example/ä"},
        "sessionId": "s1",
    }
    assert b"\0" not in sent


def test_browser_level_command_has_no_session_id() -> None:
    _, sent = CommandMultiplexer().open("", "Browser.getVersion", {})
    assert json.loads(sent) == {"id": 1, "method": "Browser.getVersion", "params": {}}


def test_command_ids_increase_across_sessions() -> None:
    conversation = CommandMultiplexer()
    calls = [begin(conversation, session) for session in ("s1", "", "s2", "s1")]
    assert [call.number for call in calls] == [1, 2, 3, 4]


def test_unencodable_command_leaves_no_pending_call() -> None:
    conversation = CommandMultiplexer()
    with pytest.raises(UnsendableText, match=r"^Page\.navigate: "):
        conversation.open("s1", "Page.navigate", {"url": "\ud800"})
    assert len(conversation) == 0


@given(st.permutations(range(1, 8)))
def test_replies_find_their_calls_in_any_order(order: list[int]) -> None:
    conversation = CommandMultiplexer()
    calls = {number: begin(conversation) for number in sorted(order)}
    for number in order:
        assert conversation.receive(frame(id=number, result={"n": number})) is None
    assert {n: result_of(call) for n, call in calls.items()} == {
        number: {"n": number} for number in order
    }
    assert (len(conversation), conversation.oddities) == (0, 0)


def test_duplicate_reply_wakes_caller_only_once() -> None:
    conversation = CommandMultiplexer()
    call = begin(conversation)
    woken: list[object] = []
    call.wake = woken.append
    for _ in range(2):
        conversation.receive(frame(id=1, result={}))
    assert woken == [call.outcome]


def test_command_failure_has_method_code_message_and_data() -> None:
    conversation = CommandMultiplexer()
    call = begin(conversation, method="Page.navigate")
    error = {"code": -32602, "message": "Invalid parameters", "data": "url: string expected"}
    conversation.receive(frame(id=1, error=error))
    assert call.outcome is not None
    with pytest.raises(CommandFailed) as caught:
        call.outcome.unwrap()
    assert (caught.value.method, caught.value.code) == ("Page.navigate", -32602)
    assert str(caught.value) == ("Page.navigate: Invalid parameters [-32602] url: string expected")


@pytest.mark.parametrize(
    "odd",
    [
        frame(id=7, result={}),
        frame(id=-1, result={}),
        frame(result={}),
        frame(error={"code": -32700, "message": "Message must be a valid JSON"}),
        frame(id="1", result={}),
        frame(id=1, error="no object"),
        b"{this is no JSON",
        b"[]",
        b"null",
        b"",
        b"\xff\xfe",
        b'{"method":"Page.\xff"}',
    ],
)
def test_malformed_message_is_counted_and_settles_no_call(odd: bytes) -> None:
    conversation = CommandMultiplexer()
    call = begin(conversation)
    assert conversation.receive(odd) is None
    assert conversation.oddities == 1
    assert call.outcome is None
    assert len(conversation) == 1


@pytest.mark.parametrize("rest", [b'"result":{"text":"xxxx', b'"error":"no object"}'])
def test_undecodable_reply_fails_only_its_own_call(rest: bytes) -> None:
    conversation = CommandMultiplexer()
    other, call = begin(conversation), begin(conversation, method="Runtime.evaluate")
    assert conversation.receive(b'{"id":2,' + rest) is None
    assert call.outcome is not None
    with pytest.raises(MalformedReply, match=r"^Runtime\.evaluate: its response is too large"):
        call.outcome.unwrap()
    assert other.outcome is None
    assert (len(conversation), conversation.oddities) == (1, 1)


def test_late_and_double_replies_are_counted() -> None:
    conversation = CommandMultiplexer()
    abandoned, answered = begin(conversation), begin(conversation)
    conversation.abandon(abandoned)
    conversation.abandon(abandoned)
    conversation.receive(frame(id=1, result={}))
    conversation.receive(frame(id=2, result={"n": 1}))
    conversation.receive(frame(id=2, result={"n": 2}))
    assert conversation.oddities == 2
    assert abandoned.outcome is None
    assert result_of(answered) == {"n": 1}


def test_event_is_returned_with_raw_params() -> None:
    conversation = CommandMultiplexer()
    event = conversation.receive(frame(method="No.such", params={"a": [1]}, sessionId="s1"))
    assert event is not None
    assert (event.method, event.session_id) == ("No.such", "s1")
    assert json.loads(bytes(event.params)) == {"a": [1]}
    assert conversation.oddities == 0


CRASH = frame(method="Inspector.targetCrashed", params={}, sessionId="s1")
DETACH = frame(method="Target.detachedFromTarget", params={"sessionId": "s1", "targetId": "t"})
NESTED = frame(
    method="Target.detachedFromTarget", params={"sessionId": "s1", "targetId": "t"}, sessionId="s2"
)


@pytest.mark.parametrize(
    ("loss", "error"), [(CRASH, TargetCrashed), (DETACH, SessionEnded), (NESTED, SessionEnded)]
)
def test_session_loss_fails_only_calls_of_that_session(loss: bytes, error: type[Gone]) -> None:
    conversation = CommandMultiplexer()
    lost = [begin(conversation, "s1", method) for method in ("Page.crash", "Page.enable")]
    others = [begin(conversation, session) for session in ("", "s2")]
    event = conversation.receive(loss)
    assert event is not None
    errors = [error_of(call) for call in lost]
    assert [type(e) for e in errors] == [error, error]
    assert [e.method for e in errors if isinstance(e, Gone)] == ["Page.crash", "Page.enable"]
    assert [call.outcome for call in others] == [None, None]
    conversation.receive(frame(id=lost[0].number, result={}))
    assert (len(conversation), conversation.oddities) == (2, 1)


@pytest.mark.parametrize("params", [{}, {"sessionId": 7}, []])
def test_detach_event_without_session_id_is_malformed(params: Mapping[str, JSON]) -> None:
    conversation = CommandMultiplexer()
    call = begin(conversation)
    with pytest.raises(MalformedReply):
        conversation.receive(frame(method="Target.detachedFromTarget", params=params))
    assert call.outcome is None


def test_losing_everything_fails_each_call_with_its_own_method() -> None:
    conversation = CommandMultiplexer()
    calls = [begin(conversation, session, "Page.enable") for session in ("", "s1")]
    conversation.lose(SessionEnded)
    assert [str(error_of(call)) for call in calls] == ["Page.enable: the page was closed"] * 2
    assert len(conversation) == 0
