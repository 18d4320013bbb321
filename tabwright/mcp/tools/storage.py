"""``storage`` and ``change_storage``: cookies and items that a session's pages have stored."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.config.secrets import NAME
from tabwright.config.settings import OUTLINE_TOKENS
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import READS, SETS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.page_arguments import (
    Address,
    MaxTokens,
    TabArguments,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import LocateOnPage
from tabwright.protocol.session_data import ChangeWebStorage, StorageArea
from tabwright.protocol.untrusted_text import Quoted, quoted
from tabwright.text.lines import counted
from tabwright.text.token_budget import opening

if TYPE_CHECKING:
    from tabwright.client import Tabwright

STATE_FILE = "storage-state.json"


@attrs.frozen(kw_only=True)
class StorageArguments(TabArguments):
    """Arguments of `storage`."""

    kind: Annotated[
        Literal["cookies", "local", "session", "state"],
        Meta(
            description="Cookies, localStorage, sessionStorage, or all as a JSON file in "
            "Playwright's form (state)."
        ),
    ] = "cookies"
    name: Annotated[str, Meta(description="Only the cookie or the item of this name.")] = ""
    url: Annotated[Address, Meta(description="Only cookies that are sent to this URL.")] = ""
    domain: Annotated[str, Meta(description="Only cookies of this domain.")] = ""
    path: Annotated[str, Meta(description="Only cookies of this path.")] = ""
    filename: Annotated[
        str, Meta(description="For state: name of the file in the download folder.")
    ] = ""
    indexed_db: Annotated[
        bool, Meta(description="For state: also save the IndexedDB of the open pages.")
    ] = False
    max_tokens: MaxTokens = OUTLINE_TOKENS


@attrs.frozen(kw_only=True)
class ChangeStorageArguments(TabArguments):
    """Arguments of `change_storage`."""

    action: Annotated[
        Literal["set", "delete", "clear", "load"],
        Meta(description="load replaces all by a saved state."),
    ]
    kind: Annotated[
        Literal["cookies", "local", "session"],
        Meta(description="Cookies, or localStorage or sessionStorage of the page."),
    ] = "cookies"
    name: Annotated[str, Meta(description="Name of the cookie or the item.")] = ""
    value: Annotated[str, Meta(description="Value to set; {{NAME}} inserts a secret.")] = ""
    url: Annotated[Address, Meta(description="URL of the cookies.")] = ""
    domain: Annotated[
        str, Meta(description="Domain of the cookies; .example.com adds subdomains.")
    ] = ""
    path: Annotated[str, Meta(description="Path of the cookies.")] = ""
    expires: (
        Annotated[
            float, Meta(gt=0, description="Expiry in seconds since 1970; default: session end.")
        ]
        | None
    ) = None
    http_only: Annotated[bool, Meta(description="Hide the cookie from scripts.")] = False
    secure: Annotated[bool, Meta(description="Send the cookie only over HTTPS.")] = False
    same_site: (
        Annotated[
            Literal["Strict", "Lax", "None"], Meta(description="Whether other sites send it.")
        ]
        | None
    ) = None
    filename: Annotated[
        str, Meta(description="For load: a path, or a name in the download folder.")
    ] = ""

    def __attrs_post_init__(self) -> None:
        if self.action in {"set", "delete"} and not self.name:
            raise BadInput("No cookie or item is named.", advice="Set name.")
        if self.action == "load" and not self.filename:
            raise BadInput("No file is given.", advice="Set filename.")


# Cookies.


def matching_cookies(
    cookies: Sequence[Cookie], wanted: StorageArguments | ChangeStorageArguments
) -> tuple[Cookie, ...]:
    """Return the cookies that have the given name, domain and path, and are sent to the URL."""
    from tabwright.http.cookies import is_sent_to, is_within  # noqa: PLC0415  (heavy)
    from tabwright.http.request import target_of  # noqa: PLC0415  (heavy)

    target = target_of(wanted.url) if wanted.url else None
    domain = wanted.domain.removeprefix(".").lower()
    return tuple(
        one
        for one in cookies
        if (not wanted.name or one.name == wanted.name)
        and (not domain or is_within(one.domain, domain))
        and (not wanted.path or one.path.startswith(wanted.path))
        and (target is None or is_sent_to(one, target))
    )


def cookie_text(cookie: Cookie, *, shows_value: bool) -> str:
    """Return a cookie as a line."""
    value = cookie.value if shows_value else f"({len(cookie.value)} characters, hidden)"
    details = (
        f"domain: {cookie.shown_domain}",
        f"path: {cookie.path}",
        *([] if cookie.expires_s is None else [f"expires: {cookie.expires_s:.0f}"]),
        f"httpOnly: {str(cookie.http_only).lower()}",
        f"secure: {str(cookie.secure).lower()}",
        *([f"sameSite: {cookie.same_site}"] if cookie.same_site else []),
    )
    return f"{cookie.name}={value} ({', '.join(details)})"


def cookie_record(cookie: Cookie, *, shows_value: bool) -> dict[str, object]:
    """Return a cookie for programs."""
    record = attrs.asdict(cookie)
    if not shows_value:
        del record["value"]
    return record


async def cookie_to_set(arguments: ChangeStorageArguments, tabwright: "Tabwright") -> Cookie:
    """Return the cookie that a call describes; by default it is for the host of the page.

    Raises:
        BadInput: there is no page, or the URL has no host.
        TabwrightError: the page does not answer.
    """
    from urllib.parse import urlsplit  # noqa: PLC0415  (only here)

    domain, host_only = arguments.domain.removeprefix(".").lower(), False
    is_secure = arguments.secure
    if not domain:
        url = arguments.url
        if not url:
            url = (await tabwright.session(arguments.session).inspect(LocateOnPage())).url
        parts = urlsplit(url)
        domain, host_only = parts.hostname or "", True
        if not domain:
            raise BadInput((Quoted(url), " has no host for a cookie."), advice="Set url or domain.")
    elif not arguments.domain.startswith("."):
        host_only = True
    return Cookie(
        name=arguments.name,
        value=tabwright.parts.secrets.inserted(arguments.value, f"https://{domain}/"),
        domain=domain,
        path=arguments.path or "/",
        host_only=host_only,
        secure=is_secure,
        http_only=arguments.http_only,
        expires_s=arguments.expires,
        same_site=arguments.same_site or "",
    )


async def _cookies(arguments: StorageArguments, context: ToolContext) -> ToolResult:
    known = await context.tabwright.session(arguments.session).change_cookies()
    found = matching_cookies(known, arguments)
    if not found:
        missing = f"Cookie {arguments.name!r} not found." if arguments.name else "No cookies found."
        return ToolResult(missing, {"cookies": []})
    # In a list, the values that pages cannot read either are hidden: they are mostly log-ins.
    shown = [(one, bool(arguments.name) or not one.http_only) for one in found]
    text = "\n".join(cookie_text(one, shows_value=shows) for one, shows in shown)
    record = {"cookies": [cookie_record(one, shows_value=shows) for one, shows in shown]}
    return ToolResult(quoted(text), record)


async def _change_cookies(arguments: ChangeStorageArguments, context: ToolContext) -> ToolResult:
    tabwright, session = context.tabwright, arguments.session
    if arguments.action == "set":
        cookie = await cookie_to_set(arguments, tabwright)
        await tabwright.session(session).change_cookies([cookie])
        return ToolResult(f"Set the cookie {cookie.name} for {cookie.domain}.")
    found = matching_cookies(await tabwright.session(session).change_cookies(), arguments)
    await tabwright.session(session).change_cookies(removed=found)
    return ToolResult(f"Deleted {counted(len(found), 'cookie')}.", {"deleted": len(found)})


# localStorage and sessionStorage.


async def _items(
    area: StorageArea, arguments: StorageArguments, context: ToolContext
) -> ToolResult:
    tabwright, name = context.tabwright, arguments.name
    stored = await tabwright.session(arguments.session).inspect(
        ChangeWebStorage(area), tab=arguments.tab
    )
    items = {key: value for key, value in stored.items if name in {"", key}}
    if not items:
        missing = f"Key {name!r} not found in {area}Storage." if name else ""
        return ToolResult(missing or f"No {area}Storage items found.", {"items": {}})
    lines = "\n".join(f"{key}={value}" for key, value in items.items())
    budget = arguments.max_tokens or OUTLINE_TOKENS
    parts = opening(tabwright.parts.secrets.masked(lines), budget, "name single items")
    return ToolResult(parts, {"origin": stored.origin, "items": items})


async def _change_items(
    area: StorageArea, arguments: ChangeStorageArguments, context: ToolContext
) -> ToolResult:
    tabwright, name, value = context.tabwright, arguments.name, arguments.value
    if NAME.search(value):
        page = await tabwright.session(arguments.session).inspect(LocateOnPage(), tab=arguments.tab)
        value = tabwright.parts.secrets.inserted(value, page.url)
    request, done = {
        "set": (ChangeWebStorage(area, put=((name, value),)), "Set the item in"),
        "delete": (ChangeWebStorage(area, removed=(name,)), "Removed the item from"),
    }.get(arguments.action, (ChangeWebStorage(area, clear=True), "Cleared"))
    await tabwright.session(arguments.session).inspect(request, tab=arguments.tab)
    return ToolResult(f"{done} {area}Storage.")


# Storage state in Playwright's form.


async def save_state(
    tabwright: "Tabwright", session: str, name: str, *, indexed_db: bool = False
) -> Path:
    """Write the storage state of a session into the download folder, without secrets' values.

    Raises:
        SessionMissing: the session is not open.
        BadInput: the file cannot be written.
    """
    from tabwright.sessions.storage_state import storage_state_json  # noqa: PLC0415  (heavy)

    state = await tabwright.session(session).storage_state(indexed_db=indexed_db)
    return await save(tabwright, name, storage_state_json(state, tabwright.parts.secrets))


async def load_state(arguments: ChangeStorageArguments, context: ToolContext) -> ToolResult:
    """Replace the storage state of a session by that of a file."""
    from trio import to_thread  # noqa: PLC0415  (heavy)

    from tabwright.page.events.downloads import downloads_folder  # noqa: PLC0415  (heavy)
    from tabwright.page.upload_paths import allowed_path  # noqa: PLC0415  (heavy)
    from tabwright.sessions.storage_state import read_storage_state  # noqa: PLC0415  (heavy)

    def read() -> bytes:
        """Read the file, if it is in a folder for uploads or downloads; it blocks."""
        settings = context.tabwright.settings
        named, folder = Path(arguments.filename), downloads_folder(settings.acting.downloads)
        path = folder / named if folder and len(named.parts) == 1 else named
        return Path(allowed_path(str(path), settings)).read_bytes()

    state = read_storage_state(await to_thread.run_sync(read))
    lacking = await context.tabwright.session(arguments.session).set_storage_state(state)
    restored = (
        f"Storage state restored: {len(state.cookies)} cookies, {len(state.origins)} origins."
    )
    others = f"IndexedDB of {len(lacking)} origins was not restored: open them and load again."
    return ToolResult(
        (restored, *([others] if lacking else ())),
        {"cookies": len(state.cookies), "origins": len(state.origins)},
    )


# The tools.


async def storage(arguments: StorageArguments, context: ToolContext) -> ToolResult:
    """Show cookies or items, or save the state of the session."""
    match arguments.kind:
        case "cookies":
            return await _cookies(arguments, context)
        case "state":
            path = await save_state(
                context.tabwright,
                arguments.session,
                arguments.filename or STATE_FILE,
                indexed_db=arguments.indexed_db,
            )
            return ToolResult(f"Saved the storage state to {path}.", {"path": str(path)})
        case area:
            return await _items(area, arguments, context)


async def change_storage(arguments: ChangeStorageArguments, context: ToolContext) -> ToolResult:
    """Change cookies or items, or load a state."""
    if arguments.action == "load":
        return await load_state(arguments, context)
    if arguments.kind == "cookies":
        return await _change_cookies(arguments, context)
    return await _change_items(arguments.kind, arguments, context)


STORAGE = Tool(
    name="storage",
    description=(
        "List the session's cookies or the items of the page's storage, or save all to a file. "
        "The values of HttpOnly cookies are shown only for a name."
    ),
    output_schema=object_schema(
        {
            "cookies": {"type": "array", "items": {"type": "object"}},
            "origin": {"type": "string"},
            "items": {"type": "object"},
            "path": {"type": "string"},
        },
        required=[],
    ),
    arguments=StorageArguments,
    handler=storage,
    group="storage",
    annotations=READS,
)

CHANGE_STORAGE = Tool(
    name="change_storage",
    description=(
        "Set, delete or clear cookies or items of the page's storage, or load a saved state. "
        "Cookies are chosen by name, URL, domain and path; clear without any deletes all."
    ),
    output_schema=object_schema(
        {
            "deleted": {"type": "integer"},
            "cookies": {"type": "integer", "description": "Number of loaded cookies."},
            "origins": {"type": "integer", "description": "Number of loaded origins."},
        },
        required=[],
    ),
    arguments=ChangeStorageArguments,
    handler=change_storage,
    group="storage",
    annotations=SETS,
)

TOOLS = (STORAGE, CHANGE_STORAGE)
