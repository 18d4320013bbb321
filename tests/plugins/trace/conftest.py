"""Recorded sessions on Chromium, and pages on loopback."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.plugins.trace.trace_file import SUFFIX, Trace, read_trace
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server

OpenRecorder: TypeAlias = Callable[..., AbstractAsyncContextManager["RecordedSite"]]


@attrs.define(eq=False)
class RecordedSite:
    """Pages on loopback, and a client that can record the session that visits them."""

    tabwright: Tabwright
    folder: Path
    port: int = 0
    pages: dict[str, str] = attrs.field(factory=dict[str, str])
    log: list[Seen] = attrs.field(factory=list[Seen])

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def answer(self, exchange: Exchange) -> None:
        body = self.pages.get(exchange.path.partition("?")[0])
        icon = "<link rel=icon href=data:,>"
        found = ServerResponse(status=404) if body is None else html(f"<!doctype html>{icon}{body}")
        await exchange.answer(found)

    async def stopped(self, session: str = "s") -> Trace:
        """End the trace of a session, and return it."""
        return read_trace(Path((await self.tabwright.session(session).change_trace("stop")).path))

    def path_of(self, trace: Trace) -> Path:
        """Return the file of a trace, the only one of its session."""
        [path] = self.folder.glob(f"{trace.header.session}-*{SUFFIX}")
        return path


@pytest.fixture
def open_recorder(tmp_path: Path) -> OpenRecorder:
    """Return a function that opens a client with its own settings and pages."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncGenerator[RecordedSite]:
        folder = tmp_path / "traces"
        chosen = settings_from(
            override(
                browser__profile=None,
                network__allow_private=True,
                network__proxy="none",
                trace__dir=str(folder),
                **settings,
            )
        )
        async with open_tabwright(chosen) as tabwright:
            site = RecordedSite(tabwright, folder)
            async with open_server(site.answer, site.log) as port:
                site.port = port
                yield site

    return opened
