"""``interventions``: what waits for a person."""

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.actors.tools.schema import object_schema
from tabwright.mcp.tool import KEEPS, Tool

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

INTERVENTIONS = object_schema(
    {"interventions": {"type": "array", "items": INTERVENTION}}, required=["interventions"]
)
"""What the queue holds."""


@attrs.frozen
class InterventionsArguments:
    """What `interventions` takes."""

    action: Action = "list"
    id: Annotated[str, Meta(description="not for list")] | None = None


def interventions_tool() -> Tool[InterventionsArguments]:
    """The tool."""
    return Tool(
        name="interventions",
        description=(
            "CAPTCHAs that wait for the user: open shows one, solved has it looked at, skip gives "
            "it up. Ask the user first."
        ),
        group="sessions",
        effects=KEEPS,
        arguments=InterventionsArguments,
        output_schema=INTERVENTIONS,
    )
