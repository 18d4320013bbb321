"""``interventions``: what waits for a person."""

from typing import Literal, TypeAlias, get_args

import attrs

from tabwright.actors.tools.tool import Tool, object_schema

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
    id: str | None = None


def interventions_tool() -> Tool[InterventionsArguments]:
    """The tool."""
    return Tool(
        name="interventions",
        title="CAPTCHAs that wait for a person",
        description=(
            "List the CAPTCHAs that wait for the user, or act on one: open brings its window "
            "before the user, solved has it looked at now, skip gives it up. Nobody but a person "
            "solves one; ask the user first."
        ),
        input_schema=object_schema(
            {
                "action": {
                    "type": "string",
                    "enum": list(get_args(Action)),
                    "default": "list",
                    "description": "What to do.",
                },
                "id": {"type": "string", "description": "Which one; not for list."},
            },
            required=[],
        ),
        output_schema=INTERVENTIONS,
        arguments=InterventionsArguments,
    )
