"""Fixtures for acting: test pages on loopback, and an agent that uses the client."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar

import attrs
import pytest

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.page.render import outline_text
from tabwright.protocol.actions import Action, Click, Outcome, TabInfo, Type
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.inspection import Evaluate, Inspection, OutlineView, TakeOutline
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server

AnswerT = TypeVar("AnswerT")
Reply: TypeAlias = ServerResponse | Callable[[Exchange], Awaitable[None]]

WHOLE = OutlineView(max_tokens=0)


def page(
    body: str, title: str = "Hard to act on", head: str = "", status: int = 200
) -> ServerResponse:
    """Return a page with a `note(…)` function that appends to the page's title."""
    script = "<script>function note(what) { document.title += ' ' + what }</script>"
    icon = "<link rel=icon href=data:,>"  # else one that is not there is told of
    html = f"<!doctype html><html lang=en><head><title>{title}</title>{icon}{head}{script}</head>"
    return ServerResponse(f"{html}<body>{body}</body></html>".encode(), status=status)


@attrs.define(eq=False)
class Stand:
    """A site on loopback with pages that a test provides.

    Attributes:
        pages: the response for each path.
        log: every request.
    """

    port: int = 0
    pages: dict[str, Reply] = attrs.field(factory=dict[str, Reply])
    log: list[Seen] = attrs.field(factory=list[Seen])

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, body: str, title: str = "", status: int = 200) -> None:
        """Serve a page that has no `note` function."""
        html = f"<!doctype html><title>{title}</title>{body}"
        self.pages[path] = ServerResponse(html.encode(), status=status)

    def asked(self, path: str) -> int:
        return sum(seen.path == path for seen in self.log)

    async def answer(self, exchange: Exchange) -> None:
        reply = self.pages.get(exchange.path) or ServerResponse(status=404)
        if isinstance(reply, ServerResponse):
            await exchange.answer(reply)
        else:
            await reply(exchange)


@attrs.frozen(eq=False)
class Agent:
    """An agent that acts in one session and reads its pages as outlines."""

    tabwright: Tabwright
    stand: Stand
    session: str = "s"

    async def show(self, body: str, **options: str) -> str:
        """Serve a page, go to it, and return its outline."""
        self.stand.pages["/"] = page(body, **options)
        return await self.go("/")

    async def go(self, path: str, *, new_tab: bool = False) -> str:
        await self.tabwright.parts.sessions.ask(
            Sessions.enter, self.session, self.stand.url(path), new_tab=new_tab
        )
        return await self.see()

    async def ask(self, request: Action | Inspection[AnswerT], tab: int | None = None) -> AnswerT:
        method = Sessions.act if isinstance(request, Action) else Sessions.inspect
        return await self.tabwright.parts.sessions.ask(method, self.session, request, tab=tab)

    async def refused(
        self, request: Action | Inspection[object], tab: int | None = None
    ) -> TabwrightError:
        with pytest.raises(TabwrightError) as refusal:
            await self.ask(request, tab)
        return refusal.value

    async def see(self, **options: object) -> str:
        """Return the whole outline without its first line."""
        view = options.pop("view", WHOLE)
        outline = await self.ask(TakeOutline(view, **options))
        return outline_text(outline).partition("\n")[2]

    async def ref(self, name: str) -> str:
        """Return the ref in the first line that contains `name`."""
        return ref_in(await self.see(), name)

    async def refs(self, name: str) -> list[str]:
        """Return the first ref of each line that contains `name`."""
        lines = (await self.see()).splitlines()
        return [ref_in(line, name) for line in lines if name in line]

    async def click(self, name: str, **options: object) -> Outcome:
        return await self.ask(Click(await self.ref(name), **options))

    async def type(self, name: str, text: str, **options: object) -> Outcome:
        return await self.ask(Type(await self.ref(name), text, **options))

    async def value(self, script: str, tab: int | None = None) -> object:
        """Return the value of a script."""
        return json.loads((await self.ask(Evaluate(script), tab)).json)

    async def notes(self) -> list[str]:
        """Return what the page has noted so far."""
        title = str(await self.value("document.title"))
        return title.removeprefix("Hard to act on").split()

    async def tabs(self) -> tuple[TabInfo, ...]:
        return await self.tabwright.parts.sessions.ask(Sessions.change_tabs, self.session)


def ref_in(outline: str, name: str) -> str:
    """Return the ref that precedes a name in an outline."""
    for line in outline.splitlines():
        before, found, _ = line.partition(name)
        if found and "[" in before:
            return before.rpartition("[")[2].partition("]")[0].removeprefix("*")
    message = f"{name!r} is not in\n{outline}"
    raise AssertionError(message)


@pytest.fixture
async def stand() -> AsyncGenerator[Stand]:
    own = Stand()
    async with open_server(own.answer, own.log) as port:
        own.port = port
        yield own


OpenClient: TypeAlias = Callable[..., AbstractAsyncContextManager[Tabwright]]
OpenAgent: TypeAlias = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture
def open_acting_client(
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> OpenClient:
    """Open clients that may act on pages on loopback.

    They use the headless shell, which needs less than half of the time, unless the test is marked
    with ``whole_browser``.
    """
    is_whole = request.node.get_closest_marker("whole_browser") is not None
    browser = {"browser__path": "chromium"} if is_whole else {}

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncGenerator[Tabwright]:
        chosen: Mapping[str, object] = {
            "browser__profile": None,
            **browser,
            "network__allow_private": True,
            "network__proxy": "none",
            "session__dir": str(tmp_path / "sessions"),
            "acting__downloads": str(tmp_path / "downloads"),
            **settings,
        }
        async with open_tabwright(settings_from(override(**chosen))) as tabwright:
            yield tabwright

    return opened


@pytest.fixture
def open_agent(stand: Stand, open_acting_client: OpenClient) -> OpenAgent:
    """Open agents in clients with the given settings."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncGenerator[Agent]:
        async with open_acting_client(**settings) as tabwright:
            yield Agent(tabwright, stand)

    return opened


@pytest.fixture
async def agent(open_agent: OpenAgent) -> AsyncGenerator[Agent]:
    async with open_agent() as own:
        yield own
