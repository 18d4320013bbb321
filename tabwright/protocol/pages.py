"""What a page gives to a reader."""

from typing import Literal, TypeAlias

import attrs

ERROR_STATUS_MIN = 400
SERVER_ERROR_STATUS_MIN = 500
"""From where on a status of HTTP is an error, and the server's own (RFC 9110, section 15)."""

PageFormat: TypeAlias = Literal["markdown", "text", "html"]


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
        html: the outer HTML, at most 8,000,000 characters of it.
        cut: whether it was cut.
    """

    page: LoadedPage
    html: str
    cut: bool = False


@attrs.frozen
class PageText:
    """A page as text.

    Attributes:
        url: after all redirects.
        title: the document's own title; may be empty.
        language: the document's ``lang``; may be empty.
        format: what `text` is written in.
        text: the main content.
        cut: whether the page was longer than what is read of it.
    """

    url: str
    title: str
    language: str
    format: PageFormat
    text: str
    cut: bool = False
