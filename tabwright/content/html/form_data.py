"""Filling in a form, and the request that a browser would send for it (HTML, section 4.10.22)."""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import urlencode, urlsplit, urlunsplit

from tabwright.content.charset import form_encoded
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Payload
from tabwright.protocol.sessions import FilledForm, FormChoice
from tabwright.protocol.snapshot import Field, PageForm
from tabwright.protocol.untrusted_text import Quoted

Given: TypeAlias = str | bool | tuple[str, ...]
"""The value for a field."""

Values: TypeAlias = Mapping[str, tuple[str, ...]]
"""The values by field name."""

Pairs: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Names and values, encoded for the form."""

TICKED = frozenset({"checkbox", "radio"})
UNSENT = frozenset({"submit", "button", "reset", "image", "file"})
"""Field types that are not sent, except for the button that submits the form."""

MULTIPART = "multipart/form-data"
PLAIN = "text/plain"

_BREAK = re.compile(r"\r\n?|\n")


def chosen_form(forms: Sequence[PageForm], choice: FormChoice) -> PageForm:
    """Return the chosen form.

    Raises:
        BadInput: there is no such form.
    """
    for form in forms:
        if form.id == choice.id if choice.id else form.index == choice.index:
            return form
    names = ", ".join(f"{form.index}{form.id and f' ({form.id})'}" for form in forms)
    there = (" Its forms are ", Quoted(names), ".") if names else ()
    raise BadInput(
        ("The page has no form ", Quoted(choice.id or str(choice.index)), ".", *there),
        advice="Use one of them." if names else "The page has no forms.",
    )


def checked_values(form: PageForm, fields: Mapping[str, Given]) -> Values:
    """Check the values and return them by field name.

    Raises:
        BadInput: the form has no such field, or the field has no such choice.
    """
    return {name: _checked(form, name, given) for name, given in fields.items()}


def _checked(form: PageForm, name: str, given: Given) -> tuple[str, ...]:
    fields = [field for field in form.fields if field.name == name]
    if not fields:
        known = ", ".join(sorted({field.name for field in form.fields if field.name}))
        raise BadInput(
            ("The form has no field ", Quoted(repr(name)), ". Its fields are ", Quoted(known), "."),
            advice="Use one of them.",
        )
    if given is True and len(fields) > 1:
        return (_choice(fields, "true"),)  # one of several boxes must be named, not switched on
    if isinstance(given, bool):
        return tuple(field.value for field in fields if field.type in TICKED) if given else ()
    values = (given,) if isinstance(given, str) else given
    takes_one = all(
        field.type == "radio" or (field.type == "select" and not field.multiple) for field in fields
    )
    if len(values) > 1 and takes_one:
        raise BadInput(
            (
                Quoted(repr(name)),
                f" accepts one value, but {len(values)} were given.",
                *_options(fields),
            ),
            advice="Use one of them.",
        )
    return tuple(_choice(fields, value) for value in values)


def _choice(fields: Sequence[Field], given: str) -> str:
    """Return the value of a choice, given by its value or its label.

    A checkbox that is the only one of its name can also be switched by words such as "true".
    """
    choices = tuple(_choices(fields))
    if not choices:
        return given
    if len(fields) == 1 and fields[0].type in TICKED and given == "true":
        return fields[0].value
    for value, label in sorted(choices, key=lambda choice: choice[0] != given):
        if given in {value, label}:
            return value
    raise BadInput(
        (
            Quoted(repr(given)),
            " is not an option of ",
            Quoted(repr(fields[0].name)),
            ".",
            *_options(fields),
        ),
        advice="Use one of them.",
    )


def _choices(fields: Iterable[Field]) -> Iterator[tuple[str, str]]:
    """Yield the value of each choice, and its label."""
    for field in fields:
        if field.type in TICKED and not field.disabled:
            yield field.value, field.label
        for option in field.options:
            yield option.value, option.label


def _options(fields: Iterable[Field]) -> tuple[str | Quoted, ...]:
    shown = (f"{value!r}{label and f' ({label})'}" for value, label in _choices(fields))
    return " Its options are ", Quoted(", ".join(shown)), "."


def filled(form: PageForm, values: Values) -> FilledForm:
    """Return the form with these values instead of its own."""
    sent: dict[str, tuple[str, ...]] = {}
    for name, value in _pairs(form, values):
        sent[name] = (*sent.get(name, ()), value)
    required = dict.fromkeys(
        field.name for field in form.fields if field.required and not field.disabled
    )
    return FilledForm(
        fields=sent,
        missing=tuple(name for name in required if not any(sent.get(name, ()))),
        method=form.method,
        url=form.action,
    )


def sending(form: PageForm, values: Values) -> tuple[str, Payload | None]:
    """Return the URL of the submission, and the request body, if any."""
    pairs = list(_pairs(form, values))
    buttons = (field for field in form.fields if field.type == "submit" and not field.disabled)
    button = next(buttons, None)
    if button is not None and button.name:
        pairs.append((button.name, button.value))
    encoded = [(_encoded(name, form), _encoded(value, form)) for name, value in pairs]
    if form.method == "GET":
        parts = urlsplit(form.action)
        return urlunsplit(parts._replace(query=urlencode(encoded), fragment="")), None
    return form.action, _ENCODINGS.get(form.encoding, _urlencoded)(encoded)


def _encoded(text: str, form: PageForm) -> bytes:
    return form_encoded(_BREAK.sub("\r\n", text), form.charset)


def _pairs(form: PageForm, values: Values) -> Iterator[tuple[str, str]]:
    """Yield the pairs to send, in the order of the fields (4.10.22.4)."""
    reported: set[str] = set()
    for field in form.fields:
        if not field.name or field.disabled or field.type in UNSENT:
            continue
        if field.type == "hidden" and field.name.lower() == "_charset_":
            yield field.name, form.charset
        elif field.name not in values:
            yield from ((field.name, value) for value in _own_values(field))
        elif field.name not in reported:
            reported.add(field.name)
            yield from ((field.name, value) for value in values[field.name])


def _own_values(field: Field) -> tuple[str, ...]:
    if field.type in TICKED:
        return (field.value,) if field.checked else ()
    if field.options:
        chosen = tuple(option.value for option in field.options if option.selected)
        return chosen if chosen or field.multiple else (field.options[0].value,)
    return (field.value,)


def _urlencoded(pairs: Pairs) -> Payload:
    return Payload(urlencode(pairs).encode(), "application/x-www-form-urlencoded")


def _plain(pairs: Pairs) -> Payload:
    return Payload(b"".join(b"%b=%b\r\n" % pair for pair in pairs), PLAIN)


def _multipart(pairs: Pairs) -> Payload:
    """Encode multipart/form-data (RFC 7578), with names escaped as browsers do."""
    boundary = f"----tabwright{secrets.token_hex(16)}"
    head = f"--{boundary}\r\nContent-Disposition: form-data; name=".encode()
    parts: list[bytes] = []
    for name, value in pairs:
        escaped = name.replace(b"\r", b"%0D").replace(b"\n", b"%0A").replace(b'"', b"%22")
        parts.append(b'%b"%b"\r\n\r\n%b\r\n' % (head, escaped, value))
    body = b"%b--%b--\r\n" % (b"".join(parts), boundary.encode())
    return Payload(body, f"{MULTIPART}; boundary={boundary}")


_ENCODINGS: Mapping[str, Callable[[Pairs], Payload]] = {
    MULTIPART: _multipart,
    PLAIN: _plain,
}
