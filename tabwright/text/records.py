"""Records as plain values, with each text in them changed."""

from collections.abc import Callable

import msgspec

from tabwright.text.lines import verbatim


def each_text(value: object, change: Callable[[str], str], *, names: bool = True) -> object:
    """Return a JSON value with `change` applied to each string in it, also to `names` if wanted."""
    match value:
        case str():
            return change(value)
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {
                change(name) if names else name: each_text(inner, change, names=names)
                for name, inner in pairs
            }
        case list() | tuple():
            inner = msgspec.convert(value, list[object])
            return [each_text(one, change, names=names) for one in inner]
        case _:
            return value


def record_as_it_stands(record: object) -> object:
    """Return a record as plain values for a program, without invisible characters."""
    return each_text(msgspec.to_builtins(record), verbatim)
