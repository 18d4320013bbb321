"""A cancelled waiter leaves no trace in the governor, at whatever step it was."""

import itertools
from collections.abc import Iterator
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright.actors.rate_governor import RateGovernor
from tabwright.concurrency.grants import hold_grant
from tabwright.config.engines import RatePolicy
from tabwright.protocol.actor import Address
from tabwright.protocol.rate_limit import AcquirePermit, Governor, Reason, SiteWait
from tabwright.testing.determinism import run_seeded

PACE = RatePolicy(10, 1, daily_limit=9)
TURNS_MAX_S = 600
"""Many times as long as all who are there need."""


@attrs.define(eq=False)
class CancelAtStep(trio.abc.Instrument):
    """An instrument that cancels a scope after a number of steps of any tasks."""

    scope: trio.CancelScope
    steps_left: int

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.steps_left -= 1
        if not self.steps_left:
            self.scope.cancel()


@attrs.frozen
class Before:
    """The state of the site before the cancelled request.

    Attributes:
        holds_s: how long another holder stays after it has begun.
        prepares_s: how long that holder has its permit before it begins.
        pause_s: how long the site asked for a pause.
    """

    holds_s: float | None = None
    prepares_s: float | None = None
    pause_s: float | None = None

    async def come(self, governor: Address[RateGovernor], starts_s: list[float]) -> None:
        if self.pause_s:
            await governor.ask(Governor.note_refusal, "engine", self.pause_s)
        if self.holds_s is None:
            return
        begun = trio.Event()
        async with hold_grant(
            governor, Governor.permit, partial(AcquirePermit, site="engine", begun=begun)
        ):
            await trio.sleep(self.prepares_s or 0)
            begun.set()
            starts_s.append(trio.current_time())
            await trio.sleep(self.holds_s)


@attrs.define
class Turn:
    """A request for a permit that is cancelled at a step, and its progress until then."""

    governed: object
    before: Before
    step: int
    announces: bool
    moment: str = "asked"
    cancelled: bool = False
    is_there: bool = True
    starts_s: list[float] = attrs.field(factory=list)

    async def live(self, _random: Random) -> None:
        with trio.fail_after(TURNS_MAX_S):
            await self.take()

    async def take(self) -> None:
        async with self.governed(engine=PACE) as governor, trio.open_nursery() as nursery:
            nursery.start_soon(self.before.come, governor, self.starts_s)
            await trio.sleep(0.5)
            with trio.CancelScope() as scope:
                instrument = CancelAtStep(scope, self.step)
                trio.lowlevel.add_instrument(instrument)
                await self.come(governor)
            trio.lowlevel.remove_instrument(instrument)
            self.cancelled = scope.cancelled_caught
            self.is_there = False
            await self.check(governor)

    async def come(self, governor: Address[RateGovernor]) -> None:
        begun = trio.Event() if self.announces else None
        permit = partial(AcquirePermit, site="engine", begun=begun, waiting=self.on_progress)
        try:
            async with hold_grant(governor, Governor.permit, permit):
                self.moment = "granted"
                if begun is not None:
                    await trio.lowlevel.checkpoint()
                    begun.set()
                self.moment = "begun"
                self.starts_s.append(trio.current_time())
                await trio.lowlevel.checkpoint()
        finally:
            self.is_there = False

    def on_progress(self, wait: SiteWait) -> None:
        assert self.is_there
        self.moment = f"waits for {wait.reason}"

    async def check(self, governor: Address[RateGovernor]) -> None:
        """Check that the next permit depends only on the holders that have begun."""
        left_s = trio.current_time()
        async with hold_grant(governor, Governor.permit, partial(AcquirePermit, site="engine")):
            next_s = trio.current_time()
        if not self.announces and self.cancelled and next_s == left_s + PACE.min_interval_s:
            self.starts_s.append(left_s)  # its permit was on the way, and had begun
        free_s = [start_s + PACE.min_interval_s for start_s in self.starts_s]
        if self.before.holds_s is not None:
            free_s.append(self.starts_s[0] + self.before.holds_s)
        assert next_s == max(left_s, self.before.pause_s or 0, *free_s, 0)


def turns(seed: int, governed, before: Before, *, announces: bool) -> Iterator[Turn]:
    """Yield turns, each cancelled one step later, up to the first that is not."""
    for step in itertools.count(1):
        turn = Turn(governed, before, step, announces)
        run_seeded(turn.live, seed)
        yield turn
        if not turn.cancelled:
            return


@pytest.mark.parametrize(
    ("before", "waits"),
    [
        (Before(), set()),
        (Before(pause_s=3), {Reason.INTERVAL}),
        (Before(holds_s=2), {Reason.TURN, Reason.INTERVAL}),
        (Before(holds_s=12), {Reason.TURN}),
        (Before(holds_s=2, prepares_s=4), {Reason.TURN, Reason.INTERVAL}),
    ],
)
def test_waiter_cancelled_before_it_begins_leaves_no_trace(
    before: Before, waits: set[Reason], governed
) -> None:
    moments = {
        turn.moment for seed in range(5) for turn in turns(seed, governed, before, announces=True)
    }

    assert moments - {"asked"} == {"granted", "begun", *(f"waits for {wait}" for wait in waits)}


@pytest.mark.parametrize("before", [Before(), Before(holds_s=2), Before(holds_s=12)])
def test_cancelled_immediate_start_delays_the_next_by_at_most_the_interval(
    before: Before, governed
) -> None:
    for seed in range(5):
        *cancelled, last = turns(seed, governed, before, announces=False)
        assert cancelled
        assert last.moment == "begun"
