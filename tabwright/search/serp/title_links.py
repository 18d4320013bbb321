"""The links in titles of a result page: those of results, and others that look like them."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice, takewhile

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

HEADINGS = "h1, h2, h3, h4, [role=heading]"

LINKS_MAX = 500
"""Maximum number of links of a page, and of its headings, that are checked."""

LEVELS_MAX = 100
"""Maximum number of elements around a link that are checked."""

OTHERS_MIN = 5
"""Minimum number of links outside of the list of results that can be results."""

_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4"})
_ASIDE_TAGS = frozenset({"aside", "nav", "header", "footer"})
_ASIDE_ROLES = frozenset({"complementary", "navigation", "banner", "contentinfo"})


@attrs.frozen(eq=False)
class TitleLink:
    """A link with the elements around it.

    Attributes:
        node: the link.
    """

    node: LexborNode

    @cached_property
    def around(self) -> tuple[LexborNode, ...]:
        """Return the elements that contain the link, the nearest first."""
        return tuple(islice(above(self.node), LEVELS_MAX))

    @cached_property
    def heading(self) -> str:
        """Return the kind of the heading that contains the link, or is in it; empty for none."""
        inside = self.node.css_first(HEADINGS)
        tags = (one.tag for one in (*self.around, *filter(None, [inside])))
        return next((tag for tag in tags if tag and tag in _HEADING_TAGS), "")

    @cached_property
    def is_aside(self) -> bool:
        """Return whether the link is in a part of the page that is not its main content."""
        return any(
            one.tag in _ASIDE_TAGS or one.attributes.get("role") in _ASIDE_ROLES
            for one in self.around
        )

    def is_in(self, elements: Collection[int]) -> bool:
        """Return whether an element with one of these identities contains the link."""
        return any(one.mem_id in elements for one in self.around)

    def path(self, element: int) -> tuple[str, ...]:
        """Return the kinds of the elements between the link and one that contains it."""
        return tuple(
            one.tag or "" for one in takewhile(lambda one: one.mem_id != element, self.around)
        )


def title_links(document: LexborHTMLParser, links: Iterable[LexborNode]) -> tuple[TitleLink, ...]:
    """Return the links in headings of a page, and the links of its results, each once."""
    headings = islice(document.css(HEADINGS), LINKS_MAX)
    headed = filter(None, map(_link_at, headings))
    own = (link for link in islice(links, LINKS_MAX) if link.tag == "a")
    return tuple(map(TitleLink, {link.mem_id: link for link in (*own, *headed)}.values()))


def links_outside(
    links: Iterable[TitleLink], rows: Collection[int], pages: Callable[[TitleLink], str]
) -> Collection[str]:
    """Return the pages outside of the rows whose links look like those of the results.

    Such a link is in the list of the results, and in a heading of the same kind or in elements of
    the same kinds. Links elsewhere may be news or a box of facts; they count only if there are more
    of them than results.

    Args:
        links: the links of the page.
        rows: the identities of its rows.
        pages: returns the page to which a link leads; empty for the engine itself.
    """
    results = [link for link in links if link.is_in(rows) and pages(link)]
    if not results:
        return ()
    lists = [
        {one.mem_id: None for one in reversed(link.around[_outermost(link, rows) + 1 :])}
        for link in results
    ]
    shared = next((one for one in reversed(lists[0]) if all(one in other for other in lists)), None)
    if shared is None:
        return ()
    headings = {link.heading for link in results} - {""}
    paths = {link.path(shared) for link in results}
    listed, others = set[str](), set[str]()
    known = set(map(pages, results))
    for link in links:
        page = pages(link)
        if not page or page in known or link.is_in(rows) or link.is_aside:
            continue
        is_headed = link.heading in headings
        if link.is_in({shared}) and (is_headed or link.path(shared) in paths):
            listed.add(page)
        elif is_headed:
            others.add(page)
    return listed | others if len(others) >= max(OTHERS_MIN, len(known) + 1) else listed


def above(node: LexborNode) -> Iterator[LexborNode]:
    """Return the elements that contain a node, the nearest first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _outermost(link: TitleLink, rows: Collection[int]) -> int:
    places = [place for place, one in enumerate(link.around) if one.mem_id in rows]
    return places[-1]


def _link_at(heading: LexborNode) -> LexborNode | None:
    """Return the link in a heading, or around it."""
    around = (one for one in islice(above(heading), LEVELS_MAX) if one.tag == "a")
    return heading.css_first("a[href]") or next(around, None)
