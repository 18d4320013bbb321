"""Long calls as tasks over HTTP, for a client of 2026-07-28."""

import pytest
import trio

from tests.support.hanging_site import HangingSite

from .conftest import INFO, post

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INFO,
    "io.modelcontextprotocol/clientCapabilities": {
        "extensions": {"io.modelcontextprotocol/tasks": {}}
    },
}


async def ask(server, method, params):
    """Return the result or the error of a request of the modern era."""
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    answer = (await post(server, "", method, {**params, "_meta": META}, **headers)).json()
    return answer.get("result", answer.get("error"))


async def until_over(server, task_id):
    with trio.fail_after(60):
        while (state := await ask(server, "tasks/get", {"taskId": task_id}))["status"] == "working":
            await trio.sleep(0.2)
    return state


@pytest.mark.parametrize("cancels", [False, True])
async def test_a_call_that_takes_long_becomes_a_task(open_http_server, cancels):
    call = {"name": "browse", "arguments": {"max_tier": 1}}
    async with open_http_server() as server, HangingSite() as site:
        known = await ask(server, "server/discover", {})
        assert "io.modelcontextprotocol/tasks" in known["capabilities"]["extensions"]
        call["arguments"]["url"] = site.url
        task = await ask(server, "tools/call", call)
        assert (task["resultType"], task["status"]) == ("task", "working")
        if cancels:
            await ask(server, "tasks/cancel", {"taskId": task["taskId"]})
        else:
            site.answers.set()
        ended = await until_over(server, task["taskId"])
        assert ended["status"] == ("cancelled" if cancels else "completed")
        if not cancels:
            assert "At last" in ended["result"]["content"][0]["text"]
            quick = await ask(server, "tools/call", call)
            assert quick["resultType"] == "complete"
        assert "code" in await ask(server, "tasks/get", {"taskId": "unknown"})


async def test_tasks_are_known_after_the_server_was_killed(open_http_server):
    call = {"name": "browse", "arguments": {"max_tier": 1}}
    async with HangingSite() as site:
        call["arguments"]["url"] = site.url
        async with open_http_server(dies=True) as server:
            running, done = [(await ask(server, "tools/call", call))["taskId"] for _ in range(2)]
            await ask(server, "tasks/cancel", {"taskId": done})
            await until_over(server, done)
            server.process.kill()
        async with open_http_server() as server:
            lost = await ask(server, "tasks/get", {"taskId": running})
            assert (lost["status"], "result" in lost) == ("failed", False)
            assert (await ask(server, "tasks/get", {"taskId": done}))["status"] == "cancelled"
