"""Text files as pages: Markdown with its headings, links and tables, and plain text in paragraphs.

Agents read many of them: a README, ``llms.txt``, an RFC.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from tabwright.content.documents import snapshot_of_response
from tabwright.content.html.snapshot import take_snapshot
from tabwright.protocol.blocks import Block, Blocks, Code, Heading, Paragraph, TextSpan
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import PageSnapshot, PageSource, Selection
from tabwright.text.lines import collapse_whitespace, verbatim

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MARKDOWN = "text/markdown"
PLAIN = "text/plain"

MARKDOWN_FILES = ("/llms.txt", "/llms-full.txt")
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx")
PROSE_ENDINGS = ("", ".txt", ".text")
"""Ends of the names of files that are sent as plain text."""

PROSE_LINE = 40
"""Lines of prose are at least so long, but for the last one of a paragraph."""

PROSE_LETTERS = 0.6
"""The share of letters in prose."""

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
_PROPERTY = re.compile(r"(title|description|author|date):[ \t]+([^\s>|&*!\[{].*)")
_QUOTED = re.compile(r"([\"'])(.*)\1(?:\s+#.*)?")
_COMMENT = re.compile(r"(?<!\s)\s+#.*")
_TASK = re.compile(r"(<li>\n?(?:<p>)?)\[([ xX])\] ")
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)*")


def is_markdown(kind: str, url: str) -> bool:
    """Return whether a file of this media type at this URL is Markdown."""
    path = urlsplit(url).path.lower()
    named = path.endswith((*MARKDOWN_FILES, *MARKDOWN_ENDINGS))
    return kind in {MARKDOWN, "text/x-markdown"} or (kind == PLAIN and named)


def markdown_snapshot(
    fetched: Fetched, text: str, charset: str, selection: Selection
) -> PageSnapshot:
    """Return a Markdown file as the page that it describes.

    Its front matter is in the metadata; lines of it that have no place there are code above the
    text.

    Raises:
        BadInput: a selector is not valid CSS.
    """
    text = text.replace("\r\n", "\n")
    front = _FRONT_MATTER.match(text)
    properties, others = _front_matter(front[1] if front else "")
    html = html_of_markdown(text[front.end() :] if front else text)
    taken = take_snapshot(PageSource(fetched.page, f"<main>{html}</main>"), selection)
    above = (Code(others, "yaml"),) if others and not selection.selectors else ()
    whole = snapshot_of_response(fetched, MARKDOWN, (*above, *taken.content), charset)
    heading = next((one for one in taken.content if isinstance(one, Heading)), None)
    spans = heading.content if heading else ()
    title = "".join(one.text for one in spans if isinstance(one, TextSpan))
    return attrs.evolve(
        whole,
        title=properties.get("title") or title or whole.title,
        metadata=attrs.evolve(
            whole.metadata,
            description=properties.get("description", ""),
            author=properties.get("author", ""),
            published=properties.get("date", ""),
        ),
        links=taken.links,
        media=taken.media,
        tree=taken.tree,
    )


def _front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Return the properties of the page that front matter has in one line, and its other lines."""
    properties: dict[str, str] = {}
    others: list[str] = []
    for line in text.split("\n"):
        if match := _PROPERTY.fullmatch(line):
            value = match[2].strip()
            quoted = _QUOTED.fullmatch(value)
            plain = quoted[2] if quoted else _COMMENT.sub("", value)
            properties[match[1]] = collapse_whitespace(plain)
        else:
            others.append(line)
    return properties, verbatim("\n".join(others)).strip("\n")


def html_of_markdown(text: str) -> str:
    """Return Markdown as HTML: CommonMark, with tables, strikethrough and tasks of lists.

    Its HTML stays HTML.
    """
    html: str = _parser().render(text)
    return _TASK.sub(_checkbox, html)


def _checkbox(task: re.Match[str]) -> str:
    return f"{task[1]}<input type=checkbox{' checked' * (task[2] != ' ')}> "


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  (few pages are Markdown)

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def plain_text(text: str, url: str) -> Blocks:
    """Return plain text: paragraphs where it is prose, and its lines as they stand elsewhere."""
    path = urlsplit(url).path.lower()
    ending = path[path.rfind(".") :] if "." in path.rpartition("/")[2] else ""
    if ending not in PROSE_ENDINGS:  # a program, a log
        return (Code(verbatim(text)),)
    return tuple(_blocks(verbatim(text)))


def _blocks(text: str) -> Iterator[Block]:
    for prose, parts in groupby(_BLANK_LINES.split(text), _is_prose):
        if prose:
            yield from (Paragraph((TextSpan(collapse_whitespace(part)),)) for part in parts)
        elif lines := "\n\n".join(parts).strip("\n"):
            yield Code(lines)


def _is_prose(part: str) -> bool:
    lines = part.split("\n")
    letters = sum(map(str.isalpha, part))
    return (
        letters >= PROSE_LETTERS * len(part) > 0
        and not any(line[:1].isspace() or _COLUMNS.search(line) for line in lines)
        and all(len(line) >= PROSE_LINE for line in lines[:-1])
    )
