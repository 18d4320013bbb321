"""A connection over in-process links: no call hangs, and no frame is torn."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from math import inf

import attrs
import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.cdp import connection as module
from tabwright.cdp.connection import OUTBOX_MAX, WRITE_STALL_S, CDPConnection, CDPSession
from tabwright.cdp.domains.network import DataReceived
from tabwright.cdp.domains.page import Navigated
from tabwright.cdp.errors import (
    CommandFailed,
    ConnectionLost,
    FrameTooLarge,
    LinkLost,
    MalformedReply,
    SessionEnded,
    TargetCrashed,
    UnsendableText,
)
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery

Clock = trio.testing.MockClock
PING = CDPCommand("Ping", {}, Nothing)
NAVIGATE = CDPCommand("Page.navigate", {}, Navigated)
LARGE = CDPCommand("Large", {"text": "x" * 5000}, Nothing)


class Browser:
    """A link with a fake browser at its other end, whose messages the test gives.

    Attributes:
        taken: the bytes that were sent, in whole frames or not; each frame ends with NUL.
        stuck: whether no byte can be sent.
        step_bytes: how much is sent at a time, with a pause in between; without a limit a frame is
            sent at once.
        echoing: whether each command is answered as soon as it is complete.
    """

    def __init__(self, *, step_bytes: float = inf, echoing: bool = False) -> None:
        self.taken = bytearray()
        self.stuck = False
        self.step_bytes = step_bytes
        self.echoing = echoing
        self._says, self._said = trio.open_memory_channel[bytes](inf)

    def commands(self) -> list[dict[str, JSON]]:
        *frames, torn = bytes(self.taken).split(b"\0")
        assert torn == b""
        return [json.loads(frame) for frame in frames]

    def says(self, **parts: JSON) -> None:
        self._says.send_nowait(json.dumps(parts).encode())

    def hangs_up(self) -> None:
        self._says.close()

    def send_nowait(self, frame: bytes) -> bool:
        if self.stuck or len(frame) + 1 > self.step_bytes:
            return False
        self._take(frame + b"\0")
        return True

    async def send(self, frame: bytes) -> None:
        left = frame + b"\0"
        while left:
            await trio.sleep(inf if self.stuck else 0.1)
            size = min(len(left), int(min(self.step_bytes, 1 << 30)))
            self._take(left[:size])
            left = left[size:]

    def _take(self, part: bytes) -> None:
        self.taken += part
        if self.echoing and part.endswith(b"\0"):
            last = bytes(self.taken[:-1]).rpartition(b"\0")[2]
            self.says(id=json.loads(last)["id"], result={})

    async def receive(self) -> Sequence[bytes]:
        try:
            return [await self._said.receive()]
        except trio.EndOfChannel as error:
            raise LinkLost("the browser hung up") from error

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


@attrs.frozen
class Talk:
    browser: Browser
    connection: CDPConnection

    @property
    def root(self) -> CDPSession:
        return self.connection.root

    async def attach(self, session_id: str) -> CDPSession:
        attached: JSON = {"sessionId": session_id, "targetInfo": {"targetId": "t", "type": "page"}}
        self.browser.says(method="Target.attachedToTarget", params=attached)
        await trio.testing.wait_all_tasks_blocked()
        return self.connection.session(session_id)


@asynccontextmanager
async def talking(browser: Browser) -> AsyncGenerator[Talk]:
    connection = CDPConnection(browser)
    async with background_nursery() as nursery:
        nursery.start_soon(connection.run)
        yield Talk(browser, connection)


@pytest.fixture
async def talk() -> AsyncGenerator[Talk]:
    """A connection with a fake browser; times out after a minute on the test's clock."""
    with trio.fail_after(60):
        async with talking(Browser()) as talk:
            yield talk


async def ends(session: CDPSession, command: CDPCommand[Nothing], errors: list[Exception]) -> None:
    try:
        await session.execute(command)
    except Exception as error:  # noqa: BLE001
        errors.append(error)


# What is said and heard.


async def test_reply_is_decoded_to_result_type_of_command(talk: Talk) -> None:
    talk.browser.says(id=1, result={"frameId": "f"})
    assert await talk.root.execute(NAVIGATE) == Navigated("f")


async def test_refused_or_malformed_command_fails_only_its_own_call(talk: Talk) -> None:
    talk.browser.says(id=1, error={"code": -32000, "message": "No"})
    with pytest.raises(CommandFailed, match="No"):
        await talk.root.execute(PING)
    talk.browser.says(id=2, result={"frameId": 7})
    with pytest.raises(MalformedReply):
        await talk.root.execute(NAVIGATE)
    with pytest.raises(UnsendableText):
        await talk.root.execute(CDPCommand("Ping", {"text": "\udc00"}, Nothing))
    talk.browser.says(id=4, result={})
    assert await talk.root.execute(PING) == Nothing()


async def test_execute_all_sends_commands_in_order_before_any_reply(
    talk: Talk, nursery: trio.Nursery
) -> None:
    replies: list[Navigated] = []

    async def together() -> None:
        replies.extend(await talk.root.execute_all((NAVIGATE, NAVIGATE, NAVIGATE)))

    nursery.start_soon(together)
    await trio.testing.wait_all_tasks_blocked()
    assert [command["id"] for command in talk.browser.commands()] == [1, 2, 3]
    for number in (3, 1, 2):
        talk.browser.says(id=number, result={"frameId": f"f{number}"})
    await trio.testing.wait_all_tasks_blocked()
    assert [reply.frame_id for reply in replies] == ["f1", "f2", "f3"]


async def test_execute_both_with_replies_of_different_shapes_sends_both_at_once(
    talk: Talk, nursery: trio.Nursery
) -> None:
    replies: list[tuple[Navigated, Nothing]] = []

    async def both() -> None:
        replies.append(await talk.root.execute_both(NAVIGATE, PING))

    nursery.start_soon(both)
    await trio.testing.wait_all_tasks_blocked()
    assert [command["id"] for command in talk.browser.commands()] == [1, 2]
    talk.browser.says(id=2, result={})
    talk.browser.says(id=1, result={"frameId": "f1"})
    await trio.testing.wait_all_tasks_blocked()
    ((navigated, nothing),) = replies
    assert navigated.frame_id == "f1"
    assert nothing == Nothing()


async def test_execute_all_fails_as_soon_as_one_command_fails(talk: Talk) -> None:
    talk.browser.says(id=2, error={"code": -32000, "message": "No"})
    talk.browser.says(id=1, result={})
    with pytest.raises(CommandFailed):
        await talk.root.execute_all((PING, PING, PING))
    assert len(talk.browser.commands()) == 3
    assert len(talk.connection._conversation) == 0


async def test_oversized_command_is_refused_before_sending(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMMAND_BYTES_MAX", 1000)
    with pytest.raises(FrameTooLarge, match=r"^Large: the command has 50\d\d bytes$"):
        await talk.root.execute(LARGE)
    assert talk.browser.commands() == []
    assert len(talk.connection._conversation) == 0


async def test_connection_logs_sent_and_received_frames() -> None:
    browser, lines = Browser(echoing=True), list[str]()
    connection = CDPConnection(browser, lines.append)
    async with background_nursery() as nursery:
        nursery.start_soon(connection.run)
        await connection.root.execute(PING)
    assert lines == ["=> #1 Ping {}", "<= #1 {}"]


# Sessions and events.


async def test_events_go_to_their_session_and_type(talk: Talk) -> None:
    one, two = await talk.attach("s1"), await talk.attach("s2")
    with one.subscribe(DataReceived) as ones, two.subscribe(DataReceived) as twos:
        for session_id, size in (("s1", 1), ("s2", 2), ("s1", 3)):
            params: JSON = {"requestId": "r", "dataLength": size}
            talk.browser.says(method=DataReceived.method, params=params, sessionId=session_id)
        assert [(await anext(ones)).data_length for _ in range(2)] == [1, 3]
        assert (await anext(twos)).data_length == 2
    assert talk.connection.strays == 0


async def test_subscription_receives_events_from_creation_to_end_of_block(talk: Talk) -> None:
    one = await talk.attach("s1")
    events = one.subscribe(DataReceived)
    for size in (1, 2):
        params: JSON = {"requestId": "r", "dataLength": size}
        talk.browser.says(method=DataReceived.method, params=params, sessionId="s1")
    await trio.testing.wait_all_tasks_blocked()
    with events:
        assert [(await anext(events)).data_length for _ in range(2)] == [1, 2]
    assert one._listeners == []


async def test_session_receives_events_right_after_its_attachment(talk: Talk) -> None:
    attached: JSON = {"sessionId": "s1", "targetInfo": {"targetId": "t", "type": "page"}}
    talk.browser.says(method="Target.attachedToTarget", params=attached)
    talk.browser.says(id=1, result={})
    talk.browser.says(method="Inspector.targetCrashed", sessionId="s1")
    await talk.root.execute(PING)
    with pytest.raises((TargetCrashed, SessionEnded)):
        await talk.connection.session("s1").execute(PING)
    assert talk.connection.strays == 0


async def test_unroutable_messages_are_counted(talk: Talk) -> None:
    talk.browser.says(method="Page.loadEventFired", params={}, sessionId="nobody")
    talk.browser.says(method="Target.attachedToTarget", params={"sessionId": 7})
    talk.browser.says(method="Target.detachedFromTarget", params={})
    talk.browser.says(method="Target.detachedFromTarget", params={"sessionId": "nobody"})
    talk.browser.says(id=99, result={})
    talk.browser.says(id=1, result={})
    await talk.root.execute(PING)
    assert (talk.connection.strays, talk.connection._conversation.oddities) == (3, 1)


async def test_command_in_unknown_session_raises_session_ended(talk: Talk) -> None:
    with pytest.raises(SessionEnded):
        await talk.connection.session("nobody").execute(PING)
    assert talk.browser.commands() == []


async def test_target_crash_fails_its_calls_but_other_sessions_survive(
    talk: Talk, nursery: trio.Nursery
) -> None:
    errors: list[Exception] = []
    crashed, other = await talk.attach("s1"), await talk.attach("s2")
    nursery.start_soon(ends, crashed, PING, errors)
    with crashed.subscribe(DataReceived) as events:
        await trio.testing.wait_all_tasks_blocked()
        talk.browser.says(method="Inspector.targetCrashed", sessionId="s1")
        with pytest.raises(TargetCrashed):
            await anext(events)
    await trio.testing.wait_all_tasks_blocked()
    sent = len(talk.browser.commands())
    with pytest.raises(TargetCrashed):
        await crashed.execute(PING)
    with pytest.raises(TargetCrashed), crashed.subscribe(DataReceived) as events:
        await anext(events)
    assert len(talk.browser.commands()) == sent
    assert [type(error) for error in errors] == [TargetCrashed]
    talk.browser.says(method="Target.detachedFromTarget", params={"sessionId": "s1"})
    talk.browser.says(id=sent + 1, result={})
    assert await other.execute(PING) == Nothing()
    assert crashed.failure is TargetCrashed


async def test_slow_subscriber_drops_events_instead_of_blocking_connection(talk: Talk) -> None:
    with talk.root.subscribe(DataReceived, capacity=3) as slow:
        for size in range(100):
            params: JSON = {"requestId": "r", "dataLength": size}
            talk.browser.says(method=DataReceived.method, params=params)
        talk.browser.says(id=1, result={})
        await talk.root.execute(PING)
        assert slow.dropped == 97
        assert [(await anext(slow)).data_length for _ in range(3)] == [97, 98, 99]
    assert talk.root._listeners == []


# Loss.


async def test_link_loss_fails_every_pending_call(talk: Talk) -> None:
    errors: list[Exception] = []
    session = await talk.attach("s1")
    async with trio.open_nursery() as nursery:
        for asked in (talk.root, session, session):
            nursery.start_soon(ends, asked, PING, errors)
        await trio.testing.wait_all_tasks_blocked()
        talk.browser.hangs_up()
    assert [str(error) for error in errors] == [
        "Ping: the connection to the browser was lost: the browser hung up"
    ] * 3
    assert talk.connection.lost.is_set()
    for late in (talk.root, session, talk.connection.session("nobody")):
        with pytest.raises(ConnectionLost):
            await late.execute(PING)
    assert len(talk.connection._conversation) == 0


async def test_end_of_run_fails_every_pending_call() -> None:
    errors: list[Exception] = []
    connection = CDPConnection(Browser())
    async with trio.open_nursery() as callers:
        async with background_nursery() as nursery:
            nursery.start_soon(connection.run)
            callers.start_soon(ends, connection.root, PING, errors)
            await trio.testing.wait_all_tasks_blocked()
    assert [type(error) for error in errors] == [ConnectionLost]


async def test_connection_is_lost_when_browser_accepts_no_commands(
    talk: Talk, autojump_clock: Clock
) -> None:
    errors: list[Exception] = []
    talk.browser.stuck = True
    began_s = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(OUTBOX_MAX + 9):
            nursery.start_soon(ends, talk.root, PING, errors)
    assert trio.current_time() - began_s == WRITE_STALL_S
    assert {str(error) for error in errors} == {
        "Ping: the connection to the browser was lost: the browser accepts no commands"
    }
    assert len(errors) == OUTBOX_MAX + 9
    assert talk.connection.lost.is_set()


async def test_run_ends_when_writing_stalls(talk: Talk, autojump_clock: Clock) -> None:
    browser = Browser()
    browser.stuck = True
    connection = CDPConnection(browser)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run)
        nursery.start_soon(ends, connection.root, PING, [])
    assert connection.lost.is_set()
    assert not talk.connection.lost.is_set()


# Cancellation and the outbox.


async def test_outbox_is_bounded_and_sends_every_command(talk: Talk, autojump_clock: Clock) -> None:
    talk.browser.step_bytes = 10
    talk.browser.echoing = True
    async with trio.open_nursery() as nursery:
        for _ in range(OUTBOX_MAX + 9):
            nursery.start_soon(ends, talk.root, PING, [])
        await trio.testing.wait_all_tasks_blocked()
        statistics = talk.connection._outbox.statistics()
        assert statistics.current_buffer_used == OUTBOX_MAX
        assert statistics.tasks_waiting_send == 8, "one is being written"
    numbers = [command["id"] for command in talk.browser.commands()]
    assert sorted(numbers, key=int) == list(range(1, OUTBOX_MAX + 10))
    talk.browser.step_bytes = inf
    assert await talk.root.execute(PING) == Nothing()
    assert talk.connection._unsent == 0


async def test_a_small_command_does_not_overtake_a_large_one(
    talk: Talk, autojump_clock: Clock
) -> None:
    talk.browser.step_bytes = 1000
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends, talk.root, LARGE, [])
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(ends, talk.root, PING, [])
        await trio.sleep(5)
        assert [command["method"] for command in talk.browser.commands()] == ["Large", "Ping"]
        nursery.cancel_scope.cancel()


async def test_command_cancelled_before_sending_sends_nothing(talk: Talk) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await talk.root.execute(PING)
    assert scope.cancelled_caught
    assert talk.browser.commands() == []


async def test_a_late_reply_to_a_cancelled_call_is_dropped(
    talk: Talk, autojump_clock: Clock
) -> None:
    with trio.move_on_after(1) as patience:
        await talk.root.execute(PING)
    assert patience.cancelled_caught
    assert len(talk.connection._conversation) == 0
    talk.browser.says(id=1, result={})
    talk.browser.says(id=2, result={"frameId": "f"})
    assert await talk.root.execute(NAVIGATE) == Navigated("f")
    assert talk.connection._conversation.oddities == 1


async def test_a_reply_in_the_instant_of_a_cancellation_is_dropped(talk: Talk) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk.root.execute, PING)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        talk.connection._take(b'{"id":1,"result":{}}')
    talk.browser.says(id=2, result={})
    assert await talk.root.execute(PING) == Nothing()


async def test_commands_cancelled_at_full_outbox_are_never_sent(
    talk: Talk, autojump_clock: Clock
) -> None:
    talk.browser.step_bytes = 10
    talk.browser.echoing = True
    async with trio.open_nursery() as nursery:
        for _ in range(OUTBOX_MAX + 9):
            nursery.start_soon(ends, talk.root, PING, [])
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert await talk.root.execute(PING) == Nothing()
    assert len(talk.browser.commands()) == OUTBOX_MAX + 2, "one was being written, the last is new"
    assert talk.connection._unsent == 0


@attrs.frozen
class Impatient:
    """A caller that arrives after a time and gives up after another, both in seconds."""

    comes_s: int
    patience_s: int
    text_bytes: int

    async def call(self, session: CDPSession) -> None:
        await trio.sleep(self.comes_s)
        with trio.move_on_after(self.patience_s):
            await session.execute(CDPCommand("Say", {"text": "x" * self.text_bytes}, Nothing))


CALLERS = st.builds(Impatient, st.integers(0, 20), st.integers(0, 20), st.integers(0, 200))


@settings(max_examples=200)
@given(st.lists(CALLERS, max_size=90), st.integers(1, 150))
def test_cancellation_tears_no_frame_and_next_command_is_answered(
    callers: list[Impatient], step_bytes: int
) -> None:
    async def main() -> None:
        browser = Browser(step_bytes=step_bytes, echoing=True)
        with trio.fail_after(100_000):
            async with talking(browser) as talk:
                async with trio.open_nursery() as nursery:
                    for caller in callers:
                        nursery.start_soon(caller.call, talk.root)
                assert await talk.root.execute(PING) == Nothing()
                numbers = [int(str(command["id"])) for command in browser.commands()]
                assert len(numbers) == len(set(numbers)) <= len(callers) + 1
                assert len(talk.connection._conversation) == 0
                assert talk.connection._unsent == 0

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
