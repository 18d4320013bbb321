"""The main content of a page, and what of it no reader wants, told by structure alone."""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.readability.dom_shapes import (
    SPARE,
    Kind,
    ShapedPage,
    TextRun,
    group_similar_elements,
)
from tabwright.content.readability.signals import (
    SIGNALS,
    PageHead,
    Signals,
    signals_of,
    without_comments,
)

UNSEEN = (
    "script:not([type^='math/tex']), style, [hidden]:not([hidden=until-found]), [aria-hidden=true]"
)
"""What is not shown, to some readers at least."""

STYLED = "[style*=none i], [style*=hidden i]"
"""What may be hidden by a style of its own."""

FURNITURE = (
    "nav, dialog, [role=navigation], [role=search], [role=dialog], [role=alertdialog],"
    " [role=menu], [role=menubar], [role=toolbar], [role=banner], [role=contentinfo]"
)
"""What stands round the content of pages."""

_PARTS = ("article", "aside", "main", "nav", "section", "[role=main]", "[role=article]")

MARGINS = ", ".join(
    f"{margin}:not({', '.join(f'{part} {margin}' for part in _PARTS)})"
    for margin in ("header", "footer")
)
"""The header and the footer of a page, not those of a part of it (HTML-AAM, section 4)."""

MAIN = "main, [role=main]"

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

NONE: AbstractSet[int] = frozenset()

_FRAME = frozenset({"html", "head", "body"})
"""What every document has: it is never taken out, whatever it says of itself."""


def remove_unseen(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Takes out what is not shown, except the nodes `kept`, named by their ids."""
    remove(document.css(UNSEEN), kept)
    remove(filter(_is_hidden, document.css(STYLED)), kept)


def remove_boilerplate(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Takes out what stands round the content, except the nodes `kept`, named by their ids."""
    remove(document.css(FURNITURE), kept)
    remove((node for node in document.css(MARGINS) if not node.css_first("h1")), kept)


def remove(nodes: Iterable[LexborNode], kept: AbstractSet[int] = NONE) -> None:
    """Takes nodes out of their document; what is inside goes before what is round it."""
    found = {node.mem_id: node for node in nodes}
    for number, node in reversed(found.items()):
        if number not in kept and node.tag not in _FRAME:
            node.decompose()


def main_part(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """The part that the page calls its main one, if it has one, with the title above it.

    A part that says little is not what a page is about, whatever it is called.
    """
    body = document.body or document.root
    mains = document.css(MAIN)
    if body is None or len(mains) != 1:
        return () if body is None else (body,)
    main, title = mains[0], document.css_first("h1")
    if 2 * len(main.text()) < len(body.text()):
        return (body,)
    return (main,) if title is None or main.css_first("h1") else (title, main)


def hides(style: str | None) -> bool:
    """Whether a style of an element says that it is not shown."""
    return style is not None and _HIDDEN.search(style) is not None


def _is_hidden(node: LexborNode) -> bool:
    """Formulas may be hidden from those who see, and are there for those who do not."""
    child = node.first_child
    return hides(node.attributes["style"]) and not (child is not None and child.tag == "math")


# The main content.

_ROOTS = frozenset(
    {"article", "aside", "blockquote", "body", "center", "details", "div", "dl", "fieldset"}
    | {"figure", "footer", "form", "header", "main", "ol", "pre", "section", "table", "td", "ul"}
)
"""Elements that can stand for themselves."""

_MARKS = frozenset({"hr"})
"""Elements without text that belong to the text round them, however little of it is kept."""

_PICTURE = "figure"
"""Its picture may be kept where its caption is not."""


def pruned(page: ShapedPage, kept: Iterable[TextRun]) -> LexborNode:
    """Takes all else out of the tree, and gives the innermost element that has all that is kept.

    What has no text, as a picture, goes the way of most of the text round it.
    """
    pruning = _Pruning.of(page, kept)
    root = pruning.root()
    pruning.take_out()
    return root


@attrs.frozen
class _Pruning:
    """What is kept of a page.

    Attributes:
        strands: those that go.
        chars: how many of each kind, by its number, are kept.
        gone: whether a kind goes.
    """

    page: ShapedPage
    strands: list[TextRun]
    chars: list[int]
    gone: list[bool]

    @classmethod
    def of(cls, page: ShapedPage, kept: Iterable[TextRun]) -> "_Pruning":
        """How it stands where `kept` stays, before any root is chosen."""
        chars = [0] * len(page.kinds)
        stays = set[int]()
        for strand in kept:
            chars[strand.kind.number] += strand.tally.chars
            stays.add(id(strand))
        for kind in reversed(page.kinds):
            if kind.parent is not None:
                chars[kind.parent.number] += chars[kind.number]
        strands = [strand for strand in page.strands if id(strand) not in stays]
        gone: list[bool] = []
        for kind in page.kinds:
            parent = kind.parent
            gone.append(parent is not None and (gone[parent.number] or _goes(kind, parent, chars)))
        return cls(page, strands, chars, gone)

    def root(self) -> LexborNode:
        """The innermost element that has all that is kept, and can stand for itself."""
        root, inner = self.page.kinds[0], self.page.kinds[0]
        for kind in self.page.kinds[1:]:
            is_only = kind.parent is inner and len(kind.nodes) == 1
            if is_only and self.chars[kind.number] == self.chars[0]:
                inner = kind
                root = kind if kind.tag in _ROOTS else root
        return root.nodes[0]

    def take_out(self) -> None:
        """What is inside goes before what is round it: a node that is gone must not be touched."""
        outermost: list[LexborNode] = []
        for kind in self.page.kinds:
            parent = kind.parent
            if self.gone[kind.number] and parent is not None and not self.gone[parent.number]:
                outermost.extend(kind.nodes)
        alone = [  # text that goes where its element stays
            node
            for strand in self.strands
            if not self.gone[strand.kind.number]
            for block in strand.blocks
            for node in block.nodes
            if node.mem_id not in self.page.wrapping
        ]
        for node in [*self.page.furniture, *outermost, *alone]:
            node.decompose()
        for kind in self.page.kinds:
            if kind.tag == SPARE and self.chars[kind.number]:
                for node in kind.nodes:
                    node.unwrap()


def _goes(kind: Kind, parent: Kind, chars: list[int]) -> bool:
    if chars[kind.number]:
        return False
    if kind.tally.chars and kind.tag != _PICTURE:
        return True
    return kind.tag not in _MARKS and 2 * chars[parent.number] < parent.tally.chars


# How likely text is content, by weights learned from labelled pages.
#
# ``content_score.json`` holds what was learned, and nothing of the pages themselves; it is learned
# anew by ``bench/reading_weights.py``. Two things are in it:
#
# * ``words``: what the words in labels are worth, that is how far an element of such a tag, class,
#   id or role speaks for content, all else unknown (the weights of a logistic regression);
# * ``trees``: forks, each a signal, a limit, what holds up to the limit and what holds above it,
#   and numbers at their ends. One number of each tree added up are the logarithm of the odds that
#   a strand of text is content (gradient-boosted trees).

_WORD = re.compile(r"<[a-z][a-z0-9-]*|[A-Z]?[a-z]+|[A-Z]+")
_LABELS_MAX = 10_000


@attrs.frozen
class ContentScore:
    """What was learned of content.

    Attributes:
        worth: what a kind's label says of it: above 0 for content, below for furniture.
        trees: the logarithmic odds of content, by all signals in their order.
    """

    worth: Callable[[str], float]
    trees: Callable[..., float]

    @classmethod
    def of(cls, table: bytes) -> "ContentScore":
        """Reads a table of the shape of ``content_score.json``."""
        learned = msgspec.json.decode(table, type=_Learned)
        # The trees as one function of the signals are ten times as fast as going down them.
        numbers = ", ".join(map(_source, learned.trees))
        function: Callable[..., float] = eval(  # noqa: S307 - a table of our own, and checked
            f"lambda {', '.join(SIGNALS)}: sum(({numbers},))"
        )
        return cls(_remembered(learned.words), function)

    def likelihood(self, signals: Signals) -> float:
        """How likely a strand with these signals is content, from 0 to 1."""
        return 1 / (1 + math.exp(-self.trees(*signals)))


@cache
def shipped_score() -> ContentScore:
    """What ``content_score.json`` holds."""
    table = files(__package__ or "").joinpath("content_score.json")
    return ContentScore.of(table.read_bytes())


def words_of(label: str) -> list[str]:
    """The words of a label; that of the tag has a ``<`` before it."""
    return [word.lower() for word in _WORD.findall(label)]


class _Fork(msgspec.Struct, frozen=True, array_like=True):
    signal: str
    limit: float
    low: "_Tree"
    high: "_Tree"


_Tree: TypeAlias = float | _Fork


class _Learned(msgspec.Struct, frozen=True):
    words: dict[str, float]
    trees: list[_Tree]


def _remembered(words: Mapping[str, float]) -> Callable[[str], float]:
    """What a label is worth by its words: those of a page, and of many pages, are much alike."""

    @lru_cache(_LABELS_MAX)
    def worth(label: str) -> float:
        """The sum over the words of `label`; one that was not learned is worth nothing."""
        return sum([words.get(word, 0.0) for word in words_of(label)])

    return worth


def _source(tree: _Tree) -> str:
    if not isinstance(tree, _Fork):
        return repr(tree)
    signal = SIGNALS[SIGNALS.index(tree.signal)]
    return f"({_source(tree.low)} if {signal} <= {tree.limit!r} else {_source(tree.high)})"


# Choosing the main content.
#
# The body is folded into kinds of elements, and its text into strands (`dom_shapes`). A few numbers
# are computed for each strand (`signals`), and weights that were learned from labelled pages turn
# them into the probability that it is content (`ContentScore`). The part that is most worth reading
# as a whole is kept (`pruned`); comments on an article are left out from the start. The words of
# the text do not count, so that no language has an advantage.

_CAUTION = 1.07
"""How many times as likely as the odds ask for must a strand be. Strands of one page are wrong
together, which the odds do not know.
"""


def main_content(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """The roots of the main content, in the order of the page; all else is taken out of them.

    A page with text has content. One without text is left as it is: its body is the root.

    Args:
        document: any; it is the caller's to throw away, and is changed.
    """
    body = document.body
    if body is None:
        return ()
    page = group_similar_elements(body)
    if not page.strands:
        return (body,)
    return (pruned(page, content(page, PageHead.of(document), shipped_score())),)


def content(page: ShapedPage, head: PageHead, score: ContentScore) -> list[TextRun]:
    """The strands that are content; at least one, if there are any."""
    page = without_comments(page, head)
    likelihoods = [score.likelihood(signals) for signals in signals_of(page, head, score.worth)]
    limit = _CAUTION * _limit(likelihoods, page.strands)
    limit = min(limit, max(likelihoods, default=0.0))
    pairs = zip(likelihoods, page.strands, strict=True)
    return [strand for likelihood, strand in pairs if likelihood >= limit]


def _limit(likelihoods: list[float], strands: list[TextRun]) -> float:
    """How likely a strand must be for keeping it to do more good than harm.

    Good is the harmonic mean of precision and recall (F1), in characters. Whatever is more likely
    than half of what that mean will be raises it.
    """
    chars = [strand.tally.chars for strand in strands]
    expected = sum(map(operator.mul, likelihoods, chars))
    best, right, kept = 0.0, 0.0, 0
    for likelihood, more in sorted(zip(likelihoods, chars, strict=True), reverse=True):
        right += likelihood * more
        kept += more
        best = max(best, 2 * right / (kept + expected))
    return best / 2
