"""Structured data of a page: records, and values for a JSON Schema, each with its source.

A source is a CSS selector, which can end with ``@`` and an attribute; ``json-ld:`` and the path of
the value within the page's JSON-LD scripts; or ``meta:`` and the name of a ``meta`` element.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs

Scalar: TypeAlias = str | int | float | bool
JsonValue: TypeAlias = "Scalar | list[JsonValue] | dict[str, JsonValue]"

ValueType: TypeAlias = Literal["string", "number", "integer", "boolean", "array", "object"]
GroupKind: TypeAlias = Literal["json-ld", "microdata", "table", "repeated"]


@attrs.frozen
class DataSchema:
    """The type of a value, and where to look for it: a part of JSON Schema.

    Attributes:
        type: the type that values are converted to.
        properties: of an object, by name.
        items: of an array; None for strings.
        selector: a CSS selector of the value; of an array of objects, of each of them.
        attribute: the attribute that has the value; empty for the text.
    """

    type: ValueType = "string"
    properties: Mapping[str, "DataSchema"] = attrs.field(factory=dict[str, "DataSchema"])
    items: "DataSchema | None" = None
    selector: str = ""
    attribute: str = ""


@attrs.frozen
class DataRequest:
    """The data of a page to return: values for a schema, or all records without one."""

    schema: DataSchema | None = None


@attrs.frozen
class DataField:
    """A value with its source.

    Attributes:
        name: as the page names it; the names of nested values are joined with dots.
        value: a text that is too long ends with an ellipsis.
    """

    name: str
    value: Scalar
    source: str


@attrs.frozen
class DataRecord:
    """A record, such as a product or a row of a table.

    Attributes:
        omitted: the number of fields beyond the limit.
    """

    source: str
    fields: tuple[DataField, ...]
    omitted: int = 0


@attrs.frozen
class RecordGroup:
    """Records of the same kind from the same place.

    Attributes:
        title: the caption of a table, or the type of an item; can be empty.
        omitted: the number of records beyond the limit.
    """

    kind: GroupKind
    source: str
    records: tuple[DataRecord, ...]
    title: str = ""
    omitted: int = 0


@attrs.frozen
class FilledSchema:
    """The values for a schema.

    Attributes:
        value: an object or a list of objects, without the properties that were not found.
        sources: the source of each value, by JSON Pointer (RFC 6901).
        missing: the JSON Pointers of properties that were not found.
    """

    value: JsonValue
    sources: Mapping[str, str]
    missing: tuple[str, ...] = ()


@attrs.frozen
class PageData:
    """The structured data of a page.

    Attributes:
        groups: all records; empty if a schema was given.
        filled: the values for the schema; None without one.
        omitted: the number of groups beyond the limit.
    """

    groups: tuple[RecordGroup, ...] = ()
    filled: FilledSchema | None = None
    omitted: int = 0


@attrs.frozen(kw_only=True)
class ExtractedPage:
    """The structured data of a page at a URL.

    Attributes:
        url: after all redirects.
        status: the HTTP status; 0 if unknown.
        tier: the tier that the page was read with.
        notice: what was missing while loading; usually empty.
    """

    url: str
    title: str
    status: int
    tier: int
    data: PageData
    notice: str = ""
