"""``get_forms``, ``fill_form`` and ``submit_form``: the forms of the page of a session."""

from collections.abc import Mapping

import attrs

from tabwright.actors.tools.page_schema import DEFAULT_SESSION, PAGE, session_schema
from tabwright.actors.tools.tool import JSONObject, Tool, object_schema
from tabwright.protocol.sessions import FormChoice
from tabwright.protocol.views import PageFormat

_FORM_CHOICE: JSONObject = {
    "form_id": {"type": "string", "description": "The form, by its id,"},
    "form_index": {
        "type": "integer",
        "default": 0,
        "description": "or by its place on the page, counted from 0.",
    },
}

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
        "fields": {"type": "object", "description": "What will be sent: values by name."},
        "missing": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Required fields without a value.",
        },
        "method": {"type": "string"},
        "url": {"type": "string"},
    },
    required=["fields", "missing", "method", "url"],
)
"""A form with what is filled in."""


@attrs.frozen(kw_only=True)
class GetFormsArguments:
    """What `get_forms` takes."""

    session: str = DEFAULT_SESSION


@attrs.frozen(kw_only=True)
class FillFormArguments:
    """What `fill_form` takes."""

    fields: Mapping[str, str | bool | tuple[str, ...]]
    session: str = DEFAULT_SESSION
    form_id: str = ""
    form_index: int = 0

    @property
    def form(self) -> FormChoice:
        """Which form."""
        return FormChoice(self.form_id, self.form_index)


@attrs.frozen(kw_only=True)
class SubmitFormArguments:
    """What `submit_form` takes."""

    session: str = DEFAULT_SESSION
    form_id: str = ""
    form_index: int = 0
    format: PageFormat = "markdown"
    max_tokens: int | None = None

    @property
    def form(self) -> FormChoice:
        """Which form."""
        return FormChoice(self.form_id, self.form_index)


def get_forms_tool() -> Tool[GetFormsArguments]:
    """The tool that lists forms."""
    return Tool(
        name="get_forms",
        title="List the forms of a page",
        description="List the forms of the page that a session is at, with all their fields.",
        input_schema=session_schema({}),
        output_schema=FORMS,
        arguments=GetFormsArguments,
    )


def fill_form_tool() -> Tool[FillFormArguments]:
    """The tool that fills one in."""
    return Tool(
        name="fill_form",
        title="Fill in a form",
        description=(
            "Fill in fields of a form of the page that a session is at. Nothing is sent yet; the "
            "answer says what will be, and which required fields are missing."
        ),
        input_schema=session_schema(
            {
                **_FORM_CHOICE,
                "fields": {
                    "type": "object",
                    "description": "Values by the name of the field: text, the value or the label "
                    "of a choice, a list of several, true or false for a checkbox.",
                },
            },
            required=["fields"],
        ),
        output_schema=FILLED,
        arguments=FillFormArguments,
    )


def submit_form_tool() -> Tool[SubmitFormArguments]:
    """The tool that sends it."""
    return Tool(
        name="submit_form",
        title="Send a form",
        description="Send a form as it is filled in, and read the page that it leads to.",
        input_schema=session_schema(_FORM_CHOICE, "format", "max_tokens"),
        output_schema=PAGE,
        arguments=SubmitFormArguments,
    )
