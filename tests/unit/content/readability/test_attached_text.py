"""Text introduced by kept text, and headings above it, are kept whatever the weights."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.attached_text import with_attached
from tabwright.content.readability.dom_shapes import group_similar_elements
from tabwright.content.readability.main_content import pruned

PROSE = "A paragraph that says something at length and then comes to an end. "
LEAD = "<p>The package is installed and started by these commands:</p>"
LIST = "<ul><li>one</li><li><a href=/two>two</a></li></ul>"
TABLE = "<table><tr><td>one</td><td>two</td></tr></table>"
CODE = "<pre>one\ntwo</pre>"


def kept_of(html: str, tag: str = "p", title: str = "") -> str:
    """Return what is kept of a body if only elements with this tag have weight."""
    body = LexborHTMLParser(f"<main>{html}</main>").body
    page = group_similar_elements(body)
    weighed = [run for run in page.strands if run.kind.tag == tag]
    root = pruned(page, with_attached(page, weighed, title))
    return " ".join(root.text(separator=" ").split())


@pytest.mark.parametrize(
    "listing", [LIST, "<ol><li>one<li>two</ol>", TABLE, f"<figure>{TABLE}</figure>", CODE]
)
def test_listing_after_a_colon_is_kept(listing: str) -> None:
    assert "one two" in kept_of(LEAD + listing)


def test_similar_list_without_introduction_is_dropped() -> None:
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


ITEMS = "".join(f"<li>{number} <a href=/{number}>part of it</a> of steel</li>" for number in "123")
MEMBERS = "".join(f"<tr><td><a href=/{one}>{one}()</a><td><a href=/t>Type</a>" for one in "abc")


@pytest.mark.parametrize(
    "html",
    [
        f"<h2>Parts</h2><ul>{ITEMS}</ul>",
        f"<h3>Parts</h3><ul>{ITEMS}</ul><p>{PROSE}</p>",
        f"<div class=card><div><h2>Parts</h2><ol>{ITEMS}</ol></div></div>",
        f"<section><h2>Parts</h2><ul>{ITEMS}</ul></section>",
    ],
)
def test_list_under_a_heading_among_kept_text_is_kept_with_the_heading(html: str) -> None:
    found = kept_of(f"<p>{PROSE}</p>{html}")
    assert "Parts 1 part of it of steel 2 part of it" in found


def test_table_of_links_under_a_heading_among_kept_text_is_kept() -> None:
    found = kept_of(f"<p>{PROSE}</p><h2>Members</h2><table>{MEMBERS}</table>")
    assert "a() Type b() Type" in found


@pytest.mark.parametrize(
    "html",
    [
        "<h2>Related</h2><ul><li><a href=/1>One story</a><li><a href=/2>Another story</a></ul>",
        f"<aside><h2>Parts</h2><ul>{ITEMS}</ul></aside>",
        f"<div id=comments><h2>Three comments</h2><ul>{ITEMS}</ul></div>",
        f"<div class=post><h2>One</h2><ul>{ITEMS}</ul></div>" * 2,
        f"<div id=a><div id=b><div id=c><h2>Parts</h2><ul>{ITEMS}</ul></div></div></div>",
        f"<h2>Parts</h2><div>Advertisement</div><ul>{ITEMS}</ul>",
    ],
)
def test_list_under_a_heading_beside_kept_text_is_dropped(html: str) -> None:
    found = kept_of(f"<p>{PROSE}</p>{html}")
    assert "part of it" not in found
    assert "story" not in found


def test_nested_list_is_kept_if_parent_text_introduces_it() -> None:
    lead = LEAD.removeprefix("<p>").removesuffix("</p>")
    assert "one two" in kept_of(f"<dl><dd>{lead}{LIST}</dd></dl>", tag="dd")


@pytest.mark.parametrize("end", ["", f"<p>{PROSE}</p>"])
def test_code_between_kept_text_needs_no_colon(end: str) -> None:
    found = kept_of(f"<p>{PROSE}</p>{CODE}{end}")
    assert ("one two" in found) == bool(end)


def test_code_below_caption_is_kept_without_the_caption() -> None:
    captioned = "<div><span>shell</span></div><div><button>Copy</button></div>" + CODE
    found = kept_of(LEAD + captioned + captioned.replace("one", "three"))
    assert "one two three two" in found
    assert "Copy" not in found


def test_code_beyond_other_text_is_dropped() -> None:
    between = "<div>An advertisement that is longer than captions are.</div>"
    assert "one" not in kept_of(LEAD + between + CODE)


def test_headings_above_kept_text_are_kept() -> None:
    html = f"<h2>Chapter one</h2><h3>Section one</h3><p>{PROSE}</p><h3>Section two</h3>"
    found = kept_of(html)
    assert "Chapter one Section one A paragraph" in found
    assert "Section two" not in found


def test_heading_above_code_is_kept_with_it() -> None:
    html = f"<p>{PROSE}</p><h5>Examples</h5>{CODE}<p>{PROSE}</p>"
    assert "Examples one two" in kept_of(html)


@pytest.mark.parametrize(
    "heading",
    [
        "<h2>The whole page</h2>",  # its title stands above the content anyway
        "<h1>Something else</h1>",
        "<h3><a href=/more>Another page</a></h3>",
        "<aside><h3>Something else</h3></aside>",
        "<h3>Something else</h3><div>Its own text</div>",
    ],
)
def test_unrelated_headings_are_dropped(heading: str) -> None:
    assert kept_of(f"{heading}<p>{PROSE}</p>", title="The whole page - A site") == PROSE.strip()


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>" * 5_000 + (LEAD + LIST + CODE) * 2_000,
        f"<span>{(LEAD.removeprefix('<p>') + LIST) * 4_000}</span>",
        f"<h2><span>{'Section<div>one</div>' * 4_000}</span></h2>",
    ],
    ids=["nested", "in an inline element", "headings in an inline element"],
)
def test_many_introduced_lists_are_processed_quickly(html: str) -> None:
    page = group_similar_elements(LexborHTMLParser(html).body)
    began = time.process_time()
    with_attached(page, page.strands[:1], "A title with a Section of its own")
    assert time.process_time() - began < 2


def test_block_text_in_shared_inline_wrapper_is_separate() -> None:
    body = LexborHTMLParser("<b>One <i>and</i> two:<ol><li>three</li></ol>four</b>").body
    page = group_similar_elements(body)
    assert [block.text() for block in page.blocks] == ["One and two:", "three", "four"]


def test_short_headings_that_a_title_has_by_chance_are_kept() -> None:
    html = f"<h2>A</h2><p>{PROSE}</p><h2>Python</h2><p>{PROSE}</p>"
    found = kept_of(html, title="A guide to Python")
    assert found.startswith("A A paragraph")
    assert "Python A paragraph" in found
