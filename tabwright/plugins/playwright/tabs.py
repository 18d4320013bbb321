"""The tabs of the session: ``browser_tabs`` and ``browser_close``."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.tool import ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Address
from tabwright.plugins.playwright.targets import PlaywrightArguments
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.actions import TabInfo
from tabwright.protocol.errors import BadInput, SessionMissing
from tabwright.protocol.untrusted_text import quoted
from tabwright.protocol.urls import ABOUT_BLANK

if TYPE_CHECKING:
    from tabwright.client import Tabwright

CHANGES: Mapping[str, Literal["switch", "close"]] = {"select": "switch", "close": "close"}
"""The tab actions of playwright-mcp, with our names."""


class BrowserTabs(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_tabs`."""

    action: Literal["list", "new", "close", "select"]
    index: (
        Annotated[int, Meta(ge=0, description="index from the list; default: the current tab")]
        | None
    ) = None
    url: Address = ""


async def tabs(arguments: BrowserTabs, context: ToolContext) -> ToolResult:
    """List the tabs, after one was opened, switched to or closed."""
    tabwright = context.tabwright
    if arguments.action == "new":
        await tabwright.session(DEFAULT_SESSION).enter(
            arguments.url, new_tab=True, progress=context.on_progress
        )
    listed = await _listed(tabwright)
    if arguments.action in CHANGES:
        number = _number(listed, arguments)
        listed = await tabwright.session(DEFAULT_SESSION).change_tabs(
            CHANGES[arguments.action], number
        )
    record = {"tabs": [attrs.asdict(tab) for tab in listed]}
    return ToolResult(quoted(tab_lines(listed)), record)


async def _listed(tabwright: "Tabwright") -> tuple[TabInfo, ...]:
    try:
        return await tabwright.session(DEFAULT_SESSION).change_tabs()
    except SessionMissing:  # these clients expect a browser that starts with an empty tab
        await tabwright.session(DEFAULT_SESSION).enter("")
        return await tabwright.session(DEFAULT_SESSION).change_tabs()


def _number(tabs: tuple[TabInfo, ...], arguments: BrowserTabs) -> int | None:
    """Return the number of the tab; tabs are numbered from 1 here, and keep their numbers."""
    if arguments.index is None:
        if arguments.action == "select":
            raise BadInput("No tab is given.", advice="Set index.")
        return None
    if arguments.index >= len(tabs):
        raise BadInput(f"There is no tab {arguments.index}.", advice="List the tabs.")
    return tabs[arguments.index].number


def tab_lines(tabs: tuple[TabInfo, ...]) -> str:
    """Return a line for each tab."""
    from tabwright.mcp.browser_state import ADDRESS_MAX  # noqa: PLC0415  (heavy)
    from tabwright.page.outline_text import escape_refs, truncate  # noqa: PLC0415  (heavy)

    lines = list[str]()
    for place, tab in enumerate(tabs):
        current = "(current) " if tab.current else ""
        title, url = truncate(tab.title), truncate(tab.url or ABOUT_BLANK, ADDRESS_MAX)
        lines.append(escape_refs(f"- {place}: {current}[{title}]({url})"))
    return "\n".join(lines)


TABS = playwright_tool("browser_tabs", "List, open, select or close tabs.", BrowserTabs, tabs)


class BrowserClose(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_close`: nothing."""


async def close(_arguments: BrowserClose, context: ToolContext) -> ToolResult:
    """Close all pages."""
    with suppress(SessionMissing):  # as requested
        await context.tabwright.session(DEFAULT_SESSION).close()
    return ToolResult("Closed.", {"closed": DEFAULT_SESSION})


CLOSE = playwright_tool("browser_close", "Close all pages.", BrowserClose, close)
