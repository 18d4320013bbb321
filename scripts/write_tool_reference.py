#!/usr/bin/env python3
"""Writes docs/tools.md, and the table of tools in README.md, from the tools' own definitions.

``--check`` writes nothing and ends with 1 if a file is not what would be written.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from tabwright import load_settings
from tabwright.actors.gateway_tools import INSTRUCTIONS, tools
from tabwright.actors.tools.tool import Tool
from tabwright.config.engines import load_engines

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tools -->", "<!-- /tools -->"

HEAD = f"""\
# Tools

What `tabwright serve` offers to an MCP client. This page is written by
`scripts/write_tool_reference.py` from `tabwright/actors/tools`; do not edit it.

Instructions of the server: {INSTRUCTIONS}

A tool answers twice: as text for the model, and as a record (`structuredContent`) for programs.
An error is a tool result with `isError`; its text says what happened and what to do next, and its
`_meta["tabwright/error"]` has the `kind`, `retryable`, `effect` and `advice` of
[the tree of errors](explain.md#the-tree-of-errors), and the `barrier` of a search that was blocked.
Arguments that a tool does not know are refused by name.
"""

Definition: TypeAlias = Tool[object]


class Field(msgspec.Struct, rename="camel"):
    """A property of a JSON schema, as far as our tools use them."""

    type: str
    description: str = ""
    default: object = msgspec.UNSET
    enum: list[str | int] = []
    properties: dict[str, object] = {}
    items: "Items | None" = None


class Items(msgspec.Struct):
    """What an array holds: objects with these properties, or words."""

    properties: dict[str, Field] = {}
    enum: list[str] = []


class Schema(msgspec.Struct):
    """An object of a JSON schema."""

    properties: dict[str, Field]
    required: list[str]


def reference(definitions: tuple[Definition, ...]) -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_section(tool) for tool in definitions)])


def table(definitions: tuple[Definition, ...]) -> str:
    """The table of README.md."""
    rows = [
        f"| [`{tool.name}`](docs/tools.md#{tool.name}) | {_signature(tool)} | {tool.description} |"
        for tool in definitions
    ]
    return "\n".join(["| Tool | Arguments | What it does |", "| --- | --- | --- |", *rows])


def _section(tool: Definition) -> str:
    return "\n".join(
        [
            f"## {tool.name}\n",
            f"{tool.title}. {tool.description}\n",
            *_fields(tool.input_schema, "Argument", "Needed"),
            "",
            *_fields(tool.output_schema, "Record", "Always"),
            "",
        ]
    )


def _fields(schema: Mapping[str, object], subject: str, needed: str) -> Iterator[str]:
    read = msgspec.convert(schema, Schema)
    yield f"| {subject} | Type | {needed} | Meaning |"
    yield "| --- | --- | --- | --- |"
    for name, field in read.properties.items():
        yield f"| `{name}` | {_type(field)} | {_needed(name, field, read)} | {field.description} |"


def _type(field: Field) -> str:
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


def _signature(tool: Definition) -> str:
    schema = msgspec.convert(tool.input_schema, Schema)
    return ", ".join(
        f"`{name}`" if name in schema.required else f"`{name}`?" for name in schema.properties
    )


def _with_table(readme: str, new: str) -> str:
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{new}\n{END}{after}"


def main() -> int:
    """Writes both files, or checks them."""
    definitions = tools(load_settings(), load_engines())
    readme, page = ROOT / "README.md", ROOT / "docs" / "tools.md"
    wanted = {
        readme: _with_table(readme.read_text(encoding="utf-8"), table(definitions)),
        page: reference(definitions),
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
