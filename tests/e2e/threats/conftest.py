"""A hostile web on loopback, and clients that visit it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Click, Outcome, TabInfo
from tabwright.protocol.inspection import OutlineText, OutlineView, TakeOutline
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server

WHOLE = TakeOutline(OutlineView(max_tokens=0))


@attrs.define(eq=False)
class Web:
    """The pages of one test, served on loopback.

    Attributes:
        pages: the response for each path.
        log: every request.
    """

    port: int = 0
    pages: dict[str, ServerResponse] = attrs.field(factory=dict[str, ServerResponse])
    log: list[Seen] = attrs.field(factory=list[Seen])

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def put(self, path: str, body: str, cookie: str = "") -> None:
        self.pages[path] = html(f"<!doctype html><link rel=icon href=data:,>{body}", cookie=cookie)

    async def answer(self, exchange: Exchange) -> None:
        await exchange.answer(self.pages.get(exchange.path) or ServerResponse(status=404))


@attrs.frozen(eq=False)
class Visitor:
    """An agent in a session of a client."""

    tabwright: Tabwright
    web: Web
    session: str = "s"

    async def go(self, path: str, *, new_tab: bool = False) -> str:
        """Open a page; return its outline."""
        await self.tabwright.session(self.session).enter(self.web.url(path), new_tab=new_tab)
        return (await self.see()).text

    async def see(self) -> OutlineText:
        return await self.tabwright.session(self.session).inspect(WHOLE)

    async def click(self, name: str) -> Outcome:
        """Click the control with this name."""
        controls = (await self.see()).controls
        (ref,) = [control.ref for control in controls if control.name == name]
        return await self.tabwright.session(self.session).act(Click(ref))

    async def tabs(self) -> tuple[TabInfo, ...]:
        return await self.tabwright.parts.sessions.ask(Sessions.change_tabs, self.session)


OpenClient: TypeAlias = Callable[..., AbstractAsyncContextManager[Tabwright]]


@pytest.fixture
async def web() -> AsyncGenerator[Web]:
    own = Web()
    async with open_server(own.answer, own.log) as port:
        own.port = port
        yield own


@pytest.fixture
def open_loopback_client(
    tmp_path: Path,
) -> OpenClient:
    """Return a function that opens clients which may open loopback addresses."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncGenerator[Tabwright]:
        chosen: dict[str, object] = {
            "browser__profile": None,
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
async def visitor(web: Web, open_loopback_client: OpenClient) -> AsyncGenerator[Visitor]:
    async with open_loopback_client() as tabwright:
        yield Visitor(tabwright, web)
