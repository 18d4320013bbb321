"""Signals that distinguish content from boilerplate: the same few numbers for every text run."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.readability.dom_shapes import Kind, ShapedPage, TextBlock, TextRun
from tabwright.text.lines import HEADING_LEVELS

# The head of a page.

_TITLE_CHARS_MAX = 500
"""Maximum length of a page's title that is compared with its headings."""

_TYPE = "meta[property='og:type']"
_ARTICLE = "article"


@attrs.frozen
class PageHead:
    """The metadata in a page's head that the signals use.

    Attributes:
        title: with single spaces.
        is_article: whether the page declares itself an article (The Open Graph protocol, "Object
            types").
    """

    title: str = ""
    is_article: bool = False

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "PageHead":
        """Read the head of a document."""
        title = document.css_first("title")
        text = " ".join(title.text().split())[:_TITLE_CHARS_MAX] if title else ""
        node = document.head.css_first(_TYPE) if document.head else None
        kind = (node.attributes.get("content") if node else "") or ""
        return cls(text, kind.strip().lower() == _ARTICLE)


# Comments on an article are not part of it.
#
# Posts in a forum are different: they are the content of the page. Articles and forums have similar
# structure and use the same names for both; the page's metadata distinguishes them.

_COMMENTS = re.compile(r"comment(?!ary|ator)")
"""A commentary is an article."""

LABELS_MAX = 10_000

_ARTICLE_CHARS_MIN = 100
"""On a page with less running text outside its comments, the comments can be the content."""


@lru_cache(LABELS_MAX)
def names_comments(label: str) -> bool:
    """Return whether a label names comments, either single ones or their list."""
    names = label.lower()
    if "disqus" in names or "respond" in names:
        return True
    return "comment" in names and _COMMENTS.search(names) is not None


def without_comments(page: ShapedPage, head: PageHead) -> ShapedPage:
    """Return the page without text runs in comments, if it is an article."""
    if not head.is_article:
        return page
    # The numbers of the kinds in comments that are not in a forum.
    comments, forums = set[int](), set[int]()
    for kind in (kind for kind in page.kinds if kind.tally.chars):
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


# The surroundings of each kind of element.

Worth: TypeAlias = Callable[[str], float]
"""The weight of a kind's label: above 0 for content, below for boilerplate."""


class ShapeContext(NamedTuple):
    """The ancestors of a kind, including itself.

    Attributes:
        depth: number of kinds on the path to the core; the core is the innermost kind with more
            than half of the page's prose.
        off_core: number of kinds after leaving that path.
        worth: sum over the kinds; ``least`` and ``most`` of one of them, ``own`` of itself.
        near: the innermost kind with more blocks than elements.
        group: the largest kind with several elements; of two of similar size the inner one.
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
    """Return the context of each kind with text, by number.

    Args:
        kinds: all kinds of a page.
        worth: the weight of a label.
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
            own = worth(kind.label)
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
    """Return the context of the body."""
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
    """Return the larger group; one on the path to the core contains everything and is ignored."""
    parent = kind.parent
    if outer is None or parent is None or parent.number in on_way:
        return kind
    return kind if 2 * kind.tally.chars >= outer.tally.chars else outer


Signals: TypeAlias = tuple[float, ...]
"""The signals of one text run, in the order of `SIGNALS`."""

SIGNALS = (
    "tag",  # index in `_TAGS`
    "blocks",
    "mean",  # characters per block
    "linked",  # share of its characters in links
    "prose",  # share of its characters in running text
    "share",  # of the page's characters
    "before",  # share of the page's characters before its first block
    "until",  # share of the page's characters before its last block
    "spread",  # blocks of the page from its first to its last, for each of its own
    "core_depth",  # share of the path from the body to the core that encloses it
    "in_core",  # the core is the innermost kind with more than half of the page's prose
    "off_core",  # enclosing kinds that are not on that path
    "in_main",
    "in_aside",
    "beside_comments",  # characters of prose outside all comments, if it is in comments; else -1
    "worth",  # sum over the enclosing kinds
    "worth_least",
    "worth_most",
    "worth_own",
    "worth_parent",
    "kind_mean",  # characters per element of its kind
    "kind_linked",  # share of its kind's characters in links
    "kind_prose",  # share of its kind's characters in running text
    "kind_share",  # its kind's share of the page's characters
    "near_linked",  # of the innermost enclosing kind with more blocks than elements: share in links
    "near_menu",  # ... share of its blocks that are links
    "near_prose",  # ... its share of the page's prose
    "near_share",  # ... its share of the page's characters
    "group",  # of the largest enclosing kind with several elements: number of elements
    "group_mean",  # ... characters per element
    "group_share",  # ... share of the page's characters
    "group_rank",  # ... characters, as a share of those of the page's largest such kind
    "title",  # certainty of which heading is the page's title
    "from_title",  # blocks since the title
    "from_heading",  # blocks since the last heading
    "from_prose",  # blocks since the first with much prose
    "is_article",  # as the page declares
)

_TAGS = "p li td h1 h2 h3 h4 h5 h6 div pre blockquote figcaption dt dd th section article main"
_TAG_NUMBERS = {tag: float(number) for number, tag in enumerate(_TAGS.split())}
_NO_TAG = -1.0

_TITLE_LEVELS = {"h1": 1.0, "h2": 0.0}
_FAR = 999
TITLE_CHARS_MIN = 9
"""Least length of a heading that a title is said to have in it."""


def signals_of(page: ShapedPage, head: PageHead, worth: Worth) -> list[Signals]:
    """Return the signals of each text run.

    Args:
        page: the grouped page.
        head: the head of the document.
        worth: the weight of a label.
    """
    if not page.strands:
        return []
    measures = _Measures(page, head, surroundings_of(page.kinds, worth))
    return [measures.of(strand) for strand in page.strands]


class _Measures:
    """Computes the signals of a page's text runs."""

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
            place for place, block in enumerate(page.blocks) if block.prose >= _ARTICLE_CHARS_MIN
        )
        self._prose = next(places, len(page.blocks))
        self._is_article = float(head.is_article)

    def of(self, strand: TextRun) -> Signals:
        """Return the signals of a text run."""
        kind, tally = strand.kind, strand.tally
        around = self._surroundings[kind.number]
        near = around.near.tally
        all_of_kind = kind.tally
        first, last = strand.places[0], strand.places[-1]
        return (
            # The run itself.
            _TAG_NUMBERS.get(kind.tag, _NO_TAG),
            float(tally.blocks),
            tally.chars / tally.blocks,
            tally.linked / tally.chars,
            tally.prose / tally.chars,
            tally.chars / self._all.chars,
            self._before[first] / self._all.chars,
            self._before[last] / self._all.chars,
            (last - first + 1) / tally.blocks,
            # Its ancestors.
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
            # All elements of its kind.
            all_of_kind.chars / len(kind.nodes),
            all_of_kind.linked / all_of_kind.chars,
            all_of_kind.prose / all_of_kind.chars,
            all_of_kind.chars / self._all.chars,
            # Its surroundings.
            near.linked / near.chars,
            near.links / near.blocks,
            near.prose / (self._all.prose or 1),
            near.chars / self._all.chars,
            *self._group(around.group or kind),
            # Its position.
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
    """Return the certainty: higher for level 1 than for 2, and for text in the page's title."""
    level = _TITLE_LEVELS.get(block.kind.tag)
    if level is None:
        return 0.0
    return 3.0 + level if is_named(block, title) else 2.0 * level


def is_named(block: TextBlock, title: str) -> bool:
    """Return whether the page's title has the text of a block in it."""
    return block.chars >= TITLE_CHARS_MIN and block.text() in title


def _headings(blocks: list[TextBlock]) -> list[int]:
    """Return the index of the last heading up to each block, far before the page if none."""
    last, places = -_FAR, list[int]()
    for place, block in enumerate(blocks):
        if block.kind.tag in HEADING_LEVELS:
            last = place
        places.append(last)
    return places
