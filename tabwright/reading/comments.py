"""Comments on an article: they are none of it, however much they say.

Those of a forum are another thing: they are what the page is there for. Articles and forums are
built alike, and both kinds of comments are called so; what a page says of itself tells them apart.
"""

import attrs

from tabwright.content.readability.dom_shapes import FoldedPage, Kind
from tabwright.reading.page_head import PageHead

_ARTICLE_CHARS_MIN = 100
"""A page with less running text outside its comments may be there for them."""


def names_comments(label: str) -> bool:
    """Whether elements of such a label are comments, or all there are."""
    names = label.lower()
    return "comment" in names or "disqus" in names or "respond" in names


def without_comments(page: FoldedPage, head: PageHead) -> FoldedPage:
    """The page without the strands that are comments, if it is an article."""
    if not head.is_article:
        return page
    commenting = _commenting(page.kinds)
    rest = [strand for strand in page.strands if strand.kind.number not in commenting]
    prose = sum(strand.tally.prose for strand in rest)
    return attrs.evolve(page, strands=rest) if prose >= _ARTICLE_CHARS_MIN else page


def _commenting(kinds: list[Kind]) -> set[int]:
    """The numbers of the kinds that are in comments, but in no forum."""
    comments, forums = set[int](), set[int]()
    for kind in filter(_says_something, kinds):
        outer = kind.parent.number if kind.parent else -1
        if outer in comments:
            comments.add(kind.number)
        elif outer in forums or _names_forum(kind.label):
            forums.add(kind.number)
        elif names_comments(kind.label):
            comments.add(kind.number)
    return comments


def _names_forum(label: str) -> bool:
    names = label.lower()
    return "forum" in names or "topic" in names or "discussion" in names


def _says_something(kind: Kind) -> bool:
    return kind.tally.chars > 0
