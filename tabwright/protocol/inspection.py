"""What can be inspected of a page: pictures, console, network requests, files, outlines."""

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
    Outcome,
)
from tabwright.protocol.actor import AnswerT_co
from tabwright.protocol.errors import Note
from tabwright.protocol.snapshot import Thumbnail


class Inspection(Generic[AnswerT_co]):
    """A value that says what to inspect; its type names the type of the answer."""

    __slots__ = ()


@attrs.frozen
class ListDownloads(Inspection[tuple[Download, ...]]):
    """The files that the page has given, once none is under way any more."""


ImageFormat: TypeAlias = Literal["jpeg", "png", "webp"]


@attrs.frozen
class Capture(Inspection[Thumbnail]):
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


@attrs.frozen
class Print(Inspection[bytes]):
    """The page as PDF; of secrets in it the same holds as for `Capture`."""

    landscape: bool = False
    background: bool = True


@attrs.frozen
class ReadConsole(Inspection[tuple[ConsoleEntry, ...]]):
    """What the page said, the latest last.

    Attributes:
        level: only what is at least as grave.
        after: only what has a greater number.
        this_page: only what came since the tab last went to another page.
    """

    level: ConsoleLevel = "debug"
    after: int = 0
    this_page: bool = False


@attrs.frozen
class NetworkEntry:
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
class ListRequests(Inspection[tuple[NetworkEntry, ...]]):
    """The latest requests of the page, in order.

    Attributes:
        filter: only those with this in their URL.
        kind: only those; empty for all.
        failed: only those that failed or were answered with an error.
    """

    filter: str = ""
    kind: str = ""
    failed: bool = False


@attrs.frozen
class RequestDetails:
    """A request with its headers.

    Attributes:
        sent, received: names and values of headers; the values of credentials are hidden.
        has_body: whether the page sent a body with it.
        body: the beginning of that, as far as it is kept for good; `ReadBody` has the whole.
    """

    request: NetworkEntry
    sent: tuple[tuple[str, str], ...] = ()
    received: tuple[tuple[str, str], ...] = ()
    has_body: bool = False
    body: bytes = b""


@attrs.frozen
class ReadRequest(Inspection[RequestDetails]):
    """One request of the page with its headers.

    Refused with `BadInput` where there is none with this number.
    """

    number: int


@attrs.frozen
class ReadBody(Inspection[bytes]):
    """The body of an answer, or the latest frames of a WebSocket, a line for each.

    Refused with `BadInput` where it is not kept, or there is none.

    Attributes:
        sent: whether the body of the request is meant instead.
    """

    number: int
    sent: bool = False


@attrs.frozen
class Choice:
    """One choice of a list."""

    value: str
    label: str
    selected: bool = False
    disabled: bool = False


@attrs.frozen
class ListOptions(Inspection[tuple[Choice, ...]]):
    """All choices of a list; refused with `BadInput` where it is none."""

    ref: str


@attrs.frozen
class Evaluation:
    """What a script gave.

    Attributes:
        json: the value as JSON, or what it is where it is none.
    """

    json: str
    outcome: Outcome


@attrs.frozen
class Evaluate(Inspection[Evaluation]):
    """Run somebody's script in the page's own world; refused with `PageFailed` where it throws.

    Attributes:
        script: an expression, or with `ref` a function that is given the element.
    """

    script: str
    ref: str = ""


# A page as an outline, with a ref for each control.

REF = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)
"""What a ref looks like: the number of a document, and that of an element in it."""


@attrs.frozen
class OutlineView:
    """How an outline is wanted.

    Attributes:
        max_tokens: what the text may have; 0 for no limit.
        offset: the line to begin with.
        query: only lines that hold all of these words, and what they stand under; texts, values
            and addresses to their end.
        viewport: only what a person would see without scrolling.
        whole: texts and addresses to their end, as with a query.
        depth: levels of groups that are shown; None for all.
    """

    max_tokens: int = 4000
    offset: int = 0
    query: str = ""
    viewport: bool = False
    whole: bool = False
    depth: int | None = None


@attrs.frozen
class ListedControl:
    """A control of an outline, for who wants no text.

    Attributes:
        depth: how many groups it stands in.
        new: whether it was not there in the outline before.
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
    """An outline that was written.

    Attributes:
        url, title: of the page.
        next_offset: where to go on; None where nothing is left.
        lines: how many lines there are to choose from.
        controls: of all those lines.
        above, below: how much of the page is out of view, in CSS pixels.
        meanwhile: what the page did since somebody was told; empty unless requested.
        notes: what is to be known of the text, such as how it goes on; no page has a word in it.
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
    """The page as an outline, with a ref for each control.

    A ref is ``document.element``: it stays with its element for as long as that lives, and is
    never given to another. Refused with `BadInput` where there is no such element to begin at.

    Attributes:
        ref, selector: the element to begin at; empty for the whole page. Of a selector the same
            holds as of `Locate`.
        hidden: whether to list controls too that nobody sees.
        diff: only what has changed since the last one, if there was one.
        news: whether to tell too what the page did meanwhile, and nobody was told yet.
        boxes: whether each control is told with its place and size, in CSS pixels of what is seen
            of its document: ``box=left,top,width,height``.
    """

    view: OutlineView = attrs.field(factory=OutlineView)
    ref: str = ""
    selector: str = ""
    hidden: bool = False
    diff: bool = False
    news: bool = False
    boxes: bool = False


@attrs.frozen
class Locate(Inspection[str]):
    """The ref of the one element that a CSS selector matches, whatever it is.

    Shadow roots are looked into, and frames where the page itself has no match. Refused with
    `BadInput` where nothing matches, or several elements do: the refusal names them with refs.
    """

    selector: str


@attrs.frozen
class PageLocation:
    """Where a page is, and the dialog that stops it.

    Attributes:
        console: None where there was neither an error nor a warning.
    """

    url: str
    title: str
    dialog: Dialog | None = None
    console: ConsoleCounts | None = None


@attrs.frozen
class LocateOnPage(Inspection[PageLocation]):
    """Where the page is; also makes it ready to be acted on.

    Attributes:
        settles: whether the page is waited for until it is at rest.
    """

    settles: bool = False
