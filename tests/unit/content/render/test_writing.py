"""Rendering snapshots in each format within a token budget."""

import re

import attrs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tabwright.content.render.json_record import SNAPSHOT_SCHEMA
from tabwright.content.render.write import write
from tabwright.protocol.blocks import (
    Code,
    Heading,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import CUTS, RenderOptions
from tabwright.protocol.snapshot import AccessibleNode, Metadata, PageLink, PageSnapshot
from tabwright.text.token_budget import count_tokens

URL = "https://a.example/"
LINKS = tuple(PageLink(n, f"Link {n}", f"https://a.example/{n}", "content") for n in range(1, 6))


def run(text, url=""):
    return (TextSpan(text, url=url),)


def snapshot(*content, **more):
    return PageSnapshot(url=URL, title="A title", content=content, links=LINKS, **more)


LONG = snapshot(
    *(
        block
        for number in range(1, 6)
        for block in (
            Heading(2, run(f"Section {number}")),
            Paragraph(
                (
                    TextSpan(f"Paragraph {number} says something about "),
                    TextSpan("a thing", url=LINKS[number - 1].url),
                    TextSpan(", at length. " * 20),
                )
            ),
        )
    ),
    tree=tuple(AccessibleNode(1, "paragraph", f"Node {number}") for number in range(200)),
)

INLINES = st.text(max_size=60).map(run)
BLOCKS = st.one_of(
    INLINES.map(Paragraph),
    st.builds(Heading, st.integers(1, 6), INLINES),
    st.builds(Code, st.text(max_size=200), st.sampled_from(["", "python"])),
    st.lists(st.builds(Item, INLINES), min_size=1, max_size=6).map(
        lambda items: ItemList(ordered=True, items=tuple(items))
    ),
    st.lists(st.lists(INLINES, min_size=2, max_size=2).map(tuple), min_size=1, max_size=8).map(
        lambda rows: TableBlock(tuple(rows))
    ),
    INLINES.map(lambda content: Quote((Paragraph(content),))),
)
PAGES = st.lists(BLOCKS, max_size=12).map(lambda blocks: snapshot(*blocks))
ENOUGH_FOR_JSON = 200
SCHEMA = Draft202012Validator(SNAPSHOT_SCHEMA)
FORMATS = st.sampled_from(["markdown", "text", "json"])


def advised_budget(error):
    """Return the budget that an error names in its advice."""
    return int(re.findall(r"max_tokens to (\d+)", error.advice)[0])


@given(PAGES, FORMATS, st.integers(1, 400), st.sampled_from(["numbered", "inline"]))
def test_written_text_never_exceeds_token_budget(page, page_format, budget, links):
    view = RenderOptions(format=page_format, max_tokens=budget, links=links)
    try:
        text = write(page, view).text
    except BadInput as error:
        assert page_format == "json"
        assert budget < ENOUGH_FOR_JSON
        assert write(page, attrs.evolve(view, max_tokens=advised_budget(error))).text
    else:
        assert count_tokens(text) <= budget


@given(PAGES, st.integers(60, 300))
def test_paged_text_parts_add_up_to_whole_text(page, budget):
    whole = write(page, RenderOptions(format="text")).text
    parts, offset = [], 0
    for _ in range(500):
        written = write(page, RenderOptions(format="text", max_tokens=budget, offset=offset))
        parts.append(written.text.partition("\n\n[... ")[0])
        if written.truncation is None:
            break
        assert written.truncation.next_offset > offset
        offset = written.truncation.next_offset
    squeezed = "".join("".join(parts).split())
    assert squeezed == "".join(whole.split())


def test_text_within_budget_is_written_whole_without_notice():
    written = write(LONG, RenderOptions(max_tokens=100_000))
    assert written.truncation is None
    assert written == write(LONG, RenderOptions())


def test_truncation_reports_next_offset_and_remaining_headings():
    written = write(LONG, RenderOptions(max_tokens=300))
    truncation = written.truncation
    assert truncation.reason == "token_budget"
    assert truncation.returned_tokens == count_tokens(written.text) <= 300
    assert truncation.original_tokens > 300
    assert f"offset={truncation.next_offset}" in written.text
    assert "- Section 5 (offset=" in written.text
    rest = write(LONG, RenderOptions(max_tokens=300, offset=truncation.next_offset))
    assert "Section 5" in rest.text or rest.truncation is not None


def test_outline_offset_leads_to_its_section():
    text = write(LONG, RenderOptions(max_tokens=300)).text
    offset = int(text.partition("- Section 5 (offset=")[2].partition(")")[0])
    assert write(LONG, RenderOptions(offset=offset)).text.startswith("## Section 5")


def test_link_list_contains_only_links_in_shown_text():
    text = write(LONG, RenderOptions(max_tokens=260)).text
    assert "[1]: https://a.example/1" in text
    assert "[5]: https://a.example/5" not in text


def test_inline_links_stay_in_the_text():
    text = write(LONG, RenderOptions(links="inline")).text
    assert "[a thing](https://a.example/3)" in text
    assert "## Links" not in text


def test_continued_table_repeats_its_header():
    head = (run("Name"), run("Number"))
    rows = (head, *((run(f"Row {number}"), run(str(number))) for number in range(200)))
    page = snapshot(TableBlock(rows))
    first = write(page, RenderOptions(max_tokens=400))
    second = write(page, RenderOptions(max_tokens=400, offset=first.truncation.next_offset))
    assert second.text.startswith("| Name | Number |\n| --- | --- |\n| Row ")
    assert "Row 0 " in first.text
    assert "Row 0 " not in second.text


@pytest.mark.parametrize("budget", [1, 3, 10, 50])
def test_code_beyond_any_budget_is_read_to_its_end(budget):
    page = snapshot(Code("word " * 20, "python"))
    offset = 0
    while written := write(page, RenderOptions(max_tokens=budget, offset=offset)).truncation:
        assert written.next_offset > offset
        offset = written.next_offset


def test_part_that_begins_inside_a_header_does_not_repeat_it():
    names = tuple(run(f"Column{number}") for number in range(9))
    page = snapshot(TableBlock((names, names)))
    first = write(page, RenderOptions(max_tokens=10)).truncation
    rest = write(page, RenderOptions(offset=first.next_offset)).text
    assert rest.count("Column8") == 2


@pytest.mark.parametrize("budget", [60, 150, 400])
def test_table_with_header_beyond_budget_is_read_to_its_end(budget):
    names = tuple(run(f"Column{number}") for number in range(60))
    page = snapshot(TableBlock((names, *[tuple(run(f"v{n}") for n in range(60))] * 3)))
    parts, offset = [], 0
    for _ in range(100):
        written = write(page, RenderOptions(max_tokens=budget, offset=offset, tells_rest=False))
        parts.append(written.text)
        if written.truncation is None:
            break
        assert written.truncation.next_offset > offset
        offset = written.truncation.next_offset
    cells = " ".join(parts).replace("|", " ").split()
    assert [cell for cell in cells if cell.startswith("Column")] == [
        f"Column{n}" for n in range(60)
    ]
    assert [cell for cell in cells if cell.startswith("v")] == [f"v{n}" for n in range(60)] * 3


def test_truncated_code_block_is_closed_and_reopened():
    page = snapshot(Code("\n".join(f"line_{number} = {number}" for number in range(300)), "python"))
    first = write(page, RenderOptions(max_tokens=300))
    assert first.text.startswith("```python\nline_0")
    assert first.text.count("```") == 2
    second = write(page, RenderOptions(max_tokens=300, offset=first.truncation.next_offset))
    assert second.text.startswith("```python\nline_")


def test_offset_beyond_end_is_refused():
    with pytest.raises(BadInput, match="the text ends at"):
        write(LONG, RenderOptions(offset=10_000_000))


@pytest.mark.parametrize("wrong", [{"max_tokens": 0}, {"max_tokens": -1}, {"offset": -1}])
def test_invalid_budget_or_offset_is_refused(wrong):
    with pytest.raises(BadInput):
        RenderOptions(**wrong)


@pytest.mark.parametrize(
    "reason", ["size_limit", "element_limit", "unread_parts", "time_out", "broken_off"]
)
def test_cut_page_ends_with_reason(reason):
    page = snapshot(Paragraph(run("So far.")), cut=reason)
    assert write(page, RenderOptions()).text.endswith(f"[... {CUTS[reason]}]")


def test_accessibility_tree_is_truncated_by_line_and_refuses_queries():
    written = write(LONG, RenderOptions(format="a11y", max_tokens=100))
    assert "Node 0" in written.text
    assert written.truncation.items_omitted > 100
    with pytest.raises(BadInput, match="tree has no passages"):
        write(LONG, RenderOptions(format="a11y", query="x"))


def test_keywords_and_a_query_choose_passages_in_every_format():
    for page_format in ("markdown", "text", "json"):
        text = write(LONG, RenderOptions(format=page_format, keywords=("paragraph 3",))).text
        assert "Paragraph 3" in text
        assert "Paragraph 4" not in text
        assert "Section 4" in write(LONG, RenderOptions(format=page_format, query="section 4")).text


def test_json_within_budget_is_valid_and_continues_at_offset():
    written = write(LONG, RenderOptions(format="json", max_tokens=500))
    record = msgspec.json.decode(written.text)
    assert record["url"] == URL
    assert 0 < len(record["content"]) < 10
    assert record["truncation"]["next_offset"] == written.truncation.next_offset
    rest = write(LONG, RenderOptions(format="json", offset=written.truncation.next_offset))
    assert len(msgspec.json.decode(rest.text)["content"]) == 10 - len(record["content"])


def test_single_block_can_be_read_in_parts_as_json():
    page = snapshot(Code("\n".join(f"line_{number} = {number}" for number in range(300))))
    lines, offset = [], 0
    while offset is not None:
        view = RenderOptions(format="json", max_tokens=600, offset=offset)
        written = write(page, view)
        blocks = msgspec.json.decode(written.text)["content"]
        lines += [line for block in blocks for line in block["text"].split("\n")]
        offset = written.truncation.next_offset if written.truncation else None
    assert lines == page.content[0].text.split("\n")
    with pytest.raises(BadInput, match="there are"):
        write(page, RenderOptions(format="json", offset=1000))


def json_parts(page, budget):
    """Return the JSON blocks of all parts of a page, in order."""
    blocks, offset = [], 0
    while offset is not None:
        written = write(page, RenderOptions(format="json", max_tokens=budget, offset=offset))
        record = msgspec.json.decode(written.text)
        SCHEMA.validate(record)
        assert count_tokens(written.text) <= budget
        blocks += record["content"]
        offset = written.truncation.next_offset if written.truncation else None
    return blocks


def test_other_fields_that_do_not_fit_as_json_are_read_at_the_next_offsets():
    links = tuple(
        PageLink(number, f"Link {number}", f"https://a.example/{number}", "content")
        for number in range(1, 101)
    )
    metadata = Metadata(description="Words. " * 20, author="Ada")
    page = attrs.evolve(snapshot(Paragraph(run("Short."))), links=links, metadata=metadata)
    read, authors, offset = [], [], 0
    while offset is not None:
        written = write(page, RenderOptions(format="json", max_tokens=500, offset=offset))
        record = msgspec.json.decode(written.text)
        SCHEMA.validate(record)
        assert count_tokens(written.text) <= 500
        assert record["content"] == ([] if offset else [{"type": "paragraph", "text": "Short."}])
        read += [link["ref"] for link in record.get("links", [])]
        authors += filter(None, [record.get("metadata", {}).get("author")])
        offset = written.truncation.next_offset if written.truncation else None
    assert read == list(range(1, 101))
    assert authors == ["Ada"]


def test_json_entry_larger_than_the_budget_is_refused_with_a_budget_that_is_enough():
    links = (PageLink(1, "Words. " * 500, "https://a.example/1", "content"),)
    page = attrs.evolve(snapshot(Paragraph(run("Short."))), links=links)
    written = write(page, RenderOptions(format="json", max_tokens=300))
    assert msgspec.json.decode(written.text)["content"]
    offset = written.truncation.next_offset
    with pytest.raises(BadInput) as refused:
        write(page, RenderOptions(format="json", max_tokens=300, offset=offset))
    enough = advised_budget(refused.value)
    rest = write(page, RenderOptions(format="json", max_tokens=enough, offset=offset))
    assert msgspec.json.decode(rest.text)["links"][0]["ref"] == 1


LINE = "A line of words that is far too long. " * 60
LARGE = {
    "paragraph": Paragraph((TextSpan("See "), TextSpan(LINE, url=LINKS[0].url))),
    "heading": Heading(2, run(LINE)),
    "code": Code(LINE, "js"),
    "item": ItemList(ordered=True, items=(Item(run(LINE), (Paragraph(run(LINE)),)),)),
    "row": TableBlock(((run("Head"),), (run(LINE),))),
    "header": TableBlock((tuple(run(LINE) for _ in range(3)), *[(run("x"),) * 3] * 50)),
    "quote": Quote((Paragraph(run("Short.")), Paragraph(run(LINE)))),
    "rows": TableBlock(((run("Head"),), *[(run(LINE[:800]),)] * 30)),
}


@pytest.mark.parametrize("budget", [ENOUGH_FOR_JSON, 600])
@pytest.mark.parametrize("block", LARGE.values(), ids=LARGE)
def test_block_larger_than_budget_is_split_across_json_parts(block, budget):
    blocks = json_parts(snapshot(block), budget)
    assert len(blocks) > 1
    assert str(blocks).count("words") == str(block).count("words")


@given(st.text(max_size=3_000), st.integers(ENOUGH_FOR_JSON, 500))
def test_splitting_text_for_json_loses_no_characters(text, budget):
    blocks = json_parts(snapshot(Code(text), Paragraph(run("End."))), budget)
    *parts, end = blocks
    assert end["text"] == "End."
    assert "".join(part["text"] for part in parts).replace("\n", "") == text.replace("\n", "")
    assert {part["type"] for part in parts} <= {"code"}


def test_json_text_is_split_between_words():
    page = snapshot(Paragraph(run("structured concurrency " * 500)))
    words = {word for block in json_parts(page, 300) for word in block["text"].split()}
    assert words == {"structured", "concurrency"}


def test_json_budget_too_small_for_any_text_is_refused():
    page = snapshot(Code("x " * 1_000))
    with pytest.raises(BadInput) as refused:
        write(page, RenderOptions(format="json", max_tokens=80))
    enough = advised_budget(refused.value)
    assert 80 < enough < ENOUGH_FOR_JSON
    assert json_parts(page, enough)


def test_overlong_title_is_dropped_from_json_to_fit_content():
    page = attrs.evolve(snapshot(Code("x " * 1_000)), title="Long " * 150)
    written = write(page, RenderOptions(format="json", max_tokens=300))
    record = msgspec.json.decode(written.text)
    assert "title" not in record
    assert record["content"]


def test_overlong_code_line_is_cut_within_line():
    page = snapshot(Code("x " * 20_000, "js"))
    written = write(page, RenderOptions(max_tokens=1000))
    assert written.text.count("x") > 500
    assert written.text.count("```") == 2


def test_bracketed_numbers_in_page_do_not_break_link_list():
    page = snapshot(Code("[" + "9" * 5000 + "]"), Paragraph(run("a", LINKS[0].url)))
    assert "[1]: " in write(page, RenderOptions(max_tokens=10_000)).text


HANDBOOK = snapshot(
    Heading(1, run("Handbook")),
    Paragraph(run("An introduction of one long line, which goes on and on. " * 20)),
    *(
        block
        for number in range(50)
        for block in (
            Heading(2, run(f"Chapter {number}")),
            Heading(3, run(f"Details of chapter {number}")),
            Paragraph(run("Words. " * 200)),
        )
    ),
)


@pytest.mark.parametrize("budget", [50, 100, 200, 1000])
@pytest.mark.parametrize("tells_rest", [True, False])
def test_large_page_with_small_budget_shows_its_sections(budget, tells_rest):
    text = write(HANDBOOK, RenderOptions(max_tokens=budget, tells_rest=tells_rest)).text
    assert text.startswith("# Handbook")
    offsets = [int(part.partition(")")[0]) for part in text.split("(offset=")[1:]]
    assert offsets
    assert offsets == sorted(offsets)
    for offset in offsets:
        assert write(HANDBOOK, RenderOptions(offset=offset)).text.startswith(("## Ch", "### De"))
    assert count_tokens(text) > budget * 0.6


def test_oversized_outline_samples_whole_page_and_counts_omitted_headings():
    text = write(HANDBOOK, RenderOptions(max_tokens=200, tells_rest=False)).text
    shown = [int(part.partition(" (offset")[0]) for part in text.split("- Chapter ")[1:]]
    assert 3 <= len(shown) < 50
    assert shown[-1] - shown[0] > 25
    assert f"- {100 - len(shown)} more headings" in text


def test_small_budget_is_filled_even_if_next_line_is_long():
    page = snapshot(Heading(1, run("Title")), Paragraph(run("Words and more. " * 500)))
    written = write(page, RenderOptions(max_tokens=50))
    assert written.truncation.returned_tokens > 40


def test_page_without_headings_spends_whole_budget_on_text():
    page = snapshot(*(Paragraph(run("Some words. " * 10)) for _ in range(200)))
    written = write(page, RenderOptions(max_tokens=400, tells_rest=False))
    assert written.truncation.returned_tokens > 350


PARAGRAPHS = tuple(Paragraph(run(f"Paragraph {number} of the page. " * 5)) for number in range(40))


@pytest.mark.parametrize("page_format", ["markdown", "text", "html", "json"])
@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (PARAGRAPHS, False),
        ((Paragraph(run("paragraph 0 of the page. " * 5)), *PARAGRAPHS[1:]), False),
        ((*PARAGRAPHS, Paragraph(run("Another one."))), False),
        (PARAGRAPHS[1:], True),
        ((Paragraph(run("A banner.")), *PARAGRAPHS), True),
    ],
)
def test_continued_page_is_reported_changed_when_its_beginning_moved(page_format, now, changed):
    view = RenderOptions(format=page_format, max_tokens=500)
    first = write(snapshot(*PARAGRAPHS), view)
    rest = attrs.evolve(view, offset=first.mark.offset)
    assert first.mark.offset == first.truncation.next_offset
    assert write(snapshot(*now), rest, read=first.mark).changed is changed
    assert not write(snapshot(*now), view, read=first.mark).changed
