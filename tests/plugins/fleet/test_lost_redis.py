"""A server of a fleet loses its connection to Redis and recovers."""

import httpx2
import trio

from tabwright.testing.demo import text_of
from tests.plugins.server.conftest import LEAVES_ITS_STREAMS

pytestmark = LEAVES_ITS_STREAMS

WAIT_S = 90.0


async def until(server, state: str) -> None:
    """Wait until the server's health reports this state of Redis."""
    async with httpx2.AsyncClient(timeout=WAIT_S) as http:
        with trio.fail_after(WAIT_S):
            while (await http.get(f"{server.origin}/health")).json()["fleet"]["redis"] != state:
                await trio.sleep(0.1)


async def test_server_without_redis_reports_it_and_still_reads_pages(
    open_http_server, site, own_redis_server
):
    page = {"url": site, "max_tier": 1}
    redis = own_redis_server
    fleet = {"redis": redis.url, "name": "lost", "worker": "a"}
    async with open_http_server(fleet=fleet) as server, server.open_client() as client:
        await until(server, "ok")
        redis.kill()
        await until(server, "lost")
        assert "Cookie: none" in text_of(await client.call_tool("browse", page))
        refused = await client.call_tool("navigate", {**page, "session": "s"})
        assert refused.meta["tabwright/error"]["kind"] == "fleet_unavailable"
        assert refused.meta["tabwright/error"]["effect"] == "none"
        await trio.to_thread.run_sync(redis.start)
        await until(server, "ok")
        with trio.fail_after(WAIT_S):
            while (await client.call_tool("navigate", {**page, "session": "s"})).is_error:
                await trio.sleep(0.1)  # a busy machine can be too slow for the time limit
