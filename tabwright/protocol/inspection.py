"""What a page shows, says and asks for: pictures, console, requests, files."""

from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.acting import ActingTab
from tabwright.protocol.outcomes import ConsoleEntry, ConsoleLevel, Download
from tabwright.protocol.pictures import SmallPicture


@attrs.frozen
class ListDownloads:
    """The files that the page has given, once none is under way any more."""

    async def visit(self, tab: ActingTab, /) -> tuple[Download, ...]:
        """Has `tab` answer."""
        return await tab.acting.downloads(self)


ImageFormat: TypeAlias = Literal["jpeg", "png", "webp"]


@attrs.frozen
class Capture:
    """A picture of what is seen, of the whole page, or of an element.

    A field that holds a secret of the user's file, or that one was typed into, is black in it; what
    else the page makes of a secret is not.

    Attributes:
        bytes_max: it is made smaller until it has no more; 0 for any.
        side_max: in pixels of the picture; 0 for any.
        css: whether a pixel of the picture is a CSS pixel, whatever the scale of the device.
        area_max: in pixels of the picture; 0 for any.
    """

    ref: str = ""
    full: bool = False
    bytes_max: int = 200_000
    side_max: int = 1568
    image_format: ImageFormat = "jpeg"
    css: bool = False
    area_max: int = 0

    async def visit(self, tab: ActingTab, /) -> SmallPicture:
        """Has `tab` answer."""
        return await tab.acting.capture(self)


@attrs.frozen
class Print:
    """The page as PDF; of secrets in it the same holds as for `Capture`."""

    landscape: bool = False
    background: bool = True

    async def visit(self, tab: ActingTab, /) -> bytes:
        """Has `tab` answer."""
        return await tab.acting.print(self)


@attrs.frozen
class ReadConsole:
    """What the page said, the latest last.

    Attributes:
        level: only what is at least as grave.
        after: only what has a greater number.
        this_page: only what came since the tab last went to another page.
    """

    level: ConsoleLevel = "debug"
    after: int = 0
    this_page: bool = False

    async def visit(self, tab: ActingTab, /) -> tuple[ConsoleEntry, ...]:
        """Has `tab` answer."""
        return await tab.acting.console(self)


@attrs.frozen
class PageRequest:
    """A request that the page made.

    Attributes:
        number: counts from 1 in each tab.
        kind: as ``Document``, ``Fetch``, ``Image``, ``WebSocket``.
        status: of HTTP; 0 where no answer came yet, or none.
        size_bytes: of what came in.
        ms: from its beginning to its end; None while it is under way.
        failure: why none came; empty where one did.
        frames: of a WebSocket, how many went over it, both ways.
        location: where a redirect leads, as the server put it; empty for other answers.
    """

    number: int
    method: str
    url: str
    kind: str
    status: int = 0
    media_type: str = ""
    size_bytes: int = 0
    ms: float | None = None
    failure: str = ""
    frames: int = 0
    location: str = ""


@attrs.frozen
class ListRequests:
    """The latest requests of the page, in order.

    Attributes:
        filter: only those with this in their URL.
        kind: only those; empty for all.
        failed: only those that failed or were answered with an error.
    """

    filter: str = ""
    kind: str = ""
    failed: bool = False

    async def visit(self, tab: ActingTab, /) -> tuple[PageRequest, ...]:
        """Has `tab` answer."""
        return await tab.acting.requests(self)


@attrs.frozen
class RequestDetails:
    """A request with its headers.

    Attributes:
        sent, received: names and values of headers; the values of credentials are hidden.
        has_body: whether the page sent a body with it.
        body: the beginning of that, as far as it is kept for good; `ReadBody` has the whole.
    """

    request: PageRequest
    sent: tuple[tuple[str, str], ...] = ()
    received: tuple[tuple[str, str], ...] = ()
    has_body: bool = False
    body: bytes = b""


@attrs.frozen
class ReadRequest:
    """One request of the page with its headers.

    Refused with `BadInput` where there is none with this number.
    """

    number: int

    async def visit(self, tab: ActingTab, /) -> RequestDetails:
        """Has `tab` answer."""
        return await tab.acting.request(self)


@attrs.frozen
class ReadBody:
    """The body of an answer, or the latest frames of a WebSocket, a line for each.

    Refused with `BadInput` where it is not kept, or there is none.

    Attributes:
        sent: whether the body of the request is meant instead.
    """

    number: int
    sent: bool = False

    async def visit(self, tab: ActingTab, /) -> bytes:
        """Has `tab` answer."""
        return await tab.acting.body(self)
