"""Blocks to Markdown (CommonMark with the pipe tables of GFM)."""

import re
import unicodedata
from collections.abc import Iterator

from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Heading,
    Inline,
    Inlines,
    ItemList,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)

_SPECIAL = re.compile(
    r"[\\`*\[\]<]"  # wherever they stand
    r"|(?<![^\W_])_|_(?![^\W_])"  # not inside a word
    r"|~(?=~)|&(?=#?\w+;)"
)
_LINE_START = re.compile(r"^(?:>|(?:#+|[+-])(?=\s|$)|-+$|=+$|~~~)|^(\d+)(?=[.)](?:\s|$))")
_HEADING_END = re.compile(r"(#+)$")
_URL_SPECIAL = re.compile(r"[\s()<>]")
_BACKTICKS = re.compile(r"`+")


def markdown_of(blocks: Blocks) -> str:
    """The blocks as Markdown, without a line break at the end; citations are ``[1][2]``."""
    return "\n\n".join(filter(None, map(_written, blocks)))


def escaped(text: str) -> str:
    """The text so that Markdown shows it as it is, inside a line."""
    return _SPECIAL.sub(_backslashed, text)


def link(text: str, url: str) -> str:
    """A Markdown link; `text` is escaped already."""
    target = f"<{_percent(url, '<>')}>" if _URL_SPECIAL.search(url) else url
    return f"[{text}]({target})"


def _written(block: Block) -> str:
    match block:
        case Paragraph(content):
            text = _line_start_escaped(_line(content))
        case Heading(level, content):
            text = f"{'#' * level} {_HEADING_END.sub(_backslashed, _line(content))}"
        case ItemList():
            text = "\n".join(_items(block))
        case Table(rows):
            text = "\n".join(_table_lines(rows))
        case Code(code, language):
            text = _fenced(code, language)
        case Quote(blocks):
            text = _prefixed(markdown_of(blocks), "> ", "> ")
        case Rule():
            text = "---"
    return text


def _line(content: Inlines) -> str:
    ends = [_plain(run) for run in content]
    written = (
        _run(run, before, after)
        for run, before, after in zip(content, ["", *ends], [*ends[1:], ""], strict=False)
    )
    return " ".join("".join(written).split("\n")).strip()


def _plain(run: Inline) -> str:
    """What a run looks like to its neighbours."""
    return "[1]" if isinstance(run, Citation) else run.text


def _run(run: Inline, before: str, after: str) -> str:
    if isinstance(run, Citation):
        return "".join(f"[{number}]" for number in run.sources)
    core = run.text.strip()
    if not core:
        return run.text
    head, tail = run.text.split(core, 1)
    return f"{head}{_styled(run, core, before + head, tail + after)}{tail}"


def _styled(run: Text, core: str, before: str, after: str) -> str:
    text = _code_span(core) if run.code else escaped(core)
    if run.bold or run.italic:
        left, right = ("[", "]") if run.url else (before[-1:], after[:1])
        holds = _holds(left, text[0]) and _holds(right, text[-1])
        text = _starred(run, text) if holds else _tagged(run, text)
    return link(text, run.url) if run.url else text


def _holds(outside: str, inside: str) -> bool:
    """Whether stars between the two characters would be read as marks (CommonMark, 6.2).

    They would not between a letter outside and a punctuation mark inside, as where a word in
    Chinese quotation marks is bold in the middle of a sentence.
    """
    return not _is_mark(inside) or not outside or outside.isspace() or _is_mark(outside)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _starred(run: Text, text: str) -> str:
    mark = "**" * run.bold + "*" * run.italic
    return f"{mark}{text}{mark}"


def _tagged(run: Text, text: str) -> str:
    inner = f"<em>{text}</em>" if run.italic else text
    return f"<strong>{inner}</strong>" if run.bold else inner


def _code_span(text: str) -> str:
    ticks = "`" * (_longest_backticks(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, _longest_backticks(text) + 1)
    return f"{fence}{language.replace('`', '').strip()}\n{text}\n{fence}"


def _longest_backticks(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _items(block: ItemList) -> Iterator[str]:
    for number, item in enumerate(block.items, start=block.start):
        mark = f"{number}. " if block.ordered else "- "
        inside = _line_start_escaped(_line(item.content))
        nested = "\n".join(_nested(item.blocks))
        text = f"{inside}\n{nested}" if inside and nested else inside + nested
        yield _prefixed(text, mark, " " * len(mark))


def _nested(blocks: Blocks) -> Iterator[str]:
    """A list may follow its line at once; any other block needs an empty line before it."""
    for block in blocks:
        yield _written(block) if isinstance(block, ItemList) else f"\n{_written(block)}"


def _prefixed(text: str, first: str, others: str) -> str:
    head, *rest = text.strip("\n").split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)])


def _table_lines(rows: tuple[tuple[Inlines, ...], ...]) -> Iterator[str]:
    width = max((len(row) for row in rows), default=0)
    for index, row in enumerate(rows):
        cells = [_cell(content) for content in row] + [""] * (width - len(row))
        yield f"| {' | '.join(cells)} |"
        if index == 0:
            yield f"|{' --- |' * width}"


def _cell(content: Inlines) -> str:
    return _line(content).replace("|", "\\|")


def _backslashed(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def _line_start_escaped(line: str) -> str:
    """A paragraph that begins like a heading, a list or a rule stays a paragraph."""
    return _LINE_START.sub(lambda match: f"{match[1]}\\" if match[1] else f"\\{match[0]}", line)


def _percent(url: str, characters: str) -> str:
    for character in (*characters, "\n", "\r"):
        url = url.replace(character, f"%{ord(character):02X}")
    return url
