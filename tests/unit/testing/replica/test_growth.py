from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.blocks import (
    Code,
    Heading,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.testing.replica.answers import parts

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1)
LINES = st.lists(st.text("ab ", min_size=1), min_size=1)


@given(TEXTS)
def test_partial_paragraphs_are_growing_proper_prefixes(text: str) -> None:
    shown = [
        "".join(run.text for run in part.content) for part in parts(Paragraph((TextSpan(text),)))
    ]
    assert all(text.startswith(seen) and len(seen) < len(text) for seen in shown)
    assert sorted(set(shown), key=len) == shown


def test_paragraph_grows_by_four_words_and_keeps_styles() -> None:
    content = (TextSpan("one two three four five "), TextSpan("six", bold=True))
    assert [part.content for part in parts(Paragraph(content))] == [
        (TextSpan("one two three four "),),
        (TextSpan("one two three four "), TextSpan("five ")),
    ]


def test_japanese_grows_without_spaces() -> None:
    assert (
        len(list(parts(Paragraph((TextSpan("すべてのタスクがひとつのブロックに入ります。"),)))))
        == 2
    )


@given(LINES)
def test_code_grows_line_by_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert [part.text for part in parts(Code(text, "python"))] == [
        "\n".join(lines[:end]) + "\n" for end in range(1, len(lines))
    ]


def test_lists_grow_by_items_and_tables_by_rows() -> None:
    items = tuple(Item((TextSpan(name),)) for name in "abc")
    rows = tuple(((TextSpan(name),),) for name in "abc")
    assert [part.items for part in parts(ItemList(ordered=True, items=items))] == [
        items[:1],
        items[:2],
    ]
    assert [part.rows for part in parts(TableBlock(rows))] == [rows[:1], rows[:2]]


def test_a_quotation_grows_by_blocks() -> None:
    blocks = tuple(Paragraph((TextSpan(name),)) for name in "abc")
    assert [part.blocks for part in parts(Quote(blocks))] == [blocks[:1], blocks[:2]]


def test_headings_and_rules_have_no_partial_states() -> None:
    assert not list(parts(Heading(3, (TextSpan("one two three four five"),))))
    assert not list(parts(ThematicBreak()))
