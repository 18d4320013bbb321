"""JSON files with comments and trailing commas, whose rest stays as a person wrote it (JSONC)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs
import msgspec

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_MEMBER = re.compile(rf"\s*,?\s*({_STRING})\s*:\s*", re.DOTALL)
_COMMA = re.compile(r"\s*,")
_DECODER = json.JSONDecoder()

Table: TypeAlias = dict[str, object]


@attrs.frozen
class _Member:
    """The place of a member of an object: of its name, of its value, and the end of both."""

    name_at: int
    value_at: int
    end: int


def read_json(text: str) -> Table:
    """Return the object of a text; an empty one for an empty text.

    Raises:
        msgspec.DecodeError: it is not JSON with comments, or not an object.
    """
    plain = _without_comments(text)
    return msgspec.json.decode(plain, type=Table) if plain.strip() else {}


def with_member(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    """Return the text with a member set; only its own lines change.

    Args:
        text: an object, which `read_json` can read.
        path: the names of the objects around the member, and its own.
        value: of the member.
    """
    text = text if text.strip() else "{}\n"
    plain = _without_comments(text)
    at, indent = plain.index("{"), "  "
    name, *inner = path
    while inner and (around := _members(plain, at).get(name)):
        at, indent = around.value_at, f"{indent}  "
        name, *inner = inner
    for outer in reversed(inner):
        value = {outer: value}
    line, members = _line(name, value, indent), _members(plain, at)
    if member := members.get(name):
        return f"{text[: member.name_at]}{line}{text[member.end :]}"
    end = f",\n{indent}" if members else f"\n{indent[2:]}"
    return f"{text[: at + 1]}\n{indent}{line}{end}{text[at + 1 :].lstrip()}"


def without_member(text: str, path: Sequence[str]) -> str:
    """Return the text without a member that it has, and without the comma after or before it."""
    plain = _without_comments(text)
    at = plain.index("{")
    for name in path[:-1]:
        at = _members(plain, at)[name].value_at
    member = _members(plain, at)[path[-1]]
    if after := _COMMA.match(_COMMENT.sub(_blank, text), member.end):
        return text[: member.name_at] + text[after.end() :].lstrip()
    before = plain[: member.name_at].rstrip()
    start = len(before.removesuffix(","))
    return text[:start] + text[len(before) : member.name_at].rstrip() + text[member.end :]


def _line(name: str, value: object, indent: str) -> str:
    written = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return f"{json.dumps(name)}: {written}".replace("\n", f"\n{indent}")


def _without_comments(text: str) -> str:
    """Return the text with spaces for comments and trailing commas, so that no place changes."""
    return _TRAILING_COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(piece: re.Match[str]) -> str:
    return piece[0] if piece[0].startswith('"') else re.sub(r"[^\n]", " ", piece[0])


def _members(plain: str, at: int) -> dict[str, _Member]:
    """Return the members of the object that begins at a place."""
    members, at = dict[str, _Member](), at + 1
    while found := _MEMBER.match(plain, at):
        name: str = json.loads(found[1])
        _, at = _DECODER.raw_decode(plain, found.end())
        members[name] = _Member(found.start(1), found.end(), at)
    return members
