"""``route``: answers, blocks or changes requests of a session's pages."""

import re
from pathlib import Path
from typing import Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import SETS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.emulation import read_headers
from tabwright.mcp.tools.page_arguments import Session
from tabwright.protocol.context_options import ContextOptions, RequestRoute
from tabwright.protocol.errors import BadInput

_ORIGIN = re.compile(r"https?://(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?/", re.ASCII | re.IGNORECASE)
"""The beginning of a pattern that matches URLs of a single origin only."""


@attrs.frozen(kw_only=True)
class RouteArguments:
    """Arguments of `route`."""

    action: Literal["add", "list", "remove"] = "list"
    pattern: Annotated[
        str,
        Meta(
            description="URL as a glob: * is anything but /, ** anything, {a,b} either; e.g. "
            "**/api/*. For remove, empty removes all."
        ),
    ] = ""
    block: Annotated[bool, Meta(description="Make the requests fail.")] = False
    status: (
        Annotated[int, Meta(ge=100, le=599, description="Answer them with this HTTP status.")]
        | None
    ) = None
    body: Annotated[str, Meta(description="Answer them with this body.")] = ""
    content_type: Annotated[str, Meta(description="Content-Type of the answer.")] = ""
    headers: Annotated[
        tuple[str, ...],
        Meta(
            description="As Name: Value: of the answer, or without one added to the request. "
            "{{NAME}} inserts a secret."
        ),
    ] = ()
    remove_headers: Annotated[
        tuple[str, ...], Meta(description="Names of headers to remove from the request.")
    ] = ()
    har: Annotated[
        str, Meta(description="Path of a HAR file whose responses answer the requests.")
    ] = ""
    session: Session = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action == "add" and not self.pattern:
            raise BadInput("No pattern is given.", advice="Set pattern, for example **/api/*.")
        answered = bool(self.status or self.body or self.content_type)
        ways = [self.block, answered, bool(self.har), bool(self.remove_headers)]
        if self.action == "add" and sum(ways) > 1:
            raise BadInput(
                "block, an answer, har and remove_headers exclude each other.",
                advice="Add one route for each.",
            )
        if self.action == "add" and not (any(ways) or self.headers):
            raise BadInput(
                "The route does nothing.", advice="Set block, status, body, headers or har."
            )


async def new_route(arguments: RouteArguments, context: ToolContext) -> RequestRoute:
    """Return the route that a call describes.

    Raises:
        BadInput: a header or the HAR file is not valid.
    """
    origin = _ORIGIN.match(arguments.pattern)
    receiver = origin[0] if origin else ""
    headers = read_headers(arguments.headers, context.tabwright.parts.secrets, receiver)
    answered = bool(arguments.status or arguments.body or arguments.content_type)
    if arguments.content_type:
        headers = (*headers, ("Content-Type", arguments.content_type))
    elif answered and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("Content-Type", "text/plain; charset=utf-8"))
    route = RequestRoute(
        arguments.pattern,
        block=arguments.block,
        status=(arguments.status or 200) if answered else None,
        headers=headers,
        removed_headers=arguments.remove_headers,
        body=arguments.body.encode(),
    )
    if not arguments.har:
        return route
    from trio import to_thread

    from tabwright.page.upload_paths import allowed_path
    from tabwright.plugins.devtools.har_responses import recorded_responses

    def read() -> bytes:
        """Read the file, if it is in a folder for uploads or downloads; it blocks."""
        return Path(allowed_path(arguments.har, context.tabwright.settings)).read_bytes()

    recorded = recorded_responses(await to_thread.run_sync(read))
    return attrs.evolve(route, recorded=recorded)


def route_text(route: RequestRoute) -> str:
    """Return a route as a line; the values of headers are left out."""
    if route.block:
        what = "blocked"
    elif route.recorded:
        what = f"answered from {len(route.recorded)} recorded responses"
    elif route.status is not None:
        kinds = [value for name, value in route.headers if name.lower() == "content-type"]
        size = f"{len(route.body)} bytes"
        what = ", ".join(["answered", f"status={route.status}", *kinds, size])
    else:
        names, removed = (", ".join(dict(route.headers)), ", ".join(route.removed_headers))
        parts = (names and f"headers set: {names}", removed and f"headers removed: {removed}")
        what = "; ".join(filter(None, parts))
    return f"{route.pattern} ({what})"


async def route(arguments: RouteArguments, context: ToolContext) -> ToolResult:
    """List the routes of a session, or add or remove some."""
    tabwright, session = context.tabwright, arguments.session
    match arguments.action:
        case "add":
            added = await new_route(arguments, context)
            return await add_route(added, session, context)
        case "remove":
            return await remove_routes(arguments.pattern, session, context)
        case "list":
            options = await tabwright.session(session).change_context(lambda options: options)
            lines = [f"{n}. {route_text(one)}" for n, one in enumerate(options.routes, 1)]
            text = "\n".join(lines) or "No active routes."
            return ToolResult(text, {"routes": [one.pattern for one in options.routes]})


async def add_route(added: RequestRoute, session: str, context: ToolContext) -> ToolResult:
    """Add a route before the others."""

    def with_route(options: ContextOptions) -> ContextOptions:
        """Return the options with the route, too."""
        return attrs.evolve(options, routes=(added, *options.routes))

    options = await context.tabwright.session(session).change_context(with_route)
    record = {"routes": [one.pattern for one in options.routes]}
    return ToolResult(f"Route added: {route_text(added)}.", record)


async def remove_routes(pattern: str, session: str, context: ToolContext) -> ToolResult:
    """Remove the routes with this pattern, or all of them."""
    removed: list[RequestRoute] = []

    def without(options: ContextOptions) -> ContextOptions:
        """Return the options without these routes."""
        kept = tuple(one for one in options.routes if pattern and one.pattern != pattern)
        removed[:] = [one for one in options.routes if one not in kept]
        return attrs.evolve(options, routes=kept)

    options = await context.tabwright.session(session).change_context(without)
    count = "1 route" if len(removed) == 1 else f"{len(removed)} routes"
    text = f"Removed {count}." if pattern else f"Removed all {count}."
    return ToolResult(text, {"routes": [one.pattern for one in options.routes]})


ROUTE = Tool(
    name="route",
    description=(
        "Answer, block or change the requests of the session's pages whose URL matches a pattern, "
        "also from a HAR file; list or remove such routes. The latest match decides."
    ),
    output_schema=object_schema(
        {"routes": {"type": "array", "items": {"type": "string"}}}, required=["routes"]
    ),
    arguments=RouteArguments,
    handler=route,
    group="network",
    annotations=SETS,
)

TOOLS = (ROUTE,)
