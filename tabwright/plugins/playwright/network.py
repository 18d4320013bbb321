"""The tools of the capability ``network``: request routes, and the state of the network."""

from typing import Annotated, Literal

from msgspec import Meta

from tabwright.mcp.tool import READS, SETS, ToolContext, ToolResult
from tabwright.mcp.tools import emulation
from tabwright.plugins.devtools import route_tool
from tabwright.plugins.playwright.storage import NoArguments
from tabwright.plugins.playwright.targets import PlaywrightArguments
from tabwright.plugins.playwright.tool import playwright_tool


class BrowserRoute(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_route`."""

    pattern: str
    status: Annotated[int, Meta(ge=100, le=599)] | None = None
    body: str = ""
    content_type: str = ""
    headers: tuple[str, ...] = ()
    remove_headers: str = ""


async def route(arguments: BrowserRoute, context: ToolContext) -> ToolResult:
    """Answer or change matching requests."""
    removed = tuple(name.strip() for name in arguments.remove_headers.split(",") if name.strip())
    ours = route_tool.RouteArguments(
        action="add",
        pattern=arguments.pattern,
        status=arguments.status,
        body=arguments.body,
        content_type=arguments.content_type,
        headers=arguments.headers,
        remove_headers=removed,
    )
    return await route_tool.route(ours, context)


async def route_list(_arguments: NoArguments, context: ToolContext) -> ToolResult:
    """List the routes."""
    return await route_tool.route(route_tool.RouteArguments(), context)


class BrowserUnroute(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_unroute`."""

    pattern: str = ""


async def unroute(arguments: BrowserUnroute, context: ToolContext) -> ToolResult:
    """Remove routes."""
    ours = route_tool.RouteArguments(action="remove", pattern=arguments.pattern)
    return await route_tool.route(ours, context)


class BrowserNetworkStateSet(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_network_state_set`."""

    state: Literal["online", "offline"]


async def network_state_set(arguments: BrowserNetworkStateSet, context: ToolContext) -> ToolResult:
    """Cut the network, or restore it."""
    ours = emulation.EmulateArguments(offline=arguments.state == "offline")
    await emulation.emulate(ours, context)
    return ToolResult(f"Network is now {arguments.state}.", {"state": arguments.state})


TOOLS = (
    playwright_tool(
        "browser_route",
        "Answer or change the requests whose URL matches a glob.",
        BrowserRoute,
        route,
        SETS,
        group="network",
    ),
    playwright_tool(
        "browser_route_list", "List the routes.", NoArguments, route_list, READS, group="network"
    ),
    playwright_tool(
        "browser_unroute",
        "Remove the routes of a pattern, or all.",
        BrowserUnroute,
        unroute,
        SETS,
        group="network",
    ),
    playwright_tool(
        "browser_network_state_set",
        "Cut the network, or restore it.",
        BrowserNetworkStateSet,
        network_state_set,
        SETS,
        group="network",
    ),
)
