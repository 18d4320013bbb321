import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.protocol.blocks import (
    Blocks,
    Citation,
    Code,
    Heading,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
)
from tabwright.testing.replica.answers import LANGUAGES, Language, truth_of, words
from tabwright.testing.replica.markup import Markup
from tabwright.testing.replica.scenario import LinkForm

SOURCES = truth_of("en-US", 0, "q", 10).sources
MARKUP = Markup(words("en-US").page, SOURCES, "direct")


def parsed(html: str) -> LexborNode:
    root = LexborHTMLParser(f"<main>{html}</main>").css_first("main")
    assert root is not None
    return root


def plain_text(content: Inlines) -> str:
    return "".join(run.text for run in content if isinstance(run, TextSpan))


def without_chips(html: str) -> str:
    root = parsed(html)
    for chip in root.css(".WBgIic"):
        chip.decompose()
    return root.text()


def blocks(language: Language) -> Blocks:
    return truth_of(language, 0, "q", 10).blocks


@pytest.mark.parametrize("language", LANGUAGES)
def test_paragraph_and_heading_markup_contains_the_block_text(language: Language) -> None:
    for block in blocks(language):
        if isinstance(block, Paragraph | Heading):
            assert without_chips(MARKUP.block(block)) == plain_text(block.content)


@pytest.mark.parametrize("language", LANGUAGES)
def test_list_markup_nests_like_the_block(language: Language) -> None:
    for block in blocks(language):
        if isinstance(block, ItemList):
            root = parsed(MARKUP.block(block))
            assert len(root.css("main > ol")) == block.ordered
            lines = [without_chips(line.html or "") for line in root.css("main > * > li > span")]
            assert lines == [plain_text(item.content) for item in block.items]
            nested = [len(item.css("li > ul > li")) for item in root.css("main > * > li")]
            assert nested == [sum(len(b.items) for b in item.blocks) for item in block.items]


def test_a_table_has_a_header_and_its_cells() -> None:
    (table,) = (block for block in blocks("en-US") if isinstance(block, TableBlock))
    root = parsed(MARKUP.block(table))
    rows = [[cell.text() for cell in row.iter()] for row in root.css(".Fv6NCb tr")]
    assert rows == [[plain_text(cell) for cell in row] for row in table.rows]
    assert len(root.css("th")) == len(table.rows[0])


def test_code_keeps_its_indentation_between_language_and_caution() -> None:
    (code,) = (block for block in blocks("en-US") if isinstance(block, Code))
    root = parsed(MARKUP.block(code))
    assert [node.text() for node in root.css("main > div > *")] == [
        "python",
        code.text,
        "Use code with caution.",
    ]
    assert root.css("pre")[0].text() == code.text


def test_opening_sentence_has_its_marker_attributes() -> None:
    first = blocks("en-US")[0]
    assert isinstance(first, Paragraph)
    root = parsed(MARKUP.opening(first))
    assert root.css('.n6owBd.awi2gc > span[data-subtree="aimfl"]')[0].text() == plain_text(
        first.content
    )


def test_a_chip_has_an_empty_link_and_a_button() -> None:
    root = parsed(MARKUP.block(Paragraph((TextSpan("So."), Citation((1,))))))
    (anchor,) = root.css("span.WBgIic > span.NMq1me > a.PMDqCb")
    assert anchor.text() == ""
    assert anchor.attributes["href"] == SOURCES[0].url
    label = "Site 1 (+1) - A help page for nurseries (1). Related results"
    assert anchor.attributes["aria-label"] == label
    assert [node.text() for node in root.css("button[data-icl-uuid] > span")] == ["Site 1", "+1"]


def test_fourth_chip_is_a_button_without_link() -> None:
    root = parsed(MARKUP.block(Paragraph((Citation((4,)),))))
    assert not root.css("a")
    assert root.css("button")[0].text().startswith("Site 4")


@pytest.mark.parametrize(("form", "start"), [("url", "/url?q="), ("goto", "/goto?url=")])
def test_links_in_text_and_chips_are_wrapped(form: LinkForm, start: str) -> None:
    content = (TextSpan("guide", url="https://docs.example/"), Citation((1,)))
    root = parsed(Markup(words("en-US").page, SOURCES, form).block(Paragraph(content)))
    assert [str(a.attributes["href"]).startswith(start) for a in root.css("a")] == [True, True]


def test_markup_in_text_is_escaped() -> None:
    html = MARKUP.block(Paragraph((TextSpan("<b> & </p>", bold=True),)))
    assert parsed(html).css("strong.rQesXe")[0].text() == "<b> & </p>"


def test_quote_markup_contains_its_blocks() -> None:
    root = parsed(MARKUP.block(Quote((Paragraph((TextSpan("said"),)),))))
    assert root.css("blockquote > .Y3BBE")[0].text() == "said"


def test_animated_text_is_split_into_fade_in_spans() -> None:
    markup = Markup(words("en-US").page, SOURCES, "direct", animated=True)
    root = parsed(markup.block(Paragraph((TextSpan("one "), TextSpan("two", bold=True)))))
    assert [span.text() for span in root.css("span[data-sae]")] == ["one ", "two"]
