"""Snapshots: the content of a page however it was read, from which any format can be written."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.blocks import Blocks

Tier: TypeAlias = Literal[1, 2, 3]
"""How a page was read: 1 by HTTP alone, 2 in a tab that runs scripts, 3 in one that loads all."""

LinkKind: TypeAlias = Literal["navigation", "content", "external", "download", "anchor"]
MediaKind: TypeAlias = Literal["image", "video", "audio", "canvas"]
FormMethod: TypeAlias = Literal["GET", "POST"]


@attrs.frozen
class PageLink:
    """A link of the page; all that lead to one URL are one.

    Attributes:
        number: counted from 1, those of the content before those around it, in reading order.
        text: what it shows; what it is labelled where it shows nothing.
        url: absolute.
        kind: ``navigation`` stands in the page's furniture; ``anchor`` leads within the page;
            ``download`` to a file; ``external`` to another site; ``content`` is any other.
    """

    number: int
    text: str
    url: str
    kind: LinkKind


@attrs.frozen
class Option:
    """A choice of a field."""

    value: str
    label: str
    selected: bool = False


@attrs.frozen
class Field:
    """A field of a form.

    Attributes:
        name: under which it is sent; empty for one that is not.
        type: as ``text``, ``checkbox``, ``select``, ``textarea``; buttons that send are ``submit``.
        value: what is sent where nobody changes it; of a select the chosen option's.
        label: what a person sees beside it.
        multiple: whether several options may be chosen.
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
        index: its place among the page's forms, counted from 0.
        action: the absolute URL that it is sent to.
        encoding: as ``application/x-www-form-urlencoded``.
        charset: that its text is sent in, as browsers call it: ``windows-1251``.
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
    """A picture, a video, a sound or a canvas of the page.

    Attributes:
        number: counted from 1 in reading order.
        url: absolute; empty for a canvas. A lazy picture's is the one that it would load.
        width, height: in CSS pixels as the page writes them; None where it does not.
        captions: URLs of text tracks, the one that is shown by itself first.
    """

    number: int
    kind: MediaKind
    url: str
    alt: str = ""
    title: str = ""
    width: int | None = None
    height: int | None = None
    captions: tuple[str, ...] = ()


@attrs.frozen
class Metadata:
    """What the page says of itself.

    Attributes:
        language: as ``en-US``; empty where it does not say.
        charset: that the bytes were read in.
        published, modified: dates as the page writes them.
        open_graph: by property without ``og:``.
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


@attrs.frozen
class AccessibleNode:
    """A node of the accessibility tree, in the order of the tree.

    Attributes:
        depth: 0 for the root.
        role: as ``heading`` (WAI-ARIA 1.2).
        states: as ``checked`` or ``level=2``.
    """

    depth: int
    role: str
    name: str = ""
    value: str = ""
    states: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class PageSnapshot:
    """A page as it was read.

    Attributes:
        url: after all redirects.
        title: the document's own; may be empty.
        status: that of HTTP; 0 where it is not known.
        content: in reading order.
        tree: the accessibility tree; empty unless requested.
        cut: whether the page was longer than what is read of it.
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
    cut: bool = False


@attrs.frozen
class Selection:
    """Which part of a page is taken.

    Attributes:
        selectors: CSS; only what matches one of them, if there are any.
        exclude_selectors: CSS; without what matches one of them.
        readability: only the main content, found by how the page is built.
        tree: whether the accessibility tree is wanted too.
    """

    selectors: tuple[str, ...] = ()
    exclude_selectors: tuple[str, ...] = ()
    readability: bool = False
    tree: bool = False


# What a reader receives from a page.

ERROR_STATUS_MIN = 400
SERVER_ERROR_STATUS_MIN = 500
"""From where on a status of HTTP is an error, and the server's own (RFC 9110, section 15)."""

BlockKind: TypeAlias = Literal["image", "font", "media", "style", "ads"]
"""What a page may be read without: types of requests, whatever the URL ends in; ``ads`` is a list
of hosts."""


@attrs.frozen
class LoadedPage:
    """A document that was navigated to.

    Attributes:
        url: its own, after all redirects.
        status: the HTTP status; 0 where the browser does not tell.
        mime_type: as ``text/html``.
        retry_after_s: how long its server wants to be left alone (RFC 9110, section 10.2.3); None
            where it does not say so in seconds.
    """

    url: str
    status: int
    mime_type: str
    retry_after_s: float | None = None


@attrs.frozen
class PageSource:
    """The document as the browser holds it, after its scripts ran.

    Attributes:
        html: the outer HTML, at most 8,000,000 characters of it; shadow roots stand in it as
            templates (HTML, section 4.12.3).
        cut: whether it was cut.
        charset: what its bytes were read in; empty where nobody knows.
        frames: what each ``iframe`` shows, in their order; empty where we may not look into it.
        tree: the browser's accessibility tree; empty unless requested.
    """

    page: LoadedPage
    html: str
    cut: bool = False
    frames: tuple[str, ...] = ()
    tree: tuple[AccessibleNode, ...] = ()
    charset: str = ""


# Pictures of a page, small enough for a model.


@attrs.frozen
class Thumbnail:
    """A picture as it is handed on.

    Attributes:
        number: that of its `tabwright.protocol.snapshot.Medium`.
        url: where it came from; empty for what a page has drawn.
        alt: what it shows, in words.
        media_type: of `data`, as ``image/jpeg``.
        width, height: of `data`, in pixels.
        reduced: how much smaller it is than was asked for, so that it fits: 0.5 for half as wide.
    """

    number: int
    url: str
    alt: str
    media_type: str
    data: bytes
    width: int
    height: int
    reduced: float = 1.0
