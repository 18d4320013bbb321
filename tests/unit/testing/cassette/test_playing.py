"""The fake browser of a cassette: its replies, their timing, and refused commands."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import attrs
import pytest
import trio

from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.errors import CommandFailed, ConnectionLost, SessionEnded
from tabwright.cdp.wire import CDPCommand, Nothing, Raw
from tabwright.testing.cassette.masking import Mask
from tabwright.testing.cassette.playing import Playback, PlayedBrowser
from tabwright.testing.cassette.tape import (
    ReceivedEvent,
    ReceivedReply,
    SentCommand,
    TapeFrame,
)
from tabwright.testing.fake import Fault, FaultKind
from tabwright.testing.fake.link import Faults

NAVIGATE = {"url": "https://shop.example/"}
TAPE: Sequence[TapeFrame] = (
    SentCommand(1, 0.0, "Target.attachToTarget", {"targetId": "target-1"}),
    ReceivedEvent(0.1, "Target.attachedToTarget", {"sessionId": "session-1"}),
    ReceivedReply(1, 0.2, {"sessionId": "session-1"}),
    SentCommand(2, 1.0, "Page.navigate", NAVIGATE, "session-1"),
    ReceivedReply(2, 1.5, {"frameId": "frame-1"}, session_id="session-1"),
    ReceivedEvent(3.0, "Page.loadEventFired", {"timestamp": 1}, "session-1"),
    SentCommand(3, 3.5, "Runtime.evaluate", {"expression": "a"}, "session-1"),
    ReceivedReply(3, 3.6, {"result": {"type": "number", "value": 1}}, session_id="session-1"),
    SentCommand(4, 4.0, "Page.reload", {}, "session-1"),
    ReceivedReply(4, 4.1, None, {"code": -32000, "message": "no"}, "session-1"),
)


@attrs.frozen
class Played:
    connection: CDPConnection
    playback: Playback

    async def send(self, method: str, params: dict[str, str], session_id: str = "") -> object:
        session = self.connection.session(session_id) if session_id else self.connection.root
        [raw] = await self.connection.call(session, [CDPCommand(method, params, Nothing)])
        return json.loads(bytes(Raw(raw)))

    async def attach(self) -> None:
        await self.send("Target.attachToTarget", {"targetId": "target-1"})


@asynccontextmanager
async def playing(*faults: Fault) -> AsyncGenerator[Played]:
    playback = Playback()
    browser = PlayedBrowser(TAPE, Faults(faults), Mask(), playback)
    connection = CDPConnection(browser.link)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.run)
        nursery.start_soon(connection.run)
        yield Played(connection, playback)
        nursery.cancel_scope.cancel()


async def test_recorded_command_is_answered_after_recorded_delay(autojump_clock: object) -> None:
    async with playing() as played:
        await played.attach()
        start_s = trio.current_time()
        assert await played.send("Page.navigate", NAVIGATE, "session-1") == {"frameId": "frame-1"}
        assert trio.current_time() - start_s == pytest.approx(0.5)
        assert played.playback == Playback()


async def test_recorded_event_arrives_after_the_command_it_followed(autojump_clock: object) -> None:
    async with playing() as played:
        await played.attach()
        start_s, received = trio.current_time(), played.connection.frames_received
        await played.send("Page.navigate", NAVIGATE, "session-1")
        assert played.connection.frames_received == received + 1
        await trio.sleep(1.6)
        assert played.connection.frames_received == received + 2
        assert trio.current_time() - start_s == pytest.approx(2.1)


async def test_reply_never_overtakes_an_earlier_event(autojump_clock: object) -> None:
    async with playing() as played:
        await played.attach()
        await played.send("Page.navigate", NAVIGATE, "session-1")
        received = played.connection.frames_received
        await played.send("Runtime.evaluate", {"expression": "a"}, "session-1")
        assert played.connection.frames_received == received + 2


async def test_read_only_command_can_be_repeated(autojump_clock: object) -> None:
    async with playing() as played:
        await played.attach()
        answers = [
            await played.send("Runtime.evaluate", {"expression": "a"}, "session-1")
            for _ in range(3)
        ]
        assert answers == [{"result": {"type": "number", "value": 1}}] * 3
        assert played.playback.mismatches == []


async def test_recorded_error_is_played_as_an_error(autojump_clock: object) -> None:
    async with playing() as played:
        await played.attach()
        with pytest.raises(CommandFailed, match="no"):
            await played.send("Page.reload", {}, "session-1")


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("Page.navigate", {"url": "https://shop.example/other"}, "2: Page.navigate"),
        ("Page.navigateTo", NAVIGATE, "2: Page.navigate"),
        ("Target.attachToTarget", {"targetId": "target-1"}, "command 1, which was played"),
    ],
)
async def test_unknown_command_fails_and_names_the_nearest_one(
    autojump_clock: object, method: str, params: dict[str, str], named: str
) -> None:
    async with playing() as played:
        await played.attach()
        session = "" if method.startswith("Target") else "session-1"
        with pytest.raises(CommandFailed):
            await played.send(method, params, session)
        [text] = played.playback.mismatches
        assert f"{method} {json.dumps(params)}" in text
        assert named in text


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (FaultKind.ERROR, CommandFailed),
        (FaultKind.CUT, ConnectionLost),
        (FaultKind.DETACH, SessionEnded),
    ],
)
async def test_fault_replaces_the_recorded_reply(
    autojump_clock: object, kind: FaultKind, error: type[Exception]
) -> None:
    async with playing(Fault(kind, "Page.navigate")) as played:
        await played.attach()
        with pytest.raises(error):
            await played.send("Page.navigate", NAVIGATE, "session-1")
        assert played.playback.harmed


async def test_delay_fault_adds_to_the_recorded_delay(autojump_clock: object) -> None:
    async with playing(Fault(FaultKind.DELAY, "Page.navigate", delay_s=60)) as played:
        await played.attach()
        start_s = trio.current_time()
        await played.send("Page.navigate", NAVIGATE, "session-1")
        assert trio.current_time() - start_s == pytest.approx(60.5)


async def test_conversation_after_a_fault_can_be_repeated(autojump_clock: object) -> None:
    async with playing(Fault(FaultKind.ERROR, "Page.navigate")) as played:
        await played.attach()
        with pytest.raises(CommandFailed):
            await played.send("Page.navigate", NAVIGATE, "session-1")
        for _ in range(2):
            await played.attach()
            await played.send("Page.navigate", NAVIGATE, "session-1")
        assert played.playback.mismatches == []
