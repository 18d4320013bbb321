"""What the head of a page says that tells its content from the rest."""

import attrs
from selectolax.lexbor import LexborHTMLParser

_TITLE_CHARS_MAX = 500
"""As much of a page's title is compared with its headings."""

_TYPE = "meta[property='og:type']"
_ARTICLE = "article"


@attrs.frozen
class PageHead:
    """What a page says of itself before it begins.

    Attributes:
        title: with single spaces.
        is_article: whether it says so (The Open Graph protocol, "Object types").
    """

    title: str = ""
    is_article: bool = False

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "PageHead":
        """The head of a document."""
        title = document.css_first("title")
        text = " ".join(title.text().split())[:_TITLE_CHARS_MAX] if title else ""
        return cls(text, _type(document).lower() == _ARTICLE)


def _type(document: LexborHTMLParser) -> str:
    node = document.head.css_first(_TYPE) if document.head else None
    return ((node.attributes.get("content") if node else "") or "").strip()
