"""Lists of ``snapshot``: links and forms of a page, and elements that a locator matches."""

from typing import get_args

import attrs
import msgspec

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.tool import ToolContext, ToolResult
from tabwright.protocol.inspection import FindElements
from tabwright.protocol.snapshot import LinkKind, PageSnapshot
from tabwright.text.lines import verbatim
from tabwright.text.token_budget import listed, stretch

_LINK = object_schema(
    {
        "number": {"type": "integer"},
        "text": {"type": "string"},
        "url": {"type": "string"},
        "kind": {"type": "string", "enum": list(get_args(LinkKind))},
    },
    required=["number", "text", "url", "kind"],
)

_OPTION = object_schema(
    {
        "value": {"type": "string"},
        "label": {"type": "string"},
        "selected": {"type": "boolean"},
    },
    required=["value", "label"],
)

_FIELD = object_schema(
    {
        "name": {"type": "string"},
        "type": {"type": "string"},
        "value": {"type": "string"},
        "label": {"type": "string"},
        "id": {"type": "string"},
        "required": {"type": "boolean"},
        "hidden": {"type": "boolean"},
        "checked": {"type": "boolean"},
        "disabled": {"type": "boolean"},
        "multiple": {"type": "boolean"},
        "options": {"type": "array", "items": _OPTION},
    },
    required=["name", "type"],
)

_FORM = object_schema(
    {
        "index": {"type": "integer"},
        "action": {"type": "string"},
        "method": {"type": "string", "enum": ["GET", "POST"]},
        "encoding": {"type": "string"},
        "id": {"type": "string"},
        "name": {"type": "string"},
        "fields": {"type": "array", "items": _FIELD},
    },
    required=["index", "action", "method", "fields"],
)

LISTINGS: JSONObject = {
    "links": {"type": "array", "items": _LINK, "description": "With format links."},
    "forms": {"type": "array", "items": _FORM, "description": "With format forms."},
    "count": {"type": "integer", "description": "With find: number of matching elements."},
    "elements": {
        "type": "array",
        "items": {"type": "object"},
        "description": "The first of them: ref, and role and name or text.",
    },
}
"""The fields of the records. Empty fields of forms are left out."""

NO_LINKS = "(No matching links.)"


def links_result(page: PageSnapshot, wanted: str, offset: int, tokens_max: int) -> ToolResult:
    """List the links of a page whose text, URL or kind matches, from an offset on."""
    text = wanted.casefold()
    links = [
        link
        for link in page.links
        if text in link.text.casefold() or text in link.url.casefold() or wanted == link.kind
    ][offset:]
    lines = [f"[{link.number}] {link.text} ({link.kind}): {link.url}" for link in links]

    def more(count: int) -> str:
        """Return a note about the links beyond those that are shown."""
        return f"({len(lines) - count} more links: offset={offset + count}, or filter with find)"

    record = {"links": [attrs.asdict(link) for link in links]}
    return ToolResult(listed(lines, tokens_max, more, NO_LINKS), record)


def forms_result(page: PageSnapshot, context: ToolContext, offset: int) -> ToolResult:
    """List the forms of a page with their fields, as JSON, from an offset on."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)

    tabwright = context.tabwright
    record = {"forms": [without_empty(attrs.asdict(form)) for form in page.forms]}
    text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
    clean = tabwright.parts.secrets.masked(verbatim(text))  # before it is cut
    return ToolResult(stretch(clean, offset, tabwright.settings.reading.result_tokens_max), record)


async def found_result(
    context: ToolContext, locator: str, session: str, tab: int | None, tokens_max: int
) -> ToolResult:
    """List the elements that a locator matches, with their refs."""
    from tabwright.page.render import found_parts  # noqa: PLC0415  (heavy)

    found = await context.tabwright.session(session).inspect(FindElements(locator), tab=tab)
    record = {"count": found.count, "elements": [attrs.asdict(one) for one in found.elements]}
    return ToolResult(found_parts(found, tokens_max), record)
