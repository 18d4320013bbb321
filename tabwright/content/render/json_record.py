"""A snapshot as JSON-able values, its text plain; `SNAPSHOT_SCHEMA` describes them."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import TypeAlias

from tabwright.content.render.plain_text import line_of
from tabwright.protocol.blocks import (
    Block,
    Blocks,
    Citation,
    Code,
    Formula,
    Heading,
    Inline,
    Inlines,
    Item,
    ItemList,
    Paragraph,
    Picture,
    Quote,
    Rule,
    Table,
    Text,
)
from tabwright.protocol.snapshot import (
    AccessibleNode,
    Field,
    Form,
    Link,
    Medium,
    Metadata,
    Option,
    PageSnapshot,
)
from tabwright.reading.flattening import characters_of

Record: TypeAlias = dict[str, object]


def snapshot_record(snapshot: PageSnapshot) -> Record:
    """The snapshot as dictionaries, lists and scalars; what is empty is left out."""
    return {
        "url": snapshot.url,
        "title": snapshot.title,
        **_filled(
            status=snapshot.status,
            media_type=snapshot.media_type,
            content=[block_record(block) for block in snapshot.content],
            links=[_link(link) for link in snapshot.links],
            forms=[_form(form) for form in snapshot.forms],
            media=[_medium(medium) for medium in snapshot.media],
            metadata=_metadata(snapshot.metadata),
            tree=[_node(node) for node in snapshot.tree],
            cut=snapshot.cut,
        ),
    }


def _filled(**values: object) -> Record:
    """Those of the values that say something."""
    return {name: value for name, value in values.items() if value or _is_number(value)}


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def block_record(block: Block) -> Record:
    """A block, as it stands in the content."""
    record: Record
    match block:
        case Paragraph(content):
            record = {"type": "paragraph", **_line(content)}
        case Heading(level, content):
            record = {"type": "heading", "level": level, **_line(content)}
        case ItemList():
            record = _list(block)
        case Table(rows):
            record = _table(rows)
        case Code(text, language):
            record = {"type": "code", "text": text, **_filled(language=language)}
        case Quote(blocks):
            record = {"type": "blockquote", "children": [block_record(inner) for inner in blocks]}
        case Rule():
            record = {"type": "rule"}
    return record


def _list(block: ItemList) -> Record:
    return {
        "type": "list",
        "ordered": block.ordered,
        **(_filled(start=block.start) if block.ordered and block.start != 1 else {}),
        "children": [_item(item) for item in block.items],
    }


def _line(content: Inlines, blocks: Blocks = ()) -> Record:
    """The text of a line; its links and pictures, and the blocks below it, are children."""
    children = [*_inline(content), *map(block_record, blocks)]
    return {"text": line_of(content), **_filled(children=children)}


def _inline(content: Inlines) -> Iterator[Record]:
    for url, runs in groupby(content, lambda run: run.url if isinstance(run, Text) else ""):
        if url:
            yield {"type": "link", "text": characters_of(tuple(runs)).strip(), "url": url}
        else:
            yield from filter(None, map(_mark, runs))


def _mark(run: Inline) -> Record:
    match run:
        case Picture(url, alt):
            return {"type": "image", "text": alt, "url": url}
        case Formula(tex):
            return {"type": "formula", "text": tex}
        case Text() | Citation():
            return {}


def _item(item: Item) -> Record:
    return {"type": "item", **_filled(number=item.number), **_line(item.content, item.blocks)}


def _table(rows: Iterable[Iterable[Inlines]]) -> Record:
    cells = [[line_of(cell) for cell in row] for row in rows]
    children = list(_inline(tuple(chain.from_iterable(chain.from_iterable(rows)))))
    return {
        "type": "table",
        "header": cells[0] if cells else [],
        "rows": cells[1:],
        **_filled(children=children),
    }


def _link(link: Link) -> Record:
    return {"ref": link.number, "text": link.text, "url": link.url, "type": link.kind}


def _form(form: Form) -> Record:
    return {
        "index": form.index,
        **_filled(id=form.id, name=form.name),
        "action": form.action,
        "method": form.method,
        "enctype": form.encoding,
        **_filled(fields=[_field(field) for field in form.fields]),
    }


def _field(field: Field) -> Record:
    return {
        "name": field.name,
        "type": field.type,
        **_filled(
            value=field.value,
            label=field.label,
            id=field.id,
            required=field.required,
            hidden=field.hidden,
            checked=field.checked,
            disabled=field.disabled,
            multiple=field.multiple,
            options=[_option(option) for option in field.options],
        ),
    }


def _option(option: Option) -> Record:
    return {"value": option.value, "label": option.label, **_filled(selected=option.selected)}


def _medium(medium: Medium) -> Record:
    return {
        "ref": medium.number,
        "type": medium.kind,
        "src": medium.url,
        **_filled(
            alt=medium.alt,
            title=medium.title,
            width=medium.width,
            height=medium.height,
            captions=list(medium.captions),
        ),
    }


def _metadata(metadata: Metadata) -> Record:
    return _filled(
        description=metadata.description,
        keywords=list(metadata.keywords),
        canonical=metadata.canonical,
        lang=metadata.language,
        charset=metadata.charset,
        author=metadata.author,
        site_name=metadata.site_name,
        published=metadata.published,
        modified=metadata.modified,
        og=dict(metadata.open_graph),
    )


def _node(node: AccessibleNode) -> Record:
    return {
        "depth": node.depth,
        "role": node.role,
        **_filled(name=node.name, value=node.value, states=list(node.states)),
    }
