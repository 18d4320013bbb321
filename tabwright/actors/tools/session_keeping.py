"""``session_list``, ``session_save`` and ``session_close``."""

import attrs

from tabwright.actors.tools.page_schema import session_schema
from tabwright.actors.tools.tool import Tool, object_schema

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

    session: str


@attrs.frozen(kw_only=True)
class SessionCloseArguments:
    """What `session_close` takes."""

    session: str
    forget: bool = False


def session_list_tool() -> Tool[SessionListArguments]:
    """The tool that lists them."""
    return Tool(
        name="session_list",
        title="List the open sessions",
        description="List the open sessions with their pages.",
        input_schema=object_schema({}, required=[]),
        output_schema=SESSIONS,
        arguments=SessionListArguments,
    )


def session_save_tool() -> Tool[SessionSaveArguments]:
    """The tool that keeps one."""
    return Tool(
        name="session_save",
        title="Save a session",
        description=(
            "Keep the cookies, the local storage and the history of a session on disk. A session "
            "of that name then begins with them, also after a restart."
        ),
        input_schema=session_schema({}, required=["session"]),
        output_schema=SAVED,
        arguments=SessionSaveArguments,
    )


def session_close_tool() -> Tool[SessionCloseArguments]:
    """The tool that ends one."""
    return Tool(
        name="session_close",
        title="Close a session",
        description="Close a session: its tab, its cookies and its storage are gone.",
        input_schema=session_schema(
            {
                "forget": {
                    "type": "boolean",
                    "default": False,
                    "description": "Remove what was saved of it too.",
                }
            },
            required=["session"],
        ),
        output_schema=CLOSED,
        arguments=SessionCloseArguments,
    )
