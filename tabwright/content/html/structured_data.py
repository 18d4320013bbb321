"""The structured data of a page, without a model: records, and values for a JSON Schema.

Nothing is invented: each value is a value of the page, and has its source.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tabwright.content.html.data_tables import (
    OLD_PRICES,
    labelled_pairs,
    plain_name,
    table_groups,
)
from tabwright.content.html.element_path import (
    STRUCK,
    ElementPaths,
    attribute,
    descendants,
    is_struck,
    picture_label,
    visible_text,
)
from tabwright.content.html.metadata import PageMetadata
from tabwright.content.html.microdata import URL_ATTRIBUTES, linked_group, microdata_groups
from tabwright.content.html.named_elements import named_values
from tabwright.content.html.record_values import (
    CURRENCIES,
    alike_names,
    alike_records,
    currencies,
    list_of,
    named,
    nested_records,
)
from tabwright.content.html.repeated_records import (
    GROUPS_MAX,
    SAMPLES,
    RecordReader,
    repeated_groups,
)
from tabwright.content.html.tree import Addresses, ancestors
from tabwright.content.typed_values import COMMA_LANGUAGES, converted
from tabwright.protocol.errors import BadInput
from tabwright.protocol.structured_data import (
    DataField,
    DataRecord,
    DataRequest,
    DataSchema,
    FilledSchema,
    JsonValue,
    PageData,
    RecordGroup,
)

MATCHES_MAX = 1_000
"""Maximum number of elements that a selector of a schema chooses."""

NESTED_MAX = 10
"""Maximum number of records that are nested in each other."""

DECLARED = frozenset({"json-ld", "microdata"})
"""The kinds of groups whose records the page declares."""

_URL_VALUES = frozenset({"href", "src", "data"})


def page_data(
    document: LexborHTMLParser, addresses: Addresses, account: PageMetadata, request: DataRequest
) -> PageData:
    """Return the structured data of a document, which is not changed.

    Raises:
        BadInput: a selector of the schema is not valid CSS.
    """
    paths = ElementPaths(document)
    linked = linked_group(account.linked_data)
    groups = [
        *([linked] if linked else []),
        *microdata_groups(document, paths, addresses),
        *table_groups(document, paths),
        *repeated_groups(document, paths, addresses),
    ]
    if request.schema is None:
        return PageData(tuple(groups[:GROUPS_MAX]), omitted=max(0, len(groups) - GROUPS_MAX))
    root = document.css_first("html")
    language = (attribute(root, "lang") if root else "").partition("-")[0].lower()
    filler = _SchemaFiller(
        document, addresses, paths, account, groups, decimal_comma=language in COMMA_LANGUAGES
    )
    return PageData(filled=filler.filled(request.schema))


@attrs.define
class _Result:
    """The sources and the missing properties, collected while values are filled in."""

    sources: dict[str, str] = attrs.field(factory=dict[str, str])
    missing: list[str] = attrs.field(factory=list[str])


@attrs.frozen
class _Scope:
    """The part of a page in which the values of an object are looked for.

    Attributes:
        root: the element in which selectors apply; None for the document.
        fields: the values with names, the most reliable first.
    """

    root: LexborNode | None
    fields: Sequence[DataField]


@attrs.frozen
class _SchemaFiller:
    """Fills a schema from a page."""

    document: LexborHTMLParser
    addresses: Addresses
    paths: ElementPaths
    account: PageMetadata
    groups: Sequence[RecordGroup]
    decimal_comma: bool

    def filled(self, schema: DataSchema) -> FilledSchema:
        """Return the values for the schema of an object, or of an array of objects."""
        result = _Result()
        # The values that the page declares, the most reliable first.
        declared = [group for group in self.groups if group.kind in DECLARED]
        fields = [field for group in declared for one in group.records for field in one.fields]
        fields += [
            DataField(name.partition(":")[2] or name, value, f"meta:{name}")
            for name, values in self.account.values.items()
            for value in values
        ]
        tables = [group for group in self.groups if group.kind == "table"]
        fields += [field for group in tables for one in group.records[:1] for field in one.fields]
        fields += labelled_pairs(self.document, self.paths)
        wanted = {one for name in schema.properties for one in alike_names(name)}
        wanted |= {"price"} if wanted & CURRENCIES else set()
        repeated = (group for group in self.groups if group.kind == "repeated")
        records = [record.source for group in repeated for record in group.records]
        fields += named_values(self.document, self.paths, wanted, records)
        whole = _Scope(None, fields)
        value: JsonValue | None
        if schema.type == "array":
            value = self._objects(schema, whole, "", result) or []
        else:
            value = self._object(schema, whole, "", result)
        return FilledSchema(value, result.sources, tuple(result.missing))

    def _object(
        self, schema: DataSchema, scope: _Scope, pointer: str, result: _Result
    ) -> dict[str, JsonValue]:
        value: dict[str, JsonValue] = {}
        for name, inner in schema.properties.items():
            here = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            found = self._value(name, inner, scope, here, result)
            if found is None:
                result.missing.append(here)
            else:
                value[name] = found
        return value

    def _value(
        self, name: str, schema: DataSchema, scope: _Scope, pointer: str, result: _Result
    ) -> "JsonValue | None":
        if schema.type == "object":
            prefix = f"{plain_name(name)}."
            fields = [
                attrs.evolve(field, name=field.name.partition(".")[2])
                for field in scope.fields
                if f"{plain_name(field.name.partition('.')[0])}." == prefix and "." in field.name
            ]
            roots = self._matches(schema.selector, scope.root) if schema.selector else []
            inner = _Scope(roots[0] if roots else scope.root, fields)
            return self._object(schema, inner, pointer, result) or None
        if schema.type == "array" and schema.items and schema.items.type == "object":
            records = {} if schema.selector else nested_records(name, scope.fields)
            nested = [_Scope(None, own) for own in records.values()]
            return self._objects(schema, scope, pointer, result, nested) or None
        kind = (
            (schema.items.type if schema.items else "string")
            if schema.type == "array"
            else (schema.type)
        )
        if schema.selector:
            fields = list(self._hinted(name, schema, scope.root))
        else:
            fields = list(named(scope.fields, name))
            if plain_name(name) in CURRENCIES:
                fields += currencies(named(scope.fields, "price"))
        values: list[JsonValue] = []
        lists: set[str] = set()
        for field in fields:
            comma = self.decimal_comma and not field.source.startswith("json-ld:")
            value = converted(field.value, kind, decimal_comma=comma)
            if value is None:
                continue
            if schema.type != "array":
                result.sources[pointer] = field.source
                return value
            if value not in values or list_of(field) in lists:
                lists.add(list_of(field))
                result.sources[f"{pointer}/{len(values)}"] = field.source
                values.append(value)
        return values or None

    def _hinted(
        self, name: str, schema: DataSchema, root: LexborNode | None
    ) -> Iterator[DataField]:
        """Yield the values that the selector of a property chooses.

        For a single value, those that are struck through come last, or first if the property has
        the name of an old price.
        """
        wants_old = plain_name(name) in OLD_PRICES
        nodes = self._matches(schema.selector, root)
        if schema.type != "array":
            nodes.sort(key=lambda node: is_struck(node, root) != wants_old)
        for node in nodes:
            path = self.paths.of(node)
            key = schema.attribute.lower()
            if not key and node.tag in {"img", "meta"}:
                key = URL_ATTRIBUTES.get(node.tag, "content")
            elif not key and picture_label(node):
                key = "aria-label"
            if not key:
                value = _old_text(node) if wants_old else visible_text(node)
            elif key in _URL_VALUES:
                value = self.addresses.linked(node.attributes.get(key))
            else:
                value = attribute(node, key)
            if value:
                yield DataField(name, value, f"{path}@{key}" if key else path)

    def _matches(self, selector: str, root: LexborNode | None) -> list[LexborNode]:
        try:
            found = root.css(selector) if root else self.document.css(selector)
        except (SelectolaxError, UnicodeEncodeError) as error:
            raise BadInput(
                f"{selector!r} is not a valid CSS selector.",
                advice="Use a selector such as '.price' or '#content > p'.",
            ) from error
        return found[:MATCHES_MAX]

    def _objects(
        self,
        schema: DataSchema,
        scope: _Scope,
        pointer: str,
        result: _Result,
        nested: Sequence[_Scope] = (),
    ) -> list[JsonValue]:
        """Return the records for an array of objects.

        They are those of a selector, those that are `nested` in a record, or the best group.
        """
        items = schema.items or DataSchema("object")
        if nested:
            scopes = nested
        elif schema.selector:
            roots = _little_nested(self._matches(schema.selector, scope.root))
            scopes = [_Scope(root, self._fields_in(root)) for root in roots]
        elif scope.root is not None:
            return []
        else:
            records = self._best(items, is_whole=not pointer)
            is_needed = _needs_elements(items)  # finding them takes long
            scopes = [
                _Scope(self._element(one) if is_needed else None, one.fields) for one in records
            ]
        values: list[JsonValue] = []
        for one in scopes:
            trial = _Result()
            value = self._object(items, one, f"{pointer}/{len(values)}", trial)
            if value:
                result.sources |= trial.sources
                result.missing += trial.missing
                values.append(value)
        return values

    def _best(self, items: DataSchema, *, is_whole: bool) -> Sequence[DataRecord]:
        """Return the records that fill in the most properties; of equals, the earlier group.

        Selectors apply in elements, so that JSON-LD is used only without them. Records that the
        page declares are not a list in another record.
        """
        hinted = any(one.selector for one in items.properties.values())

        def score(records: Sequence[DataRecord]) -> float:
            samples = records[:SAMPLES]
            found = sum(
                1
                for record in samples
                for name, schema in items.properties.items()
                if self._has(record, name, schema)
            )
            return found / len(samples) * math.log2(1 + len(records))

        candidates = [
            (score(records), records)
            for group in self.groups
            if not (hinted and group.kind == "json-ld") and (is_whole or group.kind not in DECLARED)
            for records in alike_records(group)
        ]
        best, records = max(candidates, key=lambda one: one[0], default=(0.0, ()))
        return self._joined(records, [one for _, one in candidates], items) if best else ()

    def _joined(
        self,
        best: Sequence[DataRecord],
        candidates: Iterable[Sequence[DataRecord]],
        items: DataSchema,
    ) -> Sequence[DataRecord]:
        """Return the best records with those of groups like theirs, such as the rows of a grid."""
        shape = self._shape(best, items)
        alike = [one for one in candidates if self._shape(one, items) == shape] if shape else []
        if len(alike) <= 1:
            return best
        nodes = {node.mem_id: place for place, node in enumerate(self.document.css("*"))}
        places = [
            (nodes[element.mem_id], record)
            for records in alike
            for record in records
            if (element := self._element(record)) is not None
        ]
        return [record for _, record in sorted(places, key=lambda one: one[0])]

    def _shape(self, records: Sequence[DataRecord], items: DataSchema) -> tuple[object, ...]:
        """Return what groups have in common that are one list; empty if it cannot be told."""
        element = self._element(records[0])
        if element is None:
            return ()
        filled = {
            name
            for record in records[:SAMPLES]
            for name, schema in items.properties.items()
            if self._has(record, name, schema)
        }
        kind = attribute(element, "class")
        is_sure = bool(kind) or len(filled) > 1
        return (element.tag, kind, frozenset(filled)) if is_sure else ()

    def _has(self, record: DataRecord, name: str, schema: DataSchema) -> bool:
        if not schema.selector:
            return next(named(record.fields, name), None) is not None
        element = self._element(record)
        return element is not None and bool(self._matches(schema.selector, element))

    def _element(self, record: DataRecord) -> LexborNode | None:
        if record.source.startswith("json-ld:"):
            return None
        return self.document.css_first(record.source)

    def _fields_in(self, root: LexborNode) -> Sequence[DataField]:
        """Return the values of the record at an element, and what else is found inside it."""
        path = self.paths.of(root)
        declared = (
            record.fields
            for group in self.groups
            for record in group.records
            if record.source == path
        )
        reader = RecordReader(self.paths, self.addresses)
        return [*chain.from_iterable(declared), *reader.fields(root)]


def _needs_elements(schema: DataSchema) -> bool:
    """Return whether values for a schema are looked for in elements: by selectors, or as lists."""
    items = [schema.items] if schema.items else []
    is_list = any(one.type == "object" for one in items)
    inner = [*schema.properties.values(), *items]
    return bool(schema.selector) or is_list or any(map(_needs_elements, inner))


def _old_text(node: LexborNode) -> str:
    """Return what is struck through in an element, or its text if nothing is."""
    for one in descendants(node):
        if one.tag in STRUCK and (text := visible_text(one)):
            return text
    return visible_text(node, with_struck=True)


def _little_nested(roots: Iterable[LexborNode]) -> list[LexborNode]:
    """Return the elements that are inside few others of them, which bounds the work."""
    levels: dict[int, int] = {}
    kept: list[LexborNode] = []
    for root in roots:
        above = next((one for one in ancestors(root) if one.mem_id in levels), None)
        level = levels[above.mem_id] + 1 if above else 0
        levels[root.mem_id] = level
        if level < NESTED_MAX:
            kept.append(root)
    return kept
