"""What tells content from the furniture round it: of every strand of text the same few numbers."""

from itertools import accumulate
from typing import TypeAlias

from tabwright.content.readability.dom_shapes import FoldedPage, Kind, Strand, Tally, TextBlock
from tabwright.reading.page_head import PageHead
from tabwright.reading.surroundings import Surroundings, Worth, surroundings_of
from tabwright.text.lines import HEADING_LEVELS

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


def signals_of(page: FoldedPage, head: PageHead, worth: Worth) -> list[Signals]:
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
        self, page: FoldedPage, head: PageHead, surroundings: dict[int, Surroundings]
    ) -> None:
        self._surroundings = surroundings
        self._all = page.kinds[0].tally
        self._core_depth = max(around.depth for around in surroundings.values())
        groups = (kind.tally.chars for kind in page.kinds if len(kind.nodes) > 1)
        self._group_chars_max = max(groups, default=0) or 1
        self._outside_comments = float(_prose_outside_comments(page.strands, surroundings))
        self._before = list(accumulate((block.chars for block in page.blocks), initial=0))
        self._title, self._sureness = _title_of(page.blocks, head.title)
        self._headings = _headings(page.blocks)
        self._prose = _first_much_prose(page.blocks)
        self._is_article = float(head.is_article)

    def of(self, strand: Strand) -> Signals:
        """Those of a strand."""
        kind, tally = strand.kind, strand.tally
        around = self._surroundings[kind.number]
        return (
            *self._own(strand, tally),
            *self._around(around),
            self._parent_worth(kind),
            *self._of_kind(kind),
            *self._near(around.near.tally),
            *self._group(around.group or kind),
            *self._position(strand.places[0]),
        )

    def _own(self, strand: Strand, tally: Tally) -> Signals:
        first, last = strand.places[0], strand.places[-1]
        return (
            _TAG_NUMBERS.get(strand.kind.tag, _NO_TAG),
            float(tally.blocks),
            tally.chars / tally.blocks,
            tally.linked / tally.chars,
            tally.prose / tally.chars,
            tally.chars / self._all.chars,
            self._before[first] / self._all.chars,
            self._before[last] / self._all.chars,
            (last - first + 1) / tally.blocks,
        )

    def _around(self, around: Surroundings) -> Signals:
        return (
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
        )

    def _parent_worth(self, kind: Kind) -> float:
        return self._surroundings[kind.parent.number].own if kind.parent else 0.0

    def _of_kind(self, kind: Kind) -> Signals:
        tally = kind.tally
        return (
            tally.chars / len(kind.nodes),
            tally.linked / tally.chars,
            tally.prose / tally.chars,
            tally.chars / self._all.chars,
        )

    def _near(self, tally: Tally) -> Signals:
        return (
            tally.linked / tally.chars,
            tally.links / tally.blocks,
            tally.prose / (self._all.prose or 1),
            tally.chars / self._all.chars,
        )

    def _group(self, group: Kind) -> Signals:
        chars = group.tally.chars
        return (
            float(len(group.nodes)),
            chars / len(group.nodes),
            chars / self._all.chars,
            chars / self._group_chars_max,
        )

    def _position(self, first: int) -> Signals:
        return (
            self._sureness,
            float(first - self._title),
            float(first - self._headings[first]),
            float(first - self._prose),
            self._is_article,
        )


def _prose_outside_comments(strands: list[Strand], surroundings: dict[int, Surroundings]) -> int:
    outside = (strand for strand in strands if not surroundings[strand.kind.number].in_comments)
    return sum(strand.tally.prose for strand in outside)


def _title_of(blocks: list[TextBlock], title: str) -> tuple[int, float]:
    """The place of the heading that is the title, far before the page for none, and how sure."""
    best, sureness = -_FAR, 0.0
    for place, block in enumerate(blocks):
        sure = _sureness(block, title)
        if sure > sureness:
            best, sureness = place, sure
    return best, sureness


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


def _first_much_prose(blocks: list[TextBlock]) -> int:
    """Its place; behind the page for none."""
    places = (place for place, block in enumerate(blocks) if block.prose >= _MUCH_PROSE_CHARS_MIN)
    return next(places, len(blocks))
