"""Reading one page: leave to go, a tab, the page, its text."""

from functools import partial
from urllib.parse import urlsplit

import attrs
import trio

from tabwright.actors.address import Address
from tabwright.actors.grant import granted
from tabwright.config.settings import NetworkSettings
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import NavigationFailed, TimeOut
from tabwright.protocol.leases import Governor, LeaseTab, Permit, Supervisor
from tabwright.protocol.pages import LoadedPage, PageFormat, PageSource, PageText
from tabwright.protocol.reading import Extract, Extractor
from tabwright.protocol.tabs import Navigate, ReadSource, Tab
from tabwright.protocol.urls import checked_url

READABLE = ("text/", "application/xhtml+xml", "application/xml", "application/json")
"""The media types that a browser shows as text."""

ERROR_STATUS_MIN = 400
SERVER_ERROR_STATUS_MIN = 500


@attrs.frozen(eq=False)
class PageReader:
    """Whoever a page is read with."""

    supervisor: Address[Supervisor]
    governor: Address[Governor]
    extractor: Address[Extractor]
    settings: NetworkSettings

    async def read(self, url: str, page_format: PageFormat) -> PageText:
        """The text of the page at `url`, read in a tab and with cookies of its own.

        Cancellation stops the loading and closes the tab.

        Raises:
            BadInput: not a URL that we open.
            NavigationFailed: no page there: unreachable, an HTTP error, not a page but a file.
            PageFailed: the page crashed or is too large.
            TimeOut: it was not there within the settings' `page_timeout_s`.
            BrowserUnavailable: there is no browser.
        """
        url = checked_url(url, allow_private=self.settings.allow_private)
        host = urlsplit(url).hostname or ""
        async with (
            granted(self.governor, partial(Permit, site=host)),
            granted(self.supervisor, partial(LeaseTab, private=True)) as lease,
        ):
            source = await _source(lease.tab, url, self.settings.page_timeout_s)
        return await self.extractor.ask(Extract(source, page_format))


async def _source(tab: Asked[Tab], url: str, timeout_s: float) -> PageSource:
    try:
        with trio.fail_after(timeout_s):
            _check(await tab.ask(Navigate(url)))
            return await tab.ask(ReadSource())
    except trio.TooSlowError as error:
        raise TimeOut(
            f"{url} was not there within {timeout_s:g} s.",
            advice="Try again, or raise network.page_timeout_s.",
        ) from error


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
