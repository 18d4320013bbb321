"""Targets that are attached while paused at their start are released at once."""

import json
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import page, target
from tabwright.cdp.domains.target import AttachedToTarget
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession, keep_attached
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.testing.fake.link import FakeLink

FIRST = ["Page.enable", "Target.setAutoAttach", "Runtime.runIfWaitingForDebugger"]


@pytest.fixture
def link() -> FakeLink:
    """A fake browser that answers only when a test does so."""
    return FakeLink()


@pytest.fixture
async def connection(link: FakeLink, nursery: trio.Nursery) -> CDPConnection:
    connection = CDPConnection(link)
    nursery.start_soon(connection.run)
    return connection


def says(link: FakeLink, **parts: JSON) -> None:
    link.emit(json.dumps(parts).encode())


def attached(link: FakeLink, session_id: str, parent_id: str) -> None:
    info = {"targetId": session_id, "type": "iframe"}
    params: JSON = {"sessionId": session_id, "targetInfo": info, "waitingForDebugger": True}
    says(link, method="Target.attachedToTarget", params=params, sessionId=parent_id)


async def received(link: FakeLink) -> list[tuple[str, str]]:
    """Return the session and method of each command since the last call."""
    await trio.testing.wait_all_tasks_blocked()
    count = link.commands.statistics().current_buffer_used
    commands = [json.loads(link.commands.receive_nowait()) for _ in range(count)]
    return [(command.get("sessionId", ""), command["method"]) for command in commands]


def welcome(_event: AttachedToTarget, _session: CDPSession) -> Sequence[CDPCommand[Nothing]]:
    return page.enable(), target.auto_attach_frames()


async def test_nested_frames_are_resumed_before_any_reply_arrives(
    link: FakeLink, connection: CDPConnection, nursery: trio.Nursery
) -> None:
    nursery.start_soon(keep_attached, connection.root, target.auto_attach_frames(), welcome)
    assert await received(link) == [("", "Target.setAutoAttach")]
    says(link, id=1, result={})
    for session_id in ("a", "b"):
        attached(link, session_id, "")
    commands = await received(link)
    for session_id in ("a", "b"):
        assert [method for session, method in commands if session == session_id] == FIRST
    for number in range(2, 8):
        says(link, id=number, result={})
    attached(link, "c", "b")
    assert await received(link) == [("c", method) for method in FIRST]
    nursery.cancel_scope.cancel()


async def test_target_detached_during_welcome_does_not_affect_later_targets(
    link: FakeLink, connection: CDPConnection, nursery: trio.Nursery
) -> None:
    nursery.start_soon(keep_attached, connection.root, target.auto_attach_frames(), welcome)
    await received(link)
    says(link, id=1, result={})
    attached(link, "a", "")
    await received(link)
    says(link, id=2, error={"code": -32001, "message": "Session with given id not found."})
    says(link, method="Target.detachedFromTarget", params={"sessionId": "a"})
    attached(link, "b", "")
    commands = await received(link)
    assert [method for session, method in commands if session == "b"] == FIRST
    nursery.cancel_scope.cancel()


async def test_keep_attached_ends_with_its_session(
    link: FakeLink, connection: CDPConnection
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_attached, connection.root, target.auto_attach_frames(), welcome)
        await received(link)
        says(link, id=1, result={})
        attached(link, "a", "")
        await trio.testing.wait_all_tasks_blocked()
        link.cut()


async def test_refused_auto_attach_raises_command_failed(
    link: FakeLink, connection: CDPConnection
) -> None:
    says(link, id=1, error={"code": -32601, "message": "'Target.setAutoAttach' wasn't found"})
    with pytest.raises(CommandFailed):
        await keep_attached(connection.root, target.auto_attach_frames(), welcome)
