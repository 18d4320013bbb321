"""The live view in the client: an MCP App (``io.modelcontextprotocol/ui``, SEP-1865).

A client that declares the extension shows our page, in a separate sandbox, beside the
results of some tools. The page has no network: it asks its host to call `view_tabs`, which the
model does not see, and to open a one-time link to the live view, where a person can act.
"""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

import attrs
import msgspec

from tabwright._version import __version__
from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult, Toolset, listed_tool
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.snapshot import Thumbnail

if TYPE_CHECKING:
    from tabwright.page.live_page import LivePage

APPS = "io.modelcontextprotocol/ui"
"""The extension."""

APP_TYPE = "text/html;profile=mcp-app"
"""The media type of a page for it."""

APP_URI = "ui://tabwright/view"

SHOWN_WITH = frozenset({"screenshot", "interventions"})
"""Tools whose results a client shows with the page."""

PICTURE_WIDTH = 960
"""Width of a picture, in pixels."""


class _Support(msgspec.Struct, rename="camel"):
    mime_types: list[str] = []


def declares_apps(extensions: Mapping[str, object] | None) -> bool:
    """Return whether a client with these extensions shows such pages."""
    with suppress(msgspec.ValidationError):
        declared = msgspec.convert((extensions or {}).get(APPS, {}), _Support)
        return APP_TYPE in declared.mime_types
    return False


def listing_for(tools: Toolset, extensions: Mapping[str, object] | None) -> list[JSONObject]:
    """Return the entries of `tools/list` for a client that declares these extensions."""
    listing = tools.listing
    shown = any(tool["name"] in SHOWN_WITH for tool in listing)
    if not (shown and tools.live_view and declares_apps(extensions)):
        return listing
    page: JSONObject = {"_meta": {"ui": {"resourceUri": APP_URI}}}
    linked = [{**tool, **page} if tool["name"] in SHOWN_WITH else tool for tool in listing]
    return [*linked, {**listed_tool(VIEW_TABS), "_meta": {"ui": {"visibility": ["app"]}}}]


def app_tool(tools: Toolset, name: str, extensions: Mapping[str, object] | None) -> AnyTool | None:
    """Return the tool of that name that only the page calls; None if there is none."""
    offered = name == VIEW_TABS.name and tools.live_view and declares_apps(extensions)
    return VIEW_TABS if offered else None


# The page.


@cache
def app_page() -> str:
    """Return the page, whose policy allows only its own script and style."""
    folder = files("tabwright.mcp") / "app_page"
    script, style, page = (
        (folder / name).read_text("utf-8") for name in ("view.js", "view.css", "view.html")
    )
    script = script.replace("$version", __version__)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return page.replace("$policy", policy).replace("$style", style).replace("$script", script)


def _hash(text: str) -> str:
    """Return the source expression for an inline script or style (CSP 3)."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def app_meta() -> dict[str, object]:
    """Return the metadata of the page: it needs no network."""
    return {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}


# The tool that it calls.


@attrs.frozen
class ViewTabsArguments:
    """Arguments of `view_tabs`.

    Attributes:
        tab: the number of the tab to show; None for one that needs a person, or else the newest.
        link: whether to return a link instead of a picture.
    """

    tab: int | None = None
    link: bool = False


async def view_tabs(arguments: ViewTabsArguments, context: ToolContext) -> ToolResult:
    """Return the user's tabs, and a picture of one of them or a link to it."""
    from tabwright.cdp.errors import CDPError  # noqa: PLC0415  (not for the listing)

    view = context.tabwright.parts.view
    if not view.shared.is_on:
        raise BadInput("The live view is switched off.", advice="Set view.address.")
    pages = view.pages()
    shown = choose_page(pages, arguments.tab)
    number = shown.state().number if shown else None
    if arguments.link:
        return ToolResult("A link for the user.", {"link": await view.link(number)})
    tabs = list[JSONObject]()
    for live in pages:
        with suppress(CDPError):
            place = await live.location()
            tabs.append(
                {
                    "number": live.state().number,
                    "title": place.title,
                    "url": place.url,
                    "help": live.help,
                }
            )
    pictures: tuple[Thumbnail, ...] = ()
    if shown:
        with suppress(CDPError, PageFailed):
            if data := await shown.thumbnail(PICTURE_WIDTH):
                pictures = (Thumbnail(shown.state().number, "", "", "image/jpeg", data, 0, 0),)
    record: JSONObject = {"tabs": tabs, **({"shown": number} if shown else {})}
    return ToolResult("The tabs of the user.", record, pictures)


def choose_page(pages: "Sequence[LivePage]", number: int | None) -> "LivePage | None":
    """Return the requested tab, or else one that needs a person, or else the newest."""
    requested = (live for live in pages if live.state().number == number)
    needed = (live for live in pages if live.help)
    return next(chain(requested, needed, reversed(pages)), None)


_TEXT: JSONObject = {"type": "string"}

VIEW_TABS = Tool(
    name="view_tabs",
    description="For the live view in the client: the tabs, and a picture of one or a link to it.",
    group="sessions",
    annotations=READS,
    arguments=ViewTabsArguments,
    handler=view_tabs,
    output_schema=object_schema(
        {
            "tabs": {
                "type": "array",
                "items": object_schema(
                    {"number": {"type": "integer"}, "title": _TEXT, "url": _TEXT, "help": _TEXT},
                    required=["number", "title", "url", "help"],
                ),
            },
            "shown": {"type": "integer", "description": "Number of the tab in the picture."},
            "link": {"type": "string", "pattern": r"https?://\S+"},
        },
        required=[],
    ),
)
