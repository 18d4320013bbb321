"""Markdown converted from the HTML of the CommonMark spec, re-parsed by markdown-it."""

from collections import Counter
from itertools import groupby

from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.blocks import blocks_of
from tabwright.content.html.tree import Addresses
from tabwright.content.render.markdown import markdown_of
from tabwright.content.text_files import html_of_markdown
from tabwright.protocol.blocks import Blocks, Code, Heading, ItemList, Paragraph, Quote, TextSpan

from .cases import read_cases

HOME = "https://a.example/"

NOT_AS_TEXT = {171: "the text of a form field is shown with the forms"}
PICTURE_IN_A_LINK = {517: "a picture that is a link is written as its text", 531: "as above"}
FLATTER = {
    171: "a form field with several lines is shown as a block of code",
    298: "a list in which there is only a list is written as that one",
    299: "as above",
    505: "adjacent links to one URL are one link",
}
NUMBERS = {283: "Markdown numbers the items after the first by itself"}

STRUCTURE = ("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "hr", "a")


def blocks_in(html: str) -> Blocks:
    return blocks_of([LexborHTMLParser(html).body], Addresses(HOME, HOME))


def characters_in(html: str) -> str:
    return "".join(LexborHTMLParser(html).body.text().split())


def elements_in(html: str) -> Counter[str]:
    """Count the elements with visible content, and the links to other pages."""
    addresses = Addresses(HOME, HOME)
    return Counter(
        node.tag
        for node in LexborHTMLParser(html).css(",".join(STRUCTURE))
        if node.tag == "hr"
        or (
            (node.text().strip() or node.css_first("hr, img"))
            and (node.tag != "a" or addresses.linked(node.attributes.get("href")))
        )
    )


def line(content: object) -> list[tuple[object, str]]:
    """Return a line as runs of equal style; space and punctuation count as plain text."""
    looks = []
    for run in content:
        if not isinstance(run, TextSpan):
            looks.append((run, ""))
            continue
        is_word = any(map(str.isalnum, run.text))
        look = (run.bold, run.italic, run.struck) if is_word else (False,) * 3
        looks += [
            ((*(look if letter.isalnum() else (False,) * 3), run.code, run.url), letter)
            for letter in run.text
            if not letter.isspace()
        ]
    return [(look, "".join(text for _, text in same)) for look, same in groupby(looks, _look)]


def _look(pair: tuple[object, str]) -> object:
    return pair[0]


def shape(blocks: Blocks) -> list[object]:
    """Return blocks in a form for comparison."""
    found: list[object] = []
    for block in blocks:
        match block:
            case Paragraph(content) | Heading(_, content):
                found.append((type(block), getattr(block, "level", 0), line(content)))
            case ItemList():
                items = [(line(one.content), one.number, shape(one.blocks)) for one in block.items]
                found.append((block.ordered, block.start, items))
            case Quote(inner):
                found.append(("quote", shape(inner)))
            case Code():
                found.append(block)
            case _:
                found.append(type(block))
    return found


def test_markdown_of_commonmark_examples_round_trips() -> None:
    wrong = []
    for number, html in read_cases("commonmark.json"):
        blocks = blocks_in(html)
        again = html_of_markdown(markdown_of(blocks))
        says = characters_in(again) == characters_in(html) or number in NOT_AS_TEXT
        says = says or number in PICTURE_IN_A_LINK
        is_built = elements_in(again) == elements_in(html) or number in FLATTER
        is_same = shape(blocks_in(again)) == shape(blocks) or number in NUMBERS
        if not (says and is_built and is_same):
            wrong.append((number, html, markdown_of(blocks)))
    assert wrong == []
