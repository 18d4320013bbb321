"""Event subscriptions: order, dropped events, the end of a session, and cancellation."""

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.domains.network import DataReceived
from tabwright.cdp.domains.page import DialogOpening, LifecycleEvent
from tabwright.cdp.errors import MalformedReply, SessionEnded
from tabwright.cdp.session import Subscription
from tabwright.cdp.wire import Raw


def data(size: int) -> tuple[str, Raw]:
    return DataReceived.method, Raw(b'{"requestId":"r","dataLength":%d}' % size)


def ignored(_subscription: object) -> None:
    """Serve as the ``leave`` callback of subscriptions that belong to no session."""


def sizes(capacity: int = 9) -> Subscription[DataReceived]:
    return Subscription((DataReceived,), capacity, ignored)


async def test_subscription_yields_only_its_event_types_in_order() -> None:
    subscription = Subscription((DataReceived, DialogOpening), 9, ignored)
    subscription.offer(*data(1))
    subscription.offer(LifecycleEvent.method, Raw(b"{}"))
    subscription.offer(DialogOpening.method, Raw(b'{"type":"alert","message":"m"}'))
    subscription.offer(*data(2))
    subscription.fail(SessionEnded)
    seen: list[object] = []
    with pytest.raises(SessionEnded, match=r"dataReceived or Page\.javascriptDialogOpening"):
        while True:
            seen.append(await anext(subscription))
    assert seen == [DataReceived("r", 1), DialogOpening("alert", "m"), DataReceived("r", 2)]
    assert subscription.dropped == 0


@given(st.integers(1, 9), st.integers(0, 30))
def test_a_full_queue_drops_the_oldest_and_counts(capacity: int, count: int) -> None:
    async def main() -> list[int]:
        seen: list[int] = []
        with pytest.raises(SessionEnded):
            while True:
                seen.append((await anext(subscription)).data_length)
        return seen

    subscription = sizes(capacity)
    for size in range(count):
        subscription.offer(*data(size))
    subscription.fail(SessionEnded)
    assert trio.run(main) == list(range(count))[-capacity:]
    assert subscription.dropped == max(0, count - capacity)


async def test_ended_subscription_raises_on_every_read() -> None:
    subscription = sizes()
    subscription.fail(SessionEnded)
    for _ in range(2):
        with pytest.raises(SessionEnded):
            await anext(subscription)


async def test_malformed_event_does_not_end_subscription() -> None:
    subscription = sizes()
    subscription.offer(DataReceived.method, Raw(b"{}"))
    subscription.offer(*data(1))
    with pytest.raises(MalformedReply, match=r"^Network\.dataReceived: "):
        await anext(subscription)
    assert (await anext(subscription)).data_length == 1


async def test_waiting_subscriber_is_woken_by_events_and_session_end(nursery: trio.Nursery) -> None:
    subscription, seen = sizes(), list[int]()

    async def wait() -> None:
        with pytest.raises(SessionEnded):
            while True:
                seen.append((await anext(subscription)).data_length)

    nursery.start_soon(wait)
    for size in range(3):
        await trio.testing.wait_all_tasks_blocked()
        subscription.offer(*data(size))
    await trio.testing.wait_all_tasks_blocked()
    assert seen == [0, 1, 2]
    subscription.fail(SessionEnded)


@given(st.lists(st.sampled_from(["offer", "cancel", "both"]), max_size=12))
def test_a_cancelled_wait_loses_no_event(steps: list[str]) -> None:
    """An event is kept even if it arrives at the same time as the cancellation."""
    seen: list[int] = []

    async def impatient(scope: trio.CancelScope) -> None:
        with scope:
            seen.append((await anext(subscription)).data_length)

    async def main() -> None:
        for number, step in enumerate(steps):
            async with trio.open_nursery() as nursery:
                scope = trio.CancelScope()
                nursery.start_soon(impatient, scope)
                await trio.testing.wait_all_tasks_blocked()
                if step != "cancel":
                    subscription.offer(*data(number))
                if step != "offer":
                    scope.cancel()
        subscription.fail(SessionEnded)
        with pytest.raises(SessionEnded):
            while True:
                seen.append((await anext(subscription)).data_length)

    subscription = sizes(99)
    trio.run(main)
    assert seen == [number for number, step in enumerate(steps) if step != "cancel"]
