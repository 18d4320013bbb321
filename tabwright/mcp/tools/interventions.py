"""The tool ``interventions``: pages that wait for a person."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import KEEPS, Tool, ToolContext, ToolResult
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.page_text import quoted
from tabwright.text.languages import minutes

Action: TypeAlias = Literal["list", "open", "solved", "skip"]

INTERVENTION = object_schema(
    {
        "id": {"type": "string"},
        "state": {
            "type": "string",
            "enum": ["pending", "in_progress", "solved", "skipped", "expired", "cancelled"],
        },
        "site": {"type": "string", "description": "The engine that asks."},
        "url": {"type": "string", "description": "The page that asks."},
        "worker": {"type": "integer", "description": "In whose profile."},
        "held": {"type": "boolean", "description": "Whether a tab is held for it."},
        "waiting": {"type": "integer", "description": "How many searches wait for it."},
        "age_s": {"type": "number"},
        "left_s": {"type": "number", "description": "Until it expires."},
    },
    required=["id", "state", "site", "url", "worker", "held", "waiting", "age_s", "left_s"],
)

QUEUE = object_schema(
    {"interventions": {"type": "array", "items": INTERVENTION}}, required=["interventions"]
)
"""What the queue holds."""


@attrs.frozen
class InterventionsArguments:
    """What `interventions` takes."""

    action: Action = "list"
    id: Annotated[str, Meta(description="not for list")] | None = None


async def interventions(arguments: InterventionsArguments, context: ToolContext) -> ToolResult:
    """List what waits for a person, or answer one."""
    if arguments.action == "list":
        listed = await context.tabwright.interventions()
    elif arguments.id is None:
        raise BadInput(f"{arguments.action} needs the id of an intervention.")
    else:
        answered = await context.tabwright.answer_intervention(arguments.id, arguments.action)
        listed = (answered,)
    record = {"interventions": [attrs.asdict(one) for one in listed]}
    return ToolResult(quoted(queue_text(listed)), record)


INTERVENTIONS = Tool(
    name="interventions",
    description=(
        "CAPTCHAs that wait for the user: open shows one, solved has it looked at, skip gives "
        "it up. Ask the user first."
    ),
    group="sessions",
    annotations=KEEPS,
    arguments=InterventionsArguments,
    handler=interventions,
    output_schema=QUEUE,
)

TOOLS = (INTERVENTIONS,)


# The queue as lines for a person.

IN_SECONDS_S = 90

NOTHING = "Nothing waits for a person."


def queue_text(interventions: Sequence[Intervention]) -> str:
    """One line for each, and what to do about those that are open."""
    lines = [_line(one) for one in interventions]
    return "\n".join(lines) if lines else NOTHING


def _line(one: Intervention) -> str:
    state = one.state.replace("_", " ")
    head = f"{one.id}  {state}  {one.site} asks for a person"
    if not one.state.is_open:
        return f"{head} ({_ago(one)})"
    window = "its window is open" if one.held else "open shows its window"
    return f"{head} ({_ago(one)}; {window}; {_age_text(one.left_s)} left)"


def _ago(one: Intervention) -> str:
    return f"{_age_text(one.age_s)} ago"


def _age_text(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < IN_SECONDS_S else f"{minutes(seconds)} min"
