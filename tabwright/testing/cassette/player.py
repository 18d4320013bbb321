"""Launching played browsers, and fetching from the tape."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from difflib import SequenceMatcher

import attrs
import trio

from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.protocol.errors import BrowserUnavailable, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport
from tabwright.protocol.snapshot import LoadedPage
from tabwright.testing.cassette.masking import Mask
from tabwright.testing.cassette.playing import Playback, PlayedBrowser
from tabwright.testing.cassette.tape import (
    RecordedFetch,
    Tape,
)
from tabwright.testing.fake.browser import FakeCookies
from tabwright.testing.fake.link import Faults


@attrs.define(eq=False)
class Player:
    """A `Launcher` and a factory of HTTP clients that play a tape.

    A browser that starts after the last recorded one plays the last one from its start.
    """

    _tape: Tape
    _faults: Faults
    _mask: Mask
    playback: Playback = attrs.field(factory=Playback, init=False)
    _opened: int = attrs.field(default=0, init=False)

    @asynccontextmanager
    async def open(self, _: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """See `Launcher.open`."""
        if not self._tape.browsers:
            text = "The cassette contains no browser: nothing in its recording needed one."
            self.playback.mismatches.append(text)
            raise BrowserUnavailable(text)
        recorded = self._tape.browsers[min(self._opened, len(self._tape.browsers) - 1)]
        self._opened += 1
        browser = PlayedBrowser(recorded.frames, self._faults, self._mask, self.playback)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(browser.run)
            try:
                yield BrowserLink(
                    browser.link, ours=True, last_words=_last_words, visible=recorded.visible
                )
            finally:
                browser.link.cut()
                nursery.cancel_scope.cancel()

    async def look_at_proxy(self, used: ProxyChoice) -> ProxyReport:
        """See `Launcher.look_at_proxy`."""
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.SERVES, used)

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""

    def fetching(self) -> Callable[[], AbstractAsyncContextManager[Fetcher]]:
        """Return a factory of HTTP clients that answer from the tape."""

        @asynccontextmanager
        async def life() -> AsyncGenerator[Fetcher]:
            yield _PlayedFetcher(list(self._tape.fetches), self._mask, self.playback)

        return life


@attrs.define(eq=False)
class _PlayedFetcher(FakeCookies):
    _fetches: list[RecordedFetch]
    _mask: Mask
    _playback: Playback
    _played: set[int] = attrs.field(factory=set[int], init=False)

    async def fetch(self, request: Fetch, /) -> Fetched:
        """See `Fetch`. A page that was fetched once is fetched again with the same result."""
        sent = request.payload.body.decode(errors="replace") if request.payload else ""
        wanted = self._mask.clean_object({"url": request.url, "sent": sent})
        same = [
            place
            for place, one in enumerate(self._fetches)
            if {"url": one.url, "sent": one.sent} == wanted
        ]
        if not same:
            urls = [one.url for one in self._fetches]
            nearest = max(urls, key=lambda url: SequenceMatcher(None, request.url, url).ratio())
            text = f"The cassette does not contain a fetch of {wanted['url']}." + (
                f" The nearest is {nearest}." if urls else " It contains no fetch at all."
            )
            self._playback.mismatches.append(text)
            raise NavigationFailed(text, code=ErrorCode.NETWORK)
        place = next((one for one in same if one not in self._played), same[-1])
        self._played.add(place)
        recorded = self._fetches[place]
        await trio.sleep(recorded.took_s)
        if recorded.problem:
            raise NavigationFailed(recorded.problem, code=ErrorCode(recorded.code))
        page = LoadedPage(recorded.final_url, recorded.status, recorded.mime_type)
        body = recorded.data or recorded.text.encode()
        return Fetched(page, body, recorded.charset, recorded.chain)


async def _last_words() -> str:
    await trio.lowlevel.checkpoint()
    return "The browser of the cassette has ended."
