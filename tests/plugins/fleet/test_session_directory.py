"""The session directory of a fleet; the Redis script and the in-memory version agree."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random
from uuid import uuid4

import attrs
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_directory import RedisSessionDirectory
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.sessions.directory import Claim, SessionDirectory
from tests.support.fleet.sessions import MemorySessionDirectory

LONG_S = 1e6
"""Longer than any test; a lease of no length is over at once."""


@attrs.frozen
class Step:
    """One operation of a generated sequence; its lease expires at once or never."""

    expires: bool
    operation: str
    session: str
    process: str
    epoch: int
    flag: bool


STEPS = st.lists(
    st.builds(
        Step,
        st.booleans(),
        st.sampled_from(("acquire", "acquire", "renew", "save", "moves", "closes", "forgets")),
        st.sampled_from(("x", "y")),
        st.sampled_from(("a", "b")),
        st.integers(1, 4),
        st.booleans(),
    ),
    min_size=1,
    max_size=20,
)


def changed(directory: SessionDirectory, step: Step) -> Awaitable[object]:
    """Do a step and return its answer."""
    one = (step.session, step.process, step.epoch)
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "acquire": lambda: directory.acquire(step.session, step.process, only_open=step.flag),
        "renew": lambda: directory.renew(step.process, {"x": step.epoch, "y": step.epoch}),
        "save": lambda: directory.save(*one, f"state {step.epoch}", keep=step.flag),
        "moves": lambda: directory.release(*one, "moves"),
        "closes": lambda: directory.release(*one, "closes"),
        "forgets": lambda: directory.release(*one, "forgets"),
    }
    return changes[step.operation]()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_redis_script_and_memory_twin_agree_on_any_sequence(
    fleet_settings: FleetSettings, steps: list[Step]
) -> None:
    async def compare() -> None:
        twin = MemorySessionDirectory(trio.current_time, LONG_S, requested_s=LONG_S)
        async with open_redis(fleet_settings, Random(1)) as redis:
            user = uuid4().hex
            for step in steps:
                twin.lease_s = 0.0 if step.expires else LONG_S
                real = RedisSessionDirectory(
                    redis, user, LONG_S, twin.lease_s, requested_s=LONG_S, within_s=LONG_S
                )
                assert await changed(twin, step) == await changed(real, step)

    trio.run(compare)


@pytest.fixture(params=["redis", "memory"])
async def directory(
    request: pytest.FixtureRequest, fleet_settings: FleetSettings
) -> AsyncGenerator[SessionDirectory]:
    """A session directory in Redis or in memory."""
    if request.param == "memory":
        yield MemorySessionDirectory(trio.current_time, LONG_S, LONG_S, LONG_S)
        return
    async with open_redis(fleet_settings, Random(1)) as redis:
        yield RedisSessionDirectory(redis, "ann@example", LONG_S, LONG_S, within_s=LONG_S)


async def test_session_has_one_owner(directory: SessionDirectory) -> None:
    assert await directory.acquire("s", "a", only_open=False) == Claim(True, 1)
    refused = await directory.acquire("s", "b", only_open=False)
    assert refused is not None
    assert (refused.is_granted, refused.owner) == (False, "a")
    (renewal,) = await directory.renew("a", {"s": 1})
    assert renewal.is_owner
    assert renewal.is_requested


async def test_write_with_an_old_epoch_is_refused(directory: SessionDirectory) -> None:
    await directory.acquire("s", "a", only_open=False)
    assert await directory.save("s", "a", 1, "first", keep=False)
    assert await directory.release("s", "a", 1, "moves")
    claim = await directory.acquire("s", "b", only_open=True)
    assert claim == Claim(True, 2, "a", "first")
    assert not await directory.save("s", "a", 1, "late", keep=True)
    assert not await directory.release("s", "a", 1, "forgets")
    (renewal,) = await directory.renew("a", {"s": 1})
    assert not renewal.is_owner


async def test_closed_session_keeps_its_explicitly_saved_state(directory: SessionDirectory) -> None:
    await directory.acquire("s", "a", only_open=False)
    await directory.save("s", "a", 1, "kept", keep=True)
    await directory.save("s", "a", 1, "later", keep=False)
    await directory.release("s", "a", 1, "closes")
    assert await directory.acquire("s", "b", only_open=True) is None
    claim = await directory.acquire("s", "b", only_open=False)
    assert claim == Claim(True, 2, "a", "", "kept")
    await directory.release("s", "b", 2, "forgets")
    assert await directory.acquire("s", "c", only_open=False) == Claim(True, 3, "b")
