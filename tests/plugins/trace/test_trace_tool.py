"""The tool ``trace``, as called by a client."""

import re
from pathlib import Path

import pytest

from tabwright.mcp.tool import ToolContext
from tabwright.plugins.trace.tools import TRACE
from tabwright.plugins.trace.trace_file import read_trace

pytestmark = pytest.mark.chromium


async def test_tool_starts_and_stops_a_trace_and_returns_its_path(open_recorder):
    async with open_recorder() as site:
        site.pages["/"] = "<title>Shop</title><h1>Shop</h1>"
        context = ToolContext(site.tabwright, None)

        async def call(action: str) -> str:
            arguments = TRACE.read_arguments({"action": action, "session": "s"})
            result = await TRACE.handler(arguments, context)
            return "".join(map(str, result.parts))

        assert "No trace" in await call("status")
        assert "Recording" in await call("start")
        await site.tabwright.session("s").enter(site.url())
        stopped = await call("stop")
        assert "1 action " in stopped
        path = re.search(r"in (\S+\.trace\.zip)\.", stopped)
        assert [one.title for one in read_trace(Path(path[1])).events] == ["Shop"]
