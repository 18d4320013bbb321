"""Snapshots: the content of a page however it was read, ready to be rendered in any format."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.structured_data import DataRequest, PageData

Tier: TypeAlias = Literal[1, 2, 3]
"""How a page was read: 1 by HTTP only, 2 in a tab that runs scripts, 3 in one that loads all."""

LinkKind: TypeAlias = Literal["navigation", "content", "external", "download", "anchor"]
MediaKind: TypeAlias = Literal["image", "video", "audio", "canvas"]
FormMethod: TypeAlias = Literal["GET", "POST"]


@attrs.frozen
class PageLink:
    """A link of the page; links with the same URL are merged.

    Attributes:
        number: counted from 1, content links before the others, in reading order.
        text: its visible text, or its label if it has none.
        url: absolute.
        kind: ``navigation`` is outside the main content; ``anchor`` leads within the page;
            ``download`` to a file; ``external`` to another site; ``content`` is any other.
        followed: whether crawlers may follow it; not if its ``rel`` is ``nofollow`` each time.
    """

    number: int
    text: str
    url: str
    kind: LinkKind
    followed: bool = True


@attrs.frozen
class Option:
    """An option of a field."""

    value: str
    label: str
    selected: bool = False


@attrs.frozen
class Field:
    """A field of a form.

    Attributes:
        name: the name under which it is submitted; empty if it is not submitted.
        type: for example ``text``, ``checkbox``, ``select``, ``textarea``; submit buttons are
            ``submit``.
        value: the submitted value if it is not changed; of a select, that of the selected option.
        label: the visible label.
        multiple: whether several options can be selected.
    """

    name: str
    type: str
    value: str = ""
    label: str = ""
    id: str = ""
    required: bool = False
    hidden: bool = False
    checked: bool = False
    disabled: bool = False
    multiple: bool = False
    options: tuple[Option, ...] = ()


@attrs.frozen
class PageForm:
    """A form of the page.

    Attributes:
        index: its position among the page's forms, counted from 0.
        action: the absolute URL that it is submitted to.
        encoding: for example ``application/x-www-form-urlencoded``.
        charset: the charset of the submitted text, as browsers name it: ``windows-1251``.
    """

    index: int
    action: str
    method: FormMethod = "GET"
    encoding: str = "application/x-www-form-urlencoded"
    id: str = ""
    name: str = ""
    fields: tuple[Field, ...] = ()
    charset: str = "UTF-8"


@attrs.frozen
class MediaItem:
    """An image, video, audio or canvas of the page.

    Attributes:
        number: counted from 1 in reading order.
        url: absolute; empty for a canvas. For a lazy image, the URL that it would load.
        width, height: in CSS pixels as the page declares them; None if it does not.
        captions: URLs of text tracks, the default one first.
        drawn: whether it is a canvas that shows something, in a page that was read in a tab. If
            the canvas was not read, it may be empty.
        drawing: its picture; empty if it was not read: it has pictures of other sites, or the page
            has more drawings than are read.
    """

    number: int
    kind: MediaKind
    url: str
    alt: str = ""
    title: str = ""
    width: int | None = None
    height: int | None = None
    captions: tuple[str, ...] = ()
    drawn: bool = False
    drawing: bytes = attrs.field(default=b"", repr=False)


@attrs.frozen
class Metadata:
    """Metadata declared by the page.

    Attributes:
        language: for example ``en-US``; empty if not declared.
        charset: the charset that the bytes were decoded with.
        published, modified: dates as the page writes them.
        open_graph: by property without ``og:``.
        robots: the rules for crawlers, from ``<meta name=robots>`` and ``X-Robots-Tag``, in lower
            case, for example ``noindex``.
        facts: of the product, recipe or event that the page describes, by name, for example its
            ``price``; from its JSON-LD or microdata.
    """

    description: str = ""
    keywords: tuple[str, ...] = ()
    canonical: str = ""
    language: str = ""
    charset: str = ""
    author: str = ""
    site_name: str = ""
    published: str = ""
    modified: str = ""
    open_graph: Mapping[str, str] = attrs.field(factory=dict[str, str])
    robots: tuple[str, ...] = ()
    facts: Mapping[str, str] = attrs.field(factory=dict[str, str])


@attrs.frozen
class AccessibleNode:
    """A node of the accessibility tree, in tree order.

    Attributes:
        depth: 0 for the root.
        role: for example ``heading`` (WAI-ARIA 1.2).
        states: for example ``checked`` or ``level=2``.
    """

    depth: int
    role: str
    name: str = ""
    value: str = ""
    states: tuple[str, ...] = ()


CutReason: TypeAlias = Literal[
    "token_budget", "size_limit", "element_limit", "unread_parts", "time_out", "broken_off"
]
"""Why a text is incomplete: the token budget; a page that is too large or has too many elements;
parts of a file that the notice names; a page that is too slow; a server that closed the connection.
"""


@attrs.frozen(kw_only=True)
class PageSnapshot:
    """A page as it was read.

    Attributes:
        url: after all redirects.
        title: the title of the document; may be empty.
        status: the HTTP status; 0 if unknown.
        content: in reading order.
        tree: the accessibility tree; empty unless requested.
        cut: why only a part of the page was read; None if all of it was.
        notice: what of it could not be read, in a sentence; empty for nothing.
        data: the structured data; None unless requested, or if it is not an HTML page.
        controls: the number of visible links, buttons and fields.
    """

    url: str
    title: str
    status: int = 200
    media_type: str = "text/html"
    content: Blocks = ()
    links: tuple[PageLink, ...] = ()
    forms: tuple[PageForm, ...] = ()
    media: tuple[MediaItem, ...] = ()
    metadata: Metadata = attrs.field(factory=Metadata)
    tree: tuple[AccessibleNode, ...] = ()
    cut: CutReason | None = None
    notice: str = ""
    data: PageData | None = None
    controls: int = 0


@attrs.frozen
class Selection:
    """The part of a page to read.

    Attributes:
        selectors: CSS selectors; if there are any, only matching elements are read.
        exclude_selectors: CSS selectors of elements to leave out.
        readability: whether to read only the main content, found by the structure of the page.
        tree: whether to include the accessibility tree.
        data: which structured data to include; None for none.
    """

    selectors: tuple[str, ...] = ()
    exclude_selectors: tuple[str, ...] = ()
    readability: bool = False
    tree: bool = False
    data: DataRequest | None = None


# The result of reading a page.

ERROR_STATUS_MIN = 400
SERVER_ERROR_STATUS_MIN = 500
"""The lowest HTTP status of a server error (RFC 9110, section 15)."""

BlockKind: TypeAlias = Literal["image", "font", "media", "style", "ads"]
"""Types of requests that can be blocked, regardless of the URL; ``ads`` is a list of hosts."""


@attrs.frozen
class LoadedPage:
    """A loaded document.

    Attributes:
        url: its URL after all redirects.
        status: the HTTP status; 0 if the browser does not report it.
        mime_type: for example ``text/html``.
        retry_after_s: the pause requested by the server in seconds (RFC 9110, section 10.2.3); None
            if there is none.
        robots: the header ``X-Robots-Tag``; empty if there is none.
        refresh: the header ``Refresh``, if the document was read without a browser, which follows
            it; empty if there is none.
    """

    url: str
    status: int
    mime_type: str
    retry_after_s: float | None = None
    robots: str = ""
    refresh: str = ""


class ScrollEnd(StrEnum):
    """How far a page was read: completely, or with more of a list to come.

    The beginning of a list is read if it was not scrolled through; if it was, there may still be
    more. Or a list keeps only its rows in view: all were gathered while it was scrolled, or only
    the first ones are read.
    """

    WHOLE = "whole"
    BEGINNING = "beginning"
    MORE = "more"
    GATHERED = "gathered"
    RECYCLED = "recycled"


@attrs.frozen
class FrameSource:
    """The content of an ``iframe``.

    Attributes:
        html: the outer HTML of its body; empty if it could not be read.
        frames: the content of each ``iframe`` in it, as in `PageSource`.
    """

    html: str = ""
    frames: tuple["FrameSource", ...] = ()

    @property
    def length(self) -> int:
        """Return the number of characters, with those of its frames."""
        return len(self.html) + sum(one.length for one in self.frames)


class LoadState(StrEnum):
    """Whether a page showed its content when it was read.

    A stalled page said that it was loading, although nothing had been under way for a while. A
    changing page showed content that kept growing, or a number that kept counting up. A requesting
    page showed its content and no placeholder, and one of its requests had no end.
    """

    WHOLE = "whole"
    LOADING = "loading"
    STALLED = "stalled"
    CHANGING = "changing"
    REQUESTING = "requesting"


@attrs.frozen
class PageSource:
    """The document as serialized by the browser, after its scripts ran.

    Attributes:
        html: the outer HTML, at most 8,000,000 characters; shadow roots are serialized as templates
            (HTML, section 4.12.3).
        cut: whether it was cut.
        is_laid_out: whether words that its layout keeps apart have a space between them.
        charset: the charset that its bytes were decoded with; empty if unknown.
        frames: the content of each ``iframe``, in order: first those of the document, and then
            those of its shadow roots, outermost first.
        tree: the browser's accessibility tree; empty unless requested.
        unread: the URLs of frames that were not read, or before their content came.
        unread_hosts: the number of elements whose closed shadow roots were not looked for.
        load_state: whether it was still loading when it was read.
        is_live: whether it had a connection open then, over which its scripts receive messages.
        scrolled: what came of scrolling through it, if that was requested.
    """

    page: LoadedPage
    html: str
    cut: bool = False
    frames: tuple[FrameSource, ...] = ()
    tree: tuple[AccessibleNode, ...] = ()
    charset: str = ""
    unread: tuple[str, ...] = ()
    unread_hosts: int = 0
    is_laid_out: bool = False
    load_state: LoadState = LoadState.WHOLE
    is_live: bool = False
    scrolled: ScrollEnd = ScrollEnd.WHOLE


# Pictures of a page, small enough for a model.


@attrs.frozen
class Thumbnail:
    """A picture reduced for a model.

    Attributes:
        number: that of its `tabwright.protocol.snapshot.Medium`.
        url: its source; empty for a canvas.
        alt: the alternative text.
        media_type: of `data`, for example ``image/jpeg``.
        width, height: of `data`, in pixels.
        reduced: the scale relative to the requested size: 0.5 for half the width.
    """

    number: int
    url: str
    alt: str
    media_type: str
    data: bytes
    width: int
    height: int
    reduced: float = 1.0
