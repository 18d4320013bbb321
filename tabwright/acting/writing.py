"""An outline as text within a budget: what is left out is named, and how to get it."""

from collections.abc import Iterator, Sequence

from tabwright.acting.line_text import harmless, line_text
from tabwright.acting.outlines import Line, Outline, ref_of
from tabwright.protocol.outlines import ListedControl, OutlineText, OutlineView
from tabwright.reading.tokens import tokens_in

HEAD_TOKENS = 60
"""What the lines that tell of the page itself, and of what is left out, may take at most."""


def written(outline: Outline, view: OutlineView, new: frozenset[str] = frozenset()) -> OutlineText:
    """The outline as text, at most `view.max_tokens` of it.

    Args:
        outline: the page.
        view: which part of it, and how much.
        new: refs that were not there before; they are marked by a star.
    """
    lines = [line for line in outline.lines if line.seen or not view.viewport]
    if view.query:
        lines = list(_matching(lines, view.query))
    texts = [line_text(line, new=new, whole=bool(view.query)) for line in lines]
    head = _head(outline)
    budget = view.max_tokens - HEAD_TOKENS if view.max_tokens else None
    last = _fitting(texts, view.offset, budget)
    body = texts[view.offset : last]
    rest = _rest(outline, view, len(texts), last)
    next_offset = last if last < len(texts) else None
    text = "\n".join((head, *body, *rest))
    return OutlineText(
        text,
        outline.url,
        outline.title,
        next_offset,
        len(texts),
        tuple(_listed(lines, new)),
        outline.top,
        outline.below,
    )


def _listed(lines: Sequence[Line], new: frozenset[str]) -> Iterator[ListedControl]:
    for line in lines:
        for control in line.controls:
            ref = ref_of(line.document, control)
            yield ListedControl(
                ref,
                control.role,
                control.name,
                control.value,
                control.states,
                control.url,
                line.depth,
                ref in new,
            )


def _head(outline: Outline) -> str:
    title = harmless(outline.title)[:100]
    away = outline.top or outline.below
    place = f", {outline.top} px above, {outline.below} px below" if away else ""
    return f"{title} <{harmless(outline.url[:200])}>{place}".strip()


def _rest(outline: Outline, view: OutlineView, count: int, last: int) -> Iterator[str]:
    if last < count:
        yield f"({count - last} more lines: offset={last}, or narrow it by query or ref)"
    if view.query and not count:
        yield f"(Nothing on the page holds {view.query!r}.)"
    elif not count:
        yield "(The page shows nothing.)"
    elif view.offset >= count:
        yield f"(There is nothing at {view.offset}: the page has {count} lines.)"
    if outline.cut:
        yield "(The page is longer than can be listed.)"
    if outline.hidden and not view.query and last >= count:
        yield f"({outline.hidden} controls are hidden: hidden=true lists them)"


def _fitting(texts: Sequence[str], offset: int, budget: int | None) -> int:
    """Up to which line the budget reaches; one line is given in any case."""
    if budget is None:
        return len(texts)
    left = budget
    for place in range(offset, len(texts)):
        left -= tokens_in(texts[place]) + 1
        if left < 0:
            return max(place, offset + 1)
    return len(texts)


def _matching(lines: Sequence[Line], query: str) -> Iterator[Line]:
    """The lines that hold all words, each with those that it stands under."""
    words = query.casefold().split()
    above: list[Line] = []
    for line in lines:
        while above and above[-1].depth >= line.depth:
            above.pop()
        text = line_text(line, whole=True).casefold()
        if all(word in text for word in words):
            yield from above
            above.clear()
            yield line
        else:
            above.append(line)
