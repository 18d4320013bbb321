"""``get_forms``, ``fill_form`` and ``submit_form``: the forms of the page of a session."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import ACTS, READS, SETS, Tool
from tabwright.mcp.tools.page_arguments import (
    DEFAULT_SESSION,
    PAGE,
    MaxTokens,
    Offset,
    Rare,
    Session,
)
from tabwright.protocol.page_text import PageFormat
from tabwright.protocol.sessions import FormChoice

FieldValues: TypeAlias = Annotated[
    Mapping[str, str | bool | tuple[str, ...]],
    Meta(description="values by ref, name or label"),
]
FormIndex: TypeAlias = Annotated[int, Meta(description="on the page, from 0")]

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
"""What the page asks for; what is empty is left out."""

FILLED = object_schema(
    {
        "fields": {
            "type": "object",
            "description": "What will be sent: values by name.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "missing": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Required fields without a value.",
        },
        "method": {"type": "string"},
        "url": {"type": "string"},
        "said": {"type": "string", "description": "In a page that is acted on, what was done."},
    },
    required=[],
)
"""A form with what is filled in; or what comes of it, as of any action."""


@attrs.frozen(kw_only=True)
class GetFormsArguments:
    """What `get_forms` takes."""

    session: Session = DEFAULT_SESSION
    offset: Rare[Offset] = 0


@attrs.frozen(kw_only=True)
class FillFormArguments:
    """What `fill_form` takes."""

    fields: FieldValues
    session: Session = DEFAULT_SESSION
    form_id: Rare[str] = ""
    form_index: Rare[FormIndex] = 0

    @property
    def form(self) -> FormChoice:
        """Which form."""
        return FormChoice(self.form_id, self.form_index)


@attrs.frozen(kw_only=True)
class SubmitFormArguments:
    """What `submit_form` takes."""

    session: Session = DEFAULT_SESSION
    form_id: str = ""
    form_index: Rare[FormIndex] = 0
    format: PageFormat = "markdown"
    max_tokens: MaxTokens | None = None

    @property
    def form(self) -> FormChoice:
        """Which form."""
        return FormChoice(self.form_id, self.form_index)


def get_forms_tool() -> Tool[GetFormsArguments]:
    """The tool that lists forms."""
    return Tool(
        name="get_forms",
        description="List the page's forms with all their fields.",
        group="forms",
        effects=READS,
        arguments=GetFormsArguments,
        output_schema=FORMS,
    )


def fill_form_tool() -> Tool[FillFormArguments]:
    """The tool that fills one in."""
    return Tool(
        name="fill_form",
        description="Fill in fields, and send nothing yet.",
        group="act",
        effects=SETS,
        arguments=FillFormArguments,
        output_schema=FILLED,
    )


def submit_form_tool() -> Tool[SubmitFormArguments]:
    """The tool that sends it."""
    return Tool(
        name="submit_form",
        description="Send a form as it is filled in, and read where it leads.",
        group="forms",
        effects=ACTS,
        arguments=SubmitFormArguments,
        output_schema=PAGE,
    )
