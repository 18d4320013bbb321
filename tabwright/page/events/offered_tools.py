"""The tools that the documents of a page offer to agents (WebMCP), as they come and go."""

from collections.abc import Iterator

import attrs

from tabwright.cdp.domains import page, web_mcp
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import Event

OFFERED_MAX = 500
"""Maximum number of tools that are remembered for one page."""


@attrs.frozen
class FrameTool:
    """A tool, and the session of its frame."""

    tool: web_mcp.OfferedTool
    session: CDPSession


class OfferedTools:
    """The tools that a page offers now."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], FrameTool] = {}

    def __iter__(self) -> Iterator[FrameTool]:
        """Yield the tools, the earliest first."""
        return iter(tuple(self._tools.values()))

    def take(self, event: Event, session: CDPSession) -> None:
        """Note tools that come or go; those of a document go with it."""
        match event:
            case web_mcp.ToolsAdded(tools=added):
                for tool in added[: OFFERED_MAX - len(self._tools)]:
                    self._tools[tool.frame_id, tool.name] = FrameTool(tool, session)
            case web_mcp.ToolsRemoved(tools=removed):
                for gone in removed:
                    self._tools.pop((gone.frame_id, gone.name), None)
            case (
                page.LifecycleEvent(name="init", frame_id=frame_id)
                | page.FrameDetached(reason="remove", frame_id=frame_id)
            ):
                for key in [key for key in self._tools if key[0] == frame_id]:
                    del self._tools[key]
            case _:
                pass
