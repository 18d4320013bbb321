"""The meaning of settings: the comments on their defaults, and the values that they accept."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import msgspec
import yaml

from tabwright.config.loader import plugin_group


@cache
def meanings() -> Mapping[str, str]:
    """Return the meaning of every setting of the core by its dotted key, as in ``default.yaml``."""
    return meanings_in(files(__package__ or "").joinpath("default.yaml").read_text("utf-8"))


def meaning_of(key: str) -> str:
    """Return the meaning of a setting of the core or of a plugin."""
    group = plugin_group(key.partition(".")[0])
    return meanings_in(group.file.read_text("utf-8"))[key] if group else meanings()[key]


def meanings_in(text: str) -> Mapping[str, str]:
    """Return the meaning of every setting in a file of defaults."""
    return {key: " ".join(words) for key, words in _comments(text)}


def _comments(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each key with the lines of the comment that begins after it."""
    group, key, words = "", "", list[str]()
    for line in text.splitlines():
        code, _, comment = line.partition("#")
        if code.strip():
            if key:
                yield key, words
            name = code.partition(":")[0].strip()
            is_group = not code.startswith(" ")
            group, key = (name, "") if is_group else (group, f"{group}.{name}")
            words = []
        if key and comment.strip():
            words.append(comment.strip())
    yield key, words


def value_text(value: object) -> str:
    """Return a value as it is written in a settings file."""
    return yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("...\n").strip()


def type_text(hint: object, quote: str = "") -> str:
    """Describe the values that a setting of this type accepts.

    Args:
        hint: the type.
        quote: is put before and after words that are values.
    """
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = [limit for part in parts[1:] for limit in _bounds(part)]
        return " ".join([type_text(parts[0], quote), *bounds])
    if origin is Literal:
        return " or ".join(f"{quote}{word}{quote}" for word in parts)
    if origin is tuple:
        return f"list of {type_text(parts[0], quote)}"
    if origin in {Union, UnionType}:
        return " or ".join(dict.fromkeys(type_text(part, quote) for part in parts))
    words: Mapping[object, str] = {
        bool: "true or false",
        int: "integer",
        float: "number",
        str: "text",
        type(None): "null",
    }
    return words.get(hint, "mapping")


def _bounds(meta: object) -> Iterator[str]:
    """Yield the bounds of a number."""
    if not isinstance(meta, msgspec.Meta):
        return
    for name, words in {"ge": "from", "gt": "above", "le": "up to", "lt": "below"}.items():
        bound: object = getattr(meta, name)
        if bound is not None:
            yield f"{words} {bound}"
