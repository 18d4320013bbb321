"""What stands round the kinds of a folded page."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from tabwright.content.readability.dom_shapes import Kind
from tabwright.reading.comments import names_comments

Worth: TypeAlias = Callable[[str], float]
"""What a kind's label says of it: above 0 for content, below for furniture."""

_WORTH_MAX = 3.0


class Surroundings(NamedTuple):
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


def surroundings_of(kinds: list[Kind], worth: Worth) -> dict[int, Surroundings]:
    """Those of the kinds with text, by their numbers.

    Args:
        kinds: all of a page.
        worth: of their labels.
    """
    way = _way_to_core(kinds)
    on_way = {kind.number for kind in way}
    found: dict[int, Surroundings] = {}
    for kind in kinds:
        if kind.tally.chars:
            outer = found[kind.parent.number] if kind.parent else _nothing(kind)
            own = max(-_WORTH_MAX, min(_WORTH_MAX, worth(kind.label)))
            is_on_way = kind.number in on_way
            found[kind.number] = Surroundings(
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


def _nothing(body: Kind) -> Surroundings:
    """What the body is in."""
    return Surroundings(
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


def _way_to_core(kinds: list[Kind]) -> list[Kind]:
    all_prose = kinds[0].tally.prose
    way = [kinds[0]]
    for kind in kinds[1:]:
        if kind.parent is way[-1] and 2 * kind.tally.prose > all_prose:
            way.append(kind)
    return way


def _group(kind: Kind, outer: Kind | None, on_way: set[int]) -> Kind:
    """A group on the way to the core has all there is in it, and outdoes no other."""
    parent = kind.parent
    if outer is None or parent is None or parent.number in on_way:
        return kind
    return kind if 2 * kind.tally.chars >= outer.tally.chars else outer
