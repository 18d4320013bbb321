"""Find the main content of a page and remove boilerplate, by structure only."""

import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, filterfalse, islice
from typing import TypeAlias

import attrs
import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings
from tabwright.content.html.tree import SHADOW_ROOT
from tabwright.content.readability.attached_text import with_attached
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
    "script:not([type^='math/tex']), style, [hidden]:not([hidden=until-found]), [aria-hidden=true],"
    " .CodeMirror-measure"
)
"""Elements that are not shown, at least to some readers; in the last, CodeMirror 5 measures."""

FIELDS = "textarea, [role=textbox]"
"""Fields of text, beside which code editors draw."""

DRAWN_TEXT = "div[role=presentation][aria-hidden=true]:not([hidden])"
"""Elements in which code editors draw the text of a field, which is nowhere else in the source."""

DRAWN_LEVELS_MAX = 4
"""How many levels below the parent of the field such an element is at most."""

STYLED = "[style*=none i], [style*=hidden i]"
"""Elements that an inline style could hide."""

POPUP_ROLES = frozenset({"dialog", "alertdialog", "menu", "navigation"})
"""Hidden panels are shown on a click and are content; hidden pop-ups are not."""

_NEVER_PANELS = frozenset({"script", "style", "dialog"})

BOILERPLATE = (
    "nav, dialog, [role=navigation], [role=search], [role=dialog], [role=alertdialog],"
    " [role=menu], [role=menubar], [role=toolbar], [role=banner], [role=contentinfo]"
)
"""Boilerplate around the content of pages."""

_PARTS = ("article", "aside", "main", "nav", "section", "[role=main]", "[role=article]")

MARGINS = ", ".join(
    f"{margin}:not({', '.join(f'{part} {margin}' for part in _PARTS)})"
    for margin in ("header", "footer")
)
"""The header and footer of a page, not those of a section (HTML-AAM, section 4)."""

MAIN = "main, [role=main]"

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_NOT_RENDERED = re.compile(r"display\s*:\s*none", re.IGNORECASE)

_SHOWN = re.compile(r"visibility\s*:\s*visible", re.IGNORECASE)

NONE: AbstractSet[int] = frozenset()

_FRAME = frozenset({"html", "head", "body"})
"""Elements that every document has: they are never removed, whatever their attributes."""


def remove_unseen(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Remove invisible elements, except the nodes `kept`, given by their ids.

    Tabs and folded sections are kept too: a reader opens them. So is what is visible in an element
    whose visibility is hidden.
    """
    controlled = {
        name
        for control in document.css("[aria-controls]")
        for name in (control.attributes.get("aria-controls") or "").split()
    }
    visible = _visible_again(document)
    unseen = (
        *filterfalse(_drawn_texts(document), document.css(UNSEEN)),
        *filter(_is_hidden, document.css(STYLED)),
    )
    found = [node for node in unseen if not _is_panel(node, controlled)]
    remove(chain.from_iterable(_hidden_parts(node, visible) for node in found), kept)


def _drawn_texts(document: LexborHTMLParser) -> Callable[[LexborNode], bool]:
    """Return a function that tells whether an element shows the text of a field, line by line.

    Line numbers are not text.
    """
    parents = {node.parent.mem_id for node in document.css(FIELDS) if node.parent is not None}
    drawn = {
        node.mem_id
        for node in document.css(DRAWN_TEXT)
        if any(one.mem_id in parents for one in islice(_ancestors(node), DRAWN_LEVELS_MAX))
        and node.css_first("div div") is not None
        and any(map(str.isalpha, node.text()))
    }
    return lambda node: node.mem_id in drawn


@attrs.frozen
class _Visible:
    """Elements that say that they are visible, and those around them, by their ids."""

    shown: AbstractSet[int]
    around: AbstractSet[int]


def _visible_again(document: LexborHTMLParser) -> _Visible:
    """Find the elements that are visible even where the visibility around them is hidden."""
    found = document.css("[style*=visible i]")
    shown = {node.mem_id: node for node in found if shows(node.attributes["style"])}
    around: set[int] = set()
    for node in shown.values():
        for above in _ancestors(node):
            if above.mem_id in around:
                break
            around.add(above.mem_id)
    return _Visible(shown.keys(), around)


def _hidden_parts(node: LexborNode, visible: _Visible) -> Iterator[LexborNode]:
    """Yield a hidden element, or what is hidden in it if it has visible elements."""
    if node.mem_id not in visible.around or not _hides_visibility(node):
        yield node
        return
    ahead = [node]
    while ahead:
        for child in ahead.pop().iter(include_text=True):
            if child.mem_id in visible.shown or _hides_visibility(child):
                continue  # the latter has a turn of its own
            if child.mem_id in visible.around:
                ahead.append(child)
            else:
                yield child


def _hides_visibility(node: LexborNode) -> bool:
    """Return whether an element is rendered and invisible by its own inline style."""
    style = node.attributes.get("style") if node.is_element_node else None
    return hides(style) and not removes(style)


def remove_boilerplate(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Remove boilerplate, except the nodes `kept`, given by their ids."""
    remove(document.css(BOILERPLATE), kept)
    components = _components(document)
    margins = (node for node in document.css(MARGINS) if not node.css_first("h1"))
    remove((node for node in margins if not components.include(node)), kept)


def _components(document: LexborHTMLParser) -> Surroundings:
    """Return the shadow roots that have a header or footer of their own, such as those of cards.

    A component with most of the page's text is its frame, and one with nothing beside a header or
    footer is that of the page.
    """
    roots = document.css(SHADOW_ROOT)
    characters = len(document.body.text()) if roots and document.body else 0

    def is_one(node: LexborNode) -> bool:
        """Return whether an element is the shadow root of such a component."""
        if node.tag != SHADOW_ROOT:
            return False
        text = len(node.text().strip())
        margins = sum(len(one.text().strip()) for one in node.css("header, footer"))
        return margins < text and 2 * text < characters

    return Surroundings(is_one)


def remove(nodes: Iterable[LexborNode], kept: AbstractSet[int] = NONE) -> None:
    """Remove nodes from their document, descendants before ancestors."""
    found = {node.mem_id: node for node in nodes}
    for number, node in reversed(found.items()):
        if number not in kept and node.tag not in _FRAME:
            node.decompose()


def main_part(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """Return the element that the page marks as main, if any, with the title above it.

    What stands between them, such as a summary or a byline, comes too, unless it is mostly links.
    An element with little text is not the main content, whatever its markup.
    """
    body = document.body or document.root
    mains = document.css(MAIN)
    if body is None or len(mains) != 1:
        return () if body is None else (body,)
    main, title = mains[0], document.css_first("h1")
    if 2 * len(main.text()) < len(body.text()):
        return (body,)
    if title is None or main.css_first("h1"):
        return (main,)
    return (title, *filterfalse(_is_mostly_links, _between(title, main)), main)


def _between(first: LexborNode, last: LexborNode) -> Iterator[LexborNode]:
    """Yield the nodes from the end of one node to the start of another; none if it comes before."""
    around = {last.mem_id, *(node.mem_id for node in _ancestors(last))}
    after: list[LexborNode] = []
    node: LexborNode | None = first
    while node is not None and node.mem_id not in around:
        following = node.next
        while following is not None and following.mem_id not in around:
            after.append(following)
            following = following.next
        if following is not None:
            yield from after
            return
        node = node.parent


def _ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _is_mostly_links(node: LexborNode) -> bool:
    """Return whether at least half of the text of a node is in links, or it has none."""
    characters = len(node.text().strip())
    links = (node,) if node.tag == "a" else node.css("a") if node.is_element_node else ()
    return 2 * sum(len(link.text().strip()) for link in links) >= characters


def hides(style: str | None) -> bool:
    """Return whether an inline style hides its element."""
    return style is not None and _HIDDEN.search(style) is not None


def removes(style: str | None) -> bool:
    """Return whether an inline style hides its element with all that it contains."""
    return style is not None and _NOT_RENDERED.search(style) is not None


def shows(style: str | None) -> bool:
    """Return whether an inline style shows its element in an invisible one."""
    return style is not None and _SHOWN.search(style) is not None


def _is_panel(node: LexborNode, controlled: AbstractSet[str]) -> bool:
    """Return whether a hidden element is shown by a control, `controlled` by its id.

    An element that consists of links is a menu, except the panel of a tab.
    """
    if node.tag in _NEVER_PANELS:
        return False
    attributes = node.attributes
    role = attributes.get("role") or ""
    if role in POPUP_ROLES:
        return False
    if role == "tabpanel":
        return True
    if role != "region" and (attributes.get("id") or "") not in controlled:
        return False
    links = sum(len(link.text()) for link in node.css("a"))
    return 2 * links < len(node.text())


def _is_hidden(node: LexborNode) -> bool:
    """Return whether an element is hidden; formulas can be hidden visually and still be read."""
    child = node.first_child
    return hides(node.attributes["style"]) and not (child is not None and child.tag == "math")


# The main content.

_ROOTS = frozenset(
    {"article", "aside", "blockquote", "body", "center", "details", "div", "dl", "fieldset"}
    | {"figure", "footer", "form", "header", "main", "ol", "pre", "section", "table", "td", "ul"}
)
"""Elements that can be the root of the main content."""

_MARKS = frozenset({"hr"})
"""Elements without text that always belong to the surrounding text."""

_PICTURE = "figure"
"""Its picture can be kept without its caption."""


def pruned(page: ShapedPage, kept: Iterable[TextRun]) -> LexborNode:
    """Remove everything else, and return the innermost element that contains all that is kept.

    Elements without text, such as pictures, follow most of the surrounding text.
    """
    pruning = _Pruning.of(page, kept)
    root = pruning.root()
    pruning.take_out()
    return root


@attrs.frozen
class _Pruning:
    """The parts of a page that are kept and removed.

    Attributes:
        kept: the ids of the blocks that are kept.
        chars: kept characters of each kind, by number.
        gone: whether a kind is removed.
    """

    page: ShapedPage
    kept: AbstractSet[int]
    chars: list[int]
    gone: list[bool]

    @classmethod
    def of(cls, page: ShapedPage, kept: Iterable[TextRun]) -> "_Pruning":
        """Return the state in which `kept` stays, before a root is chosen."""
        chars = [0] * len(page.kinds)
        stays = set[int]()
        for strand in kept:
            chars[strand.kind.number] += strand.tally.chars
            stays.update(map(id, strand.blocks))
        for kind in reversed(page.kinds):
            if kind.parent is not None:
                chars[kind.parent.number] += chars[kind.number]
        gone: list[bool] = []
        for kind in page.kinds:
            parent = kind.parent
            gone.append(parent is not None and (gone[parent.number] or _goes(kind, parent, chars)))
        return cls(page, stays, chars, gone)

    def root(self) -> LexborNode:
        """Return the innermost element that contains all kept text and can be a root."""
        root, inner = self.page.kinds[0], self.page.kinds[0]
        for kind in self.page.kinds[1:]:
            is_only = kind.parent is inner and len(kind.nodes) == 1
            if is_only and self.chars[kind.number] == self.chars[0]:
                inner = kind
                root = kind if kind.tag in _ROOTS else root
        return root.nodes[0]

    def take_out(self) -> None:
        """Remove nodes, descendants before ancestors: a removed node must not be touched."""
        outermost: list[LexborNode] = []
        for kind in self.page.kinds:
            parent = kind.parent
            if self.gone[kind.number] and parent is not None and not self.gone[parent.number]:
                outermost.extend(kind.nodes)
        alone = [  # text that is removed without its element
            node
            for strand in self.page.strands
            if not self.gone[strand.kind.number]
            for block in strand.blocks
            if id(block) not in self.kept
            for node in block.nodes
            if node.mem_id not in self.page.wrapping
        ]
        for node in [*self.page.boilerplate, *outermost, *alone]:
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


# The probability that text is content, by weights learned from labelled pages.
#
# ``content_score.json`` has the learned weights, and nothing of the pages themselves.
# ``article_score.json`` has those for pages that declare themselves articles: further articles were
# labelled for them, by which other pages would be read worse. Both are regenerated by
# ``bench/reading_weights.py``, and have two parts:
#
# * ``words``: the weights of words in labels, that is how strongly a tag, class, id or role
#   indicates content, all else unknown (a logistic regression);
# * ``trees``: decision trees; a fork has a signal, a threshold, and the branches up to and above
#   it; a leaf is a number. The sum of one leaf per tree is the logarithm of the odds that a text
#   run is content (gradient-boosted trees).

_WORD = re.compile(r"<[a-z][a-z0-9-]*|[A-Z]?[a-z]+|[A-Z]+")
_LABELS_MAX = 10_000


@attrs.frozen
class ContentScore:
    """The learned model of content.

    Attributes:
        worth: weight of a kind's label: above 0 for content, below for boilerplate.
        trees: the logarithmic odds of content, from all signals in order.
    """

    worth: Callable[[str], float]
    trees: Callable[..., float]

    @classmethod
    def of(cls, table: bytes) -> "ContentScore":
        """Parse a table of weights."""
        learned = msgspec.json.decode(table, type=_Learned)
        # Compiling the trees to one function of the signals is ten times as fast as walking them.
        numbers = ", ".join(map(_source, learned.trees))
        function: Callable[..., float] = eval(  # noqa: S307 - a table of our own, and checked
            f"lambda {', '.join(SIGNALS)}: sum(({numbers},))"
        )
        return cls(_remembered(learned.words), function)

    def likelihood(self, signals: Signals) -> float:
        """Return the probability, from 0 to 1, that a text run with these signals is content."""
        return 1 / (1 + math.exp(-self.trees(*signals)))


@cache
def shipped_score(*, is_article: bool) -> ContentScore:
    """Return the shipped model of articles, or that of other pages."""
    name = "article_score.json" if is_article else "content_score.json"
    return ContentScore.of(files(__package__ or "").joinpath(name).read_bytes())


def words_of(label: str) -> list[str]:
    """Return the words of a label; the tag's word begins with ``<``."""
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
    """Return a cached function for the weight of a label: labels repeat within and across pages."""

    @lru_cache(_LABELS_MAX)
    def parts(name: str) -> tuple[float, ...]:
        """Return the weights of the known words of a name; names repeat in many labels."""
        return tuple(words[word] for word in words_of(name) if word in words)

    @lru_cache(_LABELS_MAX)
    def worth(label: str) -> float:
        """Return the sum over the words of `label`; unknown words count 0."""
        return sum([part for name in label.split() for part in parts(name)])

    return worth


def _source(tree: _Tree) -> str:
    if not isinstance(tree, _Fork):
        return repr(tree)
    signal = SIGNALS[SIGNALS.index(tree.signal)]
    return f"({_source(tree.low)} if {signal} <= {tree.limit!r} else {_source(tree.high)})"


# Choosing the main content.
#
# The elements of the body are grouped into kinds, and its text into runs (`dom_shapes`). A few
# numbers are computed for each run (`signals`), and weights that were learned from labelled pages
# turn them into the probability that it is content (`ContentScore`). The best part to read as a
# whole is kept (`pruned`); comments on an article are left out from the start. The words of the
# text do not count, so that no language has an advantage.

_CAUTION = 1.07
"""Factor on the optimal threshold. Errors of text runs on one page are correlated, which the odds
ignore."""


_RECORDS_MIN = 4
"""Least number of elements that are records of a list."""

_RECORDS_PULL = 0.3
"""How far, from 0 to 1, the mean of records moves the likelihood of a text run in them."""


def main_content(document: LexborHTMLParser) -> tuple[LexborNode, ...]:
    """Return the roots of the main content in document order; all else is removed from them.

    A page with text has content. A page without text is left unchanged: its body is the root.

    Args:
        document: any document; it is modified, so the caller must discard it.
    """
    body = document.body
    if body is None:
        return ()
    page = group_similar_elements(body)
    if not page.strands:
        return (body,)
    head = PageHead.of(document)
    score = shipped_score(is_article=head.is_article)
    return (pruned(page, content(page, head, score)),)


def content(page: ShapedPage, head: PageHead, score: ContentScore) -> list[TextRun]:
    """Return the text runs that are content; at least one, if there are any.

    The least likelihood of a run maximizes the expected harmonic mean of precision and recall (F1),
    in characters: keeping a run raises this mean if its likelihood is above half of the mean.
    """
    page = without_comments(page, head)
    likelihoods = [score.likelihood(signals) for signals in signals_of(page, head, score.worth)]
    if not head.is_article:
        likelihoods = _by_records(page, likelihoods)
    chars = [strand.tally.chars for strand in page.strands]
    expected = sum(map(operator.mul, likelihoods, chars))
    best, right, kept = 0.0, 0.0, 0
    for likelihood, more in sorted(zip(likelihoods, chars, strict=True), reverse=True):
        right += likelihood * more
        kept += more
        best = max(best, 2 * right / (kept + expected))
    least = min(_CAUTION * (best / 2), max(likelihoods, default=0.0))
    pairs = zip(likelihoods, page.strands, strict=True)
    best_runs = [strand for likelihood, strand in pairs if likelihood >= least]
    return with_attached(page, best_runs, head.title)


def _by_records(page: ShapedPage, likelihoods: list[float]) -> list[float]:
    """Return the likelihoods of text runs, each nearer to the mean of the records that it is in.

    The records of a list, such as its cards or rows, are content with most of what they have, or
    not at all. A page that declares itself an article has few lists that are content.
    """
    outermost: list[int | None] = []
    for kind in page.kinds:
        outer = None if kind.parent is None else outermost[kind.parent.number]
        is_record = outer is None and len(kind.nodes) >= _RECORDS_MIN
        outermost.append(kind.number if is_record else outer)
    records = [outermost[strand.kind.number] for strand in page.strands]
    expected, chars = defaultdict[int, float](float), defaultdict[int, int](int)
    for strand, likelihood, record in zip(page.strands, likelihoods, records, strict=True):
        if record is not None:
            expected[record] += likelihood * strand.tally.chars
            chars[record] += strand.tally.chars
    return [
        likelihood
        if record is None
        else likelihood + _RECORDS_PULL * (expected[record] / chars[record] - likelihood)
        for likelihood, record in zip(likelihoods, records, strict=True)
    ]
