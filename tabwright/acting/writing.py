"""An outline as text within a budget: what is left out is named, and how to get it."""

from collections.abc import Iterator, Sequence

import attrs

from tabwright.page.outline import Line, Outline, ref_of
from tabwright.page.outline_text import harmless, line_text, link_hint, shortened
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.protocol.inspection import ListedControl, OutlineText, OutlineView
from tabwright.text.token_budget import cut, fitting, tokens_in, wrapped

TITLE_TOKENS_MAX = 24
URL_TOKENS_MAX = 60
QUERY_TOKENS_MAX = 20

OUTLINE_LINE_TOKENS_MAX = 120
"""A line that has more goes on in the next one, so that every budget has room for a line."""

REST_TOKENS_MAX = 60
"""What is said of all that is left out."""

TOKENS_MIN = 280
"""Of a budget: room for what is said of the page, a line, and what is said of the rest."""


@attrs.frozen
class _Piece:
    """A line of the text, and the line of the outline that it is of, or a part."""

    text: str
    line: Line


def written(outline: Outline, view: OutlineView, new: frozenset[str] = frozenset()) -> OutlineText:
    """The outline as text, at most `view.max_tokens` of it, or `TOKENS_MIN` where that is less.

    Args:
        outline: the page.
        view: which part of it, and how much.
        new: refs that were not there before; they are marked by a star.
    """
    lines = [line for line in outline.lines if line.seen or not view.viewport]
    if view.query:
        lines = list(_matching(lines, view.query))
    found = len(lines)
    lines = [line for line in lines if view.depth is None or line.depth < view.depth]
    pieces = list(_pieces(lines, new, whole=view.whole or bool(view.query)))
    head = _head(outline)
    given = pieces[view.offset :][: _count(pieces[view.offset :], head, view.max_tokens)]
    last = view.offset + len(given)
    deeper = found - len(lines)
    below = (f"({deeper} lines are nested deeper: raise depth)",) if deeper else ()
    notes = (*_rest(outline, view, len(pieces), last), *below, *_legend(given, view))
    text = "\n".join((head, *(piece.text for piece in given)))
    return OutlineText(
        text,
        outline.url,
        outline.title,
        last if last < len(pieces) else None,
        len(pieces),
        tuple(_listed(lines, new)),
        outline.top,
        outline.below,
        notes=notes,
    )


def _pieces(lines: Sequence[Line], new: frozenset[str], *, whole: bool) -> Iterator[_Piece]:
    for line in lines:
        for text in wrapped(line_text(line, new=new, whole=whole), OUTLINE_LINE_TOKENS_MAX):
            yield _Piece(text, line)


def _count(pieces: Sequence[_Piece], head: str, max_tokens: int) -> int:
    """How many of them the budget has room for."""
    if not max_tokens:
        return len(pieces)
    room = max(max_tokens, TOKENS_MIN) - tokens_in(head) - REST_TOKENS_MAX
    return fitting([piece.text for piece in pieces], room)


def _listed(lines: Sequence[Line], new: frozenset[str]) -> Iterator[ListedControl]:
    for line in lines:
        for control in line.controls:
            ref = ref_of(line.document, control)
            yield ListedControl(
                ref,
                control.role,
                harmless(shortened(control.name)),
                harmless(shortened(control.value)),
                control.states,
                harmless(control.url),
                line.depth,
                ref in new,
            )


def _head(outline: Outline) -> str:
    title = cut(harmless(outline.title), TITLE_TOKENS_MAX)
    url = cut(harmless(outline.url), URL_TOKENS_MAX)
    away = ((outline.top, "above"), (outline.below, "below"))
    places = (f", {pixels} px {where}" for pixels, where in away if pixels)
    return f"{title} <{url}>{''.join(places)}".strip()


def _rest(outline: Outline, view: OutlineView, count: int, last: int) -> Iterator[Note]:
    if last < count:
        yield Hint(HintKind.MORE_LINES, {"count": count - last, "offset": last})
    if view.query and not count:
        query = cut(harmless(view.query), QUERY_TOKENS_MAX)
        yield f"(Nothing on the page holds {query!r}.)"
    elif not count:
        yield "(The page shows nothing.)"
    elif view.offset >= count:
        yield f"(There is nothing at {view.offset}: the page has {count} lines.)"
    if outline.cut:
        yield "(The page is longer than can be listed.)"
    if outline.hidden and not view.query and last >= count:
        yield Hint(HintKind.HIDDEN_CONTROLS, {"count": outline.hidden})


def _legend(given: Sequence[_Piece], view: OutlineView) -> Iterator[Hint]:
    """What is said of addresses that are not told whole."""
    controls = (control for piece in given for control in piece.line.controls)
    if not (view.whole or view.query) and any("…" in link_hint(control) for control in controls):
        yield Hint(HintKind.SHORTENED_ADDRESSES)


def _matching(lines: Sequence[Line], query: str) -> Iterator[Line]:
    """The lines that hold all words, each with those that it stands under."""
    words = query.casefold().split()
    above: list[Line] = []
    for line in lines:
        while above and above[-1].depth >= line.depth:
            above.pop()
        if _holds(line, words):
            yield from above
            above.clear()
            yield line
        else:
            above.append(line)


def _holds(line: Line, words: Sequence[str]) -> bool:
    """Whether all words are in its text, or in what its controls are."""
    roles = (control.role for control in line.controls)
    text = " ".join((line_text(line, whole=True).casefold(), *roles))
    return all(word in text for word in words)
