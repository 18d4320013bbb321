"""Reading one page: leave to go, a tab, the page, its text."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import attrs

from tabwright.actors.address import Address
from tabwright.actors.arriving import arriving
from tabwright.actors.grant import granted
from tabwright.actors.turns import tell_wait
from tabwright.config.settings import NetworkSettings
from tabwright.protocol.asking import Asked, Ending
from tabwright.protocol.errors import NavigationFailed
from tabwright.protocol.leases import LeaseTab, Supervisor, TabUse
from tabwright.protocol.pages import (
    ERROR_STATUS_MIN,
    SERVER_ERROR_STATUS_MIN,
    LoadedPage,
    PageFormat,
    PageSource,
    PageText,
)
from tabwright.protocol.permits import Governor, NoteRefusal, Permit
from tabwright.protocol.reading import Extract, Extractor
from tabwright.protocol.searching import Progress, unheard
from tabwright.protocol.tabs import REFUSALS, Navigate, ReadSource, Tab
from tabwright.protocol.urls import checked_url

READABLE = ("text/", "application/xhtml+xml", "application/xml", "application/json")
"""The media types that a browser shows as text."""


@attrs.frozen(eq=False)
class PageReader:
    """Whoever a page is read with."""

    supervisor: Address[Supervisor]
    governor: Address[Governor]
    extractor: Address[Extractor]
    settings: NetworkSettings

    async def read(
        self, url: str, page_format: PageFormat, progress: Progress = unheard
    ) -> PageText:
        """The text of the page at `url`, read in a tab and with cookies of its own.

        Cancellation stops the loading and closes the tab.

        Raises:
            BadInput: not a URL that we open.
            RateLimited: its host has refused us, and is left alone for a while.
            NavigationFailed: no page there: unreachable, an HTTP error, not a page but a file.
            PageFailed: the page crashed or is too large.
            TimeOut: it was not there within the settings' `page_timeout_s`.
            BrowserUnavailable: there is no browser.
        """
        url = checked_url(url, allow_private=self.settings.allow_private)
        host, told = _host(url), partial(tell_wait, progress)
        async with (
            granted(self.governor, partial(_permit, host, told)),
            granted(self.supervisor, partial(_reading_tab, host, told)) as lease,
        ):
            source = await self._source(lease.tab, url)
        return await self.extractor.ask(Extract(source, page_format))

    async def _source(self, tab: Asked[Tab], url: str) -> PageSource:
        with arriving(url, self.settings.page_timeout_s):
            page = await tab.ask(Navigate(url))
            await self._note_refusal(page)
            _check(page)
            return await tab.ask(ReadSource())

    async def _note_refusal(self, page: LoadedPage) -> None:
        """Has a host that refuses us left alone, if it does; others wait for leave meanwhile."""
        if page.status in REFUSALS:
            await self.governor.ask(NoteRefusal(_host(page.url), page.retry_after_s))


def _host(url: str) -> str:
    """The host as browsers spell it."""
    return (urlsplit(url).hostname or "").encode("idna").decode()


def _permit(host: str, told: Callable[[object], None], over: Ending) -> Permit:
    return Permit(over, host, waiting=told)


def _reading_tab(host: str, told: Callable[[object], None], over: Ending) -> LeaseTab:
    return LeaseTab(over, TabUse.READING, f"reading {host}", private=True, queued=told)


def _check(page: LoadedPage) -> None:
    if page.status >= ERROR_STATUS_MIN:
        raise NavigationFailed(
            f"{page.url} answered with HTTP status {page.status}.",
            retryable=page.status >= SERVER_ERROR_STATUS_MIN,
        )
    if page.mime_type and not page.mime_type.startswith(READABLE):
        raise NavigationFailed(
            f"{page.url} is {page.mime_type}, not a page that can be read as text.",
            retryable=False,
        )
