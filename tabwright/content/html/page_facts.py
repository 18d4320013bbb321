"""Facts of a page that its text may lack: the price of a product, the time of a recipe or an event.

They come from JSON-LD and microdata in the vocabulary of schema.org. A page that describes several
products is a list, and has no facts of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.element_path import ElementPaths
from tabwright.content.html.metadata import LinkedData
from tabwright.content.html.microdata import linked_group, microdata_groups
from tabwright.content.html.tree import Addresses
from tabwright.protocol.structured_data import DataRecord, RecordGroup
from tabwright.text.lines import one_line, shortened

SUBJECTS = ("Product", "ProductGroup", "Recipe", "Event")
"""The types whose facts are read; names that end in Event, such as MusicEvent, count as Event."""

ITEMS = ", ".join(f"[itemtype$='/{subject}']" for subject in SUBJECTS) + ", [itemtype$=Event]"

_NAMES: Mapping[str, Sequence[str]] = {
    "brand": ("brand.name", "brand"),
    "availability": ("offers.availability", "offers.offers.availability"),
    "condition": ("offers.itemCondition",),
    "start": ("startDate",),
    "end": ("endDate",),
    "place": ("location.name", "location.address.addressLocality", "location"),
    "status": ("eventStatus",),
    "time": ("totalTime",),
    "preparation": ("prepTime",),
    "cooking": ("cookTime",),
    "yield": ("recipeYield", "yield"),
}
"""The paths of the facts other than prices and ratings, the most likely first."""

_PRICES = (
    *("offers.price", "offers.lowPrice", "offers.highPrice", "offers.priceSpecification.price"),
    *("offers.offers.price", "price"),
)
_CURRENCIES = (
    *("offers.priceCurrency", "offers.priceSpecification.priceCurrency"),
    *("offers.offers.priceCurrency", "priceCurrency"),
)
_COUNTS = ("aggregateRating.reviewCount", "aggregateRating.ratingCount")


def facts_of(
    document: LexborHTMLParser, linked: LinkedData, addresses: Addresses
) -> Mapping[str, str]:
    """Return the facts of the only product, recipe or event that a page describes, by name."""
    described = [
        (record, place)
        for record, place in zip(linked.records, linked.places, strict=True)
        if any(subject in str(record.get("@type")) for subject in SUBJECTS)
    ]
    group = linked_group(LinkedData(*zip(*described, strict=True))) if described else None
    found = list(_subjects(group)) if group else []
    if not found and document.css_matches(ITEMS):
        groups = microdata_groups(document, ElementPaths(document), addresses)
        found = [one for group in groups for one in _subjects(group)]
    match found:
        case [(subject, record)]:
            return {"type": subject, **dict(_facts(record))}
        case _:
            return {}


def _subjects(group: RecordGroup) -> Iterator[tuple[str, DataRecord]]:
    for record in group.records:
        types = [group.title.rpartition("/")[2]] if group.title else []
        types += [str(field.value) for field in record.fields if field.name == "@type"]
        subject = next((one for one in types if one in SUBJECTS or one.endswith("Event")), "")
        if subject:
            yield subject, record


def _facts(record: DataRecord) -> Iterator[tuple[str, str]]:
    values: dict[str, list[str]] = {}
    for field in record.fields:
        text = shortened(one_line(str(field.value)))
        values.setdefault(field.name, []).append(text)
    if price := _price(_all(values, _PRICES)):
        yield "price", " ".join((price, *_all(values, _CURRENCIES)[:1]))
    for name, places in _NAMES.items():
        if found := _all(values, places):
            # Values of an enumeration are URLs, for example https://schema.org/InStock.
            yield name, found[0].rpartition("schema.org/")[2]
    if rating := _all(values, ("aggregateRating.ratingValue",)):
        count = _all(values, _COUNTS)
        yield "rating", f"{rating[0]} ({count[0]} reviews)" if count else rating[0]


def _all(values: Mapping[str, Sequence[str]], names: Iterable[str]) -> list[str]:
    return [value for name in names for value in values.get(name, ())]


def _price(prices: Sequence[str]) -> str:
    """Return one price, or the lowest and the highest one."""
    amounts: dict[float, str] = {}
    for price in prices:
        try:
            amounts.setdefault(float(price.replace(",", ".")), price)
        except ValueError:
            continue
    if not amounts:
        return prices[0] if prices else ""
    low, high = amounts[min(amounts)], amounts[max(amounts)]
    return low if low == high else f"{low} to {high}"
