"""The cases on our client, over any of its transports."""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import sys
from functools import partial

import trio
from cases import AT_ONCE, EVENTS, EXPRESSION, FLOOD, LARGE, LARGE_BYTES, OPERATIONS, Stopwatch

from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import runtime, target
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand, Event, Nothing


class ConsoleAPICalled(Event, frozen=True):
    """A call of ``console.log`` in the page."""

    method = "Runtime.consoleAPICalled"
    type: str


async def serve(link: Transport) -> None:
    """Run the cases that standard input names."""
    async with trio.open_nursery() as nursery:
        connection = CDPConnection(link)
        nursery.start_soon(connection.run)
        created = await connection.root.execute(target.create_target())
        attached = await connection.root.execute(target.attach_to_target(created.target_id))
        session = connection.session(attached.session_id)
        await session.execute(CDPCommand("Runtime.enable", {}, Nothing))
        while case := (await trio.to_thread.run_sync(sys.stdin.readline)).strip():
            watch = Stopwatch()
            await CASES[case](session)
            watch.report(case)
        await connection.root.execute(target.close_target(created.target_id))
        nursery.cancel_scope.cancel()


async def evaluate(session: CDPSession, expression: str, count: int) -> object:
    for _ in range(count):
        evaluated = await session.execute(runtime.evaluate(expression))
    return evaluated.result.value


async def sequential(session: CDPSession) -> None:
    assert await evaluate(session, EXPRESSION, OPERATIONS["sequential"]) == 2


async def in_flight(session: CDPSession) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(AT_ONCE):
            each = OPERATIONS["in_flight"] // AT_ONCE
            nursery.start_soon(evaluate, session, EXPRESSION, each)


async def large(session: CDPSession) -> None:
    text = await evaluate(session, LARGE, OPERATIONS["large"])
    assert isinstance(text, str)
    assert len(text) == LARGE_BYTES


async def flood(session: CDPSession) -> None:
    count = 0
    with session.subscribe(ConsoleAPICalled) as events:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(session.execute, runtime.evaluate(FLOOD)))
            async for event in events:
                count += event.type == "log"
                if count + events.dropped == EVENTS:
                    break
    assert events.dropped == 0


CASES = {"sequential": sequential, "in_flight": in_flight, "large": large, "flood": flood}
