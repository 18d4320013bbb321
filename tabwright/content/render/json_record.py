"""Snapshots and read pages as JSON values; `SNAPSHOT_SCHEMA` describes them."""

from collections.abc import Iterator, Mapping
from itertools import chain, groupby
from typing import TypeAlias

import attrs
import msgspec

from tabwright.content.html.tables import characters_of
from tabwright.content.render.markdown import plain_line
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Formula,
    Heading,
    Image,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.protocol.page_text import PageText
from tabwright.protocol.snapshot import (
    Field,
    Metadata,
    PageSnapshot,
)

Record: TypeAlias = dict[str, object]


def snapshot_record(snapshot: PageSnapshot) -> Record:
    """Return the snapshot as dictionaries, lists and scalars, without empty values."""
    return {
        "url": snapshot.url,
        "title": snapshot.title,
        **_filled(
            status=snapshot.status,
            media_type=snapshot.media_type,
            content=[block_record(block) for block in snapshot.content],
            links=[
                {"ref": link.number, "text": link.text, "url": link.url, "type": link.kind}
                for link in snapshot.links
            ],
            forms=[
                {
                    "index": form.index,
                    **_filled(id=form.id, name=form.name),
                    "action": form.action,
                    "method": form.method,
                    "enctype": form.encoding,
                    **_filled(fields=[_field(field) for field in form.fields]),
                }
                for form in snapshot.forms
            ],
            media=[
                {
                    "ref": medium.number,
                    "type": medium.kind,
                    "src": medium.url,
                    **_filled(
                        alt=medium.alt,
                        title=medium.title,
                        width=medium.width,
                        height=medium.height,
                        captions=list(medium.captions),
                    ),
                }
                for medium in snapshot.media
            ],
            metadata=_metadata(snapshot.metadata),
            tree=[
                {
                    "depth": node.depth,
                    "role": node.role,
                    **_filled(name=node.name, value=node.value, states=list(node.states)),
                }
                for node in snapshot.tree
            ],
            cut=snapshot.cut is not None,
        ),
    }


def _filled(**values: object) -> Record:
    """Return the values that are not empty."""
    return {
        name: value
        for name, value in values.items()
        if value or (isinstance(value, int) and not isinstance(value, bool))
    }


def block_record(block: Block) -> Record:
    """Return the record of a block."""
    record: Record
    match block:
        case Paragraph(content):
            record = {"type": "paragraph", **_line(content)}
        case Heading(level, content):
            record = {"type": "heading", "level": level, **_line(content)}
        case ItemList():
            record = {
                "type": "list",
                "ordered": block.ordered,
                **(_filled(start=block.start) if block.ordered and block.start != 1 else {}),
                "children": [
                    {
                        "type": "item",
                        **_filled(number=item.number),
                        **_line(item.content, item.blocks),
                    }
                    for item in block.items
                ],
            }
        case TableBlock(rows):
            cells = [[plain_line(cell) for cell in row] for row in rows]
            children = list(_inline(tuple(chain.from_iterable(chain.from_iterable(rows)))))
            record = {
                "type": "table",
                "header": cells[0] if cells else [],
                "rows": cells[1:],
                **_filled(children=children),
            }
        case Code(text, language):
            record = {"type": "code", "text": text, **_filled(language=language)}
        case Quote(blocks):
            record = {"type": "blockquote", "children": [block_record(inner) for inner in blocks]}
        case ThematicBreak():
            record = {"type": "rule"}
    return record


def _line(content: Inlines, blocks: Blocks = ()) -> Record:
    """Return the text of a line; its links and pictures, and the blocks below it, are children."""
    children = [*_inline(content), *map(block_record, blocks)]
    return {"text": plain_line(content), **_filled(children=children)}


def _inline(content: Inlines) -> Iterator[Record]:
    for url, runs in groupby(content, lambda run: run.url if isinstance(run, TextSpan) else ""):
        if url:
            yield {"type": "link", "text": characters_of(tuple(runs)).strip(), "url": url}
        else:
            yield from filter(None, map(_mark, runs))


def _mark(run: Inline) -> Record:
    match run:
        case Image(url, alt):
            return {"type": "image", "text": alt, "url": url}
        case Formula(tex):
            return {"type": "formula", "text": tex}
        case TextSpan() | Citation():
            return {}


def _field(field: Field) -> Record:
    return {
        "name": field.name,
        "type": field.type,
        **_filled(
            value=field.value,
            label=field.label,
            id=field.id,
            required=field.required,
            hidden=field.hidden,
            checked=field.checked,
            disabled=field.disabled,
            multiple=field.multiple,
            options=[
                {"value": option.value, "label": option.label, **_filled(selected=option.selected)}
                for option in field.options
            ],
        ),
    }


def _metadata(metadata: Metadata) -> Record:
    return _filled(
        description=metadata.description,
        keywords=list(metadata.keywords),
        canonical=metadata.canonical,
        lang=metadata.language,
        charset=metadata.charset,
        author=metadata.author,
        site_name=metadata.site_name,
        published=metadata.published,
        modified=metadata.modified,
        og=dict(metadata.open_graph),
        facts=dict(metadata.facts),
    )


# The JSON schema of a snapshot (JSON Schema 2020-12).

Schema: TypeAlias = dict[str, object]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def _record(always: Mapping[str, Schema], **at_times: Schema) -> Schema:
    """Return the schema of a record with required and optional properties."""
    return {
        "type": "object",
        "properties": {**always, **at_times},
        "required": list(always),
        "additionalProperties": False,
    }


_BLOCK: Schema = {
    "type": "object",
    "properties": {
        "type": _one_of(
            "heading",
            "paragraph",
            "list",
            "item",
            "table",
            "code",
            "blockquote",
            "rule",
            "link",
            "image",
            "formula",
        ),
        "level": {"type": "integer", "minimum": 1, "maximum": 6},
        "text": TEXT,
        "url": TEXT,
        "language": TEXT,
        "ordered": FLAG,
        "start": {"type": "integer"},
        "number": {"type": "integer"},
        "header": _list_of(TEXT),
        "rows": _list_of(_list_of(TEXT)),
        "children": _list_of({"$ref": "#/$defs/block"}),
    },
    "required": ["type"],
    "additionalProperties": False,
    "description": (
        "A heading has a level and text; a paragraph has text; a list has its items as children,"
        " each with text; a table has a header and rows; code has text and possibly a language; a"
        " blockquote has children. Links, images and formulas are children of the block with the"
        " text."
    ),
}

_LINK = _record(
    {
        "ref": {**COUNT, "description": "number of the link in the text"},
        "text": TEXT,
        "url": TEXT,
        "type": _one_of("navigation", "content", "external", "download", "anchor"),
    }
)

_FIELD = _record(
    {"name": TEXT, "type": TEXT},
    value=TEXT,
    label=TEXT,
    id=TEXT,
    required=FLAG,
    hidden=FLAG,
    checked=FLAG,
    disabled=FLAG,
    multiple=FLAG,
    options=_list_of(_record({"value": TEXT, "label": TEXT}, selected=FLAG)),
)

_FORM = _record(
    {"index": COUNT, "action": TEXT, "method": _one_of("GET", "POST"), "enctype": TEXT},
    id=TEXT,
    name=TEXT,
    fields=_list_of(_FIELD),
)

_MEDIUM = _record(
    {"ref": COUNT, "type": _one_of("image", "video", "audio", "canvas"), "src": TEXT},
    alt=TEXT,
    title=TEXT,
    width=COUNT,
    height=COUNT,
    captions=_list_of(TEXT),
)

_METADATA = _record(
    {},
    description=TEXT,
    keywords=_list_of(TEXT),
    canonical=TEXT,
    lang=TEXT,
    charset=TEXT,
    author=TEXT,
    site_name=TEXT,
    published=TEXT,
    modified=TEXT,
    og={"type": "object", "additionalProperties": TEXT},
    facts={"type": "object", "additionalProperties": TEXT},
)

_NODE = _record({"depth": COUNT, "role": TEXT}, name=TEXT, value=TEXT, states=_list_of(TEXT))

_TRUNCATION = _record({}, items_omitted=COUNT, next_offset={"type": ["integer", "null"]})

SNAPSHOT_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "PageSnapshot",
    **_record(
        {"url": TEXT, "title": TEXT},
        status=COUNT,
        media_type=TEXT,
        content=_list_of({"$ref": "#/$defs/block"}),
        links=_list_of(_LINK),
        forms=_list_of(_FORM),
        media=_list_of(_MEDIUM),
        metadata=_METADATA,
        tree=_list_of(_NODE),
        cut=FLAG,
        truncation=_TRUNCATION,
    ),
    "$defs": {"block": _BLOCK},
}
"""The schema of `snapshot_record`. Empty values are omitted; every other value has one form."""


# The record of a read page; empty values are omitted.

ALWAYS = frozenset({"title", "text", "kind", "name", "value", "label", "url"})
"""Keys that are kept even if empty."""


def page_record(page: PageText, *, media: bool = False) -> dict[str, object]:
    """Return the record of a page, with its media if requested, but without pictures."""
    without_pictures = attrs.filters.exclude("drawn", "drawing")
    record = attrs.asdict(attrs.evolve(page, screenshot=None), filter=without_pictures)
    if not media:
        record["media"] = ()
    return without_empty(record)


def without_empty(record: Mapping[str, object]) -> dict[str, object]:
    """Remove empty values at any depth."""
    cleaned = {name: _cleaned(value) for name, value in record.items()}
    return {
        name: value
        for name, value in cleaned.items()
        if name in ALWAYS or value is False or value == 0 or value
    }


def _cleaned(value: object) -> object:
    match value:
        case dict():
            return without_empty(msgspec.convert(value, dict[str, object]))
        case list() | tuple():
            return [_cleaned(inner) for inner in msgspec.convert(value, list[object])]
        case _:
            return value
