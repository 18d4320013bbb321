"""The resources of the server: the state of the browser, screenshots and downloads."""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote, unquote

import attrs
import mcp_types as mcp
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

from tabwright.client import Tabwright
from tabwright.concurrency.timers import STALL_S
from tabwright.mcp.apps import APP_TYPE, APP_URI, app_meta, app_page, declares_apps
from tabwright.mcp.browser_state import current_state, dom_state, tabs_state
from tabwright.mcp.results import BYTES_MAX, LISTED_MAX, Renderer, refused
from tabwright.page.events.downloads import downloads_folder
from tabwright.protocol.errors import BadInput, HintKind, SessionMissing, TabwrightError
from tabwright.protocol.inspection import (
    Capture,
    OutlineText,
    OutlineView,
    TakeOutline,
)
from tabwright.protocol.untrusted_text import Parts, Quoted, quoted
from tabwright.text.hints import OWN, advised

CURRENT_STATE = "browser://current/state"
DOM_STATE = "browser://dom/state"
TABS = "browser://tabs"
DOWNLOADS = "browser://downloads/"
SESSIONS = "browser://sessions/"

LIVE = (CURRENT_STATE, DOM_STATE, TABS)
"""Resources that change with every action."""

MARKDOWN = "text/markdown"

SUBSCRIBERS_MAX = 256
"""The maximum number of clients with subscriptions; those of the earliest one end first."""

APP = mcp.Resource(
    uri=APP_URI, name="view", title="Live view", mime_type=APP_TYPE, _meta=app_meta()
)
"""The page that some clients show; see `tabwright.mcp.apps`."""

Context = ServerRequestContext[dict[str, object]]


@attrs.define(eq=False)
class Resources:
    """The resources of a server, for the clients of one user.

    Attributes:
        listen: serves the modern way to subscribe to changes (MCP, `subscriptions/listen`).
    """

    tabwright: Tabwright
    _renderer: Renderer
    _bus: InMemorySubscriptionBus = attrs.field(factory=InMemorySubscriptionBus, init=False)
    _subscribers: dict[str, "_Subscriber"] = attrs.field(
        factory=dict[str, "_Subscriber"], init=False
    )
    listen: ListenHandler = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.listen = ListenHandler(self._bus)

    async def listed(
        self, context: Context, _params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListResourcesResult:
        """List the resources."""
        client = context.session.client_capabilities
        shows_apps = declares_apps(client.extensions if client else None)
        files = await trio.to_thread.run_sync(self._files)
        return mcp.ListResourcesResult(
            resources=[
                _resource(CURRENT_STATE, "Current browser state"),
                _resource(DOM_STATE, "Elements of the current page"),
                _resource(TABS, "Tabs of the current session"),
                *([APP] if shows_apps else []),
                *(_download(file) for file in files),
            ]
        )

    async def templates(
        self, _context: Context, _params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListResourceTemplatesResult:
        """List the resource templates of sessions."""
        return mcp.ListResourceTemplatesResult(
            resource_templates=[
                _template("state", "State of a session"),
                _template("dom", "Elements of a session's page"),
                _template("screenshot", "Screenshot of a session's page", "image/jpeg"),
                _template("elements/{ref}", "An element of a session's page, with its content"),
            ]
        )

    async def read(
        self, _context: Context, params: mcp.ReadResourceRequestParams
    ) -> mcp.ReadResourceResult:
        """Read a resource.

        Raises:
            MCPError: there is no resource of that URI, or it cannot be read.
        """
        try:
            contents = await self._contents(str(params.uri))
        except TabwrightError as error:
            message = self._renderer.text(refused(error).parts)
            raise MCPError(mcp.INVALID_PARAMS, message, error.details()) from error
        return mcp.ReadResourceResult(contents=[contents])

    async def subscribe(
        self, context: Context, params: mcp.SubscribeRequestParams
    ) -> mcp.EmptyResult:
        """Subscribe this client to changes of a resource."""
        client = _client_of(context)
        subscriber = self._subscribers.pop(client, None) or _Subscriber(context.session)
        self._subscribers[client] = subscriber
        subscriber.uris.add(str(params.uri))
        while len(self._subscribers) > SUBSCRIBERS_MAX:
            del self._subscribers[next(iter(self._subscribers))]
        return mcp.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: mcp.UnsubscribeRequestParams
    ) -> mcp.EmptyResult:
        """End a subscription."""
        if subscriber := self._subscribers.get(_client_of(context)):
            subscriber.uris.discard(str(params.uri))
        return mcp.EmptyResult()

    async def send_updates(self) -> None:
        """Notify subscribers, in both eras' ways, that an action changed the browser."""
        for uri in LIVE:
            await self._bus.publish(ResourceUpdated(uri=uri))
        async with trio.open_nursery() as nursery:  # a slow client delays no other
            for client in self._subscribers:
                nursery.start_soon(self._send_updates_to, client)

    async def _send_updates_to(self, client: str) -> None:
        """Notify a client; one that has gone, or does not read, loses its subscriptions."""
        subscriber = self._subscribers[client]
        try:
            with trio.fail_after(STALL_S):
                for uri in LIVE:
                    if uri in subscriber.uris:
                        await subscriber.session.send_resource_updated(uri)
        except (trio.ClosedResourceError, trio.BrokenResourceError, trio.TooSlowError):
            self._subscribers.pop(client, None)

    async def send_tools_changed(self, send: Callable[[], Awaitable[None]]) -> None:
        """Notify the client, in both eras' ways, that the list of tools has changed."""
        await self._bus.publish(ToolsListChanged())
        await send()

    async def complete(
        self, _context: Context, params: mcp.CompleteRequestParams
    ) -> mcp.CompleteResult:
        """Complete names of sessions, and refs of a session's page, from their beginning."""
        try:
            known = await self._known(params)
        except TabwrightError:
            known = ()
        begun = [one for one in known if one.startswith(params.argument.value)]
        completion = mcp.Completion(
            values=begun[:LISTED_MAX],
            total=len(begun),
            has_more=len(begun) > LISTED_MAX,
        )
        return mcp.CompleteResult(completion=completion)

    async def _known(self, params: mcp.CompleteRequestParams) -> Iterable[str]:
        if params.argument.name == "session":
            return [one.name for one in await self.tabwright.list_sessions()]
        if params.argument.name != "ref":
            return ()
        chosen = (params.context.arguments or {}) if params.context else {}
        outline = await self._outline(chosen.get("session") or await self._session())
        return [control.ref for control in outline.controls]

    async def _contents(self, uri: str) -> mcp.TextResourceContents | mcp.BlobResourceContents:
        match uri:
            case "browser://current/state":
                return self._text(uri, await self._state(await self._session()))
            case "browser://dom/state":
                return self._text(uri, await self._elements(await self._session()))
            case "browser://tabs":
                tabs = await self.tabwright.session(await self._session()).change_tabs()
                return self._text(uri, tabs_state(tabs))
            case "ui://tabwright/view":
                page = await trio.to_thread.run_sync(app_page)
                return mcp.TextResourceContents(
                    uri=uri, mime_type=APP_TYPE, text=page, _meta=app_meta()
                )
            case _ if uri.startswith(DOWNLOADS):
                return await self._file(uri, unquote(uri.removeprefix(DOWNLOADS)))
            case _:
                return await self._of_session(uri)

    async def _of_session(self, uri: str) -> mcp.TextResourceContents | mcp.BlobResourceContents:
        session, _, what = unquote(uri.removeprefix(SESSIONS)).partition("/")
        match what.split("/"):
            case ["state"]:
                return self._text(uri, await self._state(session))
            case ["dom"]:
                return self._text(uri, await self._elements(session))
            case ["screenshot"]:
                picture = await self.tabwright.session(session).inspect(Capture())
                return _blob(uri, picture.data, picture.media_type)
            case ["elements", ref]:
                outline = await self._outline(session, ref)
                return self._text(uri, outline.text, OWN.lines(outline.notes))
            case _:
                raise MCPError(mcp.INVALID_PARAMS, f"There is no resource {uri}.")

    async def _session(self) -> str:
        """Return the session that was used last.

        Raises:
            SessionMissing: no session is open.
        """
        sessions = await self.tabwright.list_sessions()
        if not sessions:
            raise SessionMissing("No session is open.", **advised(HintKind.OPEN_PAGE))
        return sessions[0].name

    async def _state(self, session: str) -> str:
        tabs = await self.tabwright.session(session).change_tabs()
        return current_state(session, tabs, await self._outline(session))

    async def _elements(self, session: str) -> str:
        outline = await self._outline(session)
        settings = await self.tabwright.session(session).settings()
        return dom_state(outline, settings.reading.outline_tokens_max)

    async def _outline(self, session: str, ref: str = "") -> OutlineText:
        settings = await self.tabwright.session(session).settings()
        view = OutlineView(settings.reading.outline_tokens_max)
        return await self.tabwright.session(session).inspect(TakeOutline(view, ref))

    def _text(self, uri: str, text: str, notes: Parts = ()) -> mcp.TextResourceContents:
        fenced = self._renderer.text((*quoted(text), *notes))
        return mcp.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=fenced)

    async def _file(self, uri: str, name: str) -> mcp.BlobResourceContents:
        files = await trio.to_thread.run_sync(self._files)
        found = next((file for file in files if file.name == name), None)
        if found is None:
            raise BadInput(
                ("There is no download ", Quoted(repr(name)), "."),
                advice="List the resources again.",
            )
        if found.stat().st_size > BYTES_MAX * 3 // 4:  # in base64
            raise BadInput(
                (Quoted(str(found)), " is too large to send."), advice="Open the file on disk."
            )
        data = await trio.to_thread.run_sync(found.read_bytes)
        return _blob(uri, data, guess_type(name)[0] or "application/octet-stream")

    def _files(self) -> list[Path]:
        """Return the files in the download folder, latest first, without links out of it."""
        folder = downloads_folder(self.tabwright.settings.acting.downloads)
        if folder is None or not folder.is_dir():
            return []
        files = [file for file in folder.iterdir() if file.is_file() and not file.is_symlink()]
        return sorted(files, key=lambda file: -file.stat().st_mtime)[:LISTED_MAX]


@attrs.frozen(eq=False)
class _Subscriber:
    """A client of the protocol before 2026-07-28 that has subscribed to resources."""

    session: ServerSession
    uris: set[str] = attrs.field(factory=set[str])


def _client_of(context: Context) -> str:
    """Return the id of the MCP session of a request over HTTP; empty for the client of stdio."""
    request = context.request
    return request.headers.get(MCP_SESSION_ID_HEADER, "") if isinstance(request, Request) else ""


def _resource(uri: str, title: str) -> mcp.Resource:
    return mcp.Resource(
        uri=uri, name=uri.removeprefix("browser://"), title=title, mime_type=MARKDOWN
    )


def _download(file: Path) -> mcp.Resource:
    kind = guess_type(file.name)[0] or "application/octet-stream"
    uri = DOWNLOADS + quote(file.name)
    return mcp.Resource(uri=uri, name=file.name, mime_type=kind, size=file.stat().st_size)


def _template(place: str, title: str, media_type: str = MARKDOWN) -> mcp.ResourceTemplate:
    return mcp.ResourceTemplate(
        uri_template=f"{SESSIONS}{{session}}/{place}",
        name=place.partition("/")[0],
        title=title,
        mime_type=media_type,
    )


def _blob(uri: str, data: bytes, media_type: str) -> mcp.BlobResourceContents:
    return mcp.BlobResourceContents(uri=uri, mime_type=media_type, blob=b64encode(data).decode())
