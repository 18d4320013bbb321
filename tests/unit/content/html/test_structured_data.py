"""Structured data: declared records, tables, repeated records, and schemas filled from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.data_schema import read_schema
from tabwright.content.html import microdata, repeated_records
from tabwright.content.html.element_path import ElementPaths, descendants, visible_text
from tabwright.content.html.metadata import PageMetadata
from tabwright.content.html.structured_data import page_data
from tabwright.content.html.tree import Addresses, parsed
from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import LoadedPage, PageSource
from tabwright.protocol.structured_data import (
    DataRecord,
    DataRequest,
    FilledSchema,
    PageData,
    RecordGroup,
)

URL = "https://a.example/dir/page"

CARDS = """
<nav><ul><li><a href=/a>Home</a><li><a href=/b>News</a><li><a href=/c>Help</a></ul></nav>
<div class=grid>
<div class="card sale"><a href=/p/1><img src=1.png alt=Oak></a><h3>Chair</h3>
  <p class=price>$1,299.00</p><span class=rating>4.5</span><p>Color: red</p></div>
<div class=card><h3><a href=/p/2>Desk</a></h3><p class=price>$99</p>
  <time datetime=2026-01-02>Jan 2</time></div>
<div class=card><h3><a href=/p/3>Sofa</a></h3><p class=price>$5</p></div>
</div>"""


def document_of(html: str) -> LexborHTMLParser:
    return parsed(PageSource(LoadedPage(URL, 200, "text/html"), html))


def data_of(html: str, schema: dict[str, object] | None = None) -> PageData:
    document = document_of(html)
    request = DataRequest(read_schema(schema) if schema is not None else None)
    return page_data(document, Addresses.of(document, URL), PageMetadata.of(document), request)


def filled_of(html: str, schema: dict[str, object]) -> FilledSchema:
    filled = data_of(html, schema).filled
    assert filled is not None
    return filled


def group_of(html: str, kind: str) -> RecordGroup:
    [group] = [one for one in data_of(html).groups if one.kind == kind]
    return group


def values(record: DataRecord) -> dict[str, object]:
    return {field.name: field.value for field in record.fields}


def rows_of(html: str) -> list[dict[str, object]]:
    return [values(one) for one in group_of(html, "table").records]


def properties(**of: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": of}


def linked(record: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(record)}</script>'


def test_json_ld_record_has_all_values_with_source_paths() -> None:
    graph = {"@graph": [{"@type": "Product", "name": "Lamp", "offers": [{"price": 5}]}]}
    [record] = group_of(linked(graph), "json-ld").records
    assert values(record) == {"@type": "Product", "name": "Lamp", "offers.price": 5}
    assert record.source == "json-ld:[0].@graph[0]"
    assert record.fields[2].source == "json-ld:[0].@graph[0].offers[0].price"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a b", /* c */ "url": "https://b.example/", }',
        '{"name": "a\nb", "url": "https://b.example/"}',
        '{"name": "a\\ b", "url": "https://b.example/"} // end',
        '<!-- {"name": "a b", "url": "https://b.example/"} -->',
        '//<![CDATA[\n{"name": "a b", "url": "https://b.example/"}\n//]]>',
        '{"name": "a b", "url": "https://b.example/"};',
    ],
)
def test_json_ld_with_frequent_mistakes_is_read(text: str) -> None:
    html = f'<script type="application/ld+json">{text}</script>'
    [record] = group_of(html, "json-ld").records
    assert values(record) == {"name": "a b", "url": "https://b.example/"}


@pytest.mark.parametrize("part", ["[", '"', '\\"', "/*", ", ", "//", " ", "\\"])
def test_irreparable_json_ld_is_skipped_quickly(part: str) -> None:
    html = f'<script type="application/ld+json">{{{part * 200_000}</script>'
    assert data_of(html).groups == ()


def test_fields_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microdata, "FIELDS_MAX", 2)
    monkeypatch.setattr(repeated_records, "FIELDS_MAX", 2)
    items = "".join(f"<i itemprop=p{number}>{number}</i>" for number in range(5))
    [record] = group_of(f"<p itemscope>{items}</p>", "microdata").records
    assert (len(record.fields), record.omitted) == (2, 3)
    [record] = group_of(linked({"a": 1, "b": [2, 3, 4]}), "json-ld").records
    assert (len(record.fields), record.omitted) == (2, 2)
    tile = "<li><h3>Lamp {0}</h3><p>of steel {0}</p><span>{0} left</span></li>"
    tiles = "".join(tile.format(number) for number in range(4))
    assert {
        (len(one.fields), one.omitted) for one in group_of(f"<ul>{tiles}</ul>", "repeated").records
    } == {(2, 1)}


def test_overlong_values_are_truncated_with_ellipsis() -> None:
    text = "word " * 1_000
    html = f"<p itemscope><b itemprop=a>{text}</b><meta itemprop=b content='{text}'></p>"
    [record] = group_of(html, "microdata").records
    [other] = group_of(linked({"c": text}), "json-ld").records
    for field in (*record.fields, *other.fields):
        assert isinstance(field.value, str)
        assert field.value.endswith("word\u2026")
        assert len(field.value) <= 2_000


def test_white_space_does_not_count_toward_value_length() -> None:
    html = f"<p itemscope><b itemprop=a>{' ' * 3_000}<i>5</i></b></p>"
    assert values(group_of(html, "microdata").records[0]) == {"a": "5"}


def test_itemscope_outside_any_item_is_its_own_record() -> None:
    html = """<div id=main><div itemprop=blogPost itemscope itemtype=https://schema.org/BlogPosting>
      <b itemprop=name>Post</b><i itemprop=author itemscope><u itemprop=name>Ann</u></i></div></div>
      <p itemscope itemref=more><b itemprop=name>Bo</b></p>
      <p id=more><i itemprop=city itemscope><u itemprop=name>Rome</u></i></p>"""
    groups = [one for one in data_of(html).groups if one.kind == "microdata"]
    assert [values(one) for group in groups for one in group.records] == [
        {"name": "Post", "author.name": "Ann"},
        {"city.name": "Rome", "name": "Bo"},
    ]


def test_microdata_items_have_nested_and_referred_properties() -> None:
    html = """<div itemscope itemtype=https://schema.org/Person itemref=more>
      <b itemprop="name nick">Bo</b><a itemprop=url href=/bo>x</a>
      <div itemprop=address itemscope><i itemprop=city>Rome</i></div>
      <div itemscope><i itemprop=other>y</i></div></div>
      <time id=more itemprop=born datetime=1990-01-01>then</time>"""
    groups = [one for one in data_of(html).groups if one.kind == "microdata"]
    assert groups[0].title == "https://schema.org/Person"
    assert values(groups[0].records[0]) == {
        "born": "1990-01-01",
        "name": "Bo",
        "nick": "Bo",
        "url": "https://a.example/bo",
        "address.city": "Rome",
    }
    assert values(groups[1].records[0]) == {"other": "y"}


def test_table_rows_are_keyed_by_the_header_across_spans() -> None:
    html = """<table id=t><caption>Prices</caption><tr><th>Item<th>Cost<tr><td rowspan=2>Nail
      <td>1<tr><td>2</table>"""
    group = group_of(html, "table")
    assert (group.title, group.source) == ("Prices", "#t")
    assert rows_of(html) == [
        {"Item": "Nail", "Cost": "1"},
        {"Item": "Nail", "Cost": "2"},
    ]


def test_table_rows_with_two_header_rows_are_keyed_by_both() -> None:
    html = """<table id=t><thead><tr><th rowspan=2>City<th colspan=2>Temp</tr>
      <tr><th>Min<th>Max</tr></thead><tbody><tr><td>Graz<td>3<td>9</tr></tbody></table>"""
    assert rows_of(html) == [{"City": "Graz", "Temp Min": "3", "Temp Max": "9"}]


def test_table_rows_are_keyed_by_all_header_rows_except_title_row() -> None:
    html = """<table id=t><tr><th colspan=3>Weather<tr><th><th colspan=2>Temp
      <tr><th>City<th>Min<th>Max<tr><th>Graz<td>3<td>9<tr><th>Wien<td>4<td>10</table>"""
    assert group_of(html, "table").title == "Weather"
    assert rows_of(html) == [
        {"City": "Graz", "Temp Min": "3", "Temp Max": "9"},
        {"City": "Wien", "Temp Min": "4", "Temp Max": "10"},
    ]


def test_table_row_that_names_a_group_below_the_header_is_a_record() -> None:
    html = """<table id=t><tr><th>City<th>Min<tr><th colspan=2>Austria
      <tr><td>Graz<td>3<tr><td>Wien<td>4</table>"""
    records = rows_of(html)
    assert records[0] == {"City": "Austria"}
    assert records[1] == {"City": "Graz", "Min": "3"}


def test_table_row_with_cell_that_spans_columns_has_it_once() -> None:
    html = """<table id=t><tr><th>City<th>Min<th>Max<tr><td>Graz<td rowspan=2 colspan=2>unknown
      <tr><td>Wien</table>"""
    assert rows_of(html) == [
        {"City": "Graz", "Min": "unknown"},
        {"City": "Wien", "Min": "unknown"},
    ]


def test_table_with_many_columns_has_all_of_them() -> None:
    names = "".join(f"<th>n{number}" for number in range(300))
    values_in_row = "".join(f"<td>{number}" for number in range(300))
    html = f"<table id=t><tr>{names}<tr>{values_in_row}</table>"
    assert rows_of(html) == [{f"n{number}": str(number) for number in range(300)}]


def test_table_without_header_is_not_a_group() -> None:
    assert data_of("<table><tr><td>a<td>b<tr><td>c<td>d</table>").groups == ()


def test_cards_are_repeated_records_and_navigation_is_not() -> None:
    group = group_of(CARDS, "repeated")
    assert [values(one) for one in group.records] == [
        {
            "url": "https://a.example/p/1",
            "image": "https://a.example/dir/1.png",
            "image_alt": "Oak",
            "title": "Chair",
            "price": "$1,299.00",
            "rating": "4.5",
            "Color": "red",
        },
        {
            "title": "Desk",
            "url": "https://a.example/p/2",
            "price": "$99",
            "date": "2026-01-02",
        },
        {"title": "Sofa", "url": "https://a.example/p/3", "price": "$5"},
    ]


def test_page_with_two_lists_has_two_groups() -> None:
    news = "<ul id=news>" + "".join(f"<li>Story {one}</li>" for one in range(3)) + "</ul>"
    groups = data_of(CARDS + news).groups
    assert [len(one.records) for one in groups] == [3, 3]
    assert groups[1].source == "#news"


def test_cards_are_records_even_if_they_contain_longer_lists() -> None:
    labels = "<ul>" + "".join(f"<li>label {one}" for one in range(8)) + "</ul>"
    html = "".join(f"<div><h2>Card {one}</h2><p>${one}</p>{labels}</div>" for one in range(3))
    [group] = data_of(html).groups
    assert group.source == "html > body"
    assert [values(one)["title"] for one in group.records] == ["Card 0", "Card 1", "Card 2"]


def test_sections_containing_lists_are_not_records() -> None:
    html = "".join(f"<section><h2>Part {one}</h2>{CARDS}</section>" for one in range(3))
    assert [len(one.records) for one in data_of(html).groups] == [3, 3, 3]


def test_hidden_records_are_left_out() -> None:
    html = "<ul>" + "<li hidden>x y" * 4 + "</ul>"
    assert data_of(html).groups == ()


def test_array_of_objects_is_filled_from_the_group_with_most_properties() -> None:
    schema: dict[str, object] = {
        "type": "array",
        "items": properties(
            name={"type": "string"}, price={"type": "number"}, date={"type": "string"}
        ),
    }
    filled = filled_of(CARDS, schema)
    assert filled.value == [
        {"name": "Chair", "price": 1299.0},
        {"name": "Desk", "price": 99.0, "date": "2026-01-02"},
        {"name": "Sofa", "price": 5.0},
    ]
    assert filled.missing == ("/0/date", "/2/date")
    assert set(filled.sources) == {
        *("/0/name", "/0/price", "/1/name", "/1/price", "/1/date", "/2/name", "/2/price")
    }


def test_hint_comes_before_json_ld_and_json_ld_before_labels() -> None:
    html = linked({"@type": "Product", "sku": "A", "color": "blue"}) + (
        "<p id=c data-v=' green '>x</p><dl><dt>Color<dd>red<dt>Sku:<dd>B<dt>Weight<dd>2 kg</dl>"
    )
    filled = filled_of(
        html,
        properties(
            color={"type": "string", "selector": "#c", "attribute": "data-v"},
            sku={"type": "string"},
            weight={"type": "integer"},
            height={"type": "integer"},
        ),
    )
    assert filled.value == {"color": "green", "sku": "A", "weight": 2}
    assert filled.missing == ("/height",)
    assert filled.sources == {
        "/color": "#c@data-v",
        "/sku": "json-ld:[0].sku",
        "/weight": "html > body > dl:nth-of-type(1) > dd:nth-of-type(3)",
    }


def test_value_of_wrong_type_is_not_used_for_schema() -> None:
    html = "<p>Stock: many</p><dl><dt>Stock<dd>1 204</dl>"
    assert filled_of(html, properties(stock={"type": "boolean"})).missing == ("/stock",)
    assert filled_of(html, properties(stock={"type": "integer"})).value == {"stock": 1204}


PRODUCT = """<body><nav><p class=price>Prices</p></nav><main><h1>Chair Oslo</h1>
<p class="product-price">$1,299.00 <s>$1,500.00</s></p><p id=availability>In stock</p>
<div><p class=note>One</p><p class=note>Two</p></div></main>
<ul>{}</ul>""".format("".join(f"<li><b>Desk {n}</b> <i class=price>${n}</i>" for n in range(3)))


def test_schema_is_filled_by_class_id_and_heading_if_they_are_unique() -> None:
    schema = properties(name={}, price={"type": "number"}, availability={}, note={}, gtin={})
    filled = filled_of(PRODUCT, schema)
    expected = {"name": "Chair Oslo", "price": 1299, "availability": "In stock"}
    assert filled.value == expected
    assert set(filled.missing) == {"/note", "/gtin"}
    for pointer, name in (("/name", "h1"), ("/price", "p"), ("/availability", "#availability")):
        [node] = document_of(PRODUCT).css(filled.sources[pointer])
        assert node.css_matches(name)


def test_declared_value_comes_before_class_and_heading() -> None:
    html = "<meta property=product:price content=5><p class=price>$6</p><h1>A</h1>"
    html += '<script type="application/ld+json">{"name": "B"}</script>'
    assert filled_of(html, properties(price={"type": "number"}, name={})).value == {
        "price": 5,
        "name": "B",
    }


def test_nested_record_stands_for_its_name() -> None:
    html = (
        '<script type="application/ld+json">{"brand": {"@type": "Brand", "name": "Nord"}}</script>'
    )
    assert filled_of(html, properties(brand={}, name={})).value == {"brand": "Nord"}


@pytest.mark.parametrize(("required", "value"), [(["a", "b"], {"b": "5"}), (True, {})])
def test_required_property_without_schema_is_a_string(required: object, value: object) -> None:
    filled = filled_of("<p>B: 5</p>", {**properties(a={}), "required": required})
    assert filled.value == value
    assert filled.missing == ("/a",)


def test_nested_arrays_of_objects_and_strings_are_filled() -> None:
    schema = properties(
        cards={
            "type": "array",
            "selector": ".card",
            "items": properties(title={}, cost={"type": "number", "selector": ".price"}),
        },
        names={"type": "array", "selector": "h3", "items": {"type": "string"}},
    )
    filled = filled_of(CARDS, schema)
    assert filled.value == {
        "cards": [
            {"title": "Chair", "cost": 1299.0},
            {"title": "Desk", "cost": 99.0},
            {"title": "Sofa", "cost": 5.0},
        ],
        "names": ["Chair", "Desk", "Sofa"],
    }
    assert filled.sources["/cards/1/cost"].endswith("p:nth-of-type(1)")


def test_schema_selector_yields_records_even_for_two_elements() -> None:
    html = "<div class=x><h2>A</h2><p>Size: 2</p></div><div class=x><h2>B</h2></div>"
    items = properties(title={}, size={"type": "integer"})
    filled = filled_of(html, {"type": "array", "selector": ".x", "items": items})
    assert filled.value == [{"title": "A", "size": 2}, {"title": "B"}]
    assert filled.missing == ("/1/size",)


def test_selectors_of_properties_choose_the_group_whose_elements_match() -> None:
    ratings = (
        "<ul>" + "".join(f"<li>Ann <i class=stars>{one}</i></li>" for one in range(3)) + "</ul>"
    )
    records = linked([{"@type": "Review", "author": name} for name in "abcdef"])
    items = properties(stars={"type": "integer", "selector": ".stars"})
    filled = filled_of(records + CARDS + ratings, {"type": "array", "items": items})
    assert filled.value == [{"stars": 0}, {"stars": 1}, {"stars": 2}]


def test_record_that_is_a_link_matches_its_own_selector() -> None:
    html = "".join(f"<a class=tile href=/{one}>Tile {one}</a>" for one in range(3))
    items = properties(link={"selector": "a.tile", "attribute": "href"})
    filled = filled_of(f"<div>{html}</div>", {"type": "array", "items": items})
    assert filled.value == [{"link": f"https://a.example/{one}"} for one in range(3)]


def test_number_separators_follow_page_language() -> None:
    schema = properties(price={"type": "number"})
    body = "<dl><dt>Price<dd>1.299 €</dl>"
    assert filled_of(f"<html lang=de>{body}", schema).value == {"price": 1299.0}
    assert filled_of(f"<html lang=en>{body}", schema).missing == ("/price",)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"type": "object", "properties": {"a": {"type": "thing"}}},
        {"type": "object", "properties": {"a": 5}},
        {"type": "array", "items": {"type": "string"}},
        properties(a={"selector": "p["}),
    ],
)
def test_schema_that_cannot_be_used_is_refused(schema: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        data_of("<p>x</p>", schema)


TAGS = ("div", "p", "ul", "li", "a href=/x", "h2", "table", "tr", "td", "th", "span", "b", "img")
NAMES = ("", " class=card", " id=one", " itemscope", " itemprop=name", " hidden", " rowspan=9")
PIECES = st.one_of(
    st.tuples(st.sampled_from(TAGS), st.sampled_from(NAMES)).map(lambda one: f"<{one[0]}{one[1]}>"),
    st.sampled_from(("</div>", "</li>", "</ul>", "</table>", "</p>", "Price: $5", "a 1,5", "é")),
    st.text(max_size=8),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_extracted_values_match_their_source_elements_for_any_page(html: str) -> None:
    document = document_of(html)
    for group in data_of(html).groups:
        for record in group.records:
            for field in record.fields:
                selector, _, name = field.source.partition("@")
                [node] = document.css(selector)
                if name in {"href", "src"}:
                    assert node.attributes[name] is not None
                elif not name and isinstance(field.value, str):
                    shown = "".join((node.text() or "").split())
                    assert "".join(field.value.split()) in shown


@given(st.lists(PIECES, max_size=40).map("".join))
def test_schema_is_answered_for_any_page(html: str) -> None:
    schema = properties(
        price={"type": "number"},
        names={"type": "array", "selector": "li"},
        rows={"type": "array", "items": properties(title={}, price={"type": "number"})},
    )
    filled = filled_of(html, schema)
    assert isinstance(filled.value, dict)
    assert {"/price"} <= {*filled.sources, *filled.missing}


@given(st.lists(PIECES, max_size=40).map("".join))
def test_generated_selector_matches_only_its_element(html: str) -> None:
    document = document_of(html)
    paths = ElementPaths(document)
    body = document.body
    for node in descendants(body) if body else ():
        if node.is_element_node:
            assert [one.mem_id for one in document.css(paths.of(node))] == [node.mem_id]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<p>one{' ' * 3_000}two <b>three</b></p>", "one two three"),
        (f"<p>one{'<b></b>' * 6_000}two</p>", "one\u2026"),
    ],
    ids=["white space", "elements"],
)
def test_text_of_an_element_is_whole_or_ends_with_an_ellipsis(html: str, text: str) -> None:
    node = document_of(html).css_first("p")
    assert node is not None
    assert visible_text(node) == text


def test_deeply_nested_page_does_not_crash_extraction() -> None:
    data_of("<div>" * 20_000 + "<p>Price: $5</p>" * 3)


def test_nested_records_are_limited_in_number() -> None:
    items = properties(price={"type": "number", "selector": "p"})
    filled = filled_of(
        "<div><p>5</p>" * 5_000, {"type": "array", "selector": "div", "items": items}
    )
    assert isinstance(filled.value, list)
    assert 1 <= len(filled.value) <= 10


OFFERS = """<div class=offer><h3>Oak</h3>
  <p class=price><del>50,00 €</del> <ins>40,00 €</ins></p></div>
<div class=offer><h3>Elm</h3><p class=price><s>50.00 €</s> 40.00 €</p></div>
<div class=offer><h3>Fir</h3><p class=price><del><span><b>50</b> €</span></del>
  <ins><span><b>40</b> €</span></ins></p></div>
<div class=offer><h3>Ash</h3><p class=price>40 €</p></div>"""


def test_struck_through_price_is_record_old_price() -> None:
    records = [values(one) for one in group_of(OFFERS, "repeated").records]
    assert [one["price"] for one in records] == ["40,00 €", "40.00 €", "40 €", "40 €"]
    olds = [one.get("old_price") for one in records]
    assert olds == ["50,00 €", "50.00 €", "50 €", None]


@pytest.mark.parametrize("hint", [{}, {"selector": ".price"}, {"selector": ".price > *"}])
def test_schema_price_ignores_struck_through_value(hint: dict[str, object]) -> None:
    price: dict[str, object] = {"type": "number", **hint}
    old: dict[str, object] = {"type": "number", **hint}
    schema = properties(price=price, listPrice=old)
    offer = OFFERS.partition("<div class=offer><h3>Elm")[0]
    whole = filled_of(offer * 3, {"type": "array", "items": schema, "selector": ".offer"})
    assert whole.value == [{"price": 40, "listPrice": 50}] * 3
    assert not whole.missing


def test_struck_text_is_used_when_it_is_the_only_text() -> None:
    schema = properties(price={"type": "number", "selector": ".price"})
    assert filled_of("<p class=price><s>$50</s></p>", schema).value == {"price": 50}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("<p>Was: <s>$50</s></p>", {"was": 50}),
        ("<p>Price: <s>$50</s> $40</p>", {"price": 40}),
    ],
)
def test_struck_through_value_is_used_only_for_old_price_label(line: str, value: object) -> None:
    number: dict[str, object] = {"type": "number"}
    assert filled_of(line, properties(was=number, price=number)).value == value


def test_price_range_fills_string_but_not_number() -> None:
    number = properties(price={"type": "number", "selector": "p"})
    assert filled_of("<p>$8\u2013$9</p>", number).missing == ("/price",)
    text = properties(price={"type": "string", "selector": "p"})
    assert filled_of("<p>$8\u2013$9</p>", text).value == {"price": "$8\u2013$9"}


STARS = (
    "<span class=stars role=img aria-label='4,5 von 5 Sternen'>\u2605\u2605</span>",
    "<span class=stars aria-label='4,5 von 5 Sternen'></span>",
    "<div class=stars aria-label='4,5 von 5 Sternen'><svg></svg><svg></svg></div>",
)


@pytest.mark.parametrize("stars", STARS)
def test_rating_without_text_is_read_from_aria_label(stars: str) -> None:
    card = f"<div class=card><h3>Oak {{0}}</h3><p>Rated:{stars}</p></div>"
    html = f"<html lang=de>{''.join(map(card.format, range(3)))}"
    rating: dict[str, object] = {"type": "number", "selector": ".stars"}
    filled = filled_of(html, properties(rating=rating))
    assert filled.value == {"rating": 4.5}
    assert filled.sources["/rating"].endswith("@aria-label")
    [record, *_] = group_of(html, "repeated").records
    assert "4,5 von 5 Sternen" in str(values(record))


def test_title_that_is_also_the_text_of_its_picture_is_kept() -> None:
    cards = "".join(
        f"<div class=card><a href=/{name}><img src=/{name}.png alt={name}></a><h3>{name}</h3></div>"
        for name in ("Oak", "Elm", "Ash")
    )
    [oak, *_] = group_of(f"<main>{cards}</main>", "repeated").records
    assert values(oak)["title"] == "Oak"
    assert "image_alt" not in values(oak)


@pytest.mark.parametrize("place", ["$defs", "definitions"])
def test_schema_of_a_program_with_references_and_null_is_understood(place: str) -> None:
    card = properties(
        title={"anyOf": [{"type": "null"}, {"type": "string"}]},
        price={"oneOf": [{"type": "number"}, {"type": "null"}]},
    )
    schema: dict[str, object] = {
        "type": "array",
        "items": {"allOf": [{"$ref": f"#/{place}/Card"}]},
        place: {"Card": card},
    }
    assert filled_of(CARDS, schema).value == [
        {"title": "Chair", "price": 1299.0},
        {"title": "Desk", "price": 99.0},
        {"title": "Sofa", "price": 5.0},
    ]


@pytest.mark.parametrize("ref", ["#/$defs/Card", "https://a.example/card.json"])
def test_schema_with_unknown_or_endless_reference_is_refused(ref: str) -> None:
    schema: dict[str, object] = {"$ref": ref, "$defs": {"Card": {"$ref": "#/$defs/Card"}}}
    with pytest.raises(BadInput):
        read_schema(schema)


CARD = properties(title={"type": "string"}, price={"type": "number"})


def card(name: str, price: int) -> str:
    return f"<div class=card><h3>{name}</h3><b class=price>€{price}</b></div>"


def test_rows_of_a_grid_and_lists_below_headings_fill_one_array_in_order() -> None:
    lists = ("".join(card(f"{row}{one}", one) for one in range(3)) for row in range(12))
    rows = "".join(f"<h2>Row</h2><div class=row>{one}</div>" for one in lists)
    filled = filled_of(rows, {"type": "array", "items": CARD})
    expected = [{"title": f"{row}{one}", "price": one} for row in range(12) for one in range(3)]
    assert filled.value == expected


def test_lists_of_another_shape_are_not_joined() -> None:
    links = "".join(f"<li><a href=/{one}>About {one}</a></li>" for one in range(9))
    cards = "".join(card(f"Lamp {one}", one) for one in range(3))
    filled = filled_of(f"<div>{cards}</div><ul>{links}</ul>", {"type": "array", "items": CARD})
    assert isinstance(filled.value, list)
    assert len(filled.value) == 3


def test_text_beside_the_fields_of_a_record_does_not_hide_them() -> None:
    cards = "".join(
        f"<div class=c>New! <h3><a href=/{one}>Lamp {one}</a></h3><b class=price>€{one}</b></div>"
        for one in range(3)
    )
    filled = filled_of(cards, {"type": "array", "items": CARD})
    assert filled.value == [{"title": f"Lamp {one}", "price": one} for one in range(3)]


def test_equal_values_of_different_fields_are_all_kept() -> None:
    games = "".join(
        f"<div class=game><b class=home>{one}</b><b class=away>2</b></div>" for one in range(4)
    )
    [_, _, draw, _] = group_of(games, "repeated").records
    assert values(draw) == {"home": "2", "away": "2"}


def test_addresses_of_mail_and_phone_are_fields_of_their_own() -> None:
    people = "".join(
        f"<div class=p><h4>Ann {one}</h4><a href=mailto:a{one}@a.example>Mail</a>"
        f"<a href=tel:+431{one}>Call</a><a href=/cv{one}>CV</a></div>"
        for one in range(3)
    )
    first = values(group_of(people, "repeated").records[0])
    assert (first["email"], first["phone"]) == ("a0@a.example", "+4310")
    assert first["url"] == "https://a.example/cv0"


def test_words_of_blocks_beside_each_other_are_apart() -> None:
    html = "<h1>A</h1><div class=price><div>€12</div><span>only 3</span></div>"
    assert filled_of(html, properties(price={"type": "number"})).value == {"price": 12}


@pytest.mark.parametrize("name", ["aria-label", "title"])
def test_label_of_drawn_stars_is_the_rating(name: str) -> None:
    stars = f'<h1>A</h1><div class=rating {name}="4.1 out of 5 stars">★★★★ <i>(22)</i></div>'
    filled = filled_of(stars, properties(rating={"type": "number"}))
    assert filled.value == {"rating": 4.1}
    assert filled.sources["/rating"].endswith(f"@{name}")


EVENT: dict[str, object] = {
    "@type": "Event",
    "name": "Concert",
    "offers": [{"name": "Hall", "price": "20.00"}, {"name": "Gallery", "price": 35.5}],
}


def test_list_in_a_linked_record_fills_an_array_with_records_of_its_own() -> None:
    offer = properties(name={"type": "string"}, price={"type": "number"})
    schema = properties(name={"type": "string"}, offers={"type": "array", "items": offer})
    filled = filled_of(linked(EVENT), schema)
    assert filled.value == {
        "name": "Concert",
        "offers": [{"name": "Hall", "price": 20}, {"name": "Gallery", "price": 35.5}],
    }
    assert filled.sources["/offers/1/name"] == "json-ld:[0].offers[1].name"


def test_items_of_a_linked_list_are_records() -> None:
    items = [{"@type": "ListItem", "item": {"name": one, "offers": {"price": 1}}} for one in "AB"]
    html = linked({"@type": "ItemList", "itemListElement": items})
    item = properties(name={"type": "string"}, price={"type": "number"})
    filled = filled_of(html, {"type": "array", "items": item})
    assert filled.value == [{"name": "A", "price": 1}, {"name": "B", "price": 1}]


def test_value_of_a_nearer_record_is_preferred() -> None:
    html = linked(
        {
            "isRelatedTo": {"offers": {"price": 9}},
            "review": {"ratingValue": 1},
            "offers": {"price": 25},
            "aggregateRating": {"ratingValue": 4.2},
        }
    )
    schema = properties(price={"type": "number"}, ratingValue={"type": "number"})
    assert filled_of(html, schema).value == {"price": 25, "ratingValue": 4.2}


def test_reference_in_linked_data_stands_for_its_record() -> None:
    html = linked(
        {
            "@graph": [
                {"@id": "#a", "headline": "News", "author": {"@id": "#p"}},
                {"@id": "#p", "@type": "Person", "name": "Ida", "knows": {"@id": "#a"}},
            ]
        }
    )
    filled = filled_of(html, properties(author={"type": "string"}))
    assert filled.value == {"author": "Ida"}


def test_linked_records_that_refer_to_each_other_end() -> None:
    many = [
        {"@id": f"#{one}", "knows": [{"@id": f"#{other}"} for other in range(60)]}
        for one in range(60)
    ]
    assert data_of(linked({"@graph": many})).groups


def test_equal_values_of_a_linked_list_are_kept() -> None:
    scores: dict[str, object] = {"type": "array", "items": {"type": "number"}}
    html = linked({"scores": [3, 5, 3, 3]})
    assert filled_of(html, properties(scores=scores)).value == {"scores": [3, 5, 3, 3]}


def test_long_text_of_a_named_element_is_a_value() -> None:
    text = "Words. " * 150
    html = f"<h1>A</h1><p class=description>{text}</p>"
    filled = filled_of(html, properties(description={"type": "string"}))
    assert filled.value == {"description": text.strip()}


@pytest.mark.parametrize("price", ["$12<sup>99</sup>", "<span>12</span><sup>99</sup> €"])
def test_raised_cents_are_decimals_of_the_price(price: str) -> None:
    filled = filled_of(
        f"<h1>A</h1><p class=price>{price}</p>", properties(price={"type": "number"})
    )
    assert filled.value == {"price": 12.99}


PRODUCT_RECORD: dict[str, object] = {
    "@type": "Product",
    "offers": {
        "price": "9.50",
        "priceCurrency": "EUR",
        "availability": "https://schema.org/InStock",
    },
    "review": {"reviewRating": {"ratingValue": "1"}},
    "aggregateRating": {"ratingValue": "4.6", "reviewCount": "31"},
}


def test_properties_with_other_names_are_filled_from_schema_org_names() -> None:
    schema = properties(
        currency={},
        available={"type": "boolean"},
        rating={"type": "number"},
        reviews={"type": "integer"},
    )
    filled = filled_of(linked(PRODUCT_RECORD), schema)
    assert filled.value == {"currency": "EUR", "available": True, "rating": 4.6, "reviews": 31}
    assert filled.sources["/rating"] == "json-ld:[0].aggregateRating.ratingValue"


def test_rating_of_one_review_is_not_the_rating_of_the_product() -> None:
    record = {key: one for key, one in PRODUCT_RECORD.items() if key != "aggregateRating"}
    assert filled_of(linked(record), properties(rating={"type": "number"})).value == {}


def test_start_and_city_of_an_event_are_its_date_and_place() -> None:
    address = {"addressLocality": "Graz"}
    event = {"@type": "Event", "startDate": "2025-05-01", "location": {"address": address}}
    filled = filled_of(linked(event), properties(date={}, published={}, city={}))
    assert filled.value == {"date": "2025-05-01", "city": "Graz"}
    assert filled.missing == ("/published",)


def test_meta_elements_of_papers_and_shops_are_read_by_their_names() -> None:
    html = """<meta name=citation_author content="A, X"><meta name=citation_author content="B, Y">
    <meta name=citation_doi content=10.1/x><meta property=product:price:amount content=5.50>
    <meta property=product:price:currency content=CHF><meta property=og:image:width content=9>"""
    authors: dict[str, object] = {"type": "array", "items": {"type": "string"}}
    schema = properties(authors=authors, doi={}, price={"type": "number"}, currency={}, width={})
    filled = filled_of(html, schema)
    assert filled.value == {
        "authors": ["A, X", "B, Y"],
        "doi": "10.1/x",
        "price": 5.5,
        "currency": "CHF",
    }
    assert filled.sources["/currency"] == "meta:product:price:currency"


@pytest.mark.parametrize(
    ("text", "currency"),
    [("49.90 USD", "USD"), ("\u20ac 9", "\u20ac"), ("9,- \u20ac", "\u20ac"), ("9", None)],
)
def test_currency_is_the_sign_beside_the_price(text: str, currency: str | None) -> None:
    filled = filled_of(f"<p id=price>{text}</p>", properties(currency={}))
    assert filled.value == ({"currency": currency} if currency else {})
    assert filled.sources == ({"/currency": "#price"} if currency else {})
