"""A tool is listed in few words."""

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
from tabwright.mcp.tools.page_arguments import Plain, Rare, Ref, Session


@attrs.frozen(kw_only=True)
class PourArguments:
    ref: Ref
    session: Session = "default"
    cups: Annotated[int, Meta(ge=1, description="at once")] = 2
    kinds: tuple[str, ...] = ()
    sweet: Rare[bool] = False
    strength: Plain[Annotated[Literal["weak", "strong"], Meta(description="of it")]] = "weak"


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


def test_plain_arguments_are_not_explained_and_rare_ones_are_not_told() -> None:
    assert listed_tool(pour()) == {
        "name": "pour",
        "description": "Pour tea.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": {"type": "string"},
                "session": {"type": "string"},
                "cups": {"type": "integer", "description": "at once"},
                "kinds": {"type": "array", "items": {"type": "string"}},
                "strength": {"type": "string", "enum": ["strong", "weak"]},
            },
            "required": ["ref"],
        },
    }


def test_what_is_not_told_is_taken() -> None:
    asked = pour().read_arguments({"ref": "1.2", "sweet": True})
    assert asked == PourArguments(ref="1.2", sweet=True)


def test_annotations_say_what_differs_from_what_mcp_assumes() -> None:
    hints = {
        ACTS: None,
        SETS: {"idempotentHint": True},
        LOOKS: {"destructiveHint": False, "idempotentHint": True},
        KEEPS: {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
        READS: {"readOnlyHint": True},
    }
    for annotations, expected in hints.items():
        assert listed_tool(pour(annotations)).get("annotations") == expected


def test_the_shape_of_its_record_is_listed_on_request() -> None:
    assert listed_tool(pour(), output_schemas=True)["outputSchema"] == {"type": "object"}
