"""A search result as JSON-able values and as Markdown."""

import re
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import attrs
import msgspec

from tabwright.content.render.markdown import escaped, link
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
    Rule,
    Table,
    Text,
)
from tabwright.protocol.errors import BadInput
from tabwright.text.languages import Texts, all_texts, texts_of

Record: TypeAlias = dict[str, object]


@attrs.frozen
class _InlineRecord:
    """A `Citation` where `sources` is there, else a `Text`."""

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
    """Any block; `kind` tells which attributes count."""

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


def to_record(result: SearchResult) -> Record:
    """The result as dictionaries, tuples and scalars, under the names of its attributes."""
    return attrs.asdict(result)


def from_record(record: Record) -> SearchResult:
    """The result that `to_record` took apart; other names in the record are ignored.

    Raises:
        BadInput: an attribute is missing or has the wrong type; the message names it.
    """
    try:
        read = msgspec.convert(record, type=_ResultRecord)
    except msgspec.MsgspecError as error:
        raise BadInput(f"The record is not a search result: {error}.") from error
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
    build = _BUILDERS.get(record.kind)
    if build is None:
        raise BadInput(f"The record has a block of the unknown kind {record.kind!r}.")
    return build(record)


_BUILDERS: dict[str, Callable[[_BlockRecord], Block]] = {
    "paragraph": lambda record: Paragraph(_inlines(record.content)),
    "heading": lambda record: Heading(record.level, _inlines(record.content)),
    "list": lambda record: ItemList(
        record.ordered, tuple(_item(item) for item in record.items), record.start
    ),
    "table": lambda record: Table(
        tuple(tuple(_inlines(cell) for cell in row) for row in record.rows)
    ),
    "code": lambda record: Code(record.text, record.language),
    "quote": lambda record: Quote(_blocks(record.blocks)),
    "rule": lambda _: Rule(),
}


def _item(record: _ItemRecord) -> Item:
    return Item(_inlines(record.content), _blocks(record.blocks))


def _inlines(records: tuple[_InlineRecord, ...]) -> Inlines:
    return tuple(_inline(record) for record in records)


def _inline(record: _InlineRecord) -> Inline:
    if record.sources is not None:
        return Citation(record.sources)
    return Text(record.text, record.bold, record.italic, record.code, record.url)


# A search result as a Markdown document.


@attrs.frozen
class Essentials:
    """What a document tells about its result.

    Attributes:
        query: in one line.
        has_answer: whether it has the section of the answer.
        sources: how many it lists.
    """

    query: str
    has_answer: bool
    sources: int


def document(result: SearchResult, *, follow_up: bool = False) -> str:
    """The result in the language of its search: title, query, answer, numbered sources."""
    texts = texts_of(result.language)
    if not result.success:
        return failure(result.error, result.language)
    title = texts.follow_up_title if follow_up else texts.title
    parts = [
        f"## {title}",
        f"**{texts.query}**: {_one_line(result.query)}",
        *([f"> {texts.warning}: {_one_line(result.warning)}"] if result.warning else []),
        *([f"### {texts.answer}", result.ai_answer] if result.ai_answer else [texts.no_answer]),
        f"### {texts.sources.format(count=len(result.sources))}",
    ]
    if result.sources:
        parts.append("\n".join(_entries(result.sources)))
    return "\n\n".join(parts)


def failure(error: str, language: str) -> str:
    """What the caller reads when there is no result."""
    return texts_of(language).failed.format(error=error)


def read_document(text: str) -> Essentials | None:
    """What `document` wrote, in whichever language; None for any other text."""
    head, _, rest = text.partition("\n\n")
    for texts in all_texts().values():
        if head in {f"## {texts.title}", f"## {texts.follow_up_title}"}:
            return _read_body(rest, texts)
    return None


def _entries(sources: tuple[SearchSource, ...]) -> list[str]:
    return [
        f"{number}. {link(escaped(_one_line(source.title) or source.url), source.url)}"
        for number, source in enumerate(sources, start=1)
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
    """The last heading counts: an answer may show a list of sources of its own."""
    counts = _sources_heading(texts.sources).findall(rest)
    return int(counts[-1]) if counts else 0


@cache
def _sources_heading(heading: str) -> re.Pattern[str]:
    pattern = re.escape(f"### {heading}").replace(re.escape("{count}"), r"(\d+)")
    return re.compile(f"^{pattern}$", re.MULTILINE)
