"""``cookies``, ``web_storage`` and ``storage_state``: what a session's pages have stored."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.config.secrets import NAME
from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import SETS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.page_arguments import (
    Address,
    MaxTokens,
    Rare,
    Session,
    TabArguments,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import LocateOnPage
from tabwright.protocol.session_data import ChangeWebStorage, StorageArea
from tabwright.protocol.untrusted_text import Quoted, quoted
from tabwright.text.token_budget import opening

if TYPE_CHECKING:
    from tabwright.client import Tabwright

STATE_FILE = "storage-state.json"

STORAGE_TOKENS = 4000

# Cookies.


@attrs.frozen(kw_only=True)
class CookiesArguments:
    """Arguments of `cookies`."""

    action: Literal["list", "get", "set", "delete", "clear"] = "list"
    name: Annotated[str, Meta(description="Name of the cookie, for get, set and delete.")] = ""
    value: Annotated[str, Meta(description="Value, for set; {{NAME}} inserts a secret.")] = ""
    url: Annotated[
        Address, Meta(description="Only cookies sent to this URL; for set, the URL it is set for.")
    ] = ""
    domain: Annotated[
        str,
        Meta(description="Only cookies of this domain; for set, .example.com adds subdomains."),
    ] = ""
    path: Annotated[str, Meta(description="Only cookies of this path; for set, its path.")] = ""
    expires: (
        Annotated[
            float, Meta(gt=0, description="Expiry in seconds since 1970; default: session end.")
        ]
        | None
    ) = None
    http_only: bool = False
    secure: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None
    session: Session = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action in {"get", "set", "delete"} and not self.name:
            raise BadInput("No cookie is named.", advice="Set name.")


def matching_cookies(cookies: Sequence[Cookie], wanted: CookiesArguments) -> tuple[Cookie, ...]:
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


async def cookie_to_set(arguments: CookiesArguments, tabwright: "Tabwright") -> Cookie:
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


async def cookies(arguments: CookiesArguments, context: ToolContext) -> ToolResult:
    """List, show, set or delete cookies."""
    tabwright, session = context.tabwright, arguments.session
    if arguments.action == "set":
        cookie = await cookie_to_set(arguments, tabwright)
        await tabwright.session(session).change_cookies([cookie])
        return ToolResult(f"Set the cookie {cookie.name} for {cookie.domain}.")
    known = await tabwright.session(session).change_cookies()
    found = matching_cookies(known, arguments)
    if arguments.action in {"delete", "clear"}:
        await tabwright.session(session).change_cookies(removed=found)
        count = "1 cookie" if len(found) == 1 else f"{len(found)} cookies"
        return ToolResult(f"Deleted {count}.", {"deleted": len(found)})
    if not found:
        missing = f"Cookie {arguments.name!r} not found." if arguments.name else "No cookies found."
        return ToolResult(missing, {"cookies": []})
    # In a list, the values that pages cannot read either are hidden: they are mostly log-ins.
    shown = [(one, arguments.action == "get" or not one.http_only) for one in found]
    text = "\n".join(cookie_text(one, shows_value=shows) for one, shows in shown)
    record = {"cookies": [cookie_record(one, shows_value=shows) for one, shows in shown]}
    return ToolResult(quoted(text), record)


COOKIES = Tool(
    name="cookies",
    description=(
        "List the session's cookies, or get, set, delete or clear them. A list hides the values "
        "of HttpOnly cookies; get shows them."
    ),
    output_schema=object_schema(
        {
            "cookies": {"type": "array", "items": {"type": "object"}},
            "deleted": {"type": "integer"},
        },
        required=[],
    ),
    arguments=CookiesArguments,
    handler=cookies,
    group="storage",
    annotations=SETS,
)


# localStorage and sessionStorage.


@attrs.frozen(kw_only=True)
class WebStorageArguments(TabArguments):
    """Arguments of `web_storage`."""

    action: Literal["list", "get", "set", "remove", "clear"] = "list"
    area: Annotated[StorageArea, Meta(description="localStorage or sessionStorage.")] = "local"
    key: Annotated[str, Meta(description="Key, for get, set and remove.")] = ""
    value: Annotated[str, Meta(description="Value, for set; {{NAME}} inserts a secret.")] = ""
    max_tokens: Rare[MaxTokens] = STORAGE_TOKENS

    def __attrs_post_init__(self) -> None:
        if self.action in {"get", "set", "remove"} and not self.key:
            raise BadInput("No key is given.", advice="Set key.")

    def request(self, value: str) -> ChangeWebStorage:
        """Return the request for the tab, with the value to set."""
        match self.action:
            case "set":
                return ChangeWebStorage(self.area, put=((self.key, value),))
            case "remove":
                return ChangeWebStorage(self.area, removed=(self.key,))
            case "clear":
                return ChangeWebStorage(self.area, clear=True)
            case "list" | "get":
                return ChangeWebStorage(self.area)


async def web_storage(arguments: WebStorageArguments, context: ToolContext) -> ToolResult:
    """List, show, set or remove items of the storage of the page's origin."""
    tabwright = context.tabwright
    value = arguments.value
    if NAME.search(value):
        page = await tabwright.session(arguments.session).inspect(LocateOnPage(), tab=arguments.tab)
        value = tabwright.parts.secrets.inserted(value, page.url)
    stored = await tabwright.session(arguments.session).inspect(
        arguments.request(value), tab=arguments.tab
    )
    area, items = f"{arguments.area}Storage", dict(stored.items)
    match arguments.action:
        case "set":
            return ToolResult(f"Set the item in {area}.")
        case "remove":
            return ToolResult(f"Removed the item from {area}.")
        case "clear":
            return ToolResult(f"Cleared {area}.")
        case "get" if arguments.key not in items:
            return ToolResult(f"Key {arguments.key!r} not found in {area}.", {"items": {}})
        case "get":
            items = {arguments.key: items[arguments.key]}
        case "list" if not items:
            return ToolResult(f"No {area} items found.", {"items": {}})
        case "list":
            pass
    lines = "\n".join(f"{key}={value}" for key, value in items.items())
    budget = arguments.max_tokens or STORAGE_TOKENS
    parts = opening(tabwright.parts.secrets.masked(lines), budget, "get single keys")
    return ToolResult(parts, {"origin": stored.origin, "items": items})


WEB_STORAGE = Tool(
    name="web_storage",
    description="List, get, set, remove or clear localStorage or sessionStorage of the page.",
    output_schema=object_schema(
        {"origin": {"type": "string"}, "items": {"type": "object"}}, required=[]
    ),
    arguments=WebStorageArguments,
    handler=web_storage,
    group="storage",
    annotations=SETS,
)


# Storage state in Playwright's form.


@attrs.frozen(kw_only=True)
class StorageStateArguments:
    """Arguments of `storage_state`."""

    action: Annotated[
        Literal["save", "load"], Meta(description="load replaces the cookies and the storage.")
    ] = "save"
    filename: Annotated[
        str, Meta(description="For save, a name in the download folder; for load, a path.")
    ] = ""
    indexed_db: Annotated[
        bool, Meta(description="Also save the IndexedDB of the pages that are open.")
    ] = False
    session: Session = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action == "load" and not self.filename:
            raise BadInput("No file is given.", advice="Set filename.")


async def storage_state(arguments: StorageStateArguments, context: ToolContext) -> ToolResult:
    """Save the cookies and the storage of a session to a file, or load them from one."""
    if arguments.action == "load":
        return await load_state(arguments, context)
    path = await save_state(
        context.tabwright,
        arguments.session,
        arguments.filename or STATE_FILE,
        indexed_db=arguments.indexed_db,
    )
    return ToolResult(f"Saved the storage state to {path}.", {"path": str(path)})


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


async def load_state(arguments: StorageStateArguments, context: ToolContext) -> ToolResult:
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


STORAGE_STATE = Tool(
    name="storage_state",
    description=(
        "Save the session's cookies and localStorage to a JSON file in Playwright's form, or "
        "replace them by those of such a file."
    ),
    output_schema=object_schema(
        {
            "path": {"type": "string"},
            "cookies": {"type": "integer"},
            "origins": {"type": "integer"},
        },
        required=[],
    ),
    arguments=StorageStateArguments,
    handler=storage_state,
    group="storage",
    annotations=SETS,
)

TOOLS = (COOKIES, WEB_STORAGE, STORAGE_STATE)
