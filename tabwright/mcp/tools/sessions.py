"""``session_list``, ``session_save`` and ``session_close``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import KEEPS, Tool, ToolAnnotations
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


def session_list_tool() -> Tool[SessionListArguments]:
    """The tool that lists them."""
    return Tool(
        name="session_list",
        description="List the open sessions.",
        group="sessions",
        effects=ToolAnnotations(read_only=True, idempotent=True, open_world=False),
        arguments=SessionListArguments,
        output_schema=SESSIONS,
    )


def session_save_tool() -> Tool[SessionSaveArguments]:
    """The tool that keeps one."""
    return Tool(
        name="session_save",
        description="Keep a session's cookies, storage and history on disk.",
        group="sessions",
        effects=KEEPS,
        arguments=SessionSaveArguments,
        output_schema=SAVED,
    )


def session_close_tool() -> Tool[SessionCloseArguments]:
    """The tool that ends one."""
    return Tool(
        name="session_close",
        description="End a session, with its tabs, cookies and storage.",
        group="sessions",
        effects=ToolAnnotations(destructive=True, idempotent=True, open_world=False),
        arguments=SessionCloseArguments,
        output_schema=CLOSED,
    )
