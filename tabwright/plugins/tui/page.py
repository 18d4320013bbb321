"""Pages in the terminal browser, and their forms as lines of text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

import attrs
from rich.console import RenderableType
from rich.rule import Rule
from rich.style import Style
from rich.text import Text

from tabwright.protocol.snapshot import Field, PageForm, PageLink
from tabwright.text.lines import strip_invisible

FIELD = "field"
"""The style key that identifies a field."""

SENDS = frozenset({"submit", "image"})
"""Types of fields that submit the form."""

SILENT = frozenset({"hidden", "button", "reset", "file"})
"""Types of fields that a person at a terminal cannot fill in."""

SECRET = "password"  # noqa: S105  (a type of field)

WIDTH_MIN = 12

FieldValue: TypeAlias = str | bool | tuple[str, ...]


@attrs.frozen
class FieldName:
    """A field by position: the number of its form, and its number in the form."""

    form: int
    field: int


FilledIn: TypeAlias = Mapping[FieldName, FieldValue]
"""The values that a person filled in."""


def form_lines(forms: Sequence[PageForm], filled: FilledIn) -> Iterator[RenderableType]:
    """Return the forms as lines below a page."""
    for form in forms:
        yield Text("")
        title = Text(f"Form {form.index + 1}: {form.method} {strip_invisible(form.action)}")
        yield Rule(title, style="dim")
        for name, field in shown_fields(form):
            yield _line(name, field, filled)
        if not any(field.type in SENDS for _, field in shown_fields(form)):
            yield _button("Send", FieldName(form.index, len(form.fields)))


def shown_fields(form: PageForm) -> Iterator[tuple[FieldName, Field]]:
    """Yield the fields that a person can use."""
    for number, field in enumerate(form.fields):
        if not (field.hidden or field.disabled or field.type in SILENT):
            yield FieldName(form.index, number), field


def value_of(name: FieldName, field: Field, filled: FilledIn) -> FieldValue:
    """Return the current value of a field for submission."""
    if name in filled:
        return filled[name]
    if field.type in {"checkbox", "radio"}:
        return field.checked
    if field.multiple:
        return tuple(one.value for one in field.options if one.selected)
    return field.value


def values_of(form: PageForm, filled: FilledIn) -> dict[str, FieldValue]:
    """Return the filled-in values by the server's field names, including repeated names."""
    fields = [(name, field) for name, field in shown_fields(form) if field.type not in SENDS]
    changed = {field.name for name, field in fields if name in filled}
    return {
        shared: _together([pair for pair in fields if pair[1].name == shared], filled)
        for shared in changed
    }


def _together(fields: Sequence[tuple[FieldName, Field]], filled: FilledIn) -> FieldValue:
    if len(fields) == 1 and fields[0][1].type != "radio":
        return value_of(*fields[0], filled)
    sent: list[str] = []
    for name, field in fields:
        match value_of(name, field, filled):
            case bool() as ticked:
                sent += [field.value] * ticked
            case str() as text:
                sent.append(text)
            case several:
                sent += several
    return tuple(sent)


def _line(name: FieldName, field: Field, filled: FilledIn) -> Text:
    label = strip_invisible(field.label or field.name or field.value) or field.type
    value = value_of(name, field, filled)
    if field.type in SENDS:
        return _button(strip_invisible(field.label or field.value) or "Send", name)
    if field.type in {"checkbox", "radio"}:
        on, off = ("(•)", "( )") if field.type == "radio" else ("[x]", "[ ]")
        return _of_field(name, f"{on if value else off} {label}")
    star = " *" if field.required else ""
    return Text(f"{label}{star}: ").append(_of_field(name, _written(field, value)))


def _written(field: Field, value: FieldValue) -> str:
    if field.options:
        chosen = value if isinstance(value, tuple) else (value,)
        labels = [
            strip_invisible(one.label or one.value) for one in field.options if one.value in chosen
        ]
        return f"<{', '.join(labels) or 'nothing'}>"
    text = strip_invisible(" ⏎ ".join(str(value).splitlines()))
    if field.type == SECRET:
        text = "•" * len(text)
    return f"[{text.ljust(WIDTH_MIN, '_')}]"


def _button(text: str, name: FieldName) -> Text:
    return _of_field(name, f"[ {text} ]")


def _of_field(name: FieldName, text: str) -> Text:
    return Text(text, Style(meta={FIELD: name}, color="yellow"))


# Pages as the tools of the server return them.


@attrs.frozen(eq=False)
class BrowsedPage:
    """A page, or an answer shown as a page. Each loaded page is distinct, whatever its content.

    Attributes:
        url: its URL; of an answer, the command.
        text: Markdown.
        links: with the numbers by which they are followed.
        tier: how it was read; 0 for an answer.
        took_s: the time to load and read it, in seconds.
        tokens: the number of tokens for a model.
        notice: what is missing from it, or other notes.
        reader: whether it is only the main content.
        outline: the page with its controls, if it is shown as it is in its tab; otherwise None.
        dialog: an open dialog of the page.
    """

    url: str
    title: str
    text: str
    links: tuple[PageLink, ...] = ()
    forms: tuple[PageForm, ...] = ()
    status: int = 0
    tier: int = 0
    took_s: float = 0.0
    tokens: int = 0
    notice: str = ""
    reader: bool = False
    outline: str | None = None
    dialog: "PageDialog | None" = None

    @property
    def is_live(self) -> bool:
        """Whether its controls can be used."""
        return self.outline is not None

    @property
    def name(self) -> str:
        """A short name."""
        return self.title or urlsplit(self.url).netloc or self.url

    @property
    def is_answer(self) -> bool:
        """Whether it is the answer to a question, which cannot be reloaded."""
        return not self.tier


@attrs.frozen
class PageDialog:
    """An open dialog of a page.

    Attributes:
        kind: ``alert``, ``confirm``, ``prompt`` or ``beforeunload``.
        preset: the suggested answer to a prompt.
    """

    kind: str
    message: str
    preset: str = ""


@attrs.frozen
class PendingIntervention:
    """An open intervention.

    Attributes:
        id: its id.
        site: the engine that shows it.
        left_s: seconds until it expires.
    """

    id: str
    site: str
    state: str
    left_s: float


# Filling in the fields of a form.


def form_of(page: BrowsedPage, name: FieldName) -> PageForm:
    """Return the form of a field."""
    return next(form for form in page.forms if form.index == name.form)


def field_of(page: BrowsedPage, name: FieldName) -> Field | None:
    """Return the field; None for the default button of a form without one."""
    fields = form_of(page, name).fields
    return fields[name.field] if name.field < len(fields) else None


def ticked(
    page: BrowsedPage, name: FieldName, field: Field, filled: FilledIn
) -> Mapping[FieldName, FieldValue]:
    """Return the changes when a checkbox is toggled or a radio button is selected."""
    if field.type == "checkbox":
        return {name: not value_of(name, field, filled)}
    rivals = shown_fields(form_of(page, name))
    return {
        rival: rival == name
        for rival, one in rivals
        if one.type == "radio" and one.name == field.name
    }
