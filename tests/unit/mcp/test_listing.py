"""Compact listings of tools."""

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.mcp.tool import (
    ACTS,
    KEEPS,
    LOOKS,
    READS,
    SETS,
    Tool,
    ToolAnnotations,
    ToolContext,
    ToolResult,
    listed_tool,
)
from tabwright.mcp.tools.page_arguments import Rare, Ref, Session


@attrs.frozen(kw_only=True)
class PourArguments:
    ref: Ref
    session: Session = "default"
    cups: Annotated[int, Meta(ge=1, le=9, description="How many at once.")] = 2
    kinds: tuple[str, ...] = ()
    sweet: Rare[bool] = False
    strength: Annotated[Literal["weak", "strong"], Meta(description="How strong.")] = "weak"


async def poured(arguments: PourArguments, context: ToolContext) -> ToolResult:
    return ToolResult(f"{arguments.cups} cups.")


def pour(annotations: ToolAnnotations = ACTS) -> Tool[PourArguments]:
    return Tool(
        name="pour",
        description="Pour tea.",
        group="act",
        annotations=annotations,
        arguments=PourArguments,
        handler=poured,
        output_schema={"type": "object"},
    )


def test_listing_has_descriptions_defaults_and_limits_but_no_rare_arguments() -> None:
    assert listed_tool(pour()) == {
        "name": "pour",
        "description": "Pour tea.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": {"type": "string", "description": "Ref or locator."},
                "session": {"type": "string"},
                "cups": {
                    "type": "integer",
                    "description": "How many at once.",
                    "default": 2,
                    "maximum": 9,
                },
                "kinds": {"type": "array", "items": {"type": "string"}},
                "strength": {
                    "type": "string",
                    "description": "How strong.",
                    "enum": ["strong", "weak"],
                    "default": "weak",
                },
            },
            "required": ["ref"],
        },
    }


def test_argument_that_is_not_listed_is_accepted() -> None:
    asked = pour().read_arguments({"ref": "1.2", "sweet": True})
    assert asked == PourArguments(ref="1.2", sweet=True)


def test_listing_has_only_annotations_that_differ_from_the_defaults_of_mcp() -> None:
    hints = {
        ACTS: None,
        SETS: {"idempotentHint": True},
        LOOKS: {"destructiveHint": False, "idempotentHint": True},
        KEEPS: {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
        READS: {"readOnlyHint": True},
    }
    for annotations, expected in hints.items():
        assert listed_tool(pour(annotations)).get("annotations") == expected


def test_output_schema_is_listed_on_request() -> None:
    assert listed_tool(pour(), output_schemas=True)["outputSchema"] == {"type": "object"}
