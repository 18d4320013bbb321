from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import attrs
import httpx2
import pytest

from tabwright.testing.replica import Replica, Scenario

Visit: TypeAlias = Callable[..., Awaitable[httpx2.Response]]
Watch: TypeAlias = Callable[[str], Awaitable[list[dict[str, object]]]]
Listen: TypeAlias = Callable[[str], Any]

SEARCH = "https://www.google.com/search?udm=50&q=why"
FIRST = "https://www.google.com/async/folwr?q=why"
PATH = "/async/folwr?q=why"
STEPPED = Scenario(clock="stepped", step_s=60, stall_at=0, stall_s=3600, late_s=60)


async def test_frames_are_streamed_immediately_and_client_may_disconnect(
    replica: Replica, visit: Visit, listen: Listen
) -> None:
    replica.scenario = Scenario(step_s=0, stall_at=1, stall_s=3600)
    async with listen(PATH) as listener:
        await listener.until(b'"kind":"block"')
    assert (await visit(SEARCH)).status_code == 200


async def test_cut_stream_raises_protocol_error_at_the_client(
    replica: Replica, visit: Visit
) -> None:
    replica.scenario = Scenario(step_s=0, cut_at=4)
    with pytest.raises(httpx2.RemoteProtocolError):
        await visit(FIRST)


async def test_stream_can_stay_open_after_its_last_frame(replica: Replica, listen: Listen) -> None:
    replica.scenario = Scenario(step_s=0, drop_signals=frozenset({"stream_end"}))
    async with listen(PATH) as listener:
        await listener.until(b'"kind":"done"')
        assert await listener.hears_nothing()


async def test_stream_can_hang_after_some_frames(replica: Replica, listen: Listen) -> None:
    replica.scenario = Scenario(step_s=0, hang_at=2)
    async with listen(PATH) as listener:
        received = await listener.until(b'"kind":"partial"')
        assert received.count(b'"kind"') == 2
        assert await listener.hears_nothing()


@pytest.mark.parametrize("ending", ["crash", "reload"])
async def test_stream_is_silent_after_a_crash_or_reload_frame(
    replica: Replica, listen: Listen, ending: str
) -> None:
    replica.scenario = attrs.evolve(replica.scenario, **{f"{ending}_at": 2})
    async with listen(PATH) as listener:
        received = await listener.until(b'{"kind":"%s"}' % ending.encode())
        assert received.count(b'"kind"') == 3
        assert await listener.hears_nothing()


@pytest.mark.parametrize("times", [1, 3, 500])
async def test_thread_is_rebuilt_as_often_as_asked_with_the_same_content(
    replica: Replica, watch: Watch, times: int
) -> None:
    replica.scenario = Scenario(step_s=0, repeat="same")
    calm = await watch(FIRST)
    replica.scenario = Scenario(step_s=0, repeat="same", rebuild=times)
    frames = await watch(FIRST)
    rebuilds = [at for at, frame in enumerate(frames) if frame["kind"] == "rebuild"]
    assert len(rebuilds) == times
    assert rebuilds[0] > 0
    assert frames[-1]["kind"] == "done"
    assert [frame for frame in frames if frame["kind"] != "rebuild"] == calm


async def test_rebuilds_are_spread_over_the_answer(replica: Replica, watch: Watch) -> None:
    replica.scenario = Scenario(step_s=0, rebuild=3)
    frames = await watch(FIRST)
    quarters = [frame["kind"] for frame in frames].index("rebuild")
    assert abs(quarters - len(frames) // 4) <= 1


async def test_frames_wait_for_release_under_a_stepped_clock(
    replica: Replica, listen: Listen
) -> None:
    replica.scenario = STEPPED
    async with listen(PATH) as listener:
        await listener.until(b")]}'")
        assert await listener.hears_nothing()
        replica.step()
        assert (await listener.until(b'"kind":"begin"')).count(b'"kind"') == 1
        assert await listener.hears_nothing()
        replica.step(2)
        received = await listener.until(b'"kind":"partial"')
        received += (
            b"" if received.count(b'"kind"') == 2 else await listener.until(b'"kind":"partial"')
        )
        assert received.count(b'"kind"') == 2
        assert await listener.hears_nothing()


async def test_step_releases_a_frame_of_the_longest_waiting_stream(
    replica: Replica, listen: Listen
) -> None:
    replica.scenario = STEPPED
    async with listen(PATH) as one:
        await one.until(b")]}'")
        async with listen(PATH) as two:
            await two.until(b")]}'")
            replica.step()
            await one.until(b'"kind":"begin"')
            assert await two.hears_nothing()


async def test_frames_can_be_released_over_http_and_in_advance(
    replica: Replica, client: httpx2.AsyncClient, watch: Watch
) -> None:
    replica.scenario = STEPPED
    url = f"https://127.0.0.1:{replica.port}/__step"
    assert (await client.post(url)).status_code == 204
    assert (await client.post(f"{url}?frames=500")).status_code == 204
    assert (await client.post(f"{url}?frames=some")).status_code == 400
    assert (await watch(FIRST))[-1]["kind"] == "done"


async def test_unused_steps_are_discarded_by_the_next_scenario(
    replica: Replica, listen: Listen
) -> None:
    replica.scenario = STEPPED
    replica.step(500)
    replica.scenario = STEPPED
    async with listen(PATH) as listener:
        await listener.until(b")]}'")
        assert await listener.hears_nothing()
