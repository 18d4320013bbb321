#!/usr/bin/env python3
"""Writes docs/tools.md, and the table of tools in README.md, from the tools' own definitions.

``--check`` writes nothing and ends with 1 if a file is not what would be written.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from tabwright import load_settings
from tabwright.config.engines import load_engines
from tabwright.mcp.registry import toolbox
from tabwright.mcp.tool import DEFAULT_GROUPS, AnyTool, ToolAnnotations, Toolset

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tools -->", "<!-- /tools -->"

HEAD = """\
# Tools

What `tabwright serve` offers to an MCP client. This page is written by
`scripts/write_tool_reference.py` from `tabwright/actors/tools`; do not edit it.

A tool answers with text for the model. What a page may have written in it stands between
`<untrusted N>` and `</untrusted N>`; our own words stand outside. A text has at most
`mcp.max_tokens` unless the call says otherwise, and names the `offset` to go on from. Programs get
a record (`structuredContent`) where they ask for it: by `mcp.structured_content`, or by
`"tabwright/structured": true` in the `_meta` of a call. The texts in it stand in fences too.
An error is a tool result with `isError`; its text says what happened and what to do next, and its
`_meta["tabwright/error"]` has the `kind`, `retryable`, `effect` and `advice` of
[the tree of errors](explain.md#the-tree-of-errors), and the `barrier` of a search that was blocked.
Arguments that do not fit are refused by name, with what the tool takes. What can be read in one
way only is read so: null, an empty text or 0 for an optional argument means that it is not given,
unless 0 is a value of it; "5" is a number, "true" is yes, one thing is a list of it; a ref may be
2.5, "[2.5]", "ref=2.5" or "e2.5". A ref that is given as a number loses zeros at its end (2.10 is
2.1 in JSON): give it as a text.

A client is told of the groups *search*, *read* and *act*, and may call every tool. With
`serve --tools read,act,debug`, or `mcp.tools`, it is told of those groups and may call their tools
alone. Many clients call no others than they are told of. Arguments with a star are taken, but not
told to clients: few calls want them. Nor is the shape of the records, unless `mcp.output_schemas`
says so, nor some of the meanings that stand here, for each conversation would pay for them.
"""


class Field(msgspec.Struct, rename="camel"):
    """A property of a JSON schema, as far as our tools use them."""

    type: str = ""
    any_of: "list[Field]" = []
    description: str = ""
    default: object = msgspec.UNSET
    enum: list[str | int] = []
    properties: dict[str, object] = {}
    items: "Items | None" = None
    rare: bool = False


class Items(msgspec.Struct):
    """What an array holds: objects with these properties, or words."""

    properties: dict[str, Field] = {}
    enum: list[str] = []


class Schema(msgspec.Struct):
    """An object of a JSON schema."""

    properties: dict[str, Field]
    required: list[str]


def reference(tools: Toolset) -> str:
    """The whole page."""
    instructions = f"Instructions of the server: {tools.instructions}\n"
    return "\n".join([HEAD, instructions, *(_section(tool) for tool in tools.tools)])


def table(definitions: tuple[AnyTool, ...]) -> str:
    """The table of README.md."""
    rows = [
        f"| [`{tool.name}`](docs/tools.md#{tool.name}) | {tool.group} | {tool.description} |"
        for tool in definitions
    ]
    return "\n".join(["| Tool | Group | What it does |", "| --- | --- | --- |", *rows])


def _section(tool: AnyTool) -> str:
    return "\n".join(
        [
            f"## {tool.name}\n",
            f"{tool.description}\n",
            f"Group: {_group(tool)}. {_effects(tool.annotations)}\n",
            *_fields(tool.input_schema, "Argument", "Needed"),
            "",
            *_fields(tool.output_schema, "Record", "Always"),
            "",
        ]
    )


def _group(tool: AnyTool) -> str:
    return tool.group if tool.group in DEFAULT_GROUPS else f"{tool.group}, not listed by default"


def _effects(effects: ToolAnnotations) -> str:
    if effects.read_only:
        return "Changes nothing."
    twice = "; twice is as once" if effects.idempotent else ""
    if effects.destructive:
        return f"May change what cannot be brought back{twice}."
    return f"Changes nothing outside of the browser{twice}."


def _fields(schema: Mapping[str, object], subject: str, needed: str) -> Iterator[str]:
    read = msgspec.convert(schema, Schema)
    yield f"| {subject} | Type | {needed} | Meaning |"
    yield "| --- | --- | --- | --- |"
    for name, field in read.properties.items():
        told = f"`{name}`*" if field.rare else f"`{name}`"
        yield f"| {told} | {_type(field)} | {_needed(name, field, read)} | {field.description} |"


def _type(field: Field) -> str:
    if field.any_of:
        return " or ".join(map(_type, field.any_of))
    if field.items and field.items.properties:
        return f"{field.type} of {{{', '.join(field.items.properties)}}}"
    if field.items and field.items.enum:
        return f"{field.type} of {' or '.join(f'`{word}`' for word in field.items.enum)}"
    if field.properties:
        return f"{field.type} of {{{', '.join(field.properties)}}}"
    return " or ".join(f"`{word}`" for word in field.enum) or field.type


def _needed(name: str, field: Field, schema: Schema) -> str:
    if name in schema.required:
        return "yes"
    return "no" if field.default is msgspec.UNSET else f"no: `{json.dumps(field.default)}`"


def _with_table(readme: str, new: str) -> str:
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{new}\n{END}{after}"


def main() -> int:
    """Writes both files, or checks them."""
    tools = toolbox(load_settings(), load_engines())
    readme, page = ROOT / "README.md", ROOT / "docs" / "tools.md"
    wanted = {
        readme: _with_table(readme.read_text(encoding="utf-8"), table(tools.tools)),
        page: reference(tools),
    }
    stale = [path for path, text in wanted.items() if _text(path) != text]
    if "--check" in sys.argv:
        sys.stdout.writelines(f"{path.relative_to(ROOT)} is out of date.\n" for path in stale)
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
