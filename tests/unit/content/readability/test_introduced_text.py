"""Code, lists and tables stay with the text that introduces them, whatever the weights say."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.dom_shapes import group_similar_elements
from tabwright.content.readability.introduced_text import with_introduced
from tabwright.content.readability.main_content import pruned

PROSE = "A paragraph that says something at length and then comes to an end. "
LEAD = "<p>The package is installed and started by these commands:</p>"
LIST = "<ul><li>one</li><li><a href=/two>two</a></li></ul>"
TABLE = "<table><tr><td>one</td><td>two</td></tr></table>"
CODE = "<pre>one\ntwo</pre>"


def kept_of(html: str, tag: str = "p") -> str:
    """What is kept of a body, if the weights keep elements of this tag alone."""
    body = LexborHTMLParser(f"<main>{html}</main>").body
    page = group_similar_elements(body)
    weighed = [run for run in page.strands if run.kind.tag == tag]
    root = pruned(page, with_introduced(page, weighed))
    return " ".join(root.text(separator=" ").split())


@pytest.mark.parametrize(
    "listing", [LIST, "<ol><li>one<li>two</ol>", TABLE, f"<figure>{TABLE}</figure>", CODE]
)
def test_listing_after_a_colon_is_kept(listing: str) -> None:
    assert "one two" in kept_of(LEAD + listing)


def test_other_lists_of_the_same_kind_are_not_kept() -> None:
    menu = "<p>See also</p><ul><li>three</li><li>four</li></ul>"
    found = kept_of(LEAD + LIST + menu)
    assert "one two" in found
    assert "three" not in found
    assert "four" not in found


@pytest.mark.parametrize(
    "html",
    [
        "<p>More:</p>" + LIST,  # a heading of a box, and no sentence
        f"<p>{PROSE}</p>" + LIST,
        LEAD + "<div>Advertisement</div>" + LIST,
        LEAD + f"<div>Read also {LIST}</div>",
    ],
)
def test_list_that_no_text_introduces_is_dropped(html: str) -> None:
    assert "one" not in kept_of(html)


def test_nested_list_is_introduced_by_the_text_of_its_element() -> None:
    lead = LEAD.removeprefix("<p>").removesuffix("</p>")
    assert "one two" in kept_of(f"<dl><dd>{lead}{LIST}</dd></dl>", tag="dd")


@pytest.mark.parametrize("end", ["", f"<p>{PROSE}</p>"])
def test_code_between_kept_text_needs_no_colon(end: str) -> None:
    found = kept_of(f"<p>{PROSE}</p>{CODE}{end}")
    assert ("one two" in found) == bool(end)


def test_code_is_kept_below_its_caption_and_other_code_and_the_caption_is_not() -> None:
    captioned = "<div><span>shell</span></div><div><button>Copy</button></div>" + CODE
    found = kept_of(LEAD + captioned + captioned.replace("one", "three"))
    assert "one two three two" in found
    assert "Copy" not in found


@pytest.mark.parametrize(
    "between",
    ["<div>" + "An advertisement that is longer than captions are.</div>", "<div>Ad</div>" * 5],
)
def test_code_beyond_other_text_is_dropped(between: str) -> None:
    assert "one" not in kept_of(LEAD + between + CODE)


def test_many_introductions_are_read_in_linear_time() -> None:
    nested = "<ul><li>" * 5_000 + (LEAD + LIST + CODE) * 2_000
    assert "one two" in kept_of(nested)
