"""What a call means whose arguments are not quite what the schema of its tool says.

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

import math
import re
from collections.abc import Mapping

import msgspec

from tabwright.actors.tools.schema import JSONObject
from tabwright.protocol.web_urls import completed

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
