"""Word files: headings, lists, tables, links, notes, comments, headers and footers.

Imported only if the extra ``tabwright[office]`` is installed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import mammoth
from mammoth import html
from mammoth.documents import Image

from tabwright.content.xml_tree import attribute, below, descendants, local
from tabwright.plugins.formats.office import archive
from tabwright.plugins.formats.office.archive import (
    CORE,
    Archive,
    OfficeFileRefused,
    PartUnreadable,
    Relation,
)
from tabwright.plugins.formats.office.charts import Graphics
from tabwright.plugins.formats.office.content import OfficeContent, counted, described
from tabwright.plugins.formats.office.texts import (
    PAGE_NUMBER,
    UNKNOWN,
    margin_texts,
    symbol,
    with_symbols,
)

ELEMENTS_MAX = 200_000
"""Maximum number of elements that mammoth reads; it takes seconds for so many."""

STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
comment-reference => sup
"""
"""Styles beyond those that mammoth knows, and comments, which it leaves out by default."""

_PARTS = re.compile(r"word/(document|header|footer|footnotes|endnotes|comments)\d*\.xml")
"""Parts with text, by their kinds."""

_LISTS = re.compile(
    r"\[Content_Types\]\.xml|(?:word/)?_rels/.*\.rels|word/(?:styles|numbering)\.xml"
)
"""Parts with entries for the text."""

_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "Default": ("Extension", "ContentType"),
    "Override": ("PartName", "ContentType"),
    "Relationship": ("Id", "Type", "Target"),
    "style": ("type", "styleId"),
    "num": ("numId",),
    **dict.fromkeys(("footnote", "endnote", "comment"), ("id",)),
}
"""Attributes of entries without which mammoth refuses the file."""

_REFERENCES = {
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
"""References in the text, and the kinds of the parts that they lead to."""

_READ = ("document", *_REFERENCES.values())
"""The kinds of parts with text that mammoth reads."""

_WRAPPERS = frozenset({"fldSimple", "ruby", "rubyBase", "bdo", "dir"})
"""Elements around text that mammoth leaves out with their text."""

_SHAPES = frozenset({"arc", "curve", "image", "line", "oval", "polyline"})
"""Shapes of older files (VML) that mammoth leaves out with their text."""

_UNREAD = frozenset(
    {
        "bCs",
        "bookmarkEnd",
        "color",
        "cs",
        "iCs",
        "ind",
        "jc",
        "kern",
        "lang",
        "moveFrom",
        "noProof",
        "pPrChange",
    }
    | {"proofErr", "rFonts", "rPrChange", "shd", "spacing", "sz", "szCs", "tabs", "tblPrEx", "tcW"}
    | {"lastRenderedPageBreak", "tblBorders", "tcBorders", "tcMar", "trHeight", "vAlign"}
)
"""Elements that mammoth does not read; half of a text can consist of them."""

_LEFT = {"oMath": "formula", "chart": "chart", "relIds": "diagram"}
"""Elements of the text that are not read, and their names in the notice."""

_CHARACTERS = {"t": "", "tab": " ", "br": " ", "noBreakHyphen": "\u2011"}
"""Elements of a run, and the characters that they stand for; a text has its own."""

_NOT_ENTERED = frozenset(
    {*_CHARACTERS, "fldChar", "instrText"}
    | {"Choice", "txbxContent", "p"}  # the paragraphs inside it follow
    | {"moveFrom", "del"}  # deleted text
)
"""Elements of a paragraph of a header or footer without other text that belongs to it."""

_MARK = re.compile("\ue000(\\d{1,6})\ue001")
"""Stands for a chart or a diagram in the text, by its number."""

_SYMBOL = re.compile(r"[0-9A-Fa-f]{1,4}")
"""The number of a symbol (ECMA-376, part 1, section 17.3.3.30)."""

_OFF = frozenset({"0", "false", "off"})
"""The values of a property that is switched off (ECMA-376, part 1, section 17.17.4)."""

_PAGE_FIELDS = (["PAGE"], ["NUMPAGES"])
"""The names of fields whose values depend on the page (ECMA-376, part 1, section 17.16.5)."""


def read_word(opened: Archive) -> OfficeContent:
    """Return the text of a Word file, between its headers and its footers.

    Raises:
        OfficeFileRefused: it is too large.
        PartUnreadable: its text is damaged.
    """
    left = Counter[str]()
    names = {name: kind for name in opened.names if (kind := _kind(name))}
    if sum(map(opened.size, names)) > archive.TREE_BYTES_MAX:
        raise OfficeFileRefused("has too much text to be read at once")
    trees = {name: _tree(opened, name, left) for name in names}
    for tree in trees.values():
        _remove_hidden_text(tree)
        _write_symbols(tree, left)
    parts: dict[str, list[ET.Element]] = {}
    for name, kind in names.items():
        parts.setdefault(kind, []).append(trees[name])
    headers = margin_texts(_paragraphs(parts.get("header", ())))
    footers = margin_texts(_paragraphs(parts.get("footer", ())))
    notes = {
        reference: {attribute(note, "id") for tree in parts.get(kind, ()) for note in tree}
        for reference, kind in _REFERENCES.items()
    }
    graphics, read = Graphics(opened, left), list[str]()
    for name, kind in names.items():
        if kind == "list":
            continue
        tree = trees[name]
        relations = _relations(opened, name)
        if kind not in {"header", "footer"}:  # only their paragraphs are used
            read += _write_graphics(tree, relations, graphics, len(read))
        again = (node for one in descendants(tree, "Fallback") for node in one.iter())
        left.update(_unread(tree.iter()) - _unread(again))
        _prepare(tree, relations, notes)
        if kind == "document":
            for body in (node for node in tree if local(node) == "body"):
                body[:] = [*_written(headers, body), *body, *_written(footers, body)]
    left["paragraph"] += _limit(parts)
    marked = _html(trees, left)
    whole = _MARK.sub(lambda mark: f"</p>{''.join(read[int(mark[1]) :][:1])}<p>", marked)
    content = OfficeContent(html=whole, left=counted(left))
    return described(content, opened.properties(CORE))


def _limit(parts: Mapping[str, Iterable[ET.Element]]) -> int:
    """Limit the parts to the elements that mammoth may read; return how many paragraphs it removed.

    Args:
        parts: their XML by their kinds.

    Raises:
        OfficeFileRefused: the parts other than the text exceed the limit.
    """
    room = ELEMENTS_MAX - sum(map(_size, parts.get("list", ())))
    if room < 0:
        raise OfficeFileRefused("has too many styles, lists or links")
    removed = 0
    for tree in (tree for kind in _READ for tree in parts.get(kind, ())):
        removed += _cut(tree, room)
        room = max(0, room - _size(tree))
    return removed


def _size(root: ET.Element) -> int:
    return sum(1 for _ in root.iter())


def _cut(root: ET.Element, room: int) -> int:
    """Remove the last elements inside the children of a part, and return how many paragraphs.

    The children, such as notes, remain, because references lead to them.

    Args:
        root: the XML of the part.
        room: the number of elements that remain.
    """
    order = [node for child in root for node in child.iter() if node is not child]
    removed = set(order[room:])
    if removed:
        for node in (*root, *order[:room]):
            if len(node) and node[-1] in removed:
                node[:] = [child for child in node if child not in removed]
        return max(1, sum(local(node) == "p" for node in removed))
    return 0


def _html(trees: Mapping[str, ET.Element], left: Counter[str]) -> str:
    """Return the parts of a file as HTML, and count its pictures in `left`."""

    def description(image: Image) -> list["html.Node"]:
        """Replace a picture by its description."""
        left["picture"] += 1
        text = image.alt_text or ""
        if not text:
            return []
        return [html.text(" "), html.element("em", {}, [html.text(text)]), html.text(" ")]

    file = BytesIO()
    with ZipFile(file, "w") as prepared:
        for name, tree in trees.items():
            prepared.writestr(name, ET.tostring(tree))
    result = mammoth.convert_to_html(
        file,
        style_map=STYLES,
        include_embedded_style_map=False,
        external_file_access=False,
        convert_image=description,
    )
    return result.value


def _kind(name: str) -> str:
    """Return the kind of a part with text, ``list`` for others that mammoth reads, or nothing."""
    matched = _PARTS.fullmatch(name)
    return matched[1] if matched else "list" if _LISTS.fullmatch(name) else ""


def _tree(opened: Archive, name: str, left: Counter[str]) -> ET.Element:
    """Return the XML of a part, without entries that mammoth would refuse the file for.

    Raises:
        PartUnreadable: it is that of the text, and is damaged. Other parts are then empty.
    """
    try:
        tree = opened.tree(name)
    except PartUnreadable:
        if _kind(name) == "document":
            raise
        left["damaged part"] += 1
        return ET.Element("damaged")
    tree[:] = filter(_is_complete, tree)
    return tree


def _is_complete(entry: ET.Element) -> bool:
    is_complete = all(attribute(entry, name) for name in _REQUIRED.get(local(entry), ()))
    return is_complete and (local(entry) != "num" or any(attribute(one, "val") for one in entry))


def _relations(opened: Archive, name: str) -> Mapping[str, Relation]:
    try:
        return opened.relations(name)
    except PartUnreadable:
        return {}


def _write_graphics(
    root: ET.Element, relations: Mapping[str, Relation], graphics: Graphics, first: int
) -> Sequence[str]:
    """Write a mark at the place of each chart and diagram of a part, and return their HTML.

    Args:
        root: the XML of the part.
        relations: those of the part.
        graphics: reads them.
        first: the number of the first mark.
    """
    found: list[str] = []
    for run in [node for node in root.iter() if local(node) == "r"]:
        for node in list(_graphics(run)):
            if html := graphics.html(node, relations):
                node.tag = _named("read", node)  # no longer counted
                mark = ET.SubElement(run, _named("t", run))
                mark.text = f"\ue000{first + len(found)}\ue001"
                found.append(html)
    return found


def _graphics(node: ET.Element) -> Iterator[ET.Element]:
    """Yield the charts and diagrams of a run, without those of runs inside it."""
    ends = {"chart", "relIds", "r", "Fallback"}
    inside = below(node, lambda one: () if local(one) in ends else one)
    return (one for one in inside if local(one) in {"chart", "relIds"})


def _unread(nodes: Iterable[ET.Element]) -> Counter[str]:
    return Counter(_LEFT[name] for node in nodes if (name := local(node)) in _LEFT)


def _prepare(root: ET.Element, relations: Collection[str], notes: Mapping[str, set[str]]) -> None:
    """Change the XML of a part so that mammoth reads all of its text, and no more than that.

    Args:
        root: the XML.
        relations: the ids of the relations of the part.
        notes: the ids of notes and comments without a reference so far, by the names of references.
    """
    for node in root.iter():
        for key in [key for key, value in node.items() if _is_lost(key, value, relations)]:
            del node.attrib[key]
        children = [child for child in node if _is_read(child, notes)]
        if local(node) == "AlternateContent":
            children = _with_fallback(children)
        if children != list(node):
            node[:] = children
        match local(node):
            case "rt":  # the pronunciation comes before the text
                brackets = (_run(text, node) for text in ("(", ")"))
                node[:] = [next(brackets), *node, next(brackets)]
                node.tag = _named("ins", node)
            case "ruby":
                node[:] = sorted(node, key=lambda child: local(child) == "rt")
                node.tag = _named("ins", node)
            case "gridSpan" if not attribute(node, "val").isdecimal():
                node.attrib.clear()
            case name if name in _WRAPPERS:
                node.tag = _named("ins", node)
            case name if name in _SHAPES:
                node.tag = _named("group", node)
            case _:
                pass


def _is_read(node: ET.Element, notes: Mapping[str, set[str]]) -> bool:
    """Return whether mammoth reads an element; of references only the first one to each note.

    It writes a note again for each reference to it.
    """
    name = local(node)
    if name not in notes:
        return name not in _UNREAD
    known = attribute(node, "id")
    is_first = known in notes[name]
    notes[name].discard(known)
    return is_first


def _is_lost(key: str, value: str, relations: Collection[str]) -> bool:
    """Return whether an attribute has the id of a relation that does not exist."""
    return key.rpartition("}")[0].endswith("relationships") and value not in relations


def _with_fallback(choices: list[ET.Element]) -> list[ET.Element]:
    """Return the fallback of alternatives, which mammoth reads, with the text of the first one."""
    fallbacks = [one for one in choices if local(one) == "Fallback"]
    texts = list(descendants(choices[0], "txbxContent")) if choices else []
    if not fallbacks and texts:
        fallbacks = [ET.Element(choices[0].tag.replace("}Choice", "}Fallback"))]
    if texts and not any(local(node) == "txbxContent" for node in fallbacks[0].iter()):
        ET.SubElement(fallbacks[0], _named("pict", texts[0])).extend(texts)
    return fallbacks


def _remove_hidden_text(root: ET.Element) -> None:
    """Remove the text of hidden runs (ECMA-376, part 1, section 17.3.2.41), not their fields."""
    for run in (node for node in root.iter() if local(node) == "r"):
        properties = (one for part in run if local(part) == "rPr" for one in part)
        marks = [attribute(one, "val") for one in properties if local(one) == "vanish"]
        if any(mark not in _OFF for mark in marks):
            run[:] = [one for one in run if local(one) not in {"t", "sym"}]


def _write_symbols(root: ET.Element, left: Counter[str]) -> None:
    """Write the symbols of a part as text; mammoth leaves out those that it does not know."""
    for run in (node for node in root.iter() if local(node) == "r"):
        properties = (one for part in run if local(part) == "rPr" for one in part)
        fonts = (attribute(one, "ascii") for one in properties if local(one) == "rFonts")
        font = next(fonts, "")
        for node in run:
            match local(node):
                case "sym":
                    node.tag = _named("t", node)
                    code = attribute(node, "char")
                    node.text = UNKNOWN
                    if _SYMBOL.fullmatch(code):
                        node.text = symbol(attribute(node, "font"), int(code, 16))
                    left["symbol"] += node.text == UNKNOWN
                case "t":
                    node.text = with_symbols(node.text or "", font, left)
                case _:
                    pass


def _paragraphs(parts: Iterable[ET.Element]) -> Iterable[str]:
    """Return the texts of the paragraphs of headers or footers."""
    found = (node for part in parts for node in part.iter() if local(node) == "p")
    return ("".join(_texts(node)) for node in found)


def _texts(paragraph: ET.Element) -> Iterator[str]:
    fields: list[list[str]] = []  # the pieces of the instruction of each open field, then its name
    for node in below(paragraph, _with_text):
        match local(node), attribute(node, "fldCharType"):
            case _, "begin":
                fields.append([])
            case _, "separate" if fields:
                fields[-1] = _field_name("".join(fields[-1]))
                yield PAGE_NUMBER if fields[-1] in _PAGE_FIELDS else ""
            case _, "end" if fields:
                fields.pop()
            case "fldSimple", _ if _is_page_field(node):
                yield PAGE_NUMBER
            case "instrText", _ if fields:
                fields[-1].append(node.text or "")
            case name, _ if name in _CHARACTERS and (not fields or fields[-1] not in _PAGE_FIELDS):
                yield _CHARACTERS[name] or node.text or ""
            case _:
                pass


def _with_text(node: ET.Element) -> Iterable[ET.Element]:
    """Return the children of an element if they have text of its paragraph."""
    return () if local(node) in _NOT_ENTERED or _is_page_field(node) else node


def _is_page_field(node: ET.Element) -> bool:
    return local(node) == "fldSimple" and _field_name(attribute(node, "instr")) in _PAGE_FIELDS


def _field_name(instruction: str) -> list[str]:
    return instruction.upper().split()[:1]


def _written(texts: Iterable[str], body: ET.Element) -> Iterator[ET.Element]:
    """Yield paragraphs in the namespace of the body."""
    for text in texts:
        paragraph = ET.Element(_named("p", body))
        paragraph.append(_run(text, body))
        yield paragraph


def _run(text: str, near: ET.Element) -> ET.Element:
    run = ET.Element(_named("r", near))
    ET.SubElement(run, _named("t", near)).text = text
    return run


def _named(name: str, near: ET.Element) -> str:
    """Return the name of an element in the namespace of another one."""
    return f"{near.tag.rpartition('}')[0]}}}{name}"
