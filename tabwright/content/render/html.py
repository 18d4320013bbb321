"""Blocks as plain HTML, in which nothing can run: elements and attributes of a short list."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from tabwright.content.html.tree import LINKED, LOADED, scheme_of
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Formula,
    Heading,
    Image,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)


def html_of(content: Blocks) -> str:
    """Return the blocks as HTML; texts of the page are escaped."""
    return "\n".join(map(_written, content))


def _written(block: Block) -> str:
    match block:
        case Paragraph(content):
            html = f"<p>{_line(content)}</p>"
        case Heading(level, content):
            html = f"<h{level}>{_line(content)}</h{level}>"
        case ItemList():
            html = _list(block)
        case TableBlock(rows):
            html = _table(rows)
        case Code(text, language):
            kind = f' class="language-{escape(language)}"' if language else ""
            html = f"<pre><code{kind}>{escape(text)}\n</code></pre>"
        case Quote(blocks):
            html = f"<blockquote>\n{html_of(blocks)}\n</blockquote>"
        case ThematicBreak():
            html = "<hr>"
    return html


def _list(block: ItemList) -> str:
    """Return a list; an item whose number does not follow from the one before has it."""
    tag = "ol" if block.ordered else "ul"
    start = f' start="{block.start}"' if block.ordered and block.start != 1 else ""
    lines = [f"<{tag}{start}>"]
    for item in block.items:
        number = "" if item.number is None or not block.ordered else f' value="{item.number}"'
        nested = f"\n{html_of(item.blocks)}\n" if item.blocks else ""
        lines.append(f"<li{number}>{_line(item.content)}{nested}</li>")
    return "\n".join((*lines, f"</{tag}>"))


def _table(rows: tuple[tuple[Inlines, ...], ...]) -> str:
    head, *body = rows or ((),)
    lines = ["<table>"]
    if any(head):
        lines += ("<thead>", *_row(head, "th"), "</thead>")
    if body:
        lines += ("<tbody>", *(line for row in body for line in _row(row, "td")), "</tbody>")
    return "\n".join((*lines, "</table>"))


def _row(row: tuple[Inlines, ...], tag: str) -> Iterator[str]:
    yield "<tr>"
    for cell in row:
        yield f"<{tag}>{_line(cell)}</{tag}>"
    yield "</tr>"


def _line(content: Inlines) -> str:
    written: list[str] = []
    for url, runs in groupby(content, lambda run: run.url if isinstance(run, TextSpan) else ""):
        text = "".join(map(_run, runs))
        core = text.strip()
        if core and scheme_of(url) in LINKED:
            text = text.replace(core, f'<a href="{escape(url)}">{core}</a>', 1)
        written.append(text)
    return "".join(written).strip()


def _run(run: Inline) -> str:
    match run:
        case TextSpan():
            return _text(run)
        case Citation(sources):
            return "".join(f"[{number}]" for number in sources)
        case Image(url, alt):
            is_loaded = scheme_of(url) in LOADED
            return f'<img src="{escape(url)}" alt="{escape(alt)}">' if is_loaded else escape(alt)
        case Formula(tex, display):
            return escape(f"$${tex}$$" if display else f"${tex}$")


def _text(run: TextSpan) -> str:
    """Return a text in its style, with the white space around it outside."""
    core = run.text.strip()
    if not core:
        return escape(run.text).replace("\n", "<br>")
    head, tail = run.text.split(core, 1)
    text = escape(core)
    marks = (
        ("code", run.code),
        ("em", run.italic),
        ("strong", run.bold),
        ("del", run.struck),
        (run.script, bool(run.script)),
    )
    for tag, is_set in marks:
        text = f"<{tag}>{text}</{tag}>" if is_set else text
    return f"{head}{text}{tail}".replace("\n", "<br>")
