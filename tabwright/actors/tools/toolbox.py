"""What a client is offered: which tools it is told of, and which it may call."""

from collections.abc import Collection
from typing import Generic

import attrs

from tabwright.actors.tools.accepting import close_match
from tabwright.actors.tools.listing import listed_tool
from tabwright.actors.tools.schema import JSONObject
from tabwright.config.settings import TOOL_GROUPS, ToolGroup
from tabwright.mcp.tool import ArgumentsT_co, Tool
from tabwright.protocol.errors import BadInput

DEFAULT_GROUPS: tuple[ToolGroup, ...] = ("search", "read", "act")
"""What is listed where nobody says otherwise: about what a conversation can spare."""


@attrs.frozen(kw_only=True)
class Toolbox(Generic[ArgumentsT_co]):
    """The tools of a server.

    Attributes:
        tools: all that there are.
        listed, offered: the groups of those that a client is told of, and that it may call.
        instructions: what it may tell its model about them.
        output_schemas: whether it is told what shape their records have.
    """

    tools: tuple[Tool[ArgumentsT_co], ...]
    instructions: str
    listed: Collection[ToolGroup] = DEFAULT_GROUPS
    offered: Collection[ToolGroup] = TOOL_GROUPS
    output_schemas: bool = False

    @property
    def listing(self) -> list[JSONObject]:
        """What `tools/list` gives."""
        return [
            listed_tool(tool, output_schemas=self.output_schemas)
            for tool in self.tools
            if tool.group in self.listed
        ]

    def tool(self, name: str) -> Tool[ArgumentsT_co]:
        """The tool of that name.

        Raises:
            BadInput: there is none, or it is not offered.
        """
        known = {tool.name: tool for tool in self.tools}
        if name not in known:
            offered = [tool.name for tool in self.tools if tool.group in self.offered]
            raise BadInput(
                f"Unknown tool: {name}.{close_match(name, offered)}",
                advice=f"There are: {', '.join(offered)}.",
            )
        tool = known[name]
        if tool.group not in self.offered:
            raise BadInput(
                f"The tool {name} is not offered here: it is in the group {tool.group}.",
                advice=f"The user may start tabwright serve --tools {_with(tool, self.offered)}.",
            )
        return tool


def _with(tool: Tool[object], offered: Collection[ToolGroup]) -> str:
    return ",".join(group for group in TOOL_GROUPS if group in {*offered, tool.group})
