"""Blocks as plain text and as Markdown (CommonMark with the tables and strikethrough of GFM)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TypeAlias, TypeGuard

import attrs

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

# Markdown.

Numbers: TypeAlias = Mapping[str, int] | None
"""Link numbers by URL; None to write the URLs themselves."""

_SPECIAL = re.compile(
    r"[\\`*\[\]]|<(?=[A-Za-z/!?])"  # anywhere
    r"|(?<![^\W_])_|_(?![^\W_])"  # not inside a word
    r"|~(?=~)|(?<=~)~|&(?=#?\w+;)"
)
_URL_SPECIAL = re.compile(r"[\s()<>]")
_BACKTICKS = re.compile(r"`+")

_LINK = "["
"""The beginning of a link."""


def line_of(content: Inlines, numbers: Numbers = None) -> str:
    """Return inline content as Markdown, with the line breaks of the page."""
    if len(content) == 1 and _is_plain(content[0]):
        return escaped(content[0].text).strip()
    texts = ["", *[_seen_text(run, numbers) for run in content], ""]
    placed = zip(content, texts, texts[2:], strict=False)
    written: list[str] = []
    is_numbered = False
    for url, runs in groupby(
        placed, key=lambda run: run[0].url if isinstance(run[0], TextSpan) else ""
    ):
        text = "".join(_run(run, before, after, numbers) for run, before, after in runs)
        written.append(" " if is_numbered and text[:1].isalnum() else "")
        written.append(_linked(text, url, numbers) if url else text)
        is_numbered = bool(url) and numbers is not None and not text[-1:].isspace()
    return "".join(written).strip()


def escaped(text: str) -> str:
    """Escape a text for display in a Markdown line."""
    return _SPECIAL.sub(backslashed, text)


def link(text: str, url: str) -> str:
    """Return a Markdown link; `text` must be escaped."""
    if _URL_SPECIAL.search(url):
        for character in "<>\n\r":
            url = url.replace(character, f"%{ord(character):02X}")
        url = f"<{url}>"
    return f"[{text}]({url})"


def backslashed(match: re.Match[str]) -> str:
    """Return the match with a backslash before it."""
    return f"\\{match[0]}"


def longest_backticks(text: str) -> int:
    """Return the length of the longest run of backticks in the text."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _is_plain(run: Inline) -> TypeGuard[TextSpan]:
    return isinstance(run, TextSpan) and not (
        run.url or run.bold or run.italic or run.code or run.struck or run.script
    )


def _seen_text(run: Inline, numbers: Numbers) -> str:
    """Return the text of a run as its neighbours see it, for choosing markup."""
    match run:
        case TextSpan(text=text, url=url):
            return _LINK if url and numbers is None else text
        case Citation():
            return "[1]"
        case Image():
            return "!"
        case Formula():
            return "$"


def _run(run: Inline, before: str, after: str, numbers: Numbers) -> str:
    match run:
        case TextSpan():
            return _text(run, before, after, numbers)
        case Citation(sources):
            return "".join(f"[{number}]" for number in sources)
        case Image(url, alt):
            shown = f"!{link(escaped(alt), url)}"
            return shown if numbers is None else f"![{escaped(alt)}]" if alt else ""
        case Formula(tex, display):
            return f"$${tex}$$" if display else f"${tex}$"


def _text(run: TextSpan, before: str, after: str, numbers: Numbers) -> str:
    core = run.text.strip()
    if not core:
        return run.text
    head, tail = run.text.split(core, 1)
    if run.url and numbers is None:
        before, after = "[", "]"
    if run.url and numbers is None and run.script:
        run = attrs.evolve(run, script="")  # the brackets of a footnote mark are enough
    text = _code_span(core) if run.code else escaped(core)
    if (run.bold or run.italic or run.struck) and any(map(str.isalnum, core)):
        holds = _holds((before + head)[-1:], text[0]) and _holds((tail + after)[:1], text[-1])
        if holds:
            mark = "~~" * run.struck + "**" * run.bold + "*" * run.italic
            text = f"{mark}{text}{mark[::-1]}"
        else:
            text = f"<em>{text}</em>" if run.italic else text
            text = f"<strong>{text}</strong>" if run.bold else text
            text = f"<del>{text}</del>" if run.struck else text
    text = f"<{run.script}>{text}</{run.script}>" if run.script else text
    if after == _LINK and not tail and text.endswith("!"):
        text = f"{text[:-1]}\\!"  # otherwise the link would become a picture
    return f"{head}{text}{tail}"


def _linked(text: str, url: str, numbers: Numbers) -> str:
    core = text.strip()
    if not core:
        return text
    head, tail = text.split(core, 1)
    core = core.replace("\n", " ")
    if numbers is None:
        shown = f"<{url}>" if core == url else link(core, url)
    else:
        shown = f"{core} [{numbers[url]}]" if url in numbers else core
    return f"{head}{shown}{tail}"


def _holds(outside: str, inside: str) -> bool:
    """Return whether stars between the two characters would be read as markup (CommonMark, 6.2).

    They would not between a letter outside and a punctuation mark inside, for example if a word in
    Chinese quotation marks is bold within a sentence.
    """
    return not _is_mark(inside) or not outside or outside.isspace() or _is_mark(outside)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _code_span(text: str) -> str:
    ticks = "`" * (longest_backticks(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


# Blocks (CommonMark with the pipe tables of GFM).

_LINE_START = re.compile(r"^(?:>|(?:#+|[+-])(?=\s|$)|-+$|=+$|~~~)|^(\d+)(?=[.)](?:\s|$))")
_HEADING_END = re.compile(r"(#+)$")
_FIRST_RULE = re.compile(r"\A\n*---$", re.MULTILINE)
"""A rule that begins an item; with the mark of the item it would be one rule."""


def markdown_of(blocks: Blocks, numbers: Numbers = None) -> str:
    """Return the blocks as Markdown, without a final line break; citations are ``[1][2]``.

    Args:
        blocks: nested at most as deep as `tabwright.content.html.block_builder` allows.
        numbers: link numbers by URL: a link is then ``text [3]``, and a picture only its
            alternative text, ``![alt]``. Without them URLs are inline, ``[text](url)``.
    """
    return "\n\n".join(filter(None, each_markdown(blocks, numbers)))


def each_markdown(blocks: Blocks, numbers: Numbers) -> Iterator[str]:
    """Yield the Markdown of each block, as `markdown_of` does.

    A list that follows a list of its kind has the other mark, as two lists with the same mark
    would be read as one (CommonMark, 5.3).
    """
    before: Block | None = None
    other = False
    for block in blocks:
        other = not other and (
            isinstance(before, ItemList)
            and isinstance(block, ItemList)
            and before.ordered == block.ordered
        )
        yield _written(block, numbers, other_mark=other)
        before = block


def _written(block: Block, numbers: Numbers, *, other_mark: bool = False) -> str:
    match block:
        case Paragraph(content):
            text = _lines(content, numbers)
        case Heading(level, content):
            line = " ".join(line_of(content, numbers).split("\n"))
            text = line and f"{'#' * level} {_HEADING_END.sub(backslashed, line)}"
        case ItemList():
            text = "\n".join(_items(block, numbers, other_mark=other_mark))
        case TableBlock(rows):
            text = "\n".join(_table(rows, numbers))
        case Code(code, language):
            fence = "`" * max(3, longest_backticks(code) + 1)
            text = f"{fence}{language.replace('`', '').strip()}\n{code}\n{fence}"
        case Quote(blocks):
            quoted = markdown_of(blocks, numbers)
            text = quoted and _prefixed(quoted, "> ", "> ")
        case ThematicBreak():
            text = "---"
    return text


def _table(rows: tuple[tuple[Inlines, ...], ...], numbers: Numbers) -> Iterator[str]:
    """Yield the lines of a table. Only its header needs all cells (GFM, 4.10)."""
    width = max((len(row) for row in rows), default=0)
    for index, row in enumerate(rows):
        cells = [
            line_of(content, numbers).replace("|", "\\|").replace("\n", "<br>") for content in row
        ]
        if index == 0:
            cells += [""] * (width - len(row))
        yield f"| {' | '.join(cells)} |"
        if index == 0:
            yield f"|{' --- |' * width}"


def _lines(content: Inlines, numbers: Numbers) -> str:
    """Return the lines of a paragraph; a final backslash keeps a line break."""
    lines = line_of(content, numbers).split("\n")
    return "\\\n".join([_kept_plain(line.strip()) for line in lines])


def _kept_plain(line: str) -> str:
    """Escape the start of a line that would be read as a heading, a list or a rule."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    number = match[1] or ""
    return f"{number}\\{line[len(number) :]}"


def _items(block: ItemList, numbers: Numbers, *, other_mark: bool) -> Iterator[str]:
    number = block.start - 1
    bullet, point = ("* ", ")") if other_mark else ("- ", ".")
    for item in block.items:
        number = number + 1 if item.number is None else item.number
        mark = f"{number}{point} " if block.ordered else bullet
        inside = _lines(item.content, numbers)
        nested = "\n".join(_nested(item.blocks, numbers))
        text = f"{inside}\n{nested}" if inside and nested else inside + nested
        text = _FIRST_RULE.sub("___", text)
        yield _prefixed(text, mark, " " * len(mark))


def _nested(blocks: Blocks, numbers: Numbers) -> Iterator[str]:
    """Yield nested lines; a list follows directly, other blocks after an empty line."""
    for block, text in zip(blocks, each_markdown(blocks, numbers), strict=True):
        yield text if isinstance(block, ItemList) else f"\n{text}"


def _prefixed(text: str, first: str, others: str) -> str:
    head, *rest = text.strip("\n").split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)])


_OPENING = ("", "[", "(")
"""Before a mark of a note that needs no brackets: it begins the line, or has some."""

_PLAIN_SIGNS = frozenset("0123456789+-\u2212")


def text_of(blocks: Blocks) -> str:
    """Return the blocks as plain text, separated by empty lines; table cells by tabs."""
    return "\n\n".join(filter(None, map(_plain_written, blocks)))


def plain_line(content: Inlines) -> str:
    """Return the text of a line, with the line breaks of the page.

    As in Markdown, what is crossed out is between tildes, and a note is referred to in brackets.
    """
    if len(content) == 1 and _is_plain(content[0]):
        return content[0].text.strip()
    parts = [""]
    runs = zip(content, (None, *content), (*content[1:], None), strict=False)
    for is_struck, placed in groupby(
        runs, key=lambda each: isinstance(each[0], TextSpan) and each[0].struck
    ):
        texts = [""]
        for run, *neighbours in placed:
            if _is_note(run, neighbours):
                is_marked = (texts[-1] or parts[-1])[-1:] in _OPENING
                texts.append(run.text if is_marked else _enclosed(run.text, "[", "]"))
            else:
                texts.append(_plain_run(run))
        text = "".join(texts)
        parts.append(_enclosed(text, "~~", "~~") if is_struck else text)
    return "".join(parts).strip()


def _is_note(run: Inline, neighbours: Iterable[Inline | None]) -> TypeGuard[TextSpan]:
    """Return whether a run is a superscript link, rather than a superscript inside of a link."""
    return (
        isinstance(run, TextSpan)
        and run.url != ""
        and run.script == "sup"
        and run.text.strip()[:1].isalnum()
        and not any(isinstance(one, TextSpan) and one.url == run.url for one in neighbours)
    )


def _enclosed(text: str, opening: str, closing: str) -> str:
    core = text.strip()
    return text.replace(core, f"{opening}{core}{closing}", 1) if core else text


def _plain_written(block: Block) -> str:
    match block:
        case Paragraph(content) | Heading(_, content):
            text = plain_line(content)
        case ItemList():
            items: list[str] = []
            number = block.start - 1
            for item in block.items:
                number = number + 1 if item.number is None else item.number
                mark = f"{number}. " if block.ordered else "- "
                parts = (plain_line(item.content), *map(_plain_written, item.blocks))
                items.append(_plain_prefixed("\n".join(filter(None, parts)), mark, " " * len(mark)))
            text = "\n".join(items)
        case TableBlock(rows):
            text = "\n".join(filter(str.strip, map(_plain_row, rows)))
        case Code(text):
            pass
        case Quote(blocks):
            text = _plain_prefixed(text_of(blocks), "> ", "> ")
        case ThematicBreak():
            text = "---"
    return text


def _plain_run(run: Inline) -> str:
    match run:
        case TextSpan(text=text, script="sup") if _PLAIN_SIGNS.issuperset(text.strip()):
            return f"^{text}"
        case TextSpan(text=text):
            return text
        case Image(alt=alt):
            return alt and f"[{alt}]"
        case Formula(tex):
            return tex
        case Citation(sources):
            return "".join(f"[{number}]" for number in sources)


def _plain_row(row: tuple[Inlines, ...]) -> str:
    return "\t".join(" ".join(plain_line(cell).split()) for cell in row)


def _plain_prefixed(text: str, first: str, others: str) -> str:
    head, *rest = text.split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)]) if text else ""
