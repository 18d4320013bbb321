"""``run_task``, for an agent with its own model, and ``task_control`` for its running tasks."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.llm.vendor import OUTPUT_TOKENS_MAX
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import ACTS, KEEPS, TaskLine, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Rare, Session
from tabwright.protocol.errors import BadInput
from tabwright.protocol.llm import Model
from tabwright.protocol.tasks import TaskEvent, Tasks, TaskState
from tabwright.protocol.untrusted_text import quoted

EVENT = object_schema(
    {
        "actor": {"type": "string"},
        "state": {
            "type": "string",
            "description": "State of the task, a step or an action, e.g. act.ok.",
        },
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
        "task": {"type": "string", "description": "Id of the task."},
        "success": {"type": "boolean"},
        "answer": {"type": "string"},
        "end": {"type": "string", "description": "Why it ended: done, or what stopped it."},
        "reason": {"type": "string"},
        "steps": {"type": "integer"},
        "trail": {"type": "array", "items": EVENT, "description": "Every event."},
        "input_tokens": {"type": "integer"},
        "output_tokens": {"type": "integer"},
    },
    required=["task", "success", "answer", "end", "reason", "steps", "trail"],
)
"""The record of a task."""


@attrs.frozen
class RunTaskArguments:
    """Arguments of `run_task`."""

    session: Session
    task: Annotated[
        str, Meta(min_length=1, description="What to do, and what to report at the end.")
    ]
    max_steps: (
        Annotated[int, Meta(ge=1, le=1000, description="Maximum number of steps.")] | None
    ) = None
    follow_up: Annotated[bool, Meta(description="Continue from the last task of this session.")] = (
        False
    )
    validate: Rare[Annotated[bool, Meta(description="Have the model check the answer.")]] | None = (
        None
    )


async def run_task(arguments: RunTaskArguments, context: ToolContext) -> ToolResult:
    """Run a task with an agent; a failed task is an error with its partial results."""
    from tabwright.agent.events import event_line, result_text  # noqa: PLC0415  (heavy)

    def report(event: TaskEvent) -> None:
        """Report an event to the client if a person would want to see it."""
        if line := event_line(event):
            context.client.on_progress(TaskLine(line))

    limits = context.tabwright.settings.agent.limits
    result = await context.tabwright.session(arguments.session).run_task(
        arguments.task,
        model=context.tabwright.parts.models.choose(_client_model(context)),
        limits=attrs.evolve(
            limits,
            steps_max=arguments.max_steps or limits.steps_max,
            validates=limits.validates if arguments.validate is None else arguments.validate,
        ),
        follow_up=arguments.follow_up,
        report=report,
    )
    return ToolResult(
        quoted(result_text(result)), attrs.asdict(result), is_error=not result.success
    )


def _client_model(context: ToolContext) -> Model | None:
    from tabwright.mcp.client_questions import SamplingModel  # noqa: PLC0415  (not for the listing)

    if not context.client.thinks:
        return None
    models = context.tabwright.settings.models
    return SamplingModel(
        context.client.on_progress,
        output_tokens_max=models.output_tokens_max or OUTPUT_TOKENS_MAX,
        timeout_s=models.timeout_s,
        by_result=context.client.asked_by_result,
    )


RUN_TASK = Tool(
    name="run_task",
    description=(
        "Have another agent do a whole task in a session's tabs, by a model that may cost money. "
        "Returns its answer and all steps. For single actions use the other tools."
    ),
    group="task",
    annotations=ACTS,
    arguments=RunTaskArguments,
    handler=run_task,
    output_schema=RESULT,
)

# Running tasks: listed, paused, resumed and cancelled.

TaskAction: TypeAlias = Literal["list", "pause", "resume", "cancel"]

TASKS = object_schema(
    {
        "tasks": {
            "type": "array",
            "items": object_schema(
                {
                    "id": {"type": "string"},
                    "task": {"type": "string"},
                    "session": {"type": "string"},
                    "step": {"type": "integer"},
                    "steps_max": {"type": "integer"},
                    "paused": {"type": "boolean"},
                },
                required=["id", "task", "session", "step", "steps_max", "paused"],
            ),
        }
    },
    required=["tasks"],
)
"""The record of `task_control`."""


@attrs.frozen
class TaskControlArguments:
    """Arguments of `task_control`."""

    action: Annotated[
        TaskAction,
        Meta(description="pause stops before the next action, cancel ends the task there."),
    ] = "list"
    id: Annotated[str, Meta(description="Required for all actions but list.")] | None = None


async def task_control(arguments: TaskControlArguments, context: ToolContext) -> ToolResult:
    """List the running tasks, or change one."""
    tasks = context.tabwright.parts.tasks
    if arguments.action == "list":
        listed = await tasks.ask(Tasks.list)
    elif arguments.id is None:
        raise BadInput(f"{arguments.action} needs the id of a task.", advice="List them first.")
    else:
        listed = (await tasks.ask(Tasks.change, arguments.id, arguments.action),)
    record = {"tasks": [attrs.asdict(one) for one in listed]}
    return ToolResult(quoted(tasks_text(listed)), record)


def tasks_text(tasks: Sequence[TaskState]) -> str:
    """Return a line for each running task."""
    return "\n".join(map(_task_line, tasks)) or "No task is running."


def _task_line(task: TaskState) -> str:
    state = "paused" if task.paused else "running"
    first, *_ = task.task.splitlines() or [""]
    step = f"step {task.step} of {task.steps_max}"
    return f"{task.id}  {state}  {step}, session {task.session}: {first}"


TASK_CONTROL = Tool(
    name="task_control",
    description=(
        "List the running tasks of run_task, or pause, resume or cancel one. Its session can be "
        "used while it is paused."
    ),
    group="task",
    annotations=KEEPS,
    arguments=TaskControlArguments,
    handler=task_control,
    output_schema=TASKS,
)

TOOLS = (RUN_TASK, TASK_CONTROL)
