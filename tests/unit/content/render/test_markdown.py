import pytest

from tabwright.content.render.markdown import markdown_of, plain_line
from tabwright.protocol.blocks import (
    Block,
    Citation,
    Code,
    Formula,
    Heading,
    Image,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)


def item(text: str, *blocks: Block) -> Item:
    return Item((TextSpan(text),), blocks)


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        (
            Paragraph((TextSpan("a "), TextSpan("b", bold=True), TextSpan(" c", italic=True))),
            "a **b** *c*",
        ),
        (Paragraph((TextSpan("x", bold=True, italic=True),)), "***x***"),
        (Paragraph((TextSpan("a`b", code=True),)), "``a`b``"),
        (Paragraph((TextSpan("`", code=True),)), "`` ` ``"),
        (Paragraph((TextSpan("a_b [c] * d_"),)), r"a_b \[c\] \* d\_"),
        (
            Paragraph((TextSpan("x", url="https://e.example/a(b) c"),)),
            "[x](<https://e.example/a(b) c>)",
        ),
        (Paragraph((TextSpan("a."), Citation((1, 2)), TextSpan(" b"))), "a.[1][2] b"),
        (Paragraph((TextSpan("1. no list"),)), r"1\. no list"),
        (Paragraph((TextSpan("# no heading"),)), r"\# no heading"),
        (Paragraph((TextSpan("- no list"),)), r"\- no list"),
        (Paragraph((TextSpan("---"),)), r"\---"),
        (Paragraph((TextSpan("-5 degrees"),)), "-5 degrees"),
        (Paragraph((TextSpan("R&D &amp; x"),)), r"R&D \&amp; x"),
        (Paragraph((TextSpan("a < b <c> </d"),)), r"a < b \<c> \</d"),
        (Paragraph((TextSpan("a\n# b"),)), "a\\\n\\# b"),
        (Paragraph((TextSpan("a\nb", url="https://e.example/"),)), "[a b](https://e.example/)"),
        (Paragraph((TextSpan("x", struck=True, bold=True, italic=True),)), "~~***x***~~"),
        (
            Paragraph((TextSpan("2", script="sup"), TextSpan("i", script="sub"))),
            "<sup>2</sup><sub>i</sub>",
        ),
        (
            Paragraph((TextSpan("1", script="sup", url="https://e.example/"),)),
            "[1](https://e.example/)",
        ),
        (Paragraph((Image("https://e.example/p", "a*"),)), "![a\\*](https://e.example/p)"),
        (Paragraph((Formula("a_b"), Formula("c", display=True))), "$a_b$$$c$$"),
        (Paragraph((TextSpan("a"), TextSpan(".", bold=True))), "a."),
        (Heading(2, ()), ""),
        (Heading(2, (TextSpan("a\nb"),)), "## a b"),
        (Quote(()), ""),
        (Heading(3, (TextSpan("C #"),)), r"### C \#"),
        (Code("a\n```\nb", "md"), "````md\na\n```\nb\n````"),
        (ThematicBreak(), "---"),
        (Quote((Paragraph((TextSpan("a"),)), Paragraph((TextSpan("b"),)))), "> a\n>\n> b"),
    ],
)
def test_blocks_are_written_as_markdown(block: Block, markdown: str) -> None:
    assert markdown_of((block,)) == markdown


def test_nested_lists_are_indented_below_their_items() -> None:
    inner = ItemList(ordered=True, items=(item("b"), item("c", Code("x\n  y"))))
    assert markdown_of((ItemList(ordered=False, items=(item("a", inner), item("d"))),)) == (
        "- a\n  1. b\n  2. c\n\n     ```\n     x\n       y\n     ```\n- d"
    )


def test_list_item_without_text_begins_with_its_block() -> None:
    assert markdown_of((ItemList(ordered=False, items=(Item((), (Code("x"),)),)),)) == (
        "- ```\n  x\n  ```"
    )


def test_pipes_in_cells_of_a_table_are_escaped() -> None:
    rows = (((TextSpan("A | B"),),), ((TextSpan("a|b", code=True),),))
    assert markdown_of((TableBlock(rows),)) == "| A \\| B |\n| --- |\n| `a\\|b` |"


def test_header_of_a_table_has_all_columns_and_other_rows_end_early() -> None:
    rows = (((TextSpan("a"),),), ((TextSpan("b"),), (), (TextSpan("c"),)), ((TextSpan("d"),),))
    assert markdown_of((TableBlock(rows),)).split("\n") == [
        *("| a |  |  |", "| --- | --- | --- |", "| b |  | c |", "| d |")
    ]


def test_blocks_are_separated_and_empty_ones_omitted() -> None:
    empty = (Paragraph(()), TableBlock(()), ItemList(ordered=False, items=()))
    assert markdown_of((ThematicBreak(), *empty, Paragraph((TextSpan("a"),)))) == "---\n\na"
    assert markdown_of(()) == ""


@pytest.mark.parametrize(
    ("before", "bold", "after", "written"),
    [
        ("面包的", "含水量《水》", "很重要", "面包的<strong>含水量《水》</strong>很重要"),
        ("これは", "「加水率」", "です", "これは<strong>「加水率」</strong>です"),
        ("面包的 ", "含水量《水》", " 很重要", "面包的 **含水量《水》** 很重要"),
        ("面包的", "含水量", "很重要", "面包的**含水量**很重要"),
        ("", "“a”", ".", "**“a”**."),
    ],
)
def test_asterisks_are_used_only_where_markdown_reads_them_as_emphasis(
    before: str, bold: str, after: str, written: str
) -> None:
    runs = (TextSpan(before), TextSpan(bold, bold=True), TextSpan(after))
    assert markdown_of((Paragraph(tuple(run for run in runs if run.text)),)) == written


def test_ordered_list_keeps_start_number() -> None:
    items = (Item((TextSpan("c"),)), Item((TextSpan("d"),)))
    assert markdown_of((ItemList(ordered=True, items=items, start=3),)) == "3. c\n4. d"


def test_numbered_links_and_pictures_go_without_their_urls() -> None:
    known, other = "https://e.example/a", "https://e.example/b"
    runs = (
        TextSpan("see "),
        TextSpan("this ", url=known),
        TextSpan("link", url=known, bold=True),
        TextSpan("1", url=known, script="sup"),
        TextSpan(", "),
        TextSpan("that", url=other),
        Image("https://e.example/p", "P"),
        Image("https://e.example/q"),
        TextSpan("x", url=known),
        TextSpan("y"),
    )
    block = Paragraph((*runs[:3], TextSpan("."), *runs[3:]))
    assert markdown_of((block,), {known: 7}) == (
        "see this **link** [7].<sup>1</sup> [7], that![P]x [7] y"
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ((TextSpan("in 1999"), TextSpan("2", url="u:n", script="sup")), "in 1999[2]"),
        ((TextSpan("fact"), TextSpan("[2]", url="u:n", script="sup")), "fact[2]"),
        (
            (
                TextSpan("fact"),
                TextSpan("[", script="sup"),
                TextSpan("2", url="u:n", script="sup"),
                TextSpan("]", script="sup"),
            ),
            "fact[2]",
        ),
        (
            (TextSpan("the "), TextSpan("1", url="u:l"), TextSpan("st", url="u:l", script="sup")),
            "the 1st",
        ),
        ((TextSpan("x", url="u:l"), TextSpan("2", url="u:l", script="sup")), "x^2"),
        ((TextSpan("45"), TextSpan("3", script="sup")), "45^3"),
        ((TextSpan("2", url="u:n", script="sup"), TextSpan(" Note.")), "2 Note."),
        ((TextSpan("20", struck=True), TextSpan("15")), "~~20~~15"),
        (
            (
                TextSpan("was ", struck=True),
                TextSpan("20", bold=True, struck=True),
                TextSpan(" 15"),
            ),
            "~~was 20~~ 15",
        ),
    ],
)
def test_notes_and_crossed_out_text_are_marked_in_plain_text(content: Inlines, text: str) -> None:
    assert plain_line(content) == text


def test_list_items_keep_explicit_numbers() -> None:
    items = (item("a"), Item((TextSpan("b"),), (), 9), item("c"))
    assert markdown_of((ItemList(ordered=True, items=items),)) == "1. a\n9. b\n10. c"


def test_line_break_in_table_cell_is_written_as_br() -> None:
    rows = (((TextSpan("a"),),), ((TextSpan("b\nc"),),))
    assert markdown_of((TableBlock(rows),)) == "| a |\n| --- |\n| b<br>c |"
