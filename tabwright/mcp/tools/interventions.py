"""``interventions``: CAPTCHAs and other pages that need a person."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import KEEPS, Tool, ToolContext, ToolResult
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.untrusted_text import quoted
from tabwright.text.languages import time_text

Action: TypeAlias = Literal["list", "open", "solved", "skip"]

INTERVENTION = object_schema(
    {
        "id": {"type": "string"},
        "state": {
            "type": "string",
            "enum": ["pending", "in_progress", "solved", "skipped", "expired", "cancelled"],
        },
        "site": {"type": "string", "description": "Search engine that shows the CAPTCHA."},
        "url": {"type": "string", "description": "URL of the page."},
        "worker": {"type": "integer", "description": "Number of the browser profile."},
        "held": {"type": "boolean", "description": "Whether a tab is kept open for it."},
        "waiting": {"type": "integer", "description": "Number of searches that wait for it."},
        "age_s": {"type": "number"},
        "left_s": {"type": "number", "description": "Seconds until it expires."},
        "link": {"type": "string", "description": "One-time link for the user to solve it."},
    },
    required=["id", "state", "site", "url", "worker", "held", "waiting", "age_s", "left_s", "link"],
)

QUEUE = object_schema(
    {"interventions": {"type": "array", "items": INTERVENTION}}, required=["interventions"]
)
"""The record of `interventions`."""


@attrs.frozen
class InterventionsArguments:
    """Arguments of `interventions`."""

    action: Annotated[
        Action,
        Meta(description="open shows the page to the user, solved checks it again, skip gives up."),
    ] = "list"
    id: Annotated[str, Meta(description="Required for all actions but list.")] | None = None


async def interventions(arguments: InterventionsArguments, context: ToolContext) -> ToolResult:
    """List the interventions, or answer one."""
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
        "List CAPTCHAs that only the user can solve, or open, confirm or skip one. Ask the user "
        "first."
    ),
    group="sessions",
    annotations=KEEPS,
    arguments=InterventionsArguments,
    handler=interventions,
    output_schema=QUEUE,
)

TOOLS = (INTERVENTIONS,)


# The queue as lines for a person.

NOTHING = "No intervention is open."


def queue_text(interventions: Sequence[Intervention]) -> str:
    """Return a line for each intervention, and the next step for the open ones."""
    lines = [_line(one) for one in interventions]
    return "\n".join(lines) if lines else NOTHING


def _line(one: Intervention) -> str:
    state = one.state.replace("_", " ")
    head = f"{one.id}  {state}  {one.site} needs a person"
    if not one.state.is_open:
        return f"{head} ({_ago(one)})"
    page = "its page is open" if one.held else "use open to show its page"
    line = f"{head} ({_ago(one)}; {page}; {time_text(one.left_s)} left)"
    return f"{line}\n      Solve it at {one.link}" if one.link else line


def _ago(one: Intervention) -> str:
    return f"{time_text(one.age_s)} ago"
