"""Markdown as HTML (CommonMark, with tables and strikethrough)."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def html_of_markdown(text: str, *, raw_html: bool) -> str:
    """Return Markdown as HTML.

    Args:
        text: the Markdown.
        raw_html: whether HTML in it stays HTML; otherwise it is text.
    """
    html: str = _parser(raw_html).render(text)
    return html


@cache
def _parser(raw_html: bool) -> "MarkdownIt":  # noqa: FBT001  (the key of the cache)
    from markdown_it import MarkdownIt  # noqa: PLC0415  (few pages are Markdown)

    return MarkdownIt("commonmark", {"html": raw_html}).enable(["table", "strikethrough"])
