import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.signals import PageHead


def head(html: str) -> PageHead:
    return PageHead.of(LexborHTMLParser(html))


def test_a_title_has_single_spaces():
    assert head("<title> The \n ferry </title>").title == "The ferry"


def test_a_long_title_is_cut():
    assert len(head(f"<title>{'x' * 10_000}</title>").title) == 500


@pytest.mark.parametrize("output", ["article", " Article "])
def test_og_type_article_marks_page_as_article(output):
    assert head(f"<meta property=og:type content='{output}'>").is_article


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<meta property=og:type content=website>",
        "<meta property=og:type>",
        "<body><p>x<meta property=og:type content=article>",
        "<frameset>",
    ],
)
def test_page_without_article_type_is_not_an_article(html):
    assert head(html) == PageHead("", is_article=False)
