"""``extract``: the structured data of a page, each value with its source."""

from typing import Annotated, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import json_result
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    Address,
    MaxTokens,
    Offset,
    ScrollThrough,
    TierMax,
    TierMin,
    WaitForContent,
    default_reading,
)
from tabwright.protocol.structured_data import GroupKind

_Keyword: TypeAlias = Annotated[object, Meta(extra_json_schema={"title": "Any value"})]
_TEXT = {"type": "string"}
_KINDS = ("array", "boolean", "null", "number", "object", "string")
_VALUE = {"anyOf": [{"type": kind} for kind in _KINDS]}

_RECORD = object_schema(
    {
        "source": _TEXT,
        "fields": {
            "type": "array",
            "items": object_schema(
                {"name": _TEXT, "value": _VALUE, "source": _TEXT},
                required=["name", "value", "source"],
            ),
        },
        "omitted": {"type": "integer", "description": "Fields left out."},
    },
    required=["source", "fields"],
)

DATA = object_schema(
    {
        "url": {"type": "string", "description": "URL after all redirects."},
        "title": _TEXT,
        "status": {"type": "integer", "description": "HTTP status; 0 if unknown."},
        "tier": {"type": "integer", "description": "Tier that the page was read with."},
        "notice": {"type": "string", "description": "What is missing, and why."},
        "value": {**_VALUE, "description": "With a schema: the values that were found."},
        "sources": {
            "type": "object",
            "description": "Source of each value by JSON Pointer: a CSS selector, which can end "
            "with @ and an attribute, json-ld: and a path, or meta: and a name.",
        },
        "missing": {
            "type": "array",
            "items": _TEXT,
            "description": "JSON Pointers of the properties that were not found.",
        },
        "groups": {
            "type": "array",
            "description": "Without a schema: the records of the page.",
            "items": object_schema(
                {
                    "kind": {"type": "string", "enum": list(get_args(GroupKind))},
                    "title": _TEXT,
                    "source": _TEXT,
                    "records": {"type": "array", "items": _RECORD},
                    "omitted": {"type": "integer", "description": "Records left out."},
                },
                required=["kind", "source", "records"],
            ),
        },
        "groups_omitted": {"type": "integer", "description": "Groups left out."},
        "next_offset": {"type": "integer", "description": "Offset of the next records."},
    },
    required=["url"],
)
"""The record of `extract`. Empty fields are left out."""


@attrs.frozen(kw_only=True)
class ExtractArguments:
    """Arguments of `extract`. None means the value of the settings."""

    url: Annotated[Address, Meta(description="http or https URL.")]
    schema: Annotated[
        dict[str, _Keyword],
        Meta(
            description="JSON Schema to fill in: an object, or an array of objects. A property can "
            'have a hint, as in {"type": "number", "selector": ".price", "attribute": '
            '"content"}. Without a schema, all records of the page are returned.'
        ),
    ] = attrs.field(factory=dict[str, _Keyword])
    max_tokens: MaxTokens | None = None
    offset: Offset = 0
    max_tier: TierMax | None = None
    min_tier: TierMin = 1
    wait_for: WaitForContent = ""
    scroll: ScrollThrough = False


async def extract(arguments: ExtractArguments, context: ToolContext) -> ToolResult:
    """Return the data of a page."""
    from tabwright.content.render.data_record import (  # noqa: PLC0415  (heavy)
        data_record,
        within_tokens,
    )

    settings = await context.settings(arguments)
    reading = attrs.evolve(
        default_reading(settings),
        min_tier=arguments.min_tier,
        wait_for=arguments.wait_for,
        scroll=arguments.scroll,
    )
    page = await context.tabwright.extract(
        arguments.url, arguments.schema or None, reading, progress=context.on_progress
    )
    tokens_max = settings.reading.result_tokens_max
    portion = within_tokens(page, tokens_max, arguments.offset)
    following = {} if portion.next_offset is None else {"next_offset": portion.next_offset}
    return json_result({**data_record(portion.page), **following})


EXTRACT = Tool(
    name="extract",
    description=(
        "Return the structured data of a page, without a model: JSON-LD, microdata, tables and "
        "repeated records such as products, or the values of a JSON Schema. Each value has its "
        "source. What is not on the page is listed as missing. To read text, use browse."
    ),
    group="data",
    annotations=READS,
    arguments=ExtractArguments,
    handler=extract,
    output_schema=DATA,
)

TOOLS = (EXTRACT,)
