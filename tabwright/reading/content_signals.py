"""What tells content from the furniture round it: of every strand of text the same few numbers."""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from tabwright.reading.folding import FoldedPage, Kind, Strand, Tally, TextBlock

Signals: TypeAlias = tuple[float, ...]
"""Of one strand, in the order of `SIGNALS`."""

Worth: TypeAlias = Callable[[str], float]
"""What a kind's label says of it: above 0 for content, below for furniture."""

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
)

_TAGS = "p li td h1 h2 h3 h4 h5 h6 div pre blockquote figcaption dt dd th section article main"
_TAG_NUMBERS = {tag: float(number) for number, tag in enumerate(_TAGS.split())}
_NO_TAG = -1.0

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_LANDMARKS = ("main", "aside")

_WORTH_MAX = 3.0
_FAR = 999
_TITLE_CHARS_MIN = 9
_MUCH_PROSE_CHARS_MIN = 100


def signals_of(page: FoldedPage, title: str, worth: Worth) -> list[Signals]:
    """The signals of each strand.

    Args:
        page: folded.
        title: of the document.
        worth: of the kinds' labels.
    """
    if not page.strands:
        return []
    place, sureness = _title_of(page.blocks, title)
    contexts = _contexts(page, worth)
    measures = _Measures(page, place, sureness, contexts)
    return [measures.of(strand) for strand in page.strands]


class _Context(NamedTuple):
    """What a kind passes on to those in it.

    Attributes:
        depth: kinds on the way to the core.
        landmarks: for each of `_LANDMARKS` whether it is round them.
        near: the innermost kind with more blocks than elements.
        group: the largest kind with several elements; of two about as large the inner one.
    """

    depth: int
    is_core: bool
    off_core: int
    landmarks: tuple[float, ...]
    in_comments: bool
    worth: float
    least: float
    most: float
    own: float
    near: Kind
    group: Kind | None


def _contexts(page: FoldedPage, worth: Worth) -> dict[int, _Context]:
    """Those of the kinds with text, by their numbers."""
    way = _way_to_core(page.kinds)
    core = way[-1]
    on_way = {kind.number for kind in way}
    outside = _outside(page.kinds[0])
    contexts: dict[int, _Context] = {}
    for kind in page.kinds:
        if kind.tally.chars:
            parent = kind.parent
            outer = outside if parent is None else contexts[parent.number]
            own = max(-_WORTH_MAX, min(_WORTH_MAX, worth(kind.label)))
            is_on_way = kind.number in on_way
            several = kind.tally.blocks > len(kind.nodes)
            contexts[kind.number] = _Context(
                outer.depth + is_on_way,
                outer.is_core or kind is core,
                0 if is_on_way else outer.off_core + 1,
                _landmarks(kind.tag, outer.landmarks),
                outer.in_comments or _names_comments(kind.label),
                outer.worth + own,
                min(outer.least, own),
                max(outer.most, own),
                own,
                kind if several else outer.near,
                _group(kind, outer.group, parent is None or parent.number in on_way),
            )
    return contexts


def _names_comments(label: str) -> bool:
    names = label.lower()
    return "comment" in names or "disqus" in names or "respond" in names


def _landmarks(tag: str, outer: tuple[float, ...]) -> tuple[float, ...]:
    if tag not in _LANDMARKS:
        return outer
    return tuple(float(tag == mark or known) for mark, known in zip(_LANDMARKS, outer, strict=True))


def _group(kind: Kind, outer: Kind | None, anew: bool) -> Kind | None:
    if len(kind.nodes) == 1:
        return outer
    larger = outer is None or anew or 2 * kind.tally.chars >= outer.tally.chars
    return kind if larger else outer


def _way_to_core(kinds: list[Kind]) -> list[Kind]:
    """From the body on, as long as one kind has more than half of the page's prose."""
    all_prose = kinds[0].tally.prose
    way = [kinds[0]]
    for kind in kinds[1:]:
        if kind.parent is way[-1] and 2 * kind.tally.prose > all_prose:
            way.append(kind)
    return way


class _Measures:
    """The numbers of a page's strands."""

    def __init__(
        self, page: FoldedPage, title: int, sureness: float, contexts: dict[int, _Context]
    ) -> None:
        self._contexts = contexts
        self._all = page.kinds[0].tally
        self._blocks = len(page.blocks)
        self._core_depth = max(context.depth for context in contexts.values())
        groups = (kind.tally.chars for kind in page.kinds if len(kind.nodes) > 1)
        self._group_chars_max = max(groups, default=0) or 1
        self._outside_comments = float(_prose_outside_comments(page.strands, contexts))
        self._before = list(accumulate((block.chars for block in page.blocks), initial=0))
        self._title, self._sureness = title, sureness
        self._headings = _headings(page.blocks)
        self._prose = _first_much_prose(page.blocks)

    def of(self, strand: Strand) -> Signals:
        """Those of a strand."""
        kind, tally = strand.kind, strand.tally
        context = self._contexts[kind.number]
        return (
            *self._own(strand, tally),
            *self._around(context),
            self._parent_worth(kind),
            *self._of_kind(kind),
            *self._near(context.near.tally),
            *self._group(context.group or kind),
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

    def _around(self, context: _Context) -> Signals:
        return (
            context.depth / self._core_depth,
            float(context.is_core),
            float(context.off_core),
            *context.landmarks,
            self._outside_comments if context.in_comments else -1.0,
            context.worth,
            context.least,
            context.most,
            context.own,
        )

    def _parent_worth(self, kind: Kind) -> float:
        return self._contexts[kind.parent.number].own if kind.parent else 0.0

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
        )


def _prose_outside_comments(strands: list[Strand], contexts: dict[int, _Context]) -> int:
    outside = (strand for strand in strands if not contexts[strand.kind.number].in_comments)
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
        if block.kind.tag in _HEADINGS:
            last = place
        places.append(last)
    return places


def _first_much_prose(blocks: list[TextBlock]) -> int:
    """Its place; behind the page for none."""
    places = (place for place, block in enumerate(blocks) if block.prose >= _MUCH_PROSE_CHARS_MIN)
    return next(places, len(blocks))
