import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.dom_shapes import group_similar_elements
from tabwright.content.readability.main_content import main_content
from tabwright.content.readability.signals import PageHead, without_comments

ARTICLE = PageHead("", is_article=True)

STORY = "<p>The ferry left at noon, and with it went the only person who knew the way back.</p>" * 2
REMARKS = "".join(
    f"<li class=comment><p>Remark {number} says at length that it was not so, and why.</p></li>"
    for number in range(30)
)


def labels(html: str, head: PageHead) -> list[str]:
    page = without_comments(group_similar_elements(LexborHTMLParser(html).body), head)
    return [strand.kind.label for strand in page.strands]


def test_comments_are_removed_from_article():
    assert labels(f"<main class=story>{STORY}</main><ol>{REMARKS}</ol>", ARTICLE) == ["<p"]


def test_whole_comment_section_is_removed():
    html = f"<main>{STORY}</main><section id=disqus><h3>Said</h3><div class=topic>Yes</div>"
    assert labels(html, ARTICLE) == ["<p"]


def test_comments_are_kept_on_page_that_is_not_an_article():
    html = f"<main>{STORY}</main><ol>{REMARKS}</ol>"
    assert labels(html, PageHead()) == ["<p", "<p"]


@pytest.mark.parametrize("name", ["forum-thread", "topic", "DiscussionBoard"])
def test_forum_posts_are_kept(name):
    html = f"<div class={name}>{STORY}<ol>{REMARKS}</ol></div>"
    assert labels(html, ARTICLE) == ["<p", "<p"]


def test_comments_are_kept_if_page_has_little_else():
    assert labels(f"<p>See below.</p><ol>{REMARKS}</ol>", ARTICLE) == ["<p", "<p"]


def test_page_declared_as_article_is_read_without_comments():
    head = "<meta property=og:type content=Article>"
    html = f"{head}<body><main>{STORY}</main><ol class=comments>{REMARKS}</ol>"
    (root,) = main_content(LexborHTMLParser(html))
    assert "ferry" in root.text()
    assert "Remark" not in root.text()


def test_commentary_class_is_not_mistaken_for_comments():
    html = f"<div class='subjective commentary article'>{STORY}</div><p>{'Read more of it. ' * 9}"
    assert len(labels(html, ARTICLE)) == 2
