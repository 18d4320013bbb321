"""Signals that tell content from boilerplate: the same few numbers for every strand of text."""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.dom_shapes import Kind, ShapedPage, TextBlock, TextRun
from tabwright.text.lines import HEADING_LEVELS

# The head of a page.

_TITLE_CHARS_MAX = 500
"""As much of a page's title is compared with its headings."""

_TYPE = "meta[property='og:type']"
_ARTICLE = "article"


@attrs.frozen
class PageHead:
    """What a page says of itself before it begins.

    Attributes:
        title: with single spaces.
        is_article: whether it says so (The Open Graph protocol, "Object types").
    """

    title: str = ""
    is_article: bool = False

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "PageHead":
        """The head of a document."""
        title = document.css_first("title")
        text = " ".join(title.text().split())[:_TITLE_CHARS_MAX] if title else ""
        node = document.head.css_first(_TYPE) if document.head else None
        kind = (node.attributes.get("content") if node else "") or ""
        return cls(text, kind.strip().lower() == _ARTICLE)


# Comments on an article are not part of it.
#
# Those of a forum are another thing: they are what the page is there for. Articles and forums are
# built alike, and both kinds of comments are called so; what a page says of itself tells them
# apart.

_ARTICLE_CHARS_MIN = 100
"""A page with less running text outside its comments may be there for them."""


def names_comments(label: str) -> bool:
    """Whether elements of such a label are comments, or all there are."""
    names = label.lower()
    return "comment" in names or "disqus" in names or "respond" in names


def without_comments(page: ShapedPage, head: PageHead) -> ShapedPage:
    """The page without the strands that are comments, if it is an article."""
    if not head.is_article:
        return page
    # The numbers of the kinds that are in comments, but in no forum.
    comments, forums = set[int](), set[int]()
    for kind in filter(_has_text, page.kinds):
        outer = kind.parent.number if kind.parent else -1
        if outer in comments:
            comments.add(kind.number)
        elif outer in forums or _names_forum(kind.label):
            forums.add(kind.number)
        elif names_comments(kind.label):
            comments.add(kind.number)
    rest = [strand for strand in page.strands if strand.kind.number not in comments]
    prose = sum(strand.tally.prose for strand in rest)
    return attrs.evolve(page, strands=rest) if prose >= _ARTICLE_CHARS_MIN else page


def _names_forum(label: str) -> bool:
    names = label.lower()
    return "forum" in names or "topic" in names or "discussion" in names


def _has_text(kind: Kind) -> bool:
    return kind.tally.chars > 0


# The surroundings of each kind of element.

Worth: TypeAlias = Callable[[str], float]
"""What a kind's label says of it: above 0 for content, below for furniture."""

_WORTH_MAX = 3.0


class ShapeContext(NamedTuple):
    """What a kind is in, itself among it.

    Attributes:
        depth: how many kinds of the way to the core; the core is the innermost kind that has more
            than half of the page's prose.
        off_core: how many kinds since that way was left.
        worth: of the kinds together; ``least`` and ``most`` of one of them, ``own`` of itself.
        near: the innermost kind with more blocks than elements.
        group: the largest kind with several elements; of two about as large the inner one.
    """

    depth: int
    in_core: bool
    off_core: int
    in_main: bool
    in_aside: bool
    in_comments: bool
    worth: float
    least: float
    most: float
    own: float
    near: Kind
    group: Kind | None


def surroundings_of(kinds: list[Kind], worth: Worth) -> dict[int, ShapeContext]:
    """Those of the kinds with text, by their numbers.

    Args:
        kinds: all of a page.
        worth: of their labels.
    """
    all_prose = kinds[0].tally.prose
    way = [kinds[0]]
    for kind in kinds[1:]:
        if kind.parent is way[-1] and 2 * kind.tally.prose > all_prose:
            way.append(kind)
    on_way = {kind.number for kind in way}
    found: dict[int, ShapeContext] = {}
    for kind in kinds:
        if kind.tally.chars:
            outer = found[kind.parent.number] if kind.parent else _nothing(kind)
            own = max(-_WORTH_MAX, min(_WORTH_MAX, worth(kind.label)))
            is_on_way = kind.number in on_way
            found[kind.number] = ShapeContext(
                outer.depth + is_on_way,
                outer.in_core or kind is way[-1],
                0 if is_on_way else outer.off_core + 1,
                outer.in_main or kind.tag == "main",
                outer.in_aside or kind.tag == "aside",
                outer.in_comments or names_comments(kind.label),
                outer.worth + own,
                min(outer.least, own),
                max(outer.most, own),
                own,
                kind if kind.tally.blocks > len(kind.nodes) else outer.near,
                outer.group if len(kind.nodes) == 1 else _group(kind, outer.group, on_way),
            )
    return found


def _nothing(body: Kind) -> ShapeContext:
    """What the body is in."""
    return ShapeContext(
        depth=0,
        in_core=False,
        off_core=0,
        in_main=False,
        in_aside=False,
        in_comments=False,
        worth=0.0,
        least=0.0,
        most=0.0,
        own=0.0,
        near=body,
        group=None,
    )


def _group(kind: Kind, outer: Kind | None, on_way: set[int]) -> Kind:
    """A group on the way to the core has all there is in it, and outdoes no other."""
    parent = kind.parent
    if outer is None or parent is None or parent.number in on_way:
        return kind
    return kind if 2 * kind.tally.chars >= outer.tally.chars else outer


Signals: TypeAlias = tuple[float, ...]
"""Of one strand, in the order of `SIGNALS`."""

SIGNALS = (
    "tag",  # its place in `_TAGS`
    "blocks",
    "mean",  # characters of a block
    "linked",  # share of its characters in links
    "prose",  # share of its characters in running text
    "share",  # of the page's characters
    "before",  # share of the page's characters before its first block
    "until",  # share of the page's characters before its last block
    "spread",  # blocks of the page from its first to its last, for each of its own
    "core_depth",  # share of the way from the body to the core of the page that is round it
    "in_core",  # the core is the innermost kind with more than half of the page's prose
    "off_core",  # kinds round it that are not on that way
    "in_main",
    "in_aside",
    "beside_comments",  # characters of prose outside all comments, if it is in one; else -1
    "worth",  # of the kinds round it together
    "worth_least",
    "worth_most",
    "worth_own",
    "worth_parent",
    "kind_mean",  # characters of an element of its kind
    "kind_linked",  # share of its kind's characters in links
    "kind_prose",  # share of its kind's characters in running text
    "kind_share",  # its kind's share of the page's characters
    "near_linked",  # of the innermost kind round it with more blocks than elements: share in links
    "near_menu",  # ... share of its blocks that are links
    "near_prose",  # ... its share of the page's prose
    "near_share",  # ... its share of the page's characters
    "group",  # of the largest kind round it with several elements: how many
    "group_mean",  # ... characters of one
    "group_share",  # ... share of the page's characters
    "group_rank",  # ... characters, as a share of those of the page's largest such kind
    "title",  # how sure it is which heading is the page's title
    "from_title",  # blocks since the title
    "from_heading",  # blocks since the last heading
    "from_prose",  # blocks since the first of much prose
    "is_article",  # as the page says of itself
)

_TAGS = "p li td h1 h2 h3 h4 h5 h6 div pre blockquote figcaption dt dd th section article main"
_TAG_NUMBERS = {tag: float(number) for number, tag in enumerate(_TAGS.split())}
_NO_TAG = -1.0

_FAR = 999
_TITLE_CHARS_MIN = 9
_MUCH_PROSE_CHARS_MIN = 100


def signals_of(page: ShapedPage, head: PageHead, worth: Worth) -> list[Signals]:
    """The signals of each strand.

    Args:
        page: folded.
        head: of the document.
        worth: of the kinds' labels.
    """
    if not page.strands:
        return []
    measures = _Measures(page, head, surroundings_of(page.kinds, worth))
    return [measures.of(strand) for strand in page.strands]


class _Measures:
    """The numbers of a page's strands."""

    def __init__(
        self, page: ShapedPage, head: PageHead, surroundings: dict[int, ShapeContext]
    ) -> None:
        self._surroundings = surroundings
        self._all = page.kinds[0].tally
        self._core_depth = max(around.depth for around in surroundings.values())
        groups = (kind.tally.chars for kind in page.kinds if len(kind.nodes) > 1)
        self._group_chars_max = max(groups, default=0) or 1
        outside = (
            strand for strand in page.strands if not surroundings[strand.kind.number].in_comments
        )
        self._outside_comments = float(sum(strand.tally.prose for strand in outside))
        self._before = list(accumulate((block.chars for block in page.blocks), initial=0))
        best, sureness = -_FAR, 0.0
        for place, block in enumerate(page.blocks):
            sure = _sureness(block, head.title)
            if sure > sureness:
                best, sureness = place, sure
        self._title, self._sureness = best, sureness
        self._headings = _headings(page.blocks)
        places = (
            place for place, block in enumerate(page.blocks) if block.prose >= _MUCH_PROSE_CHARS_MIN
        )
        self._prose = next(places, len(page.blocks))
        self._is_article = float(head.is_article)

    def of(self, strand: TextRun) -> Signals:
        """Those of a strand."""
        kind, tally = strand.kind, strand.tally
        around = self._surroundings[kind.number]
        near = around.near.tally
        all_of_kind = kind.tally
        first, last = strand.places[0], strand.places[-1]
        return (
            # Itself.
            _TAG_NUMBERS.get(kind.tag, _NO_TAG),
            float(tally.blocks),
            tally.chars / tally.blocks,
            tally.linked / tally.chars,
            tally.prose / tally.chars,
            tally.chars / self._all.chars,
            self._before[first] / self._all.chars,
            self._before[last] / self._all.chars,
            (last - first + 1) / tally.blocks,
            # What it is in.
            around.depth / self._core_depth,
            float(around.in_core),
            float(around.off_core),
            float(around.in_main),
            float(around.in_aside),
            self._outside_comments if around.in_comments else -1.0,
            around.worth,
            around.least,
            around.most,
            around.own,
            self._surroundings[kind.parent.number].own if kind.parent else 0.0,
            # All of its kind.
            all_of_kind.chars / len(kind.nodes),
            all_of_kind.linked / all_of_kind.chars,
            all_of_kind.prose / all_of_kind.chars,
            all_of_kind.chars / self._all.chars,
            # What is near.
            near.linked / near.chars,
            near.links / near.blocks,
            near.prose / (self._all.prose or 1),
            near.chars / self._all.chars,
            *self._group(around.group or kind),
            # Its place.
            self._sureness,
            float(first - self._title),
            float(first - self._headings[first]),
            float(first - self._prose),
            self._is_article,
        )

    def _group(self, group: Kind) -> Signals:
        chars = group.tally.chars
        return (
            float(len(group.nodes)),
            chars / len(group.nodes),
            chars / self._all.chars,
            chars / self._group_chars_max,
        )


def _sureness(block: TextBlock, title: str) -> float:
    """More for a heading of the first level than the second, and for one in the page's title."""
    level = {"h1": 1.0, "h2": 0.0}.get(block.kind.tag)
    if level is None:
        return 0.0
    is_named = block.chars >= _TITLE_CHARS_MIN and block.text() in title
    return 3.0 + level if is_named else 2.0 * level


def _headings(blocks: list[TextBlock]) -> list[int]:
    """For each block the place of the last heading up to it, far before the page for none."""
    last, places = -_FAR, list[int]()
    for place, block in enumerate(blocks):
        if block.kind.tag in HEADING_LEVELS:
            last = place
        places.append(last)
    return places
