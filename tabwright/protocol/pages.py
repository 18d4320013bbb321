"""What a page gives to a reader."""

from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.snapshot import AccessibleNode

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
        tree: the browser's accessibility tree; empty unless it was asked for.
    """

    page: LoadedPage
    html: str
    cut: bool = False
    frames: tuple[str, ...] = ()
    tree: tuple[AccessibleNode, ...] = ()
    charset: str = ""
