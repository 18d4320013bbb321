"""Markdown, plain text, JSON Feed and damaged PDF files."""

import json

import pytest

from tabwright.content.extract import extract_snapshot
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.blocks import Code, Heading, Paragraph
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

PROSE = "Every task has a parent that waits for it, and so no error is ever lost."


def read(body, kind="text/plain", path="/x.txt", selection=None):
    body = body.encode() if isinstance(body, str) else body
    fetched = Fetched(LoadedPage(f"https://a.example{path}", 200, kind), body)
    return extract_snapshot(fetched, selection or Selection(), 1).snapshot


MARKDOWN = f"""---
title: "Tasks: a guide" # draft
author: Ann
date: 2027-01-02  # of the draft
tags:
  - errors
---
# Tasks

{PROSE} See [the docs](/docs).

| a | b |
| --- | --- |
| 1 | 2 |

## Errors

```python
raise
```
"""


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("text/markdown", "/readme"),
        ("text/x-markdown", "/x"),
        ("text/plain", "/README.md"),
        ("text/plain", "/llms.txt"),
    ],
)
def test_markdown_file_is_read_with_headings_links_and_tables(kind, path):
    page = read(MARKDOWN, kind, path)
    assert page.title == "Tasks: a guide"
    assert (page.metadata.author, page.metadata.published) == ("Ann", "2027-01-02")
    assert "tags:\n  - errors" in markdown_of(page.content)
    assert [one.url for one in page.links] == ["https://a.example/docs"]
    assert page.media_type == "text/markdown"
    assert "Ann" not in markdown_of(page.content)
    assert "| 1 | 2 |" in markdown_of(page.content)
    assert [one.level for one in page.content if isinstance(one, Heading)] == [1, 2]


def test_selectors_choose_parts_of_markdown():
    page = read(MARKDOWN, "text/markdown", "/x", Selection(("table",)))
    assert markdown_of(page.content).startswith("| a | b |")


def test_tasks_of_a_markdown_list_have_their_state():
    page = read("- [x] tests\n- [ ] docs\n\n`- [x] code`", "text/markdown", "/x")
    assert markdown_of(page.content) == "- \u2611 tests\n- \u2610 docs\n\n`- [x] code`"


def test_plain_prose_becomes_paragraphs_and_other_text_becomes_code():
    drawing = "+---+\n| a |\n+---+"
    page = read(f"{PROSE}\n{PROSE}\n\n{PROSE}\n\n{drawing}\n\n    x = 1\n\nShort.\nLines.")
    kinds = [type(one) for one in page.content]
    assert kinds == [Paragraph, Paragraph, Code]
    assert drawing in page.content[-1].text
    assert "    x = 1" in page.content[-1].text


@pytest.mark.parametrize("path", ["/program.py", "/server.log"])
def test_source_and_log_files_are_kept_as_code(path):
    (only,) = read(f"{PROSE}\n\n{PROSE}", path=path).content
    assert isinstance(only, Code)


def test_json_feed_is_read_with_title_links_and_content():
    items = [
        {"id": "1", "url": "/1", "title": "One", "content_html": "<p>First", "date_published": "D"},
        {"id": "2", "external_url": "https://b.example/", "content_text": "a < b"},
    ]
    version = "https://jsonfeed.org/version/1.1"
    feed = json.dumps({"version": version, "title": "News", "items": items})
    for kind in ("application/feed+json", "application/json"):
        page = read(feed, kind)
        assert page.title == "News"
        assert [one.url for one in page.links] == ["https://a.example/1", "https://b.example/"]
        assert "First" in markdown_of(page.content)
        assert "a < b" in markdown_of(page.content)


@pytest.mark.parametrize("kind", ["application/pdf", "text/html", "application/octet-stream"])
def test_damaged_pdf_is_refused_regardless_of_its_media_type(kind):
    with pytest.raises(PageFailed) as refusal:
        read(b"%PDF-1.3\n" + bytes(range(256)) * 50, kind)
    assert refusal.value.advice


def test_damaged_pdf_yields_its_readable_text_with_a_notice():
    page = read(
        b"%PDF-1.4\n1 0 obj\n(A line that can be read) Tj\n(\x01\x02) Tj", "application/pdf"
    )
    assert "A line that can be read" in markdown_of(page.content)
    assert page.notice
