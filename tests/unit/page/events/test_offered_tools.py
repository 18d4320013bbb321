"""Tools that the documents of a page offer, and their removal."""

from tabwright.cdp.domains import page, web_mcp
from tabwright.page.events.collector import OfferedTools
from tabwright.page.frames import LATEST_MAX


def added(name: str, frame_id: str) -> web_mcp.ToolsAdded:
    return web_mcp.ToolsAdded(tools=(web_mcp.OfferedTool(name, "", frame_id),))


def test_tools_of_detached_frames_make_room_for_others():
    tools = OfferedTools()
    for number in range(LATEST_MAX):
        tools.take(added("tool", f"frame{number}"), None)
        tools.take(page.FrameDetached(frame_id=f"frame{number}"), None)
    tools.take(added("tool", "main"), None)
    assert [one.tool.frame_id for one in tools] == ["main"]
