"""Text that belongs to kept text: what that introduces, and the headings above it.

After "Run the following:" comes content, whatever it looks like. Labelled pages have little code,
and the lists in their articles are mostly links to other pages, so weights are wrong about both.
Of headings, weights see little more than their length.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from tabwright.content.readability.dom_shapes import (
    LINKED,
    LONG,
    Kind,
    ShapedPage,
    Tally,
    TextBlock,
    TextRun,
)
from tabwright.content.readability.signals import is_named, names_comments
from tabwright.text.lines import HEADING_LEVELS

_CODE = "pre"
_LISTINGS = frozenset({"dl", "ol", "table", "ul"})
_HEADLINE = "h1"
_COLONS = (":", "\N{FULLWIDTH COLON}")

_DEPTH_MAX = 20
"""Maximum number of kinds from a text to what it is looked for in."""

_LINKED_SHARE_MAX = 2 / 3
"""The share of a list of content that can be in links; menus and related pages have more."""

_WRAPPERS_MAX = 2
"""Maximum number of elements between a list and the element of the running text."""

_MARGINS = frozenset({"aside", "form"})
"""Elements beside the text that they are in."""

_CAPTION_CHARS_MAX = 30
"""Above and below code stand its language, its file name, and buttons such as "Copy"."""


def with_attached(page: ShapedPage, kept: list[TextRun], title: str) -> list[TextRun]:
    """Return the text runs that are kept, and further ones of the blocks that belong to them.

    Code is kept between kept blocks, and after one that ends with a colon; a list or a table after
    a long one that ends with a colon, if both are in the same element, and one under a heading
    among running text. A heading is kept above kept
    text in its element, unless it links or is that of the whole page.

    Args:
        page: the grouped page.
        kept: its text runs that are content.
        title: of the page.
    """
    places = {place for run in kept for place in run.places}
    more = _introduced_code(page, places) | _introduced_listings(page.blocks, places)
    more |= _listings_under_headings(page.blocks, places)
    more |= _headings(page.blocks, places | more, title)
    runs: dict[tuple[int, int], TextRun] = {}
    for place in sorted(more):
        block = page.blocks[place]
        key = block.kind.number, block.length_class
        if key not in runs:
            runs[key] = TextRun(block.kind, block.length_class, [], Tally())
        runs[key].add(block, place)
    return [*kept, *runs.values()]


def _introduced_code(page: ShapedPage, kept: AbstractSet[int]) -> set[int]:
    """Return the places of the blocks of code that kept blocks introduce."""
    codes = set[int]()
    for kind in page.kinds:
        if kind.tag == _CODE or (kind.parent is not None and kind.parent.number in codes):
            codes.add(kind.number)
    if not codes:
        return set()
    blocks = page.blocks

    def nearest(places: Iterable[int]) -> dict[int, int]:
        """Return for code the last kept block, if only code and its captions are in between."""
        found: dict[int, int] = {}
        last = -1
        for place in places:
            if place in kept:
                last = place
            elif blocks[place].kind.number in codes:
                found[place] = last
            elif blocks[place].chars > _CAPTION_CHARS_MAX:
                last = -1
        return {place: near for place, near in found.items() if near >= 0}

    before, after = nearest(range(len(blocks))), nearest(reversed(range(len(blocks))))
    colons = {place for place in set(before.values()) if _ends_with_colon(blocks[place])}
    return {place for place, last in before.items() if place in after or last in colons}


def _introduced_listings(blocks: list[TextBlock], kept: AbstractSet[int]) -> set[int]:
    """Return the places of the blocks in lists and tables that kept blocks introduce."""
    found = set[int]()
    for place in range(1, len(blocks)):
        if place in kept or place - 1 not in kept:
            continue
        before = blocks[place - 1]
        listing = _listing(blocks[place].kind, before.kind)
        if listing is None or before.length_class != LONG or not _ends_with_colon(before):
            continue
        for member in range(place, len(blocks)):
            if member in kept or listing not in _around(blocks[member].kind):
                break
            found.add(member)
    return found


def _listings_under_headings(blocks: list[TextBlock], kept: AbstractSet[int]) -> set[int]:
    """Return the places of the blocks in lists and tables under headings among running text.

    Such a list says more than its links; a table can be all links, such as the members of a class.
    """
    of_text = {blocks[place].kind.parent for place in kept if blocks[place].prose}
    found = set[int]()
    for place in range(1, len(blocks)):
        heading = blocks[place - 1].kind
        if place in kept or heading.tag not in HEADING_LEVELS:
            continue
        listing = _listing_beside(blocks[place].kind, heading, of_text)
        if listing is None:
            continue
        members = [place]
        while members[-1] + 1 < len(blocks) and listing in _around(blocks[members[-1] + 1].kind):
            members.append(members[-1] + 1)
        linked = sum(blocks[member].linked for member in members)
        chars = sum(blocks[member].chars for member in members)
        is_content = listing.tag == "table" or linked <= _LINKED_SHARE_MAX * chars
        if is_content and kept.isdisjoint(members):
            found.update(members)
    return found


def _listing_beside(kind: Kind, heading: Kind, of_text: AbstractSet[Kind | None]) -> Kind | None:
    """Return the list or table that a kind is in, if it is beside a heading among running text.

    Both can be in wrappers there, if these are neither repeated nor beside the text.
    """
    around = _around(kind)
    listing = next(
        (one for one in around if one.tag in _LISTINGS and one.parent is heading.parent), None
    )
    if listing is None or names_comments(heading.label):
        return None
    start = around.index(listing)
    for outer in around[start : start + _WRAPPERS_MAX + 2]:
        if outer in of_text:
            return listing
        if names_comments(outer.label):
            return None
        if outer is not listing and (len(outer.nodes) > 1 or outer.tag in _MARGINS):
            return None
    return None


def _headings(blocks: list[TextBlock], kept: AbstractSet[int], title: str) -> set[int]:
    """Return the places of the headings above kept blocks."""
    found = set[int]()
    below: TextBlock | None = None
    for place in reversed(range(len(blocks))):
        block = blocks[place]
        if place in kept:
            below = block
        elif block.kind.tag not in HEADING_LEVELS:
            below = None
        elif (
            below is not None
            and block.kind.tag != _HEADLINE
            and block.length_class != LINKED
            and block.kind.parent is not None
            and block.kind.parent in _around(below.kind)
            and not is_named(block, title)
        ):
            found.add(place)
    return found


def _ends_with_colon(block: TextBlock) -> bool:
    return block.text().endswith(_COLONS)


def _listing(kind: Kind, before: Kind) -> Kind | None:
    """Return the list or table that a kind is in, if it is beside or inside the one before.

    An element with no other text than a list or a table is one.
    """
    chars = 0
    for around in _around(kind):
        if around.tag in _LISTINGS:
            chars = around.tally.chars
        if around.parent in {before, before.parent}:
            return around if around.tally.chars == chars else None
    return None


def _around(kind: Kind) -> list[Kind]:
    """Return a kind and the kinds around it, the innermost first."""
    found = [kind]
    while (outer := found[-1].parent) is not None and len(found) < _DEPTH_MAX:
        found.append(outer)
    return found
