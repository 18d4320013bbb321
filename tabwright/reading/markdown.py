"""Blocks to Markdown (CommonMark with the pipe tables of GFM)."""

import re
from collections.abc import Iterator

from tabwright.content.render.markdown import (
    Numbers,
    backslashed,
    escaped,
    line_of,
    link,
    longest_backticks,
)
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    Rule,
    Table,
)

__all__ = ["escaped", "link", "markdown_of"]

_LINE_START = re.compile(r"^(?:>|(?:#+|[+-])(?=\s|$)|-+$|=+$|~~~)|^(\d+)(?=[.)](?:\s|$))")
_HEADING_END = re.compile(r"(#+)$")


def markdown_of(blocks: Blocks, numbers: Numbers = None) -> str:
    """The blocks as Markdown, without a line break at the end; citations are ``[1][2]``.

    Args:
        blocks: nested as far as `tabwright.content.html.block_builder` nests them.
        numbers: of links by their URLs: a link is then ``text [3]``, and a picture its words
            alone, ``![alt]``. Without them URLs stand in the text, ``[text](url)``.
    """
    return "\n\n".join(filter(None, (_written(block, numbers) for block in blocks)))


def _written(block: Block, numbers: Numbers) -> str:
    match block:
        case Paragraph(content):
            text = _lines(content, numbers)
        case Heading(level, content):
            line = _single_line(content, numbers)
            text = line and f"{'#' * level} {_HEADING_END.sub(backslashed, line)}"
        case ItemList():
            text = "\n".join(_items(block, numbers))
        case Table(rows):
            text = "\n".join(_table_lines(rows, numbers))
        case Code(code, language):
            text = _fenced(code, language)
        case Quote(blocks):
            quoted = markdown_of(blocks, numbers)
            text = quoted and _prefixed(quoted, "> ", "> ")
        case Rule():
            text = "---"
    return text


def _lines(content: Inlines, numbers: Numbers) -> str:
    """The lines of a paragraph; a backslash at the end of one keeps it apart from the next."""
    lines = line_of(content, numbers).split("\n")
    return "\\\n".join([_kept_plain(line.strip()) for line in lines])


def _single_line(content: Inlines, numbers: Numbers) -> str:
    return " ".join(line_of(content, numbers).split("\n"))


def _kept_plain(line: str) -> str:
    """A line that begins like a heading, a list or a rule stays what it is."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    number = match[1] or ""
    return f"{number}\\{line[len(number) :]}"


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, longest_backticks(text) + 1)
    return f"{fence}{language.replace('`', '').strip()}\n{text}\n{fence}"


def _items(block: ItemList, numbers: Numbers) -> Iterator[str]:
    number = block.start - 1
    for item in block.items:
        number = number + 1 if item.number is None else item.number
        mark = f"{number}. " if block.ordered else "- "
        inside = _lines(item.content, numbers)
        nested = "\n".join(_nested(item.blocks, numbers))
        text = f"{inside}\n{nested}" if inside and nested else inside + nested
        yield _prefixed(text, mark, " " * len(mark))


def _nested(blocks: Blocks, numbers: Numbers) -> Iterator[str]:
    """A list may follow its line at once; any other block needs an empty line before it."""
    for block in blocks:
        text = _written(block, numbers)
        yield text if isinstance(block, ItemList) else f"\n{text}"


def _prefixed(text: str, first: str, others: str) -> str:
    head, *rest = text.strip("\n").split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)])


def _table_lines(rows: tuple[tuple[Inlines, ...], ...], numbers: Numbers) -> Iterator[str]:
    width = max((len(row) for row in rows), default=0)
    for index, row in enumerate(rows):
        cells = [_cell(content, numbers) for content in row] + [""] * (width - len(row))
        yield f"| {' | '.join(cells)} |"
        if index == 0:
            yield f"|{' --- |' * width}"


def _cell(content: Inlines, numbers: Numbers) -> str:
    return line_of(content, numbers).replace("|", "\\|").replace("\n", "<br>")
