"""Arguments of calls: JSON schemas from classes, and tolerant reading of what a model wrote.

Models give every argument where only some are wanted, numbers as texts, and one thing where there
may be several. Where there is one way to read that, it is read so, for every tool alike; where
there is none, it is left as it is, and refused with what the tool accepts.

* null, an empty text and 0 mean that an optional argument is not given, unless its schema says
  that 0 is a value of it.
* "5" is a number, and "true" and 1 are yes, where one is wanted; 2.5 is a text where that is.
* One thing is a list of it, and a list of one thing is that; JSON in a text is what it says.
* ``example.com`` is ``https://example.com``; see `completed`.
* A ref is one also as "[2.5]", "ref=2.5" or "e2.5". As a number it has no zeros at its end.
"""

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import completed

# JSON schemas of arguments and results.

JSONObject: TypeAlias = Mapping[str, object]

RARE = {"rare": True}
"""Marks the schema of an argument that few calls want."""

ELEMENT = {"element": True}
"""Marks the schema of an argument that names an element of a page."""

ADDRESS = {"address": True}
"""Marks the schema of an argument that is a URL, whose scheme may be left out."""


def object_schema(properties: JSONObject, *, required: list[str]) -> JSONObject:
    """The JSON schema of an object."""
    return {"type": "object", "properties": properties, "required": required}


def schema_of(arguments: type, **known: JSONObject) -> JSONObject:
    """The schema of a class of arguments, whose types and defaults say all there is.

    Args:
        arguments: the class, of attrs or msgspec.
        known: of an argument what only a running program knows, over what its class says.
    """
    schemas = msgspec.convert(msgspec.json.schema(arguments), _Schemas).definitions
    whole = schemas[arguments.__name__]
    properties: dict[str, object] = {
        name: {**_plain(one, schemas), **known.get(name, {})}
        for name, one in whole.properties.items()
    }
    return object_schema(properties, required=whole.required)


class _SchemaNode(
    msgspec.Struct,
    omit_defaults=True,
    rename={
        "any_of": "anyOf",
        "prefix_items": "prefixItems",
        "ref": "$ref",
        "more": "additionalProperties",
        "above": "exclusiveMinimum",
        "items_min": "minItems",
        "items_max": "maxItems",
    },
):
    """An argument as msgspec describes it."""

    type: str = ""
    description: str = ""
    enum: list[str | int] = []
    items: "_SchemaNode | bool | None" = None
    default: object = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    above: float | None = None
    items_min: int | None = None
    items_max: int | None = None
    properties: dict[str, "_SchemaNode"] = {}
    required: list[str] = []
    more: "_SchemaNode | None" = None
    rare: bool = False
    element: bool = False
    address: bool = False
    any_of: list["_SchemaNode"] = []
    prefix_items: list["_SchemaNode"] = []
    ref: str = ""


class _Schemas(msgspec.Struct, rename={"definitions": "$defs"}):
    definitions: dict[str, _SchemaNode]


def _plain(argument: _SchemaNode, others: Mapping[str, _SchemaNode]) -> dict[str, object]:
    """Without what only says that a thing may be left out, and in one piece."""
    match argument.any_of:
        case [sole, _SchemaNode(type="null")]:
            return _plain(sole, others)
        case _:
            pass
    if argument.ref:
        argument = others[argument.ref.rpartition("/")[2]]
    whole = msgspec.convert(msgspec.to_builtins(argument), dict[str, object])
    if argument.enum:
        kind = "string" if isinstance(argument.enum[0], str) else "integer"
        whole = {"type": kind, **whole}
    for one in (argument.items, *argument.prefix_items):  # of a pair both are alike
        whole |= {"items": _plain(one, others)} if isinstance(one, _SchemaNode) else {}
    if argument.properties:
        inner = {name: _plain(one, others) for name, one in argument.properties.items()}
        whole["properties"] = inner
    if not argument.default:  # what is left out anyway: None, nothing, no
        whole.pop("default", None)
    whole.pop("prefixItems", None)
    return whole


_REF = re.compile(r"\s*\[?\*?(?:ref *[=:] *|e|@)?[\"']?(\d{1,9}\.\d{1,9})[\"']?\]?\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*", re.ASCII)
_YES_OR_NO: Mapping[object, bool] = {"true": True, "false": False, "1": True, "0": False}


class _Argument(msgspec.Struct, rename={"above": "exclusiveMinimum", "any_of": "anyOf"}):
    """What matters of the schema of an argument.

    Attributes:
        element: whether it names an element of a page, by its ref or in another way.
        address: whether it is a URL.
    """

    type: str = ""
    enum: list[object] = []
    minimum: float = -math.inf
    above: float = -math.inf
    items: "_Argument | None" = None
    properties: dict[str, "_Argument"] = {}
    required: list[str] = []
    element: bool = False
    address: bool = False
    any_of: list["_Argument"] = []

    @property
    def may_be_yes(self) -> bool:
        """Whether it may be yes or no, among other types."""
        return any(one.type == "boolean" for one in self.any_of)


def meant(given: JSONObject, schema: JSONObject) -> dict[str, object]:
    """The arguments as they are meant; those that the schema does not know stay as they are."""
    return _object(given, msgspec.convert(schema, _Argument))


def _object(given: JSONObject, schema: _Argument) -> dict[str, object]:
    read: dict[str, object] = {}
    for name, value in given.items():
        argument = schema.properties.get(name)
        if argument is None:
            read[name] = value
            continue
        optional = name not in schema.required
        understood = _read(value, argument)
        if not (optional and (_is_nothing(value, argument) or _is_nothing(understood, argument))):
            read[name] = understood
    return read


def _is_nothing(value: object, argument: _Argument) -> bool:
    """Whether an optional argument of this value is not given at all."""
    if value is None or value == "":
        return True
    if isinstance(value, bool) or value != 0:
        return False
    if argument.type not in {"integer", "number"}:
        return True
    outside = argument.minimum > 0 or argument.above >= 0
    return outside or bool(argument.enum and 0 not in argument.enum)


def _read(value: object, argument: _Argument) -> object:  # noqa: PLR0911  (a case a type)
    given = value
    match argument.type, value:
        case "array", _:
            return _list(value, argument)
        case "object", _:
            return _mapping(value, argument)
        case "string" | "integer" | "number" | "boolean", list():
            sole = _sole(given)
            return given if sole is None else _read(sole, argument)
        case "string", _:
            return _text(value, argument)
        case "integer" | "number", _:
            return _number(value, argument)
        case "boolean", str():
            return _YES_OR_NO.get(value.strip().lower(), value)
        case "", str() if argument.may_be_yes and value.isalpha():  # digits may be of another type
            return _YES_OR_NO.get(value.lower(), value)
        case "boolean", int() | float() if value in {0, 1}:
            return bool(value)
        case _:
            return value


def _sole(value: object) -> object:
    """The one thing of a list; None where it has more, or less, or that is a list again."""
    whole = msgspec.convert(value, list[object])
    return whole[0] if len(whole) == 1 and not isinstance(whole[0], list) else None


def _list(value: object, argument: _Argument) -> object:
    inner = argument.items or _Argument()
    match value:
        case str() if value.lstrip().startswith("[") and isinstance(_parsed(value), list):
            return _list(_parsed(value), argument)
        case list():
            return [_read(one, inner) for one in msgspec.convert(value, list[object])]
        case bool() | None | "":
            return value
        case str() | int() | float():
            return [_read(value, inner)]
        case _:
            return value


def _mapping(value: object, argument: _Argument) -> object:
    if isinstance(value, str) and isinstance(parsed := _parsed(value), dict):
        value = msgspec.convert(parsed, dict[str, object])
    if argument.properties and isinstance(value, dict):
        return _object(msgspec.convert(value, dict[str, object]), argument)
    return value


def _text(value: object, argument: _Argument) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
        value = str(value)
    if isinstance(value, str) and argument.element and (ref := _REF.fullmatch(value)):
        return ref[1]
    return completed(value) if isinstance(value, str) and argument.address else value


def _number(value: object, argument: _Argument) -> object:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, float) and value.is_integer() and argument.type == "integer":
        return int(value)
    return value


def _parsed(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


# The arguments of a tool in words, for calls that do not fit.

_PLACE = re.compile(r" - at `\$\.?(\w*)[^`]*`$")
_WRONG_CHOICE = re.compile(r"Invalid enum value '(.*)'")


class _ChoiceSchema(msgspec.Struct, rename="camel"):
    type: str = ""
    any_of: "list[_ChoiceSchema]" = []
    enum: list[str | int] = []
    items: "_ChoiceSchema | None" = None

    @property
    def choices(self) -> list[str]:
        """The words that may be chosen from; empty for any."""
        return list(map(str, (self.items or self).enum))

    @property
    def kind(self) -> str:
        """What it may be, as a person would write it."""
        if self.any_of:
            return " | ".join(one.kind for one in self.any_of)
        if self.items is not None:
            return f"list of {self.items.kind}"
        return " | ".join(map(str, self.enum)) or self.type or "any"


class _Accepted(msgspec.Struct):
    properties: dict[str, _ChoiceSchema]
    required: list[str] = []

    def __str__(self) -> str:
        told = (
            f"{name}{'' if name in self.required else '?'}: {argument.kind}"
            for name, argument in self.properties.items()
        )
        return ", ".join(told)


def close_match(word: str, known: Iterable[str]) -> str:
    """Which word may have been meant, as a question; empty for none."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]}?" if close else ""


def unknown_argument_error(tool: str, given: JSONObject, schema: JSONObject) -> BadInput | None:
    """What is said of arguments that the tool does not know; None where it knows all."""
    accepted = msgspec.convert(schema, _Accepted)
    strange = sorted(set(given) - set(accepted.properties))
    if not strange:
        return None
    meant = "".join(close_match(name, accepted.properties) for name in strange)
    names = ", ".join(map(repr, strange))
    return BadInput(f"{tool} has no argument {names}.{meant}", advice=_advice(accepted))


def argument_error(tool: str, problem: str, schema: JSONObject) -> BadInput:
    """What is said of arguments that are missing, or are not what the tool takes.

    Args:
        tool: its name.
        problem: what msgspec says.
        schema: of what it takes.
    """
    accepted = msgspec.convert(schema, _Accepted)
    place = _PLACE.search(problem)
    told = _PLACE.sub("", problem)
    argument = accepted.properties.get(place[1]) if place else None
    if place is None or argument is None:
        return BadInput(f"{tool}: {told}.", advice=_advice(accepted))
    wrong = _WRONG_CHOICE.match(told)
    meant = close_match(wrong[1], argument.choices) if wrong else ""
    return BadInput(
        f"Invalid value for {place[1]!r} of {tool}: {told}.{meant}",
        advice=f"Expected: {argument.kind}.",
    )


def _advice(accepted: _Accepted) -> str:
    return f"Its arguments are {accepted}." if accepted.properties else "It has no arguments."
