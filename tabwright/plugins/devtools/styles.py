"""The styles of an element: computed values, and the rules that apply to it."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress

import attrs
import trio

from tabwright.cdp.domains import css, dom
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.frames import ANSWER_S, UNDO_S
from tabwright.protocol.inspection import Inspection

SHEETS_S = 0.1
"""Seconds for the style sheets to be reported: they come before the reply of CSS.enable."""

COMMON = (
    "display",
    "position",
    "width",
    "height",
    "margin",
    "padding",
    "color",
    "background-color",
    "font-size",
    "font-family",
    "z-index",
    "opacity",
    "visibility",
    "overflow",
    "pointer-events",
)
"""The properties that are returned if none are requested."""

Sheets = Mapping[str, css.StyleSheetHeader]


@attrs.frozen
class MatchedRule:
    """A CSS rule that applies to an element.

    Attributes:
        selector: its selector; empty for the ``style`` attribute.
        declarations: names and values as written.
        place: the style sheet and the line; empty if unknown.
        media: the conditions around it.
    """

    selector: str
    declarations: tuple[tuple[str, str], ...]
    place: str = ""
    media: tuple[str, ...] = ()


@attrs.frozen
class ElementStyles:
    """The styles of an element.

    Attributes:
        computed: the requested properties with their computed values.
        rules: those that match, the strongest first; browser defaults are left out.
    """

    computed: tuple[tuple[str, str], ...]
    rules: tuple[MatchedRule, ...]


@attrs.frozen
class ReadStyles(Inspection[ElementStyles]):
    """Return the styles of an element; refused with `BadInput` if there is no such element.

    Attributes:
        ref: of the element.
        properties: the computed properties to return.
    """

    ref: str
    properties: tuple[str, ...] = ()


@answers(ReadStyles)
async def read_styles(runner: ActionRunner, request: ReadStyles) -> ElementStyles:
    """Return the computed styles of an element, and the rules that set them."""
    element = await runner.targets.find(request.ref)
    handle = await runner.documents.handle(element)
    session = element.document.session
    with trio.fail_after(ANSWER_S):
        async with _style_sheets(session) as sheets:
            node = await session.execute(dom.request_node(handle))
            matched, computed = await session.execute_both(
                css.get_matched_styles(node.node_id), css.get_computed_style(node.node_id)
            )
    wanted = request.properties or COMMON
    values = {one.name: one.value for one in computed.computed_style}
    return ElementStyles(
        tuple((name, values[name]) for name in wanted if name in values),
        tuple(matched_rules(matched, sheets)),
    )


@asynccontextmanager
async def _style_sheets(session: CDPSession) -> AsyncGenerator[Sheets]:
    """Enable the domains for the block, and yield the style sheets of the document by their ids."""
    try:
        with session.subscribe(css.StyleSheetAdded) as added:
            await session.execute_all((dom.enable(), dom.get_root(), css.enable()))
            sheets: dict[str, css.StyleSheetHeader] = {}
            with trio.move_on_after(SHEETS_S):
                async for event in added:
                    sheets[event.header.style_sheet_id] = event.header
        yield sheets
    finally:
        with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
            await session.execute_all((css.disable(), dom.disable()))


def matched_rules(matched: css.MatchedStyles, sheets: Sheets) -> Iterator[MatchedRule]:
    """Yield the rules of the page that apply, the strongest first."""
    if own := _declarations(matched.inline_style):
        yield MatchedRule("", own)
    for match in reversed(matched.matched_rules):
        rule = match.rule
        if rule.origin == "regular" and (declarations := _declarations(rule.style)):
            sheet = sheets.get(rule.style_sheet_id)
            yield MatchedRule(
                rule.selector_list.text,
                declarations,
                f"{sheet.source_url}:{int(rule.style.range.start_line) + 1}" if sheet else "",
                tuple(one.text for one in rule.media if one.text),
            )


def _declarations(style: css.CSSStyle) -> tuple[tuple[str, str], ...]:
    """Return the declarations as they are written, without those that follow from them."""
    return tuple(
        (one.name, one.value)
        for one in style.css_properties
        if one.text and not one.implicit and not one.disabled
    )
