"""Inspections of a page: screenshots, console, network requests, files and outlines."""

import re
from typing import Generic, Literal, TypeAlias

import attrs

from tabwright.protocol.actions import (
    BackgroundEvents,
    ConsoleCounts,
    ConsoleEntry,
    ConsoleLevel,
    Dialog,
    Download,
    NetworkEntry,
    Outcome,
)
from tabwright.protocol.actor import AnswerT_co
from tabwright.protocol.errors import Note
from tabwright.protocol.snapshot import Thumbnail


class Inspection(Generic[AnswerT_co]):
    """A value that says what to inspect; its type determines the type of the answer."""

    __slots__ = ()


@attrs.frozen
class ListDownloads(Inspection[tuple[Download, ...]]):
    """Return the files that the page downloaded, once no download is under way."""


@attrs.frozen
class AwaitDownload(Inspection[Download | None]):
    """Return the download to which the last navigation of the page led, once it has ended.

    A long one is returned while it is under way. None if downloads are refused, or if none has
    begun within some seconds.
    """


ImageFormat: TypeAlias = Literal["jpeg", "png", "webp"]


@attrs.frozen
class Screenshot(Thumbnail):
    """A screenshot.

    Attributes:
        shot: its id; ``shot3@120,45`` is a point of it, for actions.
        is_changed: whether it differs from the previous screenshot of the same kind.
    """

    shot: str = ""
    is_changed: bool = True


@attrs.frozen
class Capture(Inspection[Screenshot]):
    """Take a screenshot of the viewport, the whole page, an element or a region.

    A field that contains a secret of the user's file, or into which a secret was typed, is black.
    Other places where the page shows a secret are not hidden. Refused with `BadInput` if more than
    one of `ref`, `full` and `region` is given.

    Attributes:
        ref: the element; empty for none.
        full: whether to show the whole page.
        bytes_max: the maximum size of the picture, which is reduced to fit; 0 for no limit.
        side_max: the maximum width and height in pixels of the picture; 0 for no limit.
        css: whether a pixel of the picture is a CSS pixel, regardless of the device's scale.
        area_max: the maximum area in pixels of the picture; 0 for no limit.
        region: left, top, width and height in CSS pixels from the corner of the viewport.
        marks: whether to draw a box with its ref around each visible control.
    """

    ref: str = ""
    full: bool = False
    bytes_max: int = 200_000
    side_max: int = 1568
    image_format: ImageFormat = "jpeg"
    css: bool = False
    area_max: int = 0
    region: tuple[float, float, float, float] | None = None
    marks: bool = False


@attrs.frozen
class Print(Inspection[bytes]):
    """Print the page as PDF; secrets are treated as in `Capture`."""

    landscape: bool = False
    background: bool = True


@attrs.frozen
class ReadConsole(Inspection[tuple[ConsoleEntry, ...]]):
    """Return the messages of the console, oldest first.

    Attributes:
        level: the lowest level to include.
        after: include only messages with a greater number.
        this_page: include only messages since the last navigation of the tab.
    """

    level: ConsoleLevel = "debug"
    after: int = 0
    this_page: bool = False


@attrs.frozen
class ListRequests(Inspection[tuple[NetworkEntry, ...]]):
    """Return the latest requests of the page, in order.

    Attributes:
        filter: include only requests with this text in their URL.
        kind: include only requests of these kinds; empty for all.
        failed: include only requests that failed or got an error status.
        this_page: include only requests since the last navigation of the tab, and its own.
    """

    filter: str = ""
    kind: str = ""
    failed: bool = False
    this_page: bool = False


@attrs.frozen
class RequestDetails:
    """A request with its headers.

    Attributes:
        sent, received: names and values of headers; the values of credentials are hidden.
        has_body: whether the page sent a body with it.
        body: the beginning of the request body, as far as it is kept; `ReadBody` returns all of it.
    """

    request: NetworkEntry
    sent: tuple[tuple[str, str], ...] = ()
    received: tuple[tuple[str, str], ...] = ()
    has_body: bool = False
    body: bytes = b""


@attrs.frozen
class ReadRequest(Inspection[RequestDetails]):
    """Return a request of the page with its headers.

    Refused with `BadInput` if there is no request with this number.
    """

    number: int


@attrs.frozen
class ReadBody(Inspection[bytes]):
    """Return the body of a response, or the latest frames of a WebSocket, one per line.

    Refused with `BadInput` if the body is not kept, or there is none.

    Attributes:
        sent: whether to return the body of the request instead.
    """

    number: int
    sent: bool = False


@attrs.frozen
class Choice:
    """An option of a list."""

    value: str
    label: str
    selected: bool = False
    disabled: bool = False


@attrs.frozen
class ListOptions(Inspection[tuple[Choice, ...]]):
    """Return all options of a list; refused with `BadInput` if the element is not a list."""

    ref: str


@attrs.frozen
class Evaluation:
    """The result of a script.

    Attributes:
        json: the value as JSON. A value in it that JSON has no form for is its text, for example
            a date, an error, an element or a big integer; a collection is an array.
    """

    json: str
    outcome: Outcome


@attrs.frozen
class Evaluate(Inspection[Evaluation]):
    """Run a caller's script in the page's main world; refused with `PageFailed` if it throws.

    Attributes:
        script: an expression, or, with `ref` or `refs`, a function that receives the elements, all
            of one frame.
        ref: of an element.
        refs: of further elements.
    """

    script: str
    ref: str = ""
    refs: tuple[str, ...] = ()

    @property
    def elements(self) -> tuple[str, ...]:
        """Return the refs of the elements that the function receives."""
        return (*filter(None, [self.ref]), *self.refs)


# A page as an outline, with a ref for each control.

REF = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)
"""The form of a ref: the number of a document, and the number of an element in it."""


@attrs.frozen
class OutlineView:
    """Options of an outline.

    Attributes:
        max_tokens: the maximum length of the text; 0 for no limit.
        offset: the first line to return.
        query: return only lines that contain all of these words, and their parents; texts, values
            and addresses are not shortened.
        viewport: return only what a person would see without scrolling.
        whole: do not shorten texts and addresses, as with a query.
        depth: the maximum depth of groups to show; None for all.
    """

    max_tokens: int = 4000
    offset: int = 0
    query: str = ""
    viewport: bool = False
    whole: bool = False
    depth: int | None = None


@attrs.frozen
class ListedControl:
    """A control of an outline, for callers that need no text.

    Attributes:
        depth: the number of groups around it.
        new: whether it was not in the previous outline.
    """

    ref: str
    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    depth: int = 0
    new: bool = False


@attrs.frozen
class OutlineText:
    """A rendered outline.

    Attributes:
        url, title: of the page.
        next_offset: the offset to continue at; None if there is no more.
        lines: the total number of lines.
        controls: the controls of all those lines.
        above, below: the height of the page outside the view, in CSS pixels.
        meanwhile: unreported events of the page; empty unless requested.
        notes: notes about the text, such as how to continue; never page text.
    """

    text: str
    url: str = ""
    title: str = ""
    next_offset: int | None = None
    lines: int = 0
    controls: tuple[ListedControl, ...] = ()
    above: int = 0
    below: int = 0
    meanwhile: BackgroundEvents = attrs.field(factory=BackgroundEvents)
    notes: tuple[Note, ...] = ()


@attrs.frozen
class TakeOutline(Inspection[OutlineText]):
    """Return the page as an outline, with a ref for each control.

    A ref is ``document.element``. It belongs to its element as long as that exists, and is never
    reused. Refused with `BadInput` if there is no element to begin at.

    Attributes:
        ref, selector: the element to begin at; empty for the whole page. Selectors work as in
            `Locate`.
        hidden: whether to include controls that are not visible.
        diff: only the changes since the previous outline, if there was one.
        events: whether to include events of the page that were not reported yet.
        boxes: whether to show the position and size of each control, in CSS pixels of its
            document's viewport: ``box=left,top,width,height``.
    """

    view: OutlineView = attrs.field(factory=OutlineView)
    ref: str = ""
    selector: str = ""
    hidden: bool = False
    diff: bool = False
    events: bool = False
    boxes: bool = False


@attrs.frozen
class Locate(Inspection[str]):
    """Return the ref of the only element that a locator matches.

    Shadow roots are searched too, and frames if the page itself has no match. Refused with
    `BadInput` if no element or several elements match; the message lists several with their refs.

    Attributes:
        locator: see `tabwright.protocol.locators`.
    """

    locator: str


@attrs.frozen
class FoundElement:
    """An element of the page: its ref, and its role and name or text."""

    ref: str
    what: str


@attrs.frozen
class FoundElements:
    """The elements that a locator matches: their number, and the first of them."""

    count: int
    elements: tuple[FoundElement, ...] = ()


@attrs.frozen
class FindElements(Inspection[FoundElements]):
    """Return all elements that a locator matches, at most 20 of each document with their refs.

    Attributes:
        locator: see `tabwright.protocol.locators`.
    """

    locator: str


@attrs.frozen
class PageTool:
    """A tool that a page offers to agents (WebMCP). The page has written all of it.

    Attributes:
        origin: of the document that offers it.
        input_schema: a JSON schema, as JSON; empty for none.
        read_only: whether the page says that it changes nothing.
    """

    name: str
    description: str
    origin: str
    input_schema: str = ""
    read_only: bool = False


@attrs.frozen
class ListPageTools(Inspection[tuple[PageTool, ...]]):
    """List the tools that the documents of the page offer, in the user's bounds.

    During a dialog these are the last ones that were listed, if they are still offered.
    """


@attrs.frozen
class CallPageTool(Inspection[Evaluation]):
    """Call a tool that the page offers, and return its result.

    Refused with `BadInput` if the page does not offer it, and with `PageFailed` if the tool fails
    or does not respond in time. Cancellation cancels the call.

    Attributes:
        arguments: an object, as JSON.
    """

    name: str
    origin: str
    arguments: str = "{}"


@attrs.frozen
class PageLocation:
    """The URL of a page, and the dialog that blocks it.

    Attributes:
        console: None if there were no errors or warnings.
        person_acts: whether a person has taken over the page in the live view.
    """

    url: str
    title: str
    dialog: Dialog | None = None
    console: ConsoleCounts | None = None
    person_acts: bool = False


@attrs.frozen
class LocateOnPage(Inspection[PageLocation]):
    """Return the location of the page, and prepare the page for actions.

    Attributes:
        settles: whether to wait until the page is settled.
    """

    settles: bool = False
