"""Markdown as HTML (CommonMark, with tables and strikethrough)."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def html_of_markdown(text: str) -> str:
    """Return Markdown as HTML; HTML in it stays HTML."""
    html: str = _parser().render(text)
    return html


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  (few pages are Markdown)

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
