"""Blocks to plain text: what a page says, without any marks but those of lists and quotes."""

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

_SIGNS = frozenset("0123456789+-\u2212")


def text_of(blocks: Blocks) -> str:
    """The blocks as lines, an empty one between two blocks; cells of tables are parted by tabs."""
    return "\n\n".join(filter(None, map(_written, blocks)))


def line_of(content: Inlines) -> str:
    """The characters of a line, which is broken where the page breaks it."""
    return "".join(map(_run, content)).strip()


def _written(block: Block) -> str:
    match block:
        case Paragraph(content) | Heading(_, content):
            text = line_of(content)
        case ItemList():
            items: list[str] = []
            number = block.start - 1
            for item in block.items:
                number = number + 1 if item.number is None else item.number
                mark = f"{number}. " if block.ordered else "- "
                parts = (line_of(item.content), *map(_written, item.blocks))
                items.append(_prefixed("\n".join(filter(None, parts)), mark, " " * len(mark)))
            text = "\n".join(items)
        case TableBlock(rows):
            text = "\n".join(filter(str.strip, map(_row, rows)))
        case Code(text):
            pass
        case Quote(blocks):
            text = _prefixed(text_of(blocks), "> ", "> ")
        case ThematicBreak():
            text = "---"
    return text


def _run(run: Inline) -> str:
    match run:
        case TextSpan(text=text, script="sup", url="") if _SIGNS.issuperset(text.strip()):
            return f"^{text}"
        case TextSpan(text=text):
            return text
        case Image(alt=alt):
            return alt and f"[{alt}]"
        case Formula(tex):
            return tex
        case Citation(sources):
            return "".join(f"[{number}]" for number in sources)


def _row(row: tuple[Inlines, ...]) -> str:
    return "\t".join(" ".join(line_of(cell).split()) for cell in row)


def _prefixed(text: str, first: str, others: str) -> str:
    head, *rest = text.split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)]) if text else ""
