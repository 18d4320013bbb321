"""An outline within a budget: omitted parts are named, with the way to get them."""

from collections.abc import Iterator, Sequence

import attrs

from tabwright.page.outline import HIDDEN, Outline, OutlineLine, ref_of
from tabwright.page.outline_text import LINE_TOKENS_MAX, escape_refs, line_text, link_hint, truncate
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.protocol.inspection import (
    ListedControl,
    OutlineText,
    OutlineView,
)
from tabwright.text.token_budget import (
    count_tokens,
    cut,
    truncate_to_budget,
    wrapped,
)

TITLE_TOKENS_MAX = 24
URL_TOKENS_MAX = 60
QUERY_TOKENS_MAX = 20

REST_TOKENS_MAX = 60
"""The note about all omitted parts."""

TOKENS_MIN = (
    TITLE_TOKENS_MAX + URL_TOKENS_MAX + QUERY_TOKENS_MAX + LINE_TOKENS_MAX + REST_TOKENS_MAX
)
"""Tokens of a budget for the note about the page, a line, and the note about the rest."""


HIDDEN_MATCH = "(Only hidden text matches. The control before it may show it.)"


@attrs.frozen
class _Piece:
    """A line of the text, and the line of the outline that it belongs to, whole or in part."""

    text: str
    line: OutlineLine


def written(outline: Outline, view: OutlineView, new: frozenset[str] = frozenset()) -> OutlineText:
    """Return the outline as text, at most `view.max_tokens` of it and at least `TOKENS_MIN`.

    Args:
        outline: the page.
        view: which part of it, and how much.
        new: new refs, which are marked by a star.
    """
    lines = _lines_of(outline, view)
    found = len(lines)
    lines = [line for line in lines if view.depth is None or line.depth < view.depth]
    whole = view.whole or bool(view.query)
    pieces = [
        _Piece(text, line)
        for line in lines
        for text in wrapped(line_text(line, new=new, whole=whole), LINE_TOKENS_MAX)
    ]
    title = cut(escape_refs(outline.title), TITLE_TOKENS_MAX)
    url = cut(escape_refs(outline.url), URL_TOKENS_MAX)
    away = ((outline.top, "above"), (outline.below, "below"))
    places = (f", {pixels} px {where}" for pixels, where in away if pixels)
    head = f"{title} <{url}>{''.join(places)}".strip()
    given = pieces[view.offset :][: _count(pieces[view.offset :], head, view.max_tokens)]
    last = view.offset + len(given)
    deeper = found - len(lines)
    below = (f"({deeper} lines are nested deeper: raise depth)",) if deeper else ()
    only_hidden = any(piece.line.kind == HIDDEN for piece in pieces)
    hidden = (HIDDEN_MATCH,) if only_hidden else ()
    notes = (*_rest(outline, view, len(pieces), last), *below, *hidden, *_legend(given, view))
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


def _lines_of(outline: Outline, view: OutlineView) -> list[OutlineLine]:
    """Return the lines to show: with a query those that match, or else hidden text that does."""
    lines = [line for line in outline.lines if line.seen or not view.viewport]
    if not view.query:
        return lines
    shown = [line for line in lines if line.kind != HIDDEN]
    return list(_matching(shown, view.query)) or list(_matching(lines, view.query))


def _count(pieces: Sequence[_Piece], head: str, max_tokens: int) -> int:
    """Return how many of the pieces fit into the budget."""
    if not max_tokens:
        return len(pieces)
    room = max(max_tokens, TOKENS_MIN) - count_tokens(head) - REST_TOKENS_MAX
    return truncate_to_budget([piece.text for piece in pieces], room)


def _listed(lines: Sequence[OutlineLine], new: frozenset[str]) -> Iterator[ListedControl]:
    for line in lines:
        for control in line.controls:
            ref = ref_of(line.document, control)
            yield ListedControl(
                ref,
                control.role,
                escape_refs(truncate(control.name)),
                escape_refs(truncate(control.value)),
                control.states,
                escape_refs(control.url),
                line.depth,
                ref in new,
            )


def _rest(outline: Outline, view: OutlineView, count: int, last: int) -> Iterator[Note]:
    if last < count:
        yield Hint(HintKind.MORE_LINES, {"count": count - last, "offset": last})
    if view.query and not count:
        yield _no_match(outline, view)
    elif not count:
        yield "(The page is empty.)"
    elif view.offset >= count:
        yield f"(Offset {view.offset} is past the end: the page has {count} lines.)"
    if outline.cut:
        yield "(The page is longer; the rest cannot be listed.)"
    if outline.unread_hosts:
        yield "(Elements that may have closed shadow roots were not all looked into.)"
    if (outline.hidden or outline.folded) and not view.query and last >= count:
        text = f", and {outline.folded} characters of text" if outline.folded else ""
        yield Hint(HintKind.HIDDEN_CONTROLS, {"count": f"{outline.hidden}{text}"})


def _no_match(outline: Outline, view: OutlineView) -> Note:
    """Return the note that no line matches the query, and whether its words are on the page."""
    query = cut(escape_refs(view.query), QUERY_TOKENS_MAX)
    lines = [line for line in outline.lines if line.seen or not view.viewport]
    text = "\n".join(line_text(line, whole=True) for line in lines).casefold()
    if all(word in text for word in view.query.casefold().split()):
        return f"(No line has all words of {query!r}, but the page has each: use fewer words.)"
    part = "in the visible part of the page" if view.viewport else "on the page"
    listed = " that is listed" if outline.cut else ""
    return f"(Nothing {part}{listed} matches {query!r}.)"


def _legend(given: Sequence[_Piece], view: OutlineView) -> Iterator[Hint]:
    """Return the note about shortened URLs."""
    links = (control for piece in given for control in piece.line.controls if control.url)
    if not (view.whole or view.query) and any("…" in link_hint(link) for link in links):
        yield Hint(HintKind.SHORTENED_ADDRESSES)


def _matching(lines: Sequence[OutlineLine], query: str) -> Iterator[OutlineLine]:
    """Return the lines that contain all words, each with its ancestors.

    Hidden text also comes with the line before it, which may be the control that shows it.
    """
    words = query.casefold().split()
    above: list[OutlineLine] = []
    before: OutlineLine | None = None
    for line in lines:
        is_hidden = line.kind == HIDDEN
        while above and above[-1].depth >= line.depth and not is_hidden:
            above.pop()
        roles = (control.role for control in line.controls)
        shown = " ".join((line_text(line, whole=True).casefold(), *roles))
        if all(word in shown for word in words):
            yield from above
            if is_hidden and before is not None and before not in above:
                yield before
            above.clear()
            before = None
            yield line
        elif not is_hidden:
            above.append(line)
            before = line
