"""Arguments of calls: JSON schemas from classes, and tolerant parsing of a model's input.

Models fill in every argument though only some are needed, write numbers as strings, and pass a
single value for a list. Input with one plausible meaning is converted, for every tool alike; other
input is unchanged, and refused with the values that the tool accepts.

* null, an empty string and 0 mean that an optional argument is not given, unless its schema lists 0
  as a value.
* "5" is a number, and "true" and 1 are booleans, if such a type is expected; 2.5 is a string if a
  string is expected.
* A single value is a list of one, and a list of one is a single value; a string of JSON is parsed.
* ``example.com`` is ``https://example.com``; see `completed`.
* A ref can also be "[2.5]", "ref=2.5" or "e2.5". As a number it has no trailing zeros.
* Names are compared without regard to case and underscores, choices without regard to case, and
  a name of `ALIASES` means the argument that the tool has instead.
* A map can also be a list of its pairs, each with a name and a value.
"""

import math
import re
from collections.abc import Collection, Mapping
from typing import TypeAlias

import msgspec

from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import completed
from tabwright.text.similarity import did_you_mean

# JSON schemas of arguments and results.

JSONObject: TypeAlias = Mapping[str, object]

RARE = {"rare": True}
"""Marks the schema of an argument that few calls need."""

ELEMENT = {"element": True}
"""Marks the schema of an argument that names an element of a page."""

ADDRESS = {"address": True}
"""Marks the schema of an argument that is a URL, whose scheme can be omitted."""


def object_schema(properties: JSONObject, *, required: list[str]) -> JSONObject:
    """Return the JSON schema of an object."""
    return {"type": "object", "properties": properties, "required": required}


def schema_of(arguments: type, **known: JSONObject) -> JSONObject:
    """Return the schema of a class of arguments, derived from its types and defaults.

    Args:
        arguments: the class, of attrs or msgspec.
        known: schema keywords of arguments that are known only at run time; they override the
            class.
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
    """Return the schema in one piece, without the parts that only say that it is optional."""
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
    if argument.more == _SchemaNode():  # any value, which needs no schema
        del whole["additionalProperties"]
    if not argument.default:  # what is left out anyway: None, nothing, no
        whole.pop("default", None)
    whole.pop("prefixItems", None)
    return whole


ALIASES: Mapping[str, tuple[str, ...]] = {
    "ref": ("target",),
    "startref": ("startTarget",),
    "endref": ("endTarget",),
    "selector": ("ref", "target", "find"),
    "locator": ("ref", "target", "find"),
    "element": ("ref", "target"),
    "target": ("ref",),
    "text": ("ref", "query"),
    "value": ("text", "values"),
    "option": ("values",),
    "options": ("values",),
    "key": ("keys",),
    "keys": ("key",),
    "q": ("query",),
    "question": ("query",),
    "prompt": ("query",),
    "numresults": ("limit",),
    "maxresults": ("limit",),
    "count": ("limit",),
    "tokens": ("max_tokens",),
    "fullpage": ("full",),
    "href": ("url",),
    "uri": ("url",),
    "time": ("seconds",),
    "direction": ("to",),
    "tabid": ("tab",),
    "sessionid": ("session",),
    "sessionname": ("session",),
    "files": ("paths",),
    "path": ("paths",),
    "filepath": ("paths",),
}
"""Other names that models use, without underscores: the arguments that each can mean."""

UNUSED = frozenset(
    {
        "description",
        "element",
        "explanation",
        "intent",
        "reason",
        "reasoning",
        "thought",
        "timeout",
        "waituntil",
    }
)
"""Arguments that models add for themselves or for other servers, without underscores: ignored."""

CHOICES: Mapping[str, str] = {"new": "open", "create": "open", "select": "switch", "down": "by"}
"""Other choices that models use, and the one that each means where it is unknown."""

_PAIR_NAMES = ("ref", "target", "name", "label", "field", "selector", "key")
_PAIR_VALUES = ("value", "text", "checked")

_REF = re.compile(r"\s*\[?\*?(?:ref *[=:] *|e|@)?[\"']?(\d{1,9}\.\d{1,9})[\"']?\]?\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*", re.ASCII)
_YES_OR_NO: Mapping[object, bool] = {"true": True, "false": False, "1": True, "0": False}


class _Argument(
    msgspec.Struct,
    rename={"above": "exclusiveMinimum", "any_of": "anyOf", "more": "additionalProperties"},
):
    """The parts of an argument's schema that matter for parsing.

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
    more: "_Argument | bool | None" = None

    @property
    def may_be_yes(self) -> bool:
        """Return whether it accepts a boolean, among other types."""
        return any(one.type == "boolean" for one in self.any_of)


def meant(given: JSONObject, schema: JSONObject) -> dict[str, object]:
    """Convert the arguments to the types of the schema; unknown arguments are unchanged."""
    return _object(given, msgspec.convert(schema, _Argument))


def _object(given: JSONObject, schema: _Argument) -> dict[str, object]:
    read: dict[str, object] = {}
    for given_name, value in given.items():
        name = _argument_name(given_name, {**given, **read}, schema.properties)
        if value is None and name in read:
            continue
        argument = schema.properties.get(name)
        if argument is None:
            read[name] = value
            continue
        optional = name not in schema.required
        understood = _read(value, argument)
        if not (optional and (_is_nothing(value, argument) or _is_nothing(understood, argument))):
            read[name] = understood
    return read


def _argument_name(name: str, given: JSONObject, known: Collection[str]) -> str:
    """Return the argument that a name means; the name itself if it means none."""
    if name in known:
        return name
    bare = _bare_name(name)
    same = (other for other in known if _bare_name(other) == bare)
    aliases = (other for other in ALIASES.get(bare, ()) if other in known)
    free = (other for other in (*same, *aliases) if given.get(other) is None)
    return next(free, name)


def _bare_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_nothing(value: object, argument: _Argument) -> bool:
    """Return whether this value means that an optional argument is not given."""
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
            items = msgspec.convert(given, list[object])
            sole = items[0] if len(items) == 1 else None
            return given if sole is None or isinstance(sole, list) else _read(sole, argument)
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
    if isinstance(argument.more, _Argument):
        return _map(value, argument.more)
    return value


def _map(value: object, argument: _Argument) -> object:
    """Return a map of names to values without those that are null, which a list can be, too."""
    given = (_parsed(value) or value) if isinstance(value, str) else value
    if isinstance(given, list):
        entries = msgspec.convert(given, list[object])
        pairs = dict(pair for one in entries if (pair := _pair(one)))
        given = pairs if len(pairs) == len(entries) else None
    if not isinstance(given, dict):
        return value
    kinds = {one.type for one in argument.any_of}
    texts = "string" in kinds and not kinds & {"integer", "number"}
    return {
        name: str(one)
        if texts and isinstance(one, int | float) and not isinstance(one, bool)
        else one
        for name, one in msgspec.convert(given, dict[str, object]).items()
        if one is not None
    }


def _pair(entry: object) -> tuple[str, object] | None:
    """Return the name and the value of an entry such as {"name": "Email", "value": "a@b.c"}."""
    if not isinstance(entry, dict):
        return None
    entry = msgspec.convert(entry, dict[str, object])
    name = next((entry[key] for key in _PAIR_NAMES if entry.get(key)), None)
    value = next((key for key in _PAIR_VALUES if key in entry), None)
    return (str(name), entry[value]) if name is not None and value is not None else None


def _text(value: object, argument: _Argument) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
        value = str(value)
    if isinstance(value, str) and argument.enum and value not in argument.enum:
        return _choice(value.strip().lower(), value, argument)
    if isinstance(value, str) and argument.element and (ref := _REF.fullmatch(value)):
        return ref[1]
    return completed(value) if isinstance(value, str) and argument.address else value


def _choice(word: str, value: str, argument: _Argument) -> object:
    """Return the choice that a word means; the value itself if it means none."""
    return next((one for one in argument.enum if one in {word, CHOICES.get(word)}), value)


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
_MISSING = re.compile("Object missing required field `(.+)`")
_WRONG_CHOICE = re.compile(r"Invalid enum value '(.*)'")


class _ChoiceSchema(msgspec.Struct, rename="camel"):
    type: str = ""
    any_of: "list[_ChoiceSchema]" = []
    enum: list[str | int] = []
    items: "_ChoiceSchema | None" = None

    @property
    def choices(self) -> list[str]:
        """Return the accepted words; empty for any."""
        return list(map(str, (self.items or self).enum))

    @property
    def kind(self) -> str:
        """Return its type in words for a person."""
        if self.any_of:
            return " | ".join(one.kind for one in self.any_of)
        if self.items is not None:
            return f"list of {self.items.kind}"
        return " | ".join(map(str, self.enum)) or self.type or "any"


class _Accepted(msgspec.Struct):
    properties: dict[str, _ChoiceSchema]
    required: list[str] = []

    def __str__(self) -> str:
        kinds = (
            f"{name}{'' if name in self.required else '?'}: {argument.kind}"
            for name, argument in self.properties.items()
        )
        return ", ".join(kinds)


def ignored_arguments(given: JSONObject, schema: JSONObject) -> tuple[str, ...]:
    """Return the names of arguments that a tool does not have, and that limit no call."""
    unused = [name for name in given if _bare_name(name) in UNUSED]
    if not unused:
        return ()
    known = msgspec.convert(schema, _Accepted).properties
    return tuple(name for name in unused if _argument_name(name, given, known) not in known)


def unknown_argument_error(tool: str, given: JSONObject, schema: JSONObject) -> BadInput | None:
    """Return the error for arguments that the tool does not know; None if it knows all."""
    accepted = msgspec.convert(schema, _Accepted)
    strange = sorted(set(given) - set(accepted.properties))
    if not strange:
        return None
    meant = "".join(did_you_mean(name, accepted.properties) for name in strange)
    names = ", ".join(map(repr, strange))
    return BadInput(f"{tool} has no argument {names}.{meant}", advice=_advice(accepted))


def argument_error(tool: str, problem: str, schema: JSONObject) -> BadInput:
    """Return the error for arguments that are missing or of the wrong type.

    Args:
        tool: its name.
        problem: the message of msgspec.
        schema: of the accepted arguments.
    """
    accepted = msgspec.convert(schema, _Accepted)
    place = _PLACE.search(problem)
    text = _PLACE.sub("", problem)
    argument = accepted.properties.get(place[1]) if place else None
    if place is None or argument is None:
        missing = _MISSING.fullmatch(text)
        what = f"{tool} needs {missing[1]!r}." if missing else f"{tool}: {text}."
        return BadInput(what, advice=_advice(accepted))
    wrong = _WRONG_CHOICE.match(text)
    meant = did_you_mean(wrong[1], argument.choices) if wrong else ""
    return BadInput(
        f"Invalid value for {place[1]!r} of {tool}: {text}.{meant}",
        advice=f"Expected: {argument.kind}.",
    )


def _advice(accepted: _Accepted) -> str:
    return f"Its arguments are {accepted}." if accepted.properties else "It has no arguments."
