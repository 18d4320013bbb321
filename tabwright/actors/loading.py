"""One navigation, followed through the browser's events until its document is parsed."""

from collections.abc import AsyncIterator

import attrs

from tabwright.cdp.domains import network, page
from tabwright.cdp.wire import Event
from tabwright.protocol.errors import NavigationFailed, PageFailed
from tabwright.protocol.pages import LoadedPage
from tabwright.protocol.urls import checked_url

EVENTS = (
    page.LifecycleEvent,
    network.RequestWillBeSent,
    network.ResponseReceived,
    network.DataReceived,
)
"""What a `Loading` is told."""

ADVICE = {
    "net::ERR_NAME_NOT_RESOLVED": "Check the spelling of the host name.",
    "net::ERR_CONNECTION_REFUSED": "Nothing listens there.",
    "net::ERR_INTERNET_DISCONNECTED": "Check the network and the proxy.",
    "net::ERR_PROXY_CONNECTION_FAILED": "Check the proxy settings.",
    "net::ERR_TOO_MANY_REDIRECTS": "The site redirects in a circle.",
    "net::ERR_INVALID_AUTH_CREDENTIALS": "The page asks for a user name and a password.",
}
"""The next step for the failures that have one of their own."""


@attrs.define
class Loading:
    """What is known of a navigation so far.

    Attributes:
        url: the document's URL, the last redirect's target.
        frame_id: the page's main frame.
        loader_id: the document that is loaded; its request carries the same id.
    """

    url: str
    frame_id: str
    loader_id: str
    allow_private: bool
    bytes_max: int
    status: int = 0
    mime_type: str = ""
    _bytes: int = 0

    def check(self, navigated: page.Navigated) -> None:
        """Judges the reply of ``Page.navigate``.

        Raises:
            NavigationFailed: no document came.
        """
        if navigated.is_download:
            raise NavigationFailed(
                f"{self.url} is a file to download, not a page.", retryable=False
            )
        if navigated.error_text:
            code = navigated.error_text
            raise NavigationFailed(
                f"{self.url} did not load ({code}).", advice=ADVICE.get(code, "")
            )

    async def follow(self, events: AsyncIterator[Event]) -> LoadedPage:
        """Takes events in until the document is parsed.

        Raises:
            BadInput: a redirect led to where we do not go.
            PageFailed: the document is larger than it may be.
        """
        async for event in events:
            match event:
                case network.RequestWillBeSent(type="Document", frame_id=self.frame_id):
                    self._turn_to(event)
                case network.ResponseReceived(request_id=self.loader_id):
                    self.status = event.response.status
                    self.mime_type = event.response.mime_type
                    self._check_size(_announced_bytes(event.response))
                case network.DataReceived(request_id=self.loader_id):
                    self._grow(event.data_length)
                case page.LifecycleEvent(loader_id=self.loader_id, name="DOMContentLoaded"):
                    break
                case _:
                    pass
        return LoadedPage(self.url, self.status, self.mime_type)

    def _turn_to(self, request: network.RequestWillBeSent) -> None:
        """Follows a redirect, or a script that leads on before its document is parsed."""
        self.url = checked_url(request.request.url, allow_private=self.allow_private)
        if request.request_id != self.loader_id:
            self.loader_id, self._bytes = request.request_id, 0

    def _grow(self, length: int) -> None:
        self._bytes += length
        self._check_size(self._bytes)

    def _check_size(self, size: int) -> None:
        if size > self.bytes_max:
            raise PageFailed(
                f"{self.url} is larger than {self.bytes_max} bytes.",
                advice="Raise network.page_bytes_max if you need it.",
                retryable=False,
            )


def _announced_bytes(response: network.Response) -> int:
    """What ``Content-Length`` says, before compression is undone; 0 where it says nothing."""
    for name, value in response.headers.items():
        if name.lower() == "content-length" and value.isdecimal():
            return int(value)
    return 0
