"""``get_forms``, ``fill_form`` and ``submit_form``: the forms of a session's page."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import attrs
import msgspec
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import TAKE_SNAPSHOT, json_result, outcome_result, page_result
from tabwright.mcp.tool import ACTS, READS, SETS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    PAGE,
    MaxTokens,
    Offset,
    Rare,
    Session,
    default_reading,
)
from tabwright.protocol.actions import Outcome
from tabwright.protocol.page_text import PageFormat
from tabwright.protocol.sessions import FormChoice
from tabwright.text.lines import verbatim
from tabwright.text.token_budget import stretch

FieldValues: TypeAlias = Annotated[
    Mapping[str, str | bool | tuple[str, ...]],
    Meta(
        description='Values by ref, field name or label, e.g. {"Name": "Eve", "Newsletter": true}.'
    ),
]
FormIndex: TypeAlias = Annotated[int, Meta(description="Number of the form on the page, from 0.")]

_OPTION = object_schema(
    {
        "value": {"type": "string"},
        "label": {"type": "string"},
        "selected": {"type": "boolean"},
    },
    required=["value", "label"],
)

_FIELD = object_schema(
    {
        "name": {"type": "string"},
        "type": {"type": "string"},
        "value": {"type": "string"},
        "label": {"type": "string"},
        "id": {"type": "string"},
        "required": {"type": "boolean"},
        "hidden": {"type": "boolean"},
        "checked": {"type": "boolean"},
        "disabled": {"type": "boolean"},
        "multiple": {"type": "boolean"},
        "options": {"type": "array", "items": _OPTION},
    },
    required=["name", "type"],
)

FORMS = object_schema(
    {
        "forms": {
            "type": "array",
            "items": object_schema(
                {
                    "index": {"type": "integer"},
                    "action": {"type": "string"},
                    "method": {"type": "string", "enum": ["GET", "POST"]},
                    "encoding": {"type": "string"},
                    "id": {"type": "string"},
                    "name": {"type": "string"},
                    "fields": {"type": "array", "items": _FIELD},
                },
                required=["index", "action", "method", "fields"],
            ),
        }
    },
    required=["forms"],
)
"""The record of `get_forms`. Empty fields are left out."""

FILLED = object_schema(
    {
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
"""The record of `fill_form`: the form with its values, or the outcome of an action."""


@attrs.frozen(kw_only=True)
class GetFormsArguments:
    """Arguments of `get_forms`."""

    session: Session = DEFAULT_SESSION
    offset: Rare[Offset] = 0


@attrs.frozen(kw_only=True)
class FillFormArguments:
    """Arguments of `fill_form`."""

    fields: FieldValues
    session: Session = DEFAULT_SESSION
    form_id: Rare[Annotated[str, Meta(description="id attribute of the form.")]] = ""
    form_index: Rare[FormIndex] = 0

    @property
    def form(self) -> FormChoice:
        """Return the form to use."""
        return FormChoice(self.form_id, self.form_index)


@attrs.frozen(kw_only=True)
class SubmitFormArguments:
    """Arguments of `submit_form`."""

    session: Session = DEFAULT_SESSION
    form_id: Annotated[str, Meta(description="id attribute of the form; default: the first.")] = ""
    form_index: Rare[FormIndex] = 0
    format: PageFormat | None = None
    max_tokens: MaxTokens | None = None

    @property
    def form(self) -> FormChoice:
        """Return the form to use."""
        return FormChoice(self.form_id, self.form_index)


async def get_forms(arguments: GetFormsArguments, context: ToolContext) -> ToolResult:
    """List the forms of the session's page."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)

    tabwright = context.tabwright
    snapshot = await tabwright.session(arguments.session).snapshot()
    record = {"forms": [without_empty(attrs.asdict(form)) for form in snapshot.forms]}
    text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
    clean = tabwright.parts.secrets.masked(verbatim(text))  # before it is cut
    tokens_max = tabwright.settings.reading.result_tokens_max
    return ToolResult(stretch(clean, arguments.offset, tokens_max), record)


async def fill_form(arguments: FillFormArguments, context: ToolContext) -> ToolResult:
    """Fill in fields of a form."""
    filled = await context.tabwright.session(arguments.session).fill(
        arguments.form, arguments.fields
    )
    if isinstance(filled, Outcome):
        return outcome_result(filled, context.names)
    return json_result(attrs.asdict(filled))


async def submit_form(arguments: SubmitFormArguments, context: ToolContext) -> ToolResult:
    """Submit a form and read the resulting page."""
    default = default_reading(await context.settings(arguments)).view
    view = attrs.evolve(default, format=arguments.format or default.format)
    page = await context.tabwright.session(arguments.session).submit(
        arguments.form, view, progress=context.on_progress
    )
    return page_result(page, TAKE_SNAPSHOT)


GET_FORMS = Tool(
    name="get_forms",
    description="List the forms of the session's page with their fields, values and options.",
    group="forms",
    annotations=READS,
    arguments=GetFormsArguments,
    handler=get_forms,
    output_schema=FORMS,
)


FILL_FORM = Tool(
    name="fill_form",
    description="Fill in several form fields at once, without submitting.",
    group="act",
    annotations=SETS,
    arguments=FillFormArguments,
    handler=fill_form,
    output_schema=FILLED,
)


SUBMIT_FORM = Tool(
    name="submit_form",
    description="Submit a form as filled in and return the resulting page as text.",
    group="forms",
    annotations=ACTS,
    arguments=SubmitFormArguments,
    handler=submit_form,
    output_schema=PAGE,
)

TOOLS = (GET_FORMS, FILL_FORM, SUBMIT_FORM)
