"""``fill_form``: fields of a form of a session's page, and its submission."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import json_result, opened_page_result, outcome_result
from tabwright.mcp.tool import ACTS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    PAGE_FIELDS,
    MaxTokens,
    Rare,
    Session,
    default_reading,
)
from tabwright.protocol.actions import Outcome
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import PageFormat
from tabwright.protocol.sessions import FormChoice

FieldValues: TypeAlias = Annotated[
    Mapping[str, str | bool | tuple[str, ...]],
    Meta(
        description='Values by ref, field name or label, e.g. {"Name": "Eve", "Newsletter": true}.'
    ),
]

FILLED = object_schema(
    {
        **PAGE_FIELDS,
        "fields": {
            "type": "object",
            "description": "Values that will be sent, by field name.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "missing": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Required fields without a value.",
        },
        "method": {"type": "string"},
        "url": {"type": "string"},
        "description": {
            "type": "string",
            "description": "What was done, if the page is open in a tab.",
        },
    },
    required=[],
)
"""The record: the form with its values, the outcome of an action, or the page after sending."""


@attrs.frozen(kw_only=True)
class FillFormArguments:
    """Arguments of `fill_form`."""

    fields: FieldValues = attrs.field(factory=dict[str, str | bool | tuple[str, ...]])
    submit: Annotated[bool, Meta(description="Submit the form and return the new page.")] = False
    session: Session = DEFAULT_SESSION
    form_id: Rare[Annotated[str, Meta(description="id attribute of the form.")]] = ""
    form_index: Rare[
        Annotated[int, Meta(description="Number of the form on the page, from 0.")]
    ] = 0
    format: Rare[Annotated[PageFormat, Meta(description="Format of the new page.")]] | None = None
    max_tokens: Rare[MaxTokens] | None = None

    def __attrs_post_init__(self) -> None:
        if not self.fields and not self.submit:
            raise BadInput("There is nothing to do.", advice="Set fields or submit.")


async def fill_form(arguments: FillFormArguments, context: ToolContext) -> ToolResult:
    """Fill in fields of a form, and submit it if requested."""
    tabwright, session = context.tabwright, arguments.session
    form = FormChoice(arguments.form_id, arguments.form_index)
    if arguments.fields:
        filled = await tabwright.session(session).fill(form, arguments.fields)
        if not arguments.submit:
            if isinstance(filled, Outcome):
                return outcome_result(filled, context.names)
            return json_result(attrs.asdict(filled))
    view = default_reading(await context.settings(arguments)).view
    view = attrs.evolve(view, format=arguments.format or view.format)
    page = await tabwright.session(session).submit(form, view, progress=context.on_progress)
    return opened_page_result(page)


FILL_FORM = Tool(
    name="fill_form",
    description="Fill in several form fields at once.",
    group="act",
    annotations=ACTS,
    arguments=FillFormArguments,
    handler=fill_form,
    output_schema=FILLED,
)

TOOLS = (FILL_FORM,)
