"""A grant is released on every way out of its block."""

import itertools
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio
from trio.testing import MockClock

from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.concurrency.grants import end_on_failure, hold_grant
from tabwright.protocol.actor import Expiry
from tabwright.protocol.errors import Refusal, Unanswered
from tabwright.testing.determinism import run_seeded


@attrs.define
class Giver:
    """Grants each request after a while, and records the events that end the grants."""

    error: Exception | None = None
    ends: list[trio.Event] = attrs.field(factory=list)

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator["Giver"]:
        yield self

    async def give(self, over: Expiry) -> str:
        await trio.lowlevel.checkpoint()
        self.ends.append(over)
        await trio.lowlevel.checkpoint()
        if self.error:
            raise self.error
        return "granted"


def itself(over: Expiry) -> Expiry:
    return over


@attrs.define(eq=False)
class CancelAtStep(trio.abc.Instrument):
    """Cancels a scope after a number of steps of any tasks."""

    scope: trio.CancelScope
    steps_left: int

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.steps_left -= 1
        if not self.steps_left:
            self.scope.cancel()


async def test_a_grant_lasts_as_long_as_the_block(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    giver = Giver()
    async with supervise(system, "giver", giver, RestartPolicy()) as address:
        async with hold_grant(address, Giver.give, itself) as grant:
            assert grant == "granted"
            await trio.sleep(1)
            assert not giver.ends[0].is_set()

        assert giver.ends[0].is_set()


async def test_an_error_in_the_block_ends_the_grant(
    autojump_clock: MockClock, system: ActorSystem
) -> None:
    giver = Giver()
    async with supervise(system, "giver", giver, RestartPolicy()) as address:
        with pytest.raises(ValueError, match="boom"):
            async with hold_grant(address, Giver.give, itself):
                raise ValueError("boom")

        assert giver.ends[0].is_set()


@pytest.mark.parametrize(
    ("error", "seen"), [(Refusal("no"), Refusal), (ValueError("boom"), Unanswered)]
)
async def test_failed_grant_is_ended_too(
    error: Exception, seen: type[Exception], autojump_clock: MockClock, system: ActorSystem
) -> None:
    giver = Giver(error)
    async with supervise(system, "giver", giver, RestartPolicy()) as address:
        with pytest.raises(seen):
            async with hold_grant(address, Giver.give, itself):
                pytest.fail("granted")

        assert giver.ends[0].is_set()


async def test_end_on_failure_ends_the_grant_only_if_its_block_fails() -> None:
    over, kept = trio.Event(), trio.Event()
    with end_on_failure(kept):
        await trio.lowlevel.checkpoint()
    assert not kept.is_set()
    with trio.CancelScope() as scope, end_on_failure(over):
        scope.cancel()
        await trio.lowlevel.checkpoint()
    assert over.is_set()


@attrs.define
class Holding:
    """A holder of a grant that is cancelled at a step, and how far it got."""

    step: int
    giver: Giver = attrs.field(factory=Giver)
    held: bool = False
    cancelled: bool = False

    async def live(self, _random: Random) -> None:
        async with supervise(ActorSystem(), "giver", self.giver, RestartPolicy()) as address:
            with trio.CancelScope() as scope:
                instrument = CancelAtStep(scope, self.step)
                trio.lowlevel.add_instrument(instrument)
                async with hold_grant(address, Giver.give, itself):
                    self.held = True
                    await trio.lowlevel.checkpoint()
            trio.lowlevel.remove_instrument(instrument)
        self.cancelled = scope.cancelled_caught


def holdings(seed: int) -> Iterator[Holding]:
    """Yield holders cancelled one step later each time, up to the first that is not."""
    for step in itertools.count(1):
        holding = Holding(step)
        run_seeded(holding.live, seed)
        yield holding
        if not holding.cancelled:
            return


def test_grant_ends_when_its_holder_is_cancelled_at_any_step() -> None:
    moments = set[tuple[bool, bool]]()
    for holding in itertools.chain.from_iterable(map(holdings, range(20))):
        given = bool(holding.giver.ends)
        assert all(over.is_set() for over in holding.giver.ends)
        moments.add((given, holding.held))

    assert moments == {(False, False), (True, False), (True, True)}  # asked, given, held
