"""All tools for web developers."""

from tabwright.plugins.devtools import audit_tools, route_tool, verify_tools

TOOLS = (*route_tool.TOOLS, *verify_tools.TOOLS, *audit_tools.TOOLS)
