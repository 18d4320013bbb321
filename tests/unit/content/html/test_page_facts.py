"""Facts declared by pages: prices, availability, ratings, times."""

import json

import pytest

from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection


def facts(html: str) -> dict[str, str]:
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), html)
    return dict(take_snapshot(source, Selection()).metadata.facts)


def linked(*records: object) -> str:
    return "".join(
        f"<script type=application/ld+json>{json.dumps(record)}</script>" for record in records
    )


PRODUCT = {
    "@type": "Product",
    "name": "Kettle",
    "brand": {"@type": "Brand", "name": "Boil"},
    "offers": {
        "@type": "Offer",
        "price": 19.99,
        "priceCurrency": "EUR",
        "availability": "https://schema.org/InStock",
    },
    "aggregateRating": {"ratingValue": "4.5", "reviewCount": 120},
}


def test_product_has_price_availability_and_rating() -> None:
    assert facts(linked({"@type": "WebSite"}, PRODUCT)) == {
        "type": "Product",
        "price": "19.99 EUR",
        "brand": "Boil",
        "availability": "InStock",
        "rating": "4.5 (120 reviews)",
    }


def test_several_offers_have_a_range_of_prices() -> None:
    offers = [{"price": "30", "priceCurrency": "USD"}, {"price": "9.50"}, {"price": "12"}]
    assert facts(linked({"@type": "Product", "offers": offers}))["price"] == "9.50 to 30 USD"


def test_list_of_products_has_no_facts_of_its_own() -> None:
    assert facts(linked(PRODUCT, PRODUCT)) == {}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            {"@type": ["Recipe"], "totalTime": "PT1H", "recipeYield": "4 servings"},
            {"type": "Recipe", "time": "PT1H", "yield": "4 servings"},
        ),
        (
            {
                "@type": "MusicEvent",
                "startDate": "2027-01-15T20:00",
                "location": {"name": "Hall", "address": "Street 1"},
            },
            {"type": "MusicEvent", "start": "2027-01-15T20:00", "place": "Hall"},
        ),
        ({"@type": "Article", "offers": {"price": 1}}, {}),
    ],
)
def test_page_facts_include_recipe_and_event_details(
    record: dict[str, object], expected: dict[str, str]
) -> None:
    assert facts(linked(record)) == expected


def test_microdata_product_yields_facts() -> None:
    html = (
        "<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Kettle</h1>"
        "<div itemprop=offers itemscope itemtype='https://schema.org/Offer'>"
        "<meta itemprop=price content=5><meta itemprop=priceCurrency content=GBP>"
        "<link itemprop=availability href='https://schema.org/OutOfStock'></div></div>"
    )
    assert facts(html) == {"type": "Product", "price": "5 GBP", "availability": "OutOfStock"}


def test_long_fact_value_is_cut_to_one_short_line() -> None:
    record = {"@type": "Product", "brand": "x\n\n" + "y" * 1000}
    value = facts(linked(record))["brand"]
    assert "\n" not in value
    assert len(value) <= 100
