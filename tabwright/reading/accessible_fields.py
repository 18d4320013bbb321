"""Names, values and states that elements have by themselves in the accessibility tree."""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborNode

from tabwright.text.lines import HEADING_LEVELS, collapsed

VALUE_CHARACTERS_MAX = 300
"""As much is kept of a value."""

HIDDEN_SIGN = "\u2022"
"""Stands for each character of a password."""

_BUTTON_NAMES = {"file": "Choose File", "reset": "Reset", "submit": "Submit"}
"""What browsers call buttons that have no name, in English."""

_NAMING_PARTS = {"fieldset": "legend", "svg": "title", "table": "caption"}
"""The part that names an element."""

_MEASURES = frozenset({"meter", "progressbar"})
_TICKED = frozenset({"checkbox", "radio"})
_NAMED_BY_VALUE = frozenset({"button", "reset", "submit"})
_STATEFUL_TAGS = frozenset({"button", "input", "optgroup", "option", "select", "textarea"})
STATES = ("checked", "disabled", "expanded", "level", "pressed", "readonly", "required", "selected")
"""What is told of an element beside its name and value, in this order."""


def own_name(tag: str, node: LexborNode) -> str:
    """The name that an element has by an attribute or a part of its own."""
    said = node.attributes
    match tag:
        case "img":
            return collapsed(said.get("alt"))
        case "input":
            return _input_name(said)
        case "abbr" | "iframe":
            return collapsed(said.get("title"))
        case "optgroup":
            return collapsed(said.get("label"))
        case "fieldset" | "svg" | "table":
            part = node.css_first(_NAMING_PARTS[tag])
            return collapsed(part.text()) if part else ""
        case _:
            return ""


def _input_name(said: Mapping[str, str | None]) -> str:
    kind = (said.get("type") or "").lower()
    if kind == "image":
        return collapsed(said.get("alt") or said.get("value"))
    value = collapsed(said.get("value")) if kind in _NAMED_BY_VALUE else ""
    return value or _BUTTON_NAMES.get(kind, "")


def value_of(role: str, tag: str, node: LexborNode) -> str:
    """What a field holds."""
    said = node.attributes
    match role:
        case "combobox" if tag == "select":
            value = _chosen(node)
        case "textbox" if tag == "textarea":
            value = node.text()
        case "combobox" | "searchbox" | "spinbutton" | "textbox":
            is_secret = (said.get("type") or "").lower() == "password"
            value = said.get("value") or ""
            value = HIDDEN_SIGN * len(value) if is_secret else value
        case "slider" if tag == "input":
            value = said.get("value") or "50"
        case "ColorWell":
            value = said.get("value") or "#000000"
        case "button" if said.get("type") == "file":
            value = "No file chosen"
        case _:
            measure = said.get("value") if role in _MEASURES else None
            value = _number(measure or said.get("aria-valuetext") or said.get("aria-valuenow"))
    return collapsed(value)[:VALUE_CHARACTERS_MAX]


def _number(text: str | None) -> str:
    """A number without needless digits; any other text as it is."""
    try:
        return f"{float(text or ''):g}"
    except ValueError:
        return text or ""


def _chosen(node: LexborNode) -> str:
    option = node.css_first("option[selected]") or node.css_first("option")
    return collapsed(option.text()) if option else ""


def states_of(tag: str, node: LexborNode, *, level: int, disabled: bool) -> Iterator[str]:
    """What there is to say of an element beside its name.

    Args:
        tag: its own.
        node: the element.
        level: of an item of a list, or an option's none.
        disabled: whether it is so by what stands round it.
    """
    said = node.attributes
    own = dict(_own_states(tag, said, level))
    parent = node.parent
    if tag == "summary" and parent is not None and "open" in parent.attributes:
        own["expanded"] = "true"
    for name in STATES:
        value = own.get(name) or said.get(f"aria-{name}")
        if name == "disabled" and disabled:
            value = "true"
        if value == "true":
            yield name
        elif value and value != "false":
            yield f"{name}={value}"


def _own_states(tag: str, said: Mapping[str, str | None], level: int) -> Iterator[tuple[str, str]]:
    for name in ("disabled", "readonly", "required", "selected"):
        if tag in _STATEFUL_TAGS and name in said:
            yield name, "true"
    if "checked" in said and (said.get("type") or "").lower() in _TICKED:
        yield "checked", "true"
    if tag in HEADING_LEVELS:
        yield "level", str(HEADING_LEVELS[tag])
    elif level:
        yield "level", str(level)
