"""Whole pages, compared with the expected output in every format."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tabwright.content.html.accessibility_tree import tree_lines
from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.json_record import SNAPSHOT_SCHEMA, snapshot_record
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.protocol.snapshot import LoadedPage, PageSnapshot, PageSource, Selection

PAGES = Path(__file__).parent / "pages"
NAMES = sorted(path.stem for path in PAGES.glob("*.html"))
FORMS: dict[str, Callable[[PageSnapshot], str]] = {
    ".md": lambda page: markdown_of(page.content),
    ".numbered.md": lambda page: markdown_of(
        page.content, {link.url: link.number for link in page.links}
    ),
    ".txt": lambda page: text_of(page.content),
    ".json": lambda page: json.dumps(snapshot_record(page), ensure_ascii=False, indent=1),
    ".tree": lambda page: "\n".join(tree_lines(page.tree)),
}


def page(name: str) -> PageSnapshot:
    html = (PAGES / f"{name}.html").read_text(encoding="utf-8")
    loaded = LoadedPage("https://a.example/dir/page", 200, "text/html")
    return take_snapshot(PageSource(loaded, html), Selection(tree=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_page_output_matches_recorded_snapshot(name: str, form: str) -> None:
    expected = (PAGES / f"{name}{form}").read_text(encoding="utf-8")
    assert FORMS[form](page(name)) + "\n" == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_record_of_a_page_is_valid_in_the_schema(name: str) -> None:
    record = json.loads(json.dumps(snapshot_record(page(name))))
    jsonschema.Draft202012Validator.check_schema(SNAPSHOT_SCHEMA)
    jsonschema.validate(record, SNAPSHOT_SCHEMA)


def test_snapshot_record_omits_empty_fields() -> None:
    assert snapshot_record(PageSnapshot(url="https://a.example/", title="")) == {
        "url": "https://a.example/",
        "title": "",
        "status": 200,
        "media_type": "text/html",
    }


@pytest.mark.parametrize(
    "drawing",
    [
        "<a xlink:href='/x'><text>Label</text></a>",
        "<base xlink:href='/x'/>",
        "<link rel='canonical' xlink:href='/x'/>",
    ],
)
def test_drawing_with_an_address_in_its_own_namespace_does_not_break_the_page(drawing: str) -> None:
    html = f"<main><p>Before</p><svg>{drawing}</svg></main>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), html)
    assert "Before" in text_of(take_snapshot(source, Selection()).content)
