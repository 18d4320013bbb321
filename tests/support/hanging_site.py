"""A site with a page that is not answered until a test allows it."""

from contextlib import AsyncExitStack
from typing import Self

import attrs
import trio

from tabwright.testing.replica.server import Exchange, html, open_server


@attrs.define(eq=False)
class HangingSite:
    """A site with a page that is not answered until the test allows it.

    Attributes:
        asked: set by the first request.
        answers: to be set by the test.
    """

    url: str = ""
    asked: trio.Event = attrs.field(factory=trio.Event)
    answers: trio.Event = attrs.field(factory=trio.Event)
    _open: AsyncExitStack = attrs.field(factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        port = await self._open.enter_async_context(open_server(self._answer, []))
        self.url = f"http://127.0.0.1:{port}/"
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._open.aclose()

    async def _answer(self, exchange: Exchange) -> None:
        if exchange.path == "/":
            self.asked.set()
            await self.answers.wait()
        await exchange.answer(html("<title>T</title><p>At last.</p>"))
