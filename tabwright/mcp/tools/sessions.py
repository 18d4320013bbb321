"""``session_list``, ``session_save`` and ``session_close``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import json_result
from tabwright.mcp.tool import KEEPS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Session

SESSIONS = object_schema(
    {
        "sessions": {
            "type": "array",
            "items": object_schema(
                {
                    "name": {"type": "string"},
                    "url": {"type": "string", "description": "Of its page."},
                    "title": {"type": "string"},
                    "tier": {"type": "integer", "description": "How that was read."},
                    "pages": {"type": "integer", "description": "In its history."},
                    "idle_s": {"type": "number"},
                    "saved": {"type": "boolean", "description": "Whether it is kept on disk."},
                },
                required=["name", "url", "title", "pages", "idle_s", "saved"],
            ),
        }
    },
    required=["sessions"],
)
"""The open sessions, the latest used first."""

SAVED = object_schema({"path": {"type": "string"}}, required=["path"])
"""Where a session is kept."""

CLOSED = object_schema({"closed": {"type": "string"}}, required=["closed"])
"""Which session was closed."""


@attrs.frozen(kw_only=True)
class SessionListArguments:
    """What `session_list` takes: nothing."""


@attrs.frozen(kw_only=True)
class SessionSaveArguments:
    """What `session_save` takes."""

    session: Session


@attrs.frozen(kw_only=True)
class SessionCloseArguments:
    """What `session_close` takes."""

    session: Session
    forget: Annotated[bool, Meta(description="what was saved too")] = False


async def session_list(arguments: SessionListArguments, context: ToolContext) -> ToolResult:
    """List the open sessions."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)

    del arguments
    states = await context.tabwright.list_sessions()
    return json_result({"sessions": [without_empty(attrs.asdict(state)) for state in states]})


async def session_save(arguments: SessionSaveArguments, context: ToolContext) -> ToolResult:
    """Keep a session on disk."""
    path = await context.tabwright.save_session(arguments.session)
    return ToolResult(f"Saved in {path}.", {"path": path})


async def session_close(arguments: SessionCloseArguments, context: ToolContext) -> ToolResult:
    """End a session."""
    await context.tabwright.close_session(arguments.session, forget=arguments.forget)
    return ToolResult(f"Closed {arguments.session}.", {"closed": arguments.session})


SESSION_LIST = Tool(
    name="session_list",
    description="List the open sessions.",
    group="sessions",
    annotations=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
    arguments=SessionListArguments,
    handler=session_list,
    output_schema=SESSIONS,
)


SESSION_SAVE = Tool(
    name="session_save",
    description="Keep a session's cookies, storage and history on disk.",
    group="sessions",
    annotations=KEEPS,
    arguments=SessionSaveArguments,
    handler=session_save,
    output_schema=SAVED,
)


SESSION_CLOSE = Tool(
    name="session_close",
    description="End a session, with its tabs, cookies and storage.",
    group="sessions",
    annotations=ToolAnnotations(destructive=True, idempotent=True, open_world=False),
    arguments=SessionCloseArguments,
    handler=session_close,
    output_schema=CLOSED,
)

TOOLS = (SESSION_LIST, SESSION_SAVE, SESSION_CLOSE)
