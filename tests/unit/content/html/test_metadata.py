import json

import pytest

HOME = "https://a.example"


def linked(record: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(record)}</script>'


@pytest.mark.parametrize(
    ("head", "name", "value"),
    [
        ("<meta name=Description content=' a  b '>", "description", "a b"),
        ("<meta property=og:description content=o>", "description", "o"),
        ("<meta name=twitter:description content=t>", "description", "t"),
        ("<meta name=keywords content='a, b;c,a'>", "keywords", ("a", "b", "c")),
        (
            "<meta property=article:tag content=x><meta property=article:tag content=y>",
            "keywords",
            ("x", "y"),
        ),
        ("<link rel='Canonical' href=/c>", "canonical", f"{HOME}/c"),
        ("<meta property=og:url content=/o>", "canonical", f"{HOME}/o"),
        ("<link rel=canonical href='javascript:x'>", "canonical", ""),
        ("<meta charset=UTF-8>", "charset", "utf-8"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=Latin1'>",
            "charset",
            "latin1",
        ),
        ("<meta http-equiv=content-language content=fr>", "language", "fr"),
        ("<meta property=og:locale content=pt_BR>", "language", "pt-BR"),
        ("<meta name=author content=Ada>", "author", "Ada"),
        ("<meta property=article:author content=https://x.example/ada>", "author", ""),
        (linked({"@type": "Article", "author": {"name": "Ada"}}), "author", "Ada"),
        (linked([{"author": ["Ada", {"name": "Bob &amp; Co"}]}]), "author", "Ada, Bob & Co"),
        (linked({"@graph": [{"datePublished": "2026"}]}), "published", "2026"),
        (
            linked(
                [{"@type": "WebSite", "description": "s"}, {"@type": "Recipe", "description": "r"}]
            ),
            "description",
            "r",
        ),
        (linked({"dateModified": 5}), "modified", ""),
        ("<meta property=article:published_time content=2026-01-01>", "published", "2026-01-01"),
        ("<meta property=article:modified_time content=2026-01-02>", "modified", "2026-01-02"),
        ("<meta property=og:site_name content=Site>", "site_name", "Site"),
        (linked({"publisher": {"name": "House"}}), "site_name", "House"),
        ("<meta property=og:type content=article>", "open_graph", {"type": "article"}),
    ],
)
def test_metadata_is_read_from_head(snap, head: str, name: str, value: object) -> None:
    assert getattr(snap(f"<head>{head}</head>").metadata, name) == value


def test_metadata_is_read_from_body(snap) -> None:
    page = snap(
        "<html lang=de-AT><body>by <a rel=author href=/a> Ada  L. </a>"
        "<time datetime=2026-03-01>1 March</time>"
    )
    assert (page.metadata.language, page.metadata.author) == ("de-AT", "Ada L.")
    assert page.metadata.published == "2026-03-01"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A\n title </title><h1>no</h1>", "A title"),
        ("<title></title><meta property=og:title content=Open>", "Open"),
        (linked({"headline": "Head"}), "Head"),
        ("<body><h1>First <i>heading</i></h1>", "First heading"),
        ("<body><svg><title>Icon</title></svg>", ""),
    ],
)
def test_title_comes_from_title_element_metadata_or_heading(snap, html: str, title: str) -> None:
    assert snap(html).title == title


@pytest.mark.parametrize(
    "text",
    ["{", "[" * 5_000, '{"@graph": ' * 500 + "1" + "}" * 500, '"text"', "null", "[[[[[[{}]]]]]]"],
)
def test_invalid_json_ld_yields_no_metadata(snap, text: str) -> None:
    page = snap(f'<script type="application/ld+json">{text}</script>')
    assert (page.title, page.metadata.author) == ("", "")
