"""``session_list``, ``session_save`` and ``session_close``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import KEEPS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Session
from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import quoted

SESSIONS = object_schema(
    {
        "sessions": {
            "type": "array",
            "items": object_schema(
                {
                    "name": {"type": "string"},
                    "url": {"type": "string", "description": "URL of its current page."},
                    "title": {"type": "string"},
                    "tier": {"type": "integer", "description": "Tier that the page was read with."},
                    "pages": {"type": "integer", "description": "Number of pages in its history."},
                    "idle_s": {"type": "number"},
                    "saved": {"type": "boolean", "description": "Whether it is saved on disk."},
                    "settings": {
                        "type": "object",
                        "description": "Settings that it was opened with, by dotted keys.",
                    },
                    "owner": {
                        "type": "string",
                        "description": "Process of the fleet that has it.",
                    },
                },
                required=["name", "url", "title", "pages", "idle_s", "saved"],
            ),
        }
    },
    required=["sessions"],
)
"""The record of `session_list`: the most recently used session first."""

SAVED = object_schema({"path": {"type": "string"}}, required=["path"])
"""The record of `session_save`."""

CLOSED = object_schema(
    {"closed": {"type": "string", "description": "Their names, separated by commas."}},
    required=["closed"],
)
"""The record of `session_close`."""


@attrs.frozen(kw_only=True)
class SessionListArguments:
    """Arguments of `session_list`: none."""


@attrs.frozen(kw_only=True)
class SessionSaveArguments:
    """Arguments of `session_save`."""

    session: Session


@attrs.frozen(kw_only=True)
class SessionCloseArguments:
    """Arguments of `session_close`."""

    session: Session = ""
    forget: Annotated[bool, Meta(description="Delete saved data, too.")] = False
    all: Annotated[bool, Meta(description="Close all.")] = False


async def session_list(arguments: SessionListArguments, context: ToolContext) -> ToolResult:
    """List the open sessions with their current page."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)
    from tabwright.page.render import sessions_text  # noqa: PLC0415  (heavy)

    del arguments
    states = await context.tabwright.list_sessions()
    record = {"sessions": [without_empty(attrs.asdict(state)) for state in states]}
    listed = quoted(sessions_text(states)) if states else ("No session is open.",)
    return ToolResult(listed, record)


async def session_save(arguments: SessionSaveArguments, context: ToolContext) -> ToolResult:
    """Save a session on disk."""
    path = await context.tabwright.session(arguments.session).save()
    return ToolResult(f"Saved in {path}.", {"path": path})


async def session_close(arguments: SessionCloseArguments, context: ToolContext) -> ToolResult:
    """Close a session, or all."""
    if arguments.all:
        names = [state.name for state in await context.tabwright.list_sessions()]
    elif arguments.session:
        names = [arguments.session]
    else:
        raise BadInput("No session is named.", advice="Set session, or all.")
    for name in names:
        await context.tabwright.session(name).close(forget=arguments.forget)
    closed = ", ".join(names)
    return ToolResult(f"Closed {closed}." if names else "No session is open.", {"closed": closed})


SESSION_LIST = Tool(
    name="session_list",
    description="List open sessions and their pages.",
    group="sessions",
    annotations=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
    arguments=SessionListArguments,
    handler=session_list,
    output_schema=SESSIONS,
)


SESSION_SAVE = Tool(
    name="session_save",
    description=(
        "Save a session's cookies, storage and history on disk, to be restored when it is used "
        "again."
    ),
    group="sessions",
    annotations=KEEPS,
    arguments=SessionSaveArguments,
    handler=session_save,
    output_schema=SAVED,
)


SESSION_CLOSE = Tool(
    name="session_close",
    description="Close a session with its tabs, cookies and storage.",
    group="sessions",
    annotations=ToolAnnotations(destructive=True, idempotent=True, open_world=False),
    arguments=SessionCloseArguments,
    handler=session_close,
    output_schema=CLOSED,
)

TOOLS = (SESSION_LIST, SESSION_SAVE, SESSION_CLOSE)
