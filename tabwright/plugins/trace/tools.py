"""``trace``: recording what a session does, to look at it or to repeat it later."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import KEEPS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Session
from tabwright.protocol.traces import TraceAction, TraceStatus


@attrs.frozen(kw_only=True)
class TraceArguments:
    """Arguments of `trace`."""

    action: Annotated[TraceAction, Meta(description="start, stop, or status of the trace.")]
    session: Session = DEFAULT_SESSION


async def trace(arguments: TraceArguments, context: ToolContext) -> ToolResult:
    """Start or stop a trace, or show its status."""
    status = await context.tabwright.session(arguments.session).change_trace(arguments.action)
    return ToolResult(status_text(status), attrs.asdict(status))


def status_text(status: TraceStatus) -> str:
    """Return the status of a trace in words."""
    if not status.path:
        return "No trace is being recorded."
    count = f"{status.actions} action{'' if status.actions == 1 else 's'}"
    if status.recording:
        full = " The file is full, so nothing more is recorded." if status.is_full else ""
        return f"Recording to {status.path} ({count} so far).{full}"
    return (
        f"Recorded {count} in {status.path}. The user can open it with tabwright trace show, or "
        "repeat it with tabwright trace replay."
    )


TRACE = Tool(
    name="trace",
    description=(
        "Record the actions of a session with outlines, pictures, console and requests into a "
        "file, which the user can look at and replay. Secrets are left out. Returns the path."
    ),
    output_schema=object_schema(
        {
            "path": {"type": "string"},
            "recording": {"type": "boolean"},
            "actions": {"type": "integer"},
            "size_bytes": {"type": "integer"},
            "is_full": {"type": "boolean", "description": "Whether nothing more is recorded."},
        },
        required=["path", "recording", "actions", "size_bytes", "is_full"],
    ),
    arguments=TraceArguments,
    handler=trace,
    group="trace",
    annotations=KEEPS,
)

TOOLS = (TRACE,)
