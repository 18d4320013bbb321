"""The tools of the capability ``storage``: cookies, web storage and storage state."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.tool import READS, SETS, AnyTool, Tool, ToolContext, ToolResult
from tabwright.mcp.tools import storage
from tabwright.plugins.playwright.inspection import file_name
from tabwright.plugins.playwright.targets import PlaywrightArguments
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.session_data import StorageArea

# Cookies.


class BrowserCookieList(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_cookie_list`."""

    domain: str = ""
    path: str = ""


async def cookie_list(arguments: BrowserCookieList, context: ToolContext) -> ToolResult:
    """List the cookies."""
    ours = storage.StorageArguments(domain=arguments.domain, path=arguments.path)
    return await storage.storage(ours, context)


class BrowserCookieGet(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_cookie_get`."""

    name: str


async def cookie_get(arguments: BrowserCookieGet, context: ToolContext) -> ToolResult:
    """Show a cookie."""
    return await storage.storage(storage.StorageArguments(name=arguments.name), context)


class BrowserCookieSet(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_cookie_set`."""

    name: str
    value: str
    domain: str = ""
    path: str = ""
    expires: Annotated[float, Meta(gt=0)] | None = None
    http_only: bool = False
    secure: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None


async def cookie_set(arguments: BrowserCookieSet, context: ToolContext) -> ToolResult:
    """Set a cookie."""
    ours = storage.ChangeStorageArguments(
        action="set",
        name=arguments.name,
        value=arguments.value,
        domain=arguments.domain,
        path=arguments.path,
        expires=arguments.expires,
        http_only=arguments.http_only,
        secure=arguments.secure,
        same_site=arguments.same_site,
    )
    return await storage.change_storage(ours, context)


async def cookie_delete(arguments: BrowserCookieGet, context: ToolContext) -> ToolResult:
    """Delete a cookie."""
    ours = storage.ChangeStorageArguments(action="delete", name=arguments.name)
    return await storage.change_storage(ours, context)


class NoArguments(PlaywrightArguments, frozen=True, kw_only=True):
    """The arguments of a tool that has none."""


async def cookie_clear(_arguments: NoArguments, context: ToolContext) -> ToolResult:
    """Delete all cookies."""
    ours = storage.ChangeStorageArguments(action="clear")
    return await storage.change_storage(ours, context)


COOKIES = (
    playwright_tool(
        "browser_cookie_list",
        "List cookies.",
        BrowserCookieList,
        cookie_list,
        READS,
        group="storage",
    ),
    playwright_tool(
        "browser_cookie_get",
        "Show a cookie.",
        BrowserCookieGet,
        cookie_get,
        READS,
        group="storage",
    ),
    playwright_tool(
        "browser_cookie_set", "Set a cookie.", BrowserCookieSet, cookie_set, SETS, group="storage"
    ),
    playwright_tool(
        "browser_cookie_delete",
        "Delete a cookie.",
        BrowserCookieGet,
        cookie_delete,
        SETS,
        group="storage",
    ),
    playwright_tool(
        "browser_cookie_clear",
        "Delete all cookies.",
        NoArguments,
        cookie_clear,
        SETS,
        group="storage",
    ),
)


# localStorage and sessionStorage: the same five tools for each.


class BrowserStorageKey(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of the tools that show or delete an item."""

    key: str


class BrowserStorageSet(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of the tools that set an item."""

    key: str
    value: str


def web_storage_tools(area: StorageArea) -> Iterator[AnyTool]:
    """Yield the tools for one storage area."""

    async def listed(_arguments: NoArguments, context: ToolContext) -> ToolResult:
        """List the items."""
        return await storage.storage(storage.StorageArguments(kind=area), context)

    async def shown(arguments: BrowserStorageKey, context: ToolContext) -> ToolResult:
        """Show an item."""
        ours = storage.StorageArguments(kind=area, name=arguments.key)
        return await storage.storage(ours, context)

    async def put(arguments: BrowserStorageSet, context: ToolContext) -> ToolResult:
        """Set an item."""
        ours = storage.ChangeStorageArguments(
            action="set", kind=area, name=arguments.key, value=arguments.value
        )
        return await storage.change_storage(ours, context)

    async def removed(arguments: BrowserStorageKey, context: ToolContext) -> ToolResult:
        """Delete an item."""
        ours = storage.ChangeStorageArguments(action="delete", kind=area, name=arguments.key)
        return await storage.change_storage(ours, context)

    async def cleared(_arguments: NoArguments, context: ToolContext) -> ToolResult:
        """Delete all items."""
        ours = storage.ChangeStorageArguments(action="clear", kind=area)
        return await storage.change_storage(ours, context)

    name, called = f"browser_{area}storage", f"{area}Storage"
    yield playwright_tool(
        f"{name}_list", f"List {called}.", NoArguments, listed, READS, group="storage"
    )
    yield playwright_tool(
        f"{name}_get",
        f"Show an item of {called}.",
        BrowserStorageKey,
        shown,
        READS,
        group="storage",
    )
    yield playwright_tool(
        f"{name}_set",
        f"Set an item of {called}.",
        BrowserStorageSet,
        put,
        SETS,
        group="storage",
    )
    yield playwright_tool(
        f"{name}_delete",
        f"Delete an item of {called}.",
        BrowserStorageKey,
        removed,
        SETS,
        group="storage",
    )
    yield playwright_tool(
        f"{name}_clear", f"Clear {called}.", NoArguments, cleared, SETS, group="storage"
    )


# Storage state.


class BrowserStorageState(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_storage_state`."""

    filename: str = ""


async def storage_state(arguments: BrowserStorageState, context: ToolContext) -> ToolResult:
    """Save the storage state to a file."""
    name = arguments.filename or file_name("storage-state", "json")
    path = await storage.save_state(context.tabwright, DEFAULT_SESSION, name)
    return ToolResult(f"Storage state saved to {path}.", {"path": str(path)})


class BrowserSetStorageState(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_set_storage_state`."""

    filename: str


async def set_storage_state(arguments: BrowserSetStorageState, context: ToolContext) -> ToolResult:
    """Replace the storage state by that of a file."""
    ours = storage.ChangeStorageArguments(action="load", filename=arguments.filename)
    return await storage.change_storage(ours, context)


STATE: tuple[Tool[BrowserStorageState], Tool[BrowserSetStorageState]] = (
    playwright_tool(
        "browser_storage_state",
        "Save cookies and localStorage to a file.",
        BrowserStorageState,
        storage_state,
        READS,
        group="storage",
    ),
    playwright_tool(
        "browser_set_storage_state",
        "Replace cookies and localStorage by those of a file.",
        BrowserSetStorageState,
        set_storage_state,
        SETS,
        group="storage",
    ),
)

TOOLS: tuple[AnyTool, ...] = (
    *COOKIES,
    *web_storage_tools("local"),
    *web_storage_tools("session"),
    *STATE,
)
