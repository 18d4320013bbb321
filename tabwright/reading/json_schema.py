"""The schema of a snapshot as JSON (JSON Schema 2020-12)."""

from collections.abc import Mapping
from typing import TypeAlias

Schema: TypeAlias = dict[str, object]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def _record(always: Mapping[str, Schema], **at_times: Schema) -> Schema:
    """What there is always, and what there is unless it is empty."""
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
        "A heading has a level and text; a paragraph text; a list items as children, each with"
        " text; a table a header and rows; code text and at times a language; a blockquote"
        " children. Links, images and formulas in a text are children of what has the text."
    ),
}

_LINK = _record(
    {
        "ref": {**COUNT, "description": "the number that stands for the link in a text"},
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
"""What `snapshot_record` gives. What is empty is left out; of all else there is but one form."""
