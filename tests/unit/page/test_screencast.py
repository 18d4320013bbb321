"""The live view of a page never shows a picture taken before a secret was covered."""

import base64
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import attrs
import pytest
import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import Raw, WireFrame
from tabwright.page.screencast import LatestFrame, Screencast

Check: TypeAlias = Callable[[], Awaitable[float | None]]


@attrs.define(eq=False)
class FakeBrowser:
    """A fake browser with one page that sends a picture of its `text` on request."""

    nursery: trio.Nursery
    now_s: float = 1000.0
    text: str = "page"
    session: CDPSession = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.session = CDPSession(self, "page")

    async def call(self, _session, commands):
        await trio.lowlevel.checkpoint()
        for command in commands:
            if command.method == "Page.startScreencast":
                self.nursery.start_soon(self._draw)
        return [Raw(b"{}") for _ in commands]

    async def _draw(self) -> None:
        await trio.sleep(0.1)
        self.give()

    def give(self, taken_at: float | None = None, text: str | None = None) -> None:
        """Send a picture, by default of the page in its current state."""
        self.now_s += 0.01
        params = {
            "data": base64.b64encode((text or self.text).encode()).decode(),
            "sessionId": 1,
            "metadata": {
                "deviceWidth": 800,
                "deviceHeight": 600,
                "timestamp": taken_at or self.now_s,
            },
        }
        raw = Raw(json.dumps(params).encode())
        self.session.take(WireFrame(method="Page.screencastFrame", params=raw))


@pytest.fixture
def browser(nursery):
    return FakeBrowser(nursery)


async def nothing() -> None:
    """Do nothing; called when the last watcher has gone."""


@asynccontextmanager
async def watched(browser: FakeBrowser, check: Check) -> AsyncGenerator[list[str]]:
    """Yield the pictures that a watcher gets, including the first one."""
    shown: list[str] = []

    async def watch(watcher: LatestFrame) -> None:
        while True:
            shown.append((await watcher.next()).data.decode())

    screencast = Screencast(browser.session, check, nothing)
    browser.nursery.start_soon(screencast.attend)
    with screencast.watched() as watcher:
        browser.nursery.start_soon(watch, watcher)
        await trio.sleep(1)
        yield shown


async def test_picture_taken_before_a_secret_was_covered_is_not_shown(browser, autojump_clock):
    clean_since: float | None = 0.0

    async def check() -> float | None:
        nonlocal clean_since
        await trio.lowlevel.checkpoint()
        if browser.text == "secret":
            browser.give()  # another one, while the page is being covered
            browser.text, clean_since = "dots", None
        elif clean_since is None:
            clean_since = browser.now_s
        return clean_since

    async with watched(browser, check) as shown:
        browser.text = "secret"
        browser.give()
        late = browser.now_s
        await trio.sleep(1)
        browser.give(taken_at=late, text="secret")  # it was compressed until now
        await trio.sleep(1)
        browser.give(text="later")
        await trio.sleep(1)
    assert "secret" not in shown
    assert list(dict.fromkeys(shown)) == ["page", "dots", "later"]


async def test_picture_whose_secret_another_caller_covered_is_not_shown(browser, autojump_clock):
    clean_since = 0.0

    async def check() -> float | None:
        await trio.lowlevel.checkpoint()
        return clean_since

    async with watched(browser, check) as shown:
        browser.give(text="secret")
        clean_since = browser.now_s
        browser.text = "dots"
        await trio.sleep(1)
    assert shown == ["page", "dots"]


async def test_picture_of_a_document_that_went_before_it_was_checked_is_not_shown(
    browser, autojump_clock
):
    clean_since = 0.0

    async def check() -> float | None:
        nonlocal clean_since
        await trio.lowlevel.checkpoint()
        if browser.text == "secret":
            browser.text, clean_since = "next document", browser.now_s
            raise CommandFailed("Runtime.callFunctionOn", -32000, "Cannot find context")
        return clean_since

    async with watched(browser, check) as shown:
        browser.text = "secret"
        browser.give()
        await trio.sleep(1)
    assert shown == ["page", "next document"]
