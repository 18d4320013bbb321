"""Which actors may wait on which others, and the trail of askers behind a request."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from tabwright.actors.kit.address import WaitOrderError
from tabwright.actors.kit.context import OUTSIDE, TaskContext, current_context, use_context
from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorSystem, RequestSent, TraceRecord
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import Unanswered

from .conftest import Doer


@asynccontextmanager
async def child() -> AsyncGenerator[object]:
    yield Doer()


async def idle() -> str:
    await trio.lowlevel.checkpoint()
    return "idle"


async def place() -> TaskContext:
    await trio.lowlevel.checkpoint()
    return current_context()


orders = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@given(orders, orders)
def test_exactly_one_of_two_actors_may_wait_on_the_other(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    forth = TaskContext(one).may_wait_on(other)
    back = TaskContext(other).may_wait_on(one)

    assert forth + back == (one != other)


@given(orders, orders, orders)
def test_wait_order_is_transitive(
    first: tuple[int, ...], second: tuple[int, ...], third: tuple[int, ...]
) -> None:
    if TaskContext(first).may_wait_on(second) and TaskContext(second).may_wait_on(third):
        assert TaskContext(first).may_wait_on(third)


@given(orders, orders)
def test_waiter_on_supervisor_may_wait_on_its_child(
    waiter: tuple[int, ...], supervisor: tuple[int, ...]
) -> None:
    is_child = waiter[: len(supervisor)] == supervisor
    if TaskContext(waiter).may_wait_on(supervisor) and not is_child:
        assert TaskContext(waiter).may_wait_on((*supervisor, 9))


@given(orders)
def test_code_outside_actors_may_wait_on_any_actor(order: tuple[int, ...]) -> None:
    assert OUTSIDE.may_wait_on(order)


def test_task_context_is_reset_when_its_block_ends() -> None:
    with pytest.raises(ValueError, match="boom"), use_context(TaskContext((1,), ("actor",))):
        assert current_context() == TaskContext((1,), ("actor",))
        raise ValueError("boom")

    assert current_context() == OUTSIDE


@pytest.mark.parametrize("verb", ["ask", "tell"])
async def test_an_actor_may_not_wait_on_one_that_was_started_later(
    verb: str, autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with (
        supervise(system, "earlier", child, RestartPolicy()) as earlier,
        supervise(system, "later", child, RestartPolicy()) as later,
    ):
        wait = later.ask if verb == "ask" else later.tell
        with pytest.raises(Unanswered) as caught:
            await earlier.ask(Doer.do, lambda: wait(Doer.do, idle))

    assert type(caught.value.__cause__) is WaitOrderError
    assert str(caught.value.__cause__) == (
        "earlier must not wait for later, which was started after it"
    )


async def test_an_actor_may_wait_on_one_that_was_started_earlier(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with (
        supervise(system, "earlier", child, RestartPolicy()) as earlier,
        supervise(system, "later", child, RestartPolicy()) as later,
    ):
        assert await later.ask(Doer.do, lambda: earlier.ask(Doer.do, idle)) == "idle"


async def test_an_actor_may_not_wait_on_itself(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with pytest.raises(Unanswered) as caught:
            await actor.ask(Doer.do, lambda: actor.ask(Doer.do, idle))

    assert type(caught.value.__cause__) is WaitOrderError


async def test_notify_is_allowed_against_the_wait_order(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    arrived = trio.Event()

    async def arrive() -> None:
        arrived.set()

    async with (
        supervise(system, "earlier", child, RestartPolicy()) as earlier,
        supervise(system, "later", child, RestartPolicy()) as later,
    ):

        async def notify() -> bool:
            return later.notify(Doer.do, arrive)

        assert await earlier.ask(Doer.do, notify) is True
        await arrived.wait()


async def test_later_sibling_may_wait_on_an_earlier_one(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    siblings: list[Address[object]] = []

    @asynccontextmanager
    async def family() -> AsyncGenerator[object]:
        async with (
            supervise(system, "elder", child, RestartPolicy()) as elder,
            supervise(system, "younger", child, RestartPolicy()) as younger,
        ):
            siblings.extend((elder, younger))
            yield Doer()

    async with supervise(system, "family", family, RestartPolicy()):
        elder, younger = siblings
        assert await younger.ask(Doer.do, lambda: elder.ask(Doer.do, idle)) == "idle"
        with pytest.raises(Unanswered) as caught:
            await elder.ask(Doer.do, lambda: younger.ask(Doer.do, idle))

    assert type(caught.value.__cause__) is WaitOrderError


async def test_supervisor_may_not_wait_on_its_child_but_later_actors_may(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    children: list[Address[object]] = []

    @asynccontextmanager
    async def supervisor() -> AsyncGenerator[object]:
        async with supervise(system, "child", child, RestartPolicy()) as address:
            with pytest.raises(WaitOrderError, match="keeper must not wait for child"):
                await address.ask(Doer.do, idle)
            children.append(address)
            yield Doer()

    async with (
        supervise(system, "keeper", supervisor, RestartPolicy()) as parent,
        supervise(system, "later", child, RestartPolicy()) as later,
    ):
        [address] = children
        assert await later.ask(Doer.do, lambda: address.ask(Doer.do, idle)) == "idle"
        assert await address.ask(Doer.do, lambda: parent.ask(Doer.do, idle)) == "idle"
        with pytest.raises(Unanswered) as caught:
            await parent.ask(Doer.do, lambda: address.ask(Doer.do, idle))

    assert type(caught.value.__cause__) is WaitOrderError


async def test_trail_lists_the_chain_of_asking_actors(
    autojump_clock: MockClock, system: ActorSystem, trace: list[TraceRecord]
) -> None:
    async with (
        supervise(system, "bottom", child, RestartPolicy()) as bottom,
        supervise(system, "middle", child, RestartPolicy()) as middle,
        supervise(system, "top", child, RestartPolicy()) as top,
    ):
        with use_context(TaskContext(trail=("mcp#12",))):
            standing = await top.ask(
                Doer.do, lambda: middle.ask(Doer.do, lambda: bottom.ask(Doer.do, place))
            )

    assert standing == TaskContext(bottom.order, ("mcp#12", "top", "middle", "bottom"))
    assert [record.trail for record in trace if isinstance(record, RequestSent)] == [
        ("mcp#12", "top"),
        ("mcp#12", "top", "middle"),
        ("mcp#12", "top", "middle", "bottom"),
    ]


async def test_trail_of_a_request_does_not_reach_the_next_request(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    async with supervise(system, "actor", child, RestartPolicy()) as actor:
        with use_context(TaskContext(trail=("mcp#12",))):
            await actor.ask(Doer.do, idle)

        assert await actor.ask(Doer.do, place) == TaskContext(actor.order, ("actor",))


async def test_tasks_started_by_actor_share_its_context(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    places: list[TaskContext] = []

    @asynccontextmanager
    async def starts_a_task() -> AsyncGenerator[object]:
        async def note() -> None:
            places.append(await place())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(note)
            yield Doer()

    async with supervise(system, "actor", starts_a_task, RestartPolicy()) as actor:
        await wait_all_tasks_blocked()

        assert current_context() == OUTSIDE
        assert places == [TaskContext(actor.order, ("actor",))]
