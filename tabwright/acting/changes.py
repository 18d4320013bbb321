"""What has changed between two outlines of a page."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import attrs

from tabwright.page.outline import Control, Line, Outline, Part
from tabwright.page.outline_text import line_text
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.text.own_tools import OWN
from tabwright.text.token_budget import count_within, cut

COMPARED_MAX = 300
"""Lines in the middle, where the two differ: these compare in a tenth of a second at the worst, and
what more there are is compared as a set."""

CHANGE_TOKENS_MAX = 120
"""Of one line; a snapshot has all of it."""

TOKENS_MIN = 150
"""Of a budget: room for a line, and for how many there are more."""


def changes(before: Outline, after: Outline, max_tokens: int) -> tuple[str, tuple[Note, ...]]:
    """The lines that came (``+``) and went (``-``), and what we say of those that are left out.

    Each is empty for none.

    Args:
        before: the page as it was.
        after: the page as it is.
        max_tokens: what the text may have, or `TOKENS_MIN` where that is less; 0 for no limit.
    """
    old = list(map(_compared, before.lines))
    new = list(map(_compared, after.lines))
    came = after.refs - before.refs
    shown = [line_text(line, new=came) for line in after.lines]
    told = [cut(line, CHANGE_TOKENS_MAX) for line in _changed(old, new, shown)]

    def more(count: int) -> Hint:
        """What is said of the changes beyond the first `count`."""
        return Hint(HintKind.MORE_CHANGES, {"count": len(told) - count})

    budget = max_tokens and max(max_tokens, TOKENS_MIN)
    count = count_within(told, budget, lambda count: OWN.hint(more(count)))
    return "\n".join(told[:count]), (more(count),) if count < len(told) else ()


def _compared(line: Line) -> str:
    """The line without where the focus is: that goes wherever something is done."""
    return line_text(attrs.evolve(line, parts=tuple(map(_unfocused, line.parts))))


def _unfocused(part: Part) -> Part:
    if isinstance(part, Control) and "focused" in part.states:
        return attrs.evolve(part, states=tuple(one for one in part.states if one != "focused"))
    return part


def _changed(old: Sequence[str], new: Sequence[str], marked: Sequence[str]) -> Iterator[str]:
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    shown = marked[start : len(new) - end]
    if max(len(gone), len(come)) > COMPARED_MAX:
        yield from _by_sets(gone, come, shown)
        return
    for kind, i, j, k, m in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"- {line.strip()}" for line in gone[i:j])
            yield from (f"+ {line.strip()}" for line in shown[k:m])


def _by_sets(gone: Sequence[str], come: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    old, new = set(gone), set(come)
    yield from (f"- {line.strip()}" for line in gone if line not in new)
    yield from (
        f"+ {mark.strip()}" for line, mark in zip(come, shown, strict=True) if line not in old
    )


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same from the beginning on."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
