"""The values of records by the names of properties: other spellings, nested records, and lists."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from tabwright.content.html.data_tables import OLD_PRICES, plain_name
from tabwright.content.typed_values import currency_of
from tabwright.protocol.structured_data import DataField, DataRecord, RecordGroup

SAME_PROPERTIES: Sequence[tuple[str, str]] = (
    ("name title headline", "citation_title dc.title"),
    ("url link href", ""),
    ("image picture img photo thumbnail", ""),
    ("date published datePublished publishedDate publicationDate", ""),
    ("date published", "published_time citation_publication_date citation_date dc.date"),
    ("date startDate", ""),
    ("author authors creator byline", "citation_author dc.creator"),
    ("doi", "citation_doi"),
    ("abstract", "citation_abstract"),
    ("price", "price:amount"),
    ("currency priceCurrency", "offers.priceCurrency offers.priceSpecification.priceCurrency"),
    ("available inStock availability stock", "offers.availability"),
    ("rating ratingValue stars", "aggregateRating.ratingValue reviewRating.ratingValue"),
    ("reviews reviewCount", "aggregateRating.reviewCount ratingCount aggregateRating.ratingCount"),
    ("city addressLocality", "address.addressLocality location.address.addressLocality"),
    ("city addressLocality", "jobLocation.address.addressLocality"),
    ("email mail", ""),
    ("phone telephone tel phoneNumber", ""),
    (" ".join(sorted(OLD_PRICES)), ""),
)
"""Names of the same property, in schemas and on pages, and more names of it on pages only.

Names of nested records are joined with dots. A name can have several rows.
"""

CURRENCIES = frozenset({"currency", "pricecurrency"})
"""Names of the currency of a price."""

GENERIC = frozenset({"name", "url", "image", "description", "type", "id", "@type", "@id"})
"""Names that mean something else in a nested record."""

LIST_ITEMS = "itemListElement"
"""The name of the records in a list (schema.org, ``ItemList``)."""

OTHERS = frozenset({"review", "reviews", "isrelatedto", "issimilarto", "isaccessoryorsparepartfor"})
"""Names of nested records that are about something else than their record."""


def named(fields: Sequence[DataField], name: str) -> Iterator[DataField]:
    """Yield the fields of a name: those of the record itself before those of nested records.

    A nested record that is the value itself, such as a brand, stands for its name.
    """
    wanted = alike_names(name)
    for one in wanted:
        yield from (field for field in fields if plain_name(field.name) == one)
    if wanted[0] not in GENERIC:
        inner = [field for field in fields if "." in field.name and _last(field) == wanted[0]]
        yield from sorted(inner, key=_distance)
    for field in fields:
        first, dot, last = field.name.partition(".")
        if dot and last == "name" and plain_name(first) == wanted[0]:
            yield field


def _last(field: DataField) -> str:
    return plain_name(field.name.rpartition(".")[2])


def _distance(field: DataField) -> tuple[bool, int]:
    """Return how far a value is from its record: what others say, or sell, is the farthest."""
    outer = field.name.split(".")[:-1]
    return not OTHERS.isdisjoint(map(plain_name, outer)), len(outer)


def alike_names(name: str) -> list[str]:
    """Return the plain form of a name, and then its other spellings."""
    own = plain_name(name)
    alike = [own]
    for same, found in SAME_PROPERTIES:
        names = [plain_name(one) for one in same.split()]
        if own in names:
            alike += (*names, *map(plain_name, found.split()))
    return list(dict.fromkeys(alike))


def currencies(prices: Iterable[DataField]) -> Iterator[DataField]:
    """Yield the currency of the first price that has one beside it."""
    for price in prices:
        if currency := currency_of(str(price.value)):
            yield DataField("currency", currency, price.source)
            return


def nested_records(name: str, fields: Iterable[DataField]) -> dict[str, list[DataField]]:
    """Return the values of the JSON-LD records in a list of that name, by the path of each."""
    wanted = plain_name(name)
    found: dict[str, list[DataField]] = {}
    for field in fields:
        outer, dot, inner = field.name.partition(".")
        if dot and plain_name(outer) == wanted and field.source.startswith("json-ld:"):
            before, _, after = field.source.partition(f".{outer}")
            path = f"{before}.{outer}{after.partition('.')[0]}"
            found.setdefault(path, []).append(attrs.evolve(field, name=inner))
    return found


def list_of(field: DataField) -> str:
    """Return the list of JSON-LD that a value is from; other values are each of their own."""
    is_item = field.source.startswith("json-ld:") and field.source.endswith("]")
    return field.source.rpartition("[")[0] if is_item else field.source


def alike_records(group: RecordGroup) -> Iterable[Sequence[DataRecord]]:
    """Yield the records of a group by type, because JSON-LD mixes types; and those of its lists."""
    if group.kind != "json-ld":
        return [group.records]
    kinds: dict[str, list[DataRecord]] = {}
    for record in group.records:
        kind = next((str(field.value) for field in record.fields if field.name == "@type"), "")
        kinds.setdefault(kind, []).append(record)
    listed = nested_records(
        LIST_ITEMS, (field for record in group.records for field in record.fields)
    )
    items = [DataRecord(path, tuple(map(_of_item, fields))) for path, fields in listed.items()]
    return [*kinds.values(), *([items] if items else [])]


def _of_item(field: DataField) -> DataField:
    """Return a value of an item without the name of the item (schema.org, ``ListItem``)."""
    return attrs.evolve(field, name=field.name.removeprefix("item."))
