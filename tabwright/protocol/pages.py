"""What a page gives to a reader."""

from typing import Literal, TypeAlias

import attrs

PageFormat: TypeAlias = Literal["markdown", "text", "html"]


@attrs.frozen
class LoadedPage:
    """A document that was navigated to.

    Attributes:
        url: its own, after all redirects.
        status: the HTTP status; 0 where the browser does not tell.
        mime_type: as ``text/html``.
    """

    url: str
    status: int
    mime_type: str


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
