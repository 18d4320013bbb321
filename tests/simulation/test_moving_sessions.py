"""The owners of a session in a fleet, with pauses, disconnects, deaths, clock drift."""

from collections.abc import Mapping
from itertools import product
from random import Random

import attrs
import pytest
import trio

from tabwright.plugins.fleet.redis_directory import ANSWER_S, GONE_S, LEASE_S
from tabwright.protocol.errors import FleetUnavailable, SessionBusy, SessionMoved
from tabwright.sessions.directory import Renewal
from tabwright.sessions.leases import (
    GONE_MARGIN_S,
    HEARTBEAT_S,
    MARGIN_S,
    SessionLease,
    SessionLeases,
)
from tabwright.testing.determinism import run_seeded
from tests.support.fleet.link import DELAY_S, FleetLink
from tests.support.fleet.sessions import MemorySessionDirectory

LIFE_S = 120.0
TAKE_OVER_S = 2.0
"""The time limit for a session to go on elsewhere, after its lease or its last call has ended."""


@attrs.frozen
class Action:
    """An action of an owner in a session, in true time."""

    at_s: float
    process: str
    epoch: int


@attrs.define(eq=False)
class Process:
    """A process that uses one session repeatedly."""

    name: str
    link: FleetLink
    leases: SessionLeases
    chance: Random
    actions: list[Action]
    lease: SessionLease | None = None
    calls: int = 0

    async def live(self) -> None:
        async with trio.open_nursery() as nursery:
            self.leases.on_requested = lambda lease: nursery.start_soon(self.give_away, lease)
            nursery.start_soon(self.leases.run)
            while True:
                await trio.sleep(self.chance.expovariate(5))
                await self.link.awake()
                try:
                    await self.call()
                except (SessionBusy, SessionMoved, FleetUnavailable):
                    continue

    async def call(self) -> None:
        while self.lease is None or not self.lease.holds or self.lease.is_requested:
            if self.lease is not None and not self.lease.holds:
                self.lease = None
            if self.lease is None:
                self.lease = await self.leases.acquire("s", only_open=False)
            await trio.sleep(0.05)
            await self.link.awake()
        lease, scope = self.lease, trio.CancelScope()
        self.calls += 1
        try:
            with scope, lease.guard(scope):
                for _ in range(self.chance.randint(1, 30)):
                    await trio.sleep(self.chance.uniform(0, 0.3))
                    await self.link.awake()
                    self.actions.append(Action(trio.current_time(), self.name, lease.claim.epoch))
        finally:
            self.calls -= 1
        await self.leases.save(lease, f"{self.name} {len(self.actions)}")

    async def give_away(self, lease: SessionLease) -> None:
        while self.calls:
            await trio.sleep(0.05)
        await self.link.awake()
        if lease.is_requested and lease.holds:
            await self.leases.release(lease, "moves")


def opened(
    name: str, directory: MemorySessionDirectory, chance: Random, actions: list[Action]
) -> Process:
    """Return a process whose clock is up to a quarter slow or fast.

    This scales the durations of its leases.
    """
    link = FleetLink(chance, within_s=ANSWER_S)
    speed = chance.uniform(0.8, 1.25)
    lease_s = (LEASE_S - MARGIN_S) / speed + MARGIN_S
    gone_s = (GONE_S - GONE_MARGIN_S) / speed + GONE_MARGIN_S
    leases = SessionLeases(link.to_directory(directory), name, lease_s, gone_s)
    directory.connected.add(leases.process)
    return Process(name, link, leases, Random(chance.random()), actions)


async def trouble(
    process: Process,
    scope: trio.CancelScope,
    faults: str,
    chance: Random,
    directory: MemorySessionDirectory,
) -> None:
    """Repeatedly pause, disconnect or kill a process, or restart the directory."""
    name = process.leases.process
    while True:
        await trio.sleep(chance.uniform(1, 8))
        match faults:
            case "pauses":
                process.link.paused_until_s = trio.current_time() + chance.choice((0.5, 7, 15))
            case "partitions":
                process.link.is_lost = True
                await trio.sleep(chance.choice((0.5, 7, 15)))
                process.link.is_lost = False
            case "resets":  # of a device between: either end notices, and nothing passes it
                directory.connected.discard(name)
                process.link.reset()
                process.link.is_lost = True
                await trio.sleep(chance.choice((0.5, 7, 15)))
                process.link.is_lost = False
                directory.connected.add(name)
            case "disconnects":  # of which the process does not know
                directory.connected.discard(name)
                await trio.sleep(chance.choice((0.1, 2, 7)))
                directory.connected.add(name)
            case "restarts":  # of the directory, while the process is cut off
                directory.run += 1
                directory.connected.discard(name)
                process.link.is_lost = True
                await trio.sleep(chance.choice((0.5, 7)))
                process.link.is_lost = False
                directory.connected.add(name)
            case _:
                if chance.random() < 0.2:
                    process.link.is_dead = True
                    directory.connected.discard(name)
                    scope.cancel()
                    return


@pytest.mark.parametrize(
    ("faults", "seed"),
    [
        *product(("pauses", "partitions", "deaths"), range(8)),
        *product(("resets", "disconnects", "restarts"), range(4)),
    ],
)
def test_session_never_has_two_owners(faults: str, seed: int) -> None:
    actions = list[Action]()

    async def live(chance: Random) -> MemorySessionDirectory:
        directory = MemorySessionDirectory(trio.current_time)
        with trio.move_on_after(LIFE_S):
            async with trio.open_nursery() as nursery:
                for number in range(chance.randint(2, 4)):
                    process = opened(f"p{number}", directory, chance, actions)
                    scope = trio.CancelScope()

                    async def within(process: Process = process, scope=scope) -> None:
                        with scope:
                            await process.live()

                    nursery.start_soon(within)
                    if number:  # the first one stays, so that somebody goes on
                        nursery.start_soon(trouble, process, scope, faults, chance, directory)
        return directory

    directory = run_seeded(live, seed)

    grants = {epoch: (process, at_s) for _, process, epoch, at_s in directory.grants}
    assert len(grants) == len(directory.grants)
    assert len({action.process for action in actions}) > 1
    for action in actions:
        process, granted_s = grants[action.epoch]
        assert process.startswith(f"{action.process}/")
        next_s = grants.get(action.epoch + 1, ("", LIFE_S))[1]
        assert granted_s <= action.at_s <= next_s
    assert max(action.at_s for action in actions) > LIFE_S - 20


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("is_known", "within_s"), [(True, TAKE_OVER_S), (False, LEASE_S + 1)])
def test_session_of_dead_owner_moves_at_known_death_or_lease_expiry(
    *, is_known: bool, within_s: float, seed: int
) -> None:
    async def live(chance: Random) -> None:
        directory = MemorySessionDirectory(trio.current_time)
        dead, other = (opened(name, directory, chance, []) for name in "ab")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(dead.leases.run)
            lease = await dead.leases.acquire("s", only_open=False)
            assert lease is not None
            assert await dead.leases.save(lease, "cookie")
            await trio.sleep(chance.uniform(0, 10))
            dead.link.is_dead = True
            if is_known:
                await trio.sleep(2 * DELAY_S)  # what it had sent arrives before the end
                directory.connected.discard(dead.leases.process)
            ended_s = trio.current_time()
            after = await other.leases.acquire("s", only_open=True)
            assert after is not None
            assert trio.current_time() - ended_s < within_s
            assert after.claim.live == "cookie"
            with pytest.raises(FleetUnavailable):
                await dead.leases.save(lease, "late")
            nursery.cancel_scope.cancel()

    run_seeded(live, seed)


@pytest.mark.parametrize("seed", range(5))
def test_session_is_handed_over_once_no_call_uses_it(seed: int) -> None:
    async def live(chance: Random) -> None:
        directory = MemorySessionDirectory(trio.current_time)
        first, other = (opened(name, directory, chance, []) for name in "ab")
        async with trio.open_nursery() as nursery:
            first.leases.on_requested = lambda lease: nursery.start_soon(first.give_away, lease)
            nursery.start_soon(first.leases.run)
            first.lease = await first.leases.acquire("s", only_open=False)
            first.calls = 1
            ended_s = trio.current_time() + chance.uniform(0, 8)

            async def end_call() -> None:
                await trio.sleep_until(ended_s)
                first.calls = 0

            nursery.start_soon(end_call)
            assert await other.leases.acquire("s", only_open=False)
            assert ended_s <= trio.current_time() < ended_s + TAKE_OVER_S
            nursery.cancel_scope.cancel()

    run_seeded(live, seed)


def test_session_of_busy_owner_is_refused_and_owner_named() -> None:
    async def live(chance: Random) -> None:
        directory = MemorySessionDirectory(trio.current_time)
        first, other = (opened(name, directory, chance, []) for name in "ab")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(first.leases.run)
            lease = await first.leases.acquire("s", only_open=False)
            with pytest.raises(SessionBusy) as caught:
                await other.leases.acquire("s", only_open=False)
            assert caught.value.owner == "a"
            assert lease is not None
            assert lease.holds
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)


@attrs.define(eq=False)
class SlowAnswers(MemorySessionDirectory):
    """A directory that delays its answers to renewals by the listed times.

    After these, it answers at once.

    Attributes:
        broken: set when the connection of its process has ended.
    """

    delays_s: list[float] = attrs.field(factory=list[float])
    broken: trio.Event = attrs.field(factory=trio.Event)

    async def disconnected(self) -> None:
        await self.broken.wait()
        self.broken = trio.Event()

    async def renew(self, process: str, epochs: Mapping[str, int], /) -> tuple[Renewal, ...]:
        answer = await super().renew(process, epochs)
        await trio.sleep(self.delays_s.pop(0) if self.delays_s else 0)
        return answer


def test_late_answer_to_an_earlier_renewal_does_not_shorten_a_lease() -> None:
    async def live(_chance: Random) -> None:
        directory = SlowAnswers(trio.current_time, delays_s=[1.0])
        leases = SessionLeases(directory, "a", LEASE_S, GONE_S)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(leases.run)
            lease = await leases.acquire("s", only_open=False)
            await trio.sleep(HEARTBEAT_S + 0.1)  # the first renewal has been sent
            directory.broken.set()
            for _ in range(20):
                await trio.sleep(0.1)
                assert lease.holds
            nursery.cancel_scope.cancel()

    run_seeded(live, 1)
