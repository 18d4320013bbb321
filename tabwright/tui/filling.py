"""What a person does with the fields of a page's forms."""

from collections.abc import Mapping

from tabwright.protocol.snapshot import Field, Form
from tabwright.tui.page import FieldName, FieldValue, FilledIn, shown_fields, value_of
from tabwright.tui.pages import Page


def form_of(page: Page, name: FieldName) -> Form:
    """The form that a field is in."""
    return next(form for form in page.forms if form.index == name.form)


def field_of(page: Page, name: FieldName) -> Field | None:
    """The field; None for the button of a form that has none."""
    fields = form_of(page, name).fields
    return fields[name.field] if name.field < len(fields) else None


def ticked(
    page: Page, name: FieldName, field: Field, filled: FilledIn
) -> Mapping[FieldName, FieldValue]:
    """What changes where a box is ticked or not any more, or a radio button is pressed."""
    if field.type == "checkbox":
        return {name: not value_of(name, field, filled)}
    rivals = shown_fields(form_of(page, name))
    return {
        rival: rival == name
        for rival, one in rivals
        if one.type == "radio" and one.name == field.name
    }
