"""``run_task``: a task in words, done in a browser by a model."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import ACTS, Tool
from tabwright.mcp.tools.page_arguments import Plain, Rare, Session

EVENT = object_schema(
    {
        "actor": {"type": "string"},
        "state": {"type": "string", "description": "As act.ok: of the task, a step or an act."},
        "task": {"type": "string"},
        "step": {"type": "integer"},
        "steps_max": {"type": "integer"},
        "details": {"type": "string"},
        "time": {"type": "number", "description": "Seconds since 1970 UTC."},
    },
    required=["actor", "state", "step", "details", "time"],
)

RESULT = object_schema(
    {
        "task": {"type": "string", "description": "Its id."},
        "success": {"type": "boolean"},
        "answer": {"type": "string"},
        "end": {"type": "string", "description": "Why it has ended: done, or what kept it."},
        "reason": {"type": "string"},
        "steps": {"type": "integer"},
        "trail": {"type": "array", "items": EVENT, "description": "All that happened."},
        "input_tokens": {"type": "integer"},
        "output_tokens": {"type": "integer"},
    },
    required=["task", "success", "answer", "end", "reason", "steps", "trail"],
)
"""What comes of a task."""


@attrs.frozen
class RunTaskArguments:
    """What `run_task` takes."""

    session: Session
    task: Annotated[str, Meta(min_length=1, description="what to do, and what to tell in the end")]
    max_steps: Plain[Annotated[int, Meta(ge=1, le=1000)]] | None = None
    follow_up: Annotated[bool, Meta(description="go on from this session's last task")] = False
    validate: Rare[bool] | None = None


def run_task_tool() -> Tool[RunTaskArguments]:
    """The tool."""
    return Tool(
        name="run_task",
        description="Have another agent do a task in a session's tabs, step by step.",
        group="task",
        effects=ACTS,
        arguments=RunTaskArguments,
        output_schema=RESULT,
    )
