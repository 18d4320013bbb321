"""From a page state to an answer: blocks in reading order, and the sources that they cite."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.html.block_builder import Style, with_style
from tabwright.content.html.formulas import formula_of
from tabwright.content.html.tables import ROWS_SPANNED_MAX, Row, TableCell, flat, spread
from tabwright.protocol.ai_search import SearchSource
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
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.search.ai_mode.page_state import (
    INSIDE_A_LINE,
    ContentNode,
    NodeKind,
    PageState,
    is_control,
    is_error_alert,
    is_notice,
    is_regret,
)
from tabwright.search.ai_mode.sources import (
    NOTHING_RESOLVED,
    SOURCES_MAX,
    CitationIndex,
    numbered_sources,
    outward,
)
from tabwright.search.urls import host_of

# The box around a code block: a line with the language, the code, and a warning line.

_LANGUAGE = re.compile(r"[A-Za-z][\w+#./-]{0,19}")
_NAMES = """
abap actionscript ada apache apl applescript arduino asm assembly awk bash bat batch bicep c c# c++
clojure cmake cmd cobol coffeescript console cpp cql crystal cs csharp css csv cuda curl cypher d
dart delphi diff docker dockerfile elisp elixir elm erlang f# fortran fsharp gherkin git gitignore
glsl go golang gradle graphql groovy haskell hcl hlsl html http ini java javascript jinja jinja2 js
json json5 jsonc jsx julia kotlin latex lisp lua makefile markdown mathematica matlab md mermaid
mongodb mysql nasm nginx nim nix objective-c objectivec ocaml octave pascal perl pgsql php plaintext
plsql postgres postgresql powershell prisma prolog proto protobuf ps1 pug puppet py python python3
qml r racket raku rb regex rst ruby rust sas sass scala scheme scss sh shell smalltalk solidity
sparql sql sqlite stata svelte svg swift systemverilog tcl terraform tex text toml ts tsql tsx twig
typescript vala vb vb.net vba verilog vhdl vim vue wasm wolfram xml xpath xquery xslt yaml yml zig
zsh
"""
_LANGUAGES = frozenset(_NAMES.split()) | {"plain text", "visual basic"}
"""The names of languages before code; another word may be one if a warning follows the code."""

_BLOCKS = frozenset({"heading", "list", "table", "quote", "rule", "code"})


def code_box(box: ContentNode) -> ContentNode | None:
    """Return the code of the box and its language, or None if the box has several code blocks.

    Only the smallest box that has text beside the code counts: its line before the code is the
    language, its line after the code is discarded.
    """
    parts = _parts(box.kids)
    codes = [index for index, part in enumerate(parts) if part.kind == "code"]
    if len(codes) != 1 or any(_has_code_and_text(kid) for kid in box.kids):
        return None
    before, after = parts[: codes[0]], parts[codes[0] + 1 :]
    if len(before) > 1 or len(after) > 1 or not _is_code_box(before, after):
        return None
    language = " ".join(_text(part) for part in before)
    code = parts[codes[0]]
    return attrs.evolve(code, language=code.language or language)


def _is_code_box(before: list[ContentNode], after: list[ContentNode]) -> bool:
    is_warned = any(is_notice(_text(part)) for part in after)
    if any(part.kind != "box" or (part.paragraph and not is_warned) for part in after):
        return False
    if not before:
        return is_warned
    label = _text(before[0])
    is_known = label.casefold() in _LANGUAGES
    is_named = is_known or (is_warned and _LANGUAGE.fullmatch(label) is not None)
    return before[0].kind == "box" and is_named


def _parts(nodes: Iterable[ContentNode], *, paragraph: bool = False) -> list[ContentNode]:
    """Return the lines and blocks below the nodes, with boxes unpacked, one box for each line."""
    parts: list[ContentNode] = []
    line: list[ContentNode] = []
    for node in (*nodes, ContentNode("box")):
        if node.kind != "box" and node.kind not in _BLOCKS:
            line.append(node)
            continue
        if _text_of(line):
            parts.append(ContentNode("box", kids=tuple(line), paragraph=paragraph))
        line = []
        if node.kind == "box" and node.kids:
            parts += _parts(node.kids, paragraph=node.paragraph)
        parts += [node] if node.kind in _BLOCKS else []
    return parts


def _has_code_and_text(node: ContentNode) -> bool:
    kinds = {part.kind for part in _parts((node,))}
    return "code" in kinds and len(kinds) > 1


def _text(node: ContentNode) -> str:
    return _text_of((node,))


def _text_of(nodes: Iterable[ContentNode]) -> str:
    return " ".join("".join(_characters(nodes)).split())


def _characters(nodes: Iterable[ContentNode]) -> Iterable[str]:
    for node in nodes:
        if node.kind != "chip":
            yield node.text
            yield from _characters(node.kids)


# Inline text: runs of one style, links and citations, with collapsed white space.

_SPACES = re.compile(r"\s+")

STYLES: Mapping[NodeKind, Style] = {
    "bold": "bold",
    "italic": "italic",
    "mono": "code",
    "struck": "struck",
    "sub": "sub",
    "sup": "sup",
}
"""The style of the text in a node of each kind that is about style."""


def inlines(nodes: Iterable[ContentNode], numbering: CitationIndex) -> Inlines:
    """Return the content of one line; everything below the nodes belongs to that line."""
    # As a browser shows it: single spaces, none at an edge or before a chip.
    line: list[Inline] = []
    for run in _runs(nodes, TextSpan(""), numbering):
        if isinstance(run, Formula | Image):
            line.append(run)
        elif isinstance(run, Citation):
            _trim_end(line)
            # A chip's link and its button may be separate nodes; together they are one citation.
            if not line or line[-1] != run:
                line.append(run)
        else:
            text = _SPACES.sub(" ", run.text)
            if not line or _ends_with_space(line):
                text = text.removeprefix(" ")
            _append(line, attrs.evolve(run, text=text))
    _trim_end(line)
    return tuple(line)


def _runs(
    nodes: Iterable[ContentNode], style: TextSpan, numbering: CitationIndex
) -> Iterator[Inline]:
    for node in nodes:
        match node.kind:
            case "text" | "code":
                yield attrs.evolve(style, text=node.text)
            case "chip":
                yield from _chip(node, style, numbering)
            case "link":
                yield from _link(node, style, numbering)
            case "formula":
                math = LexborHTMLParser(node.html).css_first("math") if node.html else None
                formula = formula_of(math) if math else None
                if formula or node.text:
                    yield formula or Formula(node.text)
            case "image":
                # A picture without an address of its own is its text.
                is_loaded = bool(host_of(node.href))
                text = attrs.evolve(style, text=node.label)
                yield Image(node.href, node.label) if is_loaded else text
            case "break":
                yield attrs.evolve(style, text=" ")
            case kind if named := STYLES.get(kind):
                yield from _runs(node.kids, with_style(style, named), numbering)
            case _:
                yield TextSpan(" ")
                yield from _runs(node.kids, style, numbering)
                yield TextSpan(" ")


def _chip(node: ContentNode, style: TextSpan, numbering: CitationIndex) -> Iterator[Inline]:
    cited = tuple(numbering.citation(node))
    if cited or numbering.is_named(node.site):
        yield from cited
    else:
        yield from _runs(node.kids, style, numbering)


def _link(node: ContentNode, style: TextSpan, numbering: CitationIndex) -> Iterator[Inline]:
    url = outward(node.href, numbering.resolved)
    runs = tuple(_runs(node.kids, attrs.evolve(style, url=url), numbering))
    is_shown = any(
        bool(run.text.strip()) if isinstance(run, TextSpan) else not isinstance(run, Citation)
        for run in runs
    )
    if is_shown:
        yield from runs
    else:
        chip = ContentNode("chip", hrefs=(node.href,), label=node.label)
        yield from numbering.citation(chip)


def _append(line: list[Inline], run: TextSpan) -> None:
    last = line[-1] if line else None
    if not run.text:
        return
    if isinstance(last, TextSpan) and attrs.evolve(last, text="") == attrs.evolve(run, text=""):
        line[-1] = attrs.evolve(last, text=last.text + run.text)
    else:
        line.append(run)


def _ends_with_space(line: list[Inline]) -> bool:
    last = line[-1]
    return isinstance(last, TextSpan) and last.text.endswith(" ")


def _trim_end(line: list[Inline]) -> None:
    while line and isinstance(last := line[-1], TextSpan):
        text = last.text.rstrip()
        if text:
            line[-1] = attrs.evolve(last, text=text)
            return
        line.pop()


@attrs.frozen
class ParsedAnswer:
    """The last turn of a page.

    Attributes:
        blocks: the answer; citations in it count `sources` from 1.
    """

    blocks: Blocks = ()
    sources: tuple[SearchSource, ...] = ()


def read_answer(
    state: PageState, *, resolved: Mapping[str, str] = NOTHING_RESOLVED, limit: int = SOURCES_MAX
) -> ParsedAnswer:
    """Return the answer of the last turn, finished or not.

    Args:
        state: the state of the page.
        resolved: targets of the links that `unresolved` named, as far as the engine returned them.
        limit: maximum number of sources; citations of others are left out.
    """
    sources = numbered_sources(state, resolved=resolved, limit=limit)
    column = () if state.turn is None else state.turn.column
    blocks = tuple(_blocks(column, CitationIndex(sources, resolved)))
    # The engine's own sentences at both ends are not part of the answer.
    while blocks and (
        _is_whole_text(blocks[-1], is_notice)
        or (len(blocks) > 1 and _is_whole_text(blocks[-1], is_regret))
    ):
        blocks = blocks[:-1]
    while blocks and _is_whole_text(blocks[0], is_notice):
        blocks = blocks[1:]
    return ParsedAnswer(blocks, sources)


def plain_text(content: Inlines) -> str:
    """Return the characters of a line without its citations."""
    return "".join(run.text for run in content if isinstance(run, TextSpan))


def _blocks(nodes: Iterable[ContentNode], numbering: CitationIndex) -> Iterator[Block]:
    line: list[ContentNode] = []
    for node in nodes:
        if node.kind == "break" or node.kind in INSIDE_A_LINE:
            line.append(node)
            continue
        yield from _paragraphs(line, numbering)
        line.clear()
        if not is_error_alert(node):
            yield from _block(node, numbering)
    yield from _paragraphs(line, numbering)


def _paragraphs(line: Iterable[ContentNode], numbering: CitationIndex) -> Iterator[Paragraph]:
    """Split a line at double breaks; a single break is a space."""
    part: list[ContentNode] = []
    for node in line:
        if node.kind == "break" and _is_broken(part):
            yield from _paragraph(part, numbering)
            part = []
        part.append(node)
    yield from _paragraph(part, numbering)


def _is_broken(part: list[ContentNode]) -> bool:
    """Return whether there was no content since the last break."""
    for node in reversed(part):
        if node.kind != "text" or node.text.strip():
            return node.kind == "break"
    return False


def _paragraph(part: list[ContentNode], numbering: CitationIndex) -> Iterator[Paragraph]:
    content = () if _is_control_row(part) else inlines(part, numbering)
    if content:
        yield Paragraph(content)


def _is_control_row(line: list[ContentNode]) -> bool:
    """Return whether nothing is on the line but buttons, one of them of the page, such as Copy."""
    shown = [node for node in line if node.kind != "text" or node.text.strip()]
    names = [name for node in shown for name in (node.site, node.label)]
    return any(map(is_control, names)) and all(node.kind == "chip" for node in shown)


def _code(node: ContentNode) -> Iterator[Code]:
    text = node.text.strip("\n").rstrip()
    if text:
        yield Code(text, node.language)


def _block(node: ContentNode, numbering: CitationIndex) -> Iterator[Block]:
    match node.kind:
        case "heading":
            if content := inlines(node.kids, numbering):
                yield Heading(node.level, content)
        case "list":
            yield from _list(node, numbering)
        case "table":
            yield from _table(node, numbering)
        case "code":
            yield from _code(node)
        case "quote":
            if quoted := tuple(_blocks(node.kids, numbering)):
                yield Quote(quoted)
        case "rule":
            yield ThematicBreak()
        case "box" if boxed := code_box(node):
            yield from _code(boxed)
        case _:
            yield from _blocks(node.kids, numbering)


def _list(node: ContentNode, numbering: CitationIndex) -> Iterator[ItemList]:
    items: list[Item] = []
    start = node.start
    for kid in node.kids:
        inside = tuple(_blocks(kid.kids if kid.kind == "item" else (kid,), numbering))
        if not inside:
            continue
        if node.ordered and kid.number is not None and kid.number != start + len(items):
            if items:
                yield ItemList(node.ordered, tuple(items), start)
            items, start = [], kid.number
        if kid.kind == "item" or not items:
            first = inside[0]
            items.append(
                Item(first.content, inside[1:])
                if isinstance(first, Paragraph)
                else Item((), inside)
            )
        else:  # a list right inside a list belongs to the item before it
            items[-1] = attrs.evolve(items[-1], blocks=items[-1].blocks + inside)
    if items:
        yield ItemList(node.ordered, tuple(items), start)


def _table(node: ContentNode, numbering: CitationIndex) -> Iterator[Block]:
    yield from _blocks((kid for kid in node.kids if not any(_rows((kid,)))), numbering)
    found = [[kid for kid in row.kids if kid.kind == "cell"] for row in _rows(node.kids)]
    rows = [
        [
            TableCell(
                tuple(_blocks(cell.kids, numbering)),
                rows=cell.rows or ROWS_SPANNED_MAX,  # a span of 0 means all following rows
                columns=cell.columns,
            )
            for cell in row
        ]
        for row in found
    ]
    if any(cell.rows > 1 or cell.columns > 1 for row in rows for cell in row):
        lines = tuple(spread(Row(cells=row) for row in rows))
    else:
        lines = tuple(tuple(flat(cell.blocks) for cell in row) for row in rows if row)
    if any(any(line) for line in lines):
        yield TableBlock(lines)


def _rows(nodes: Iterable[ContentNode]) -> Iterator[ContentNode]:
    for node in nodes:
        if node.kind == "row":
            yield node
        else:
            yield from _rows(node.kids)


def _is_whole_text(block: Block, such: Callable[[str], bool]) -> bool:
    return isinstance(block, Paragraph) and such(plain_text(block.content))
