"""Read back what a search wrote: its JSON record and its Markdown document."""

import re
from collections.abc import Callable
from functools import cache

import attrs
import msgspec

from tabwright.protocol.ai_search import SearchResult, SearchSource
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Heading,
    Inline,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.search.ai_mode.result import Record
from tabwright.text.languages import Texts, all_texts


@attrs.frozen
class _InlineRecord:
    """A `Citation` if `sources` is present, else a `TextSpan`."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    url: str = ""
    sources: tuple[int, ...] | None = None


@attrs.frozen
class _ItemRecord:
    content: tuple[_InlineRecord, ...]
    blocks: "tuple[_BlockRecord, ...]" = ()


@attrs.frozen
class _BlockRecord:
    """A block of any kind; `kind` tells which attributes apply."""

    kind: str
    content: tuple[_InlineRecord, ...] = ()
    level: int = 0
    ordered: bool = False
    start: int = 1
    items: tuple[_ItemRecord, ...] = ()
    rows: tuple[tuple[tuple[_InlineRecord, ...], ...], ...] = ()
    text: str = ""
    language: str = ""
    blocks: "tuple[_BlockRecord, ...]" = ()


@attrs.frozen
class _ResultRecord:
    success: bool
    query: str
    ai_answer: str = ""
    sources: tuple[SearchSource, ...] = ()
    error: str = ""
    language: str = ""
    warning: str = ""
    blocks: tuple[_BlockRecord, ...] = ()
    continued: bool = False
    conversation: str = ""


def from_record(record: Record) -> SearchResult:
    """Return the result from which `to_record` made the record."""
    read = msgspec.convert(record, type=_ResultRecord)
    return SearchResult(
        success=read.success,
        query=read.query,
        ai_answer=read.ai_answer,
        sources=read.sources,
        error=read.error,
        language=read.language,
        warning=read.warning,
        blocks=_blocks(read.blocks),
        continued=read.continued,
        conversation=read.conversation,
    )


def _blocks(records: tuple[_BlockRecord, ...]) -> Blocks:
    return tuple(_block(record) for record in records)


def _block(record: _BlockRecord) -> Block:
    return _BUILDERS[record.kind](record)


_BUILDERS: dict[str, Callable[[_BlockRecord], Block]] = {
    "paragraph": lambda record: Paragraph(_inlines(record.content)),
    "heading": lambda record: Heading(record.level, _inlines(record.content)),
    "list": lambda record: ItemList(
        record.ordered, tuple(_item(item) for item in record.items), record.start
    ),
    "table": lambda record: TableBlock(
        tuple(tuple(_inlines(cell) for cell in row) for row in record.rows)
    ),
    "code": lambda record: Code(record.text, record.language),
    "quote": lambda record: Quote(_blocks(record.blocks)),
    "rule": lambda _: ThematicBreak(),
}


def _item(record: _ItemRecord) -> Item:
    return Item(_inlines(record.content), _blocks(record.blocks))


def _inlines(records: tuple[_InlineRecord, ...]) -> Inlines:
    return tuple(_inline(record) for record in records)


def _inline(record: _InlineRecord) -> Inline:
    if record.sources is not None:
        return Citation(record.sources)
    return TextSpan(record.text, record.bold, record.italic, record.code, record.url)


@attrs.frozen
class Essentials:
    """The main facts that a document gives about its result.

    Attributes:
        query: on one line.
        has_answer: whether there is a section for the answer.
        sources: the number of listed sources.
    """

    query: str
    has_answer: bool
    sources: int


def read_document(text: str) -> Essentials | None:
    """Parse what `document` wrote, in any language; return None for any other text."""
    head, _, rest = text.partition("\n\n")
    for texts in all_texts().values():
        if head in {f"## {texts.title}", f"## {texts.follow_up_title}"}:
            return _read_body(rest, texts)
    return None


def _read_body(body: str, texts: Texts) -> Essentials | None:
    query_line, _, rest = body.partition("\n\n")
    label = f"**{texts.query}**: "
    if not query_line.startswith(label):
        return None
    if rest.startswith(f"> {texts.warning}: "):
        rest = rest.partition("\n\n")[2]
    return Essentials(
        query=query_line.removeprefix(label),
        has_answer=rest.startswith(f"### {texts.answer}\n"),
        sources=_count(rest, texts),
    )


def _count(rest: str, texts: Texts) -> int:
    """Return the number in the last sources heading; an answer may contain others."""
    counts = _sources_heading(texts.sources).findall(rest)
    return int(counts[-1]) if counts else 0


@cache
def _sources_heading(heading: str) -> re.Pattern[str]:
    pattern = re.escape(f"### {heading}").replace(re.escape("{count}"), r"(\d+)")
    return re.compile(f"^{pattern}$", re.MULTILINE)
