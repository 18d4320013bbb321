"""From a look to an answer: blocks in reading order, and the sources that they cite."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)
from tabwright.search.ai_mode.page_state import Look, Node
from tabwright.search.ai_mode.sources import NOTHING_RESOLVED, SOURCES_MAX, numbered_sources
from tabwright.searching.codebox import code_box
from tabwright.searching.furniture import is_notice, is_regret
from tabwright.searching.inline import inlines
from tabwright.searching.numbering import Numbering

_INSIDE_A_LINE = frozenset({"text", "bold", "italic", "mono", "link", "chip", "break"})


@attrs.frozen
class Answer:
    """The last turn of a page.

    Attributes:
        blocks: the answer; citations in it count `sources` from 1.
    """

    blocks: Blocks = ()
    sources: tuple[SearchSource, ...] = ()


def read_answer(
    look: Look, *, resolved: Mapping[str, str] = NOTHING_RESOLVED, limit: int = SOURCES_MAX
) -> Answer:
    """What the last turn of the page says, finished or not.

    Args:
        look: the page.
        resolved: targets of the links that `unresolved` named, as far as the engine gave them.
        limit: how many sources at most; citations of others are left out.
    """
    sources = numbered_sources(look, resolved=resolved, limit=limit)
    column = () if look.turn is None else look.turn.column
    blocks = tuple(_blocks(column, Numbering(sources, resolved)))
    return Answer(_without_notices(blocks), sources)


def plain_text(content: Inlines) -> str:
    """The characters of a line, its citations left out."""
    return "".join(run.text for run in content if isinstance(run, Text))


def _blocks(nodes: Iterable[Node], numbering: Numbering) -> Iterator[Block]:
    line: list[Node] = []
    for node in nodes:
        if node.kind in _INSIDE_A_LINE:
            line.append(node)
            continue
        yield from _paragraphs(line, numbering)
        line.clear()
        yield from _block(node, numbering)
    yield from _paragraphs(line, numbering)


def _paragraphs(line: Iterable[Node], numbering: Numbering) -> Iterator[Paragraph]:
    """One break inside a line is a space; two of them part paragraphs."""
    part: list[Node] = []
    for node in line:
        if node.kind == "break" and _is_broken(part):
            yield from _paragraph(part, numbering)
            part = []
        part.append(node)
    yield from _paragraph(part, numbering)


def _is_broken(part: list[Node]) -> bool:
    """Whether nothing has come since the last break."""
    for node in reversed(part):
        if node.kind != "text" or node.text.strip():
            return node.kind == "break"
    return False


def _paragraph(part: list[Node], numbering: Numbering) -> Iterator[Paragraph]:
    content = inlines(part, numbering)
    if content:
        yield Paragraph(content)


def _block(node: Node, numbering: Numbering) -> Iterator[Block]:
    match node.kind:
        case "heading":
            yield from _heading(node, numbering)
        case "list":
            yield from _list(node, numbering)
        case "table":
            yield from _table(node, numbering)
        case "code":
            yield from _code(node)
        case "quote":
            quoted = tuple(_blocks(node.kids, numbering))
            if quoted:
                yield Quote(quoted)
        case "rule":
            yield Rule()
        case "box" if boxed := code_box(node):
            yield from _code(boxed)
        case _:
            yield from _blocks(node.kids, numbering)


def _heading(node: Node, numbering: Numbering) -> Iterator[Heading]:
    content = inlines(node.kids, numbering)
    if content:
        yield Heading(node.level, content)


def _code(node: Node) -> Iterator[Code]:
    text = node.text.strip("\n").rstrip()
    if text:
        yield Code(text, node.language)


def _list(node: Node, numbering: Numbering) -> Iterator[ItemList]:
    items: list[Item] = []
    for kid in node.kids:
        inside = tuple(_blocks(kid.kids if kid.kind == "item" else (kid,), numbering))
        if not inside:
            continue
        if kid.kind == "item" or not items:
            items.append(_item(inside))
        else:  # a list right inside a list belongs to the item before it
            items[-1] = attrs.evolve(items[-1], blocks=items[-1].blocks + inside)
    if items:
        yield ItemList(node.ordered, tuple(items), node.start)


def _item(inside: Blocks) -> Item:
    first = inside[0]
    return Item(first.content, inside[1:]) if isinstance(first, Paragraph) else Item((), inside)


def _table(node: Node, numbering: Numbering) -> Iterator[Table]:
    rows = tuple(
        tuple(inlines(cell.kids, numbering) for cell in row.kids if cell.kind == "cell")
        for row in _rows(node)
    )
    if any(any(row) for row in rows):
        yield Table(tuple(row for row in rows if row))


def _rows(node: Node) -> Iterator[Node]:
    for kid in node.kids:
        if kid.kind == "row":
            yield kid
        else:
            yield from _rows(kid)


def _without_notices(blocks: Blocks) -> Blocks:
    """The engine's own sentences off both ends, should the page have put them into the column."""
    if len(blocks) > 1 and _says(blocks[-1], is_regret):
        blocks = blocks[:-1]
    while blocks and _says(blocks[-1], is_notice):
        blocks = blocks[:-1]
    while blocks and _says(blocks[0], is_notice):
        blocks = blocks[1:]
    return blocks


def _says(block: Block, such: Callable[[str], bool]) -> bool:
    return isinstance(block, Paragraph) and such(plain_text(block.content))
