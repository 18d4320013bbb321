"""Word files: headings, lists, tables, links, notes, comments, headers and footers.

Imported only if the extra ``tabwright[office]`` is installed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from io import BytesIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import mammoth
from mammoth import html
from mammoth.documents import Image

from tabwright.content.office import archive
from tabwright.content.office.archive import (
    CORE,
    Archive,
    OfficeContent,
    OfficeFileRefused,
    PartUnreadable,
    attribute,
    counted,
    descendants,
    described,
    local,
)
from tabwright.text.lines import collapse_whitespace

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

_PAGE_FIELDS = (["PAGE"], ["NUMPAGES"])
"""The names of fields whose values depend on the page (ECMA-376, part 1, section 17.16.5)."""


def read_word(opened: Archive) -> OfficeContent:
    """Return the text of a Word file, between its headers and its footers.

    Raises:
        OfficeFileRefused: it is too large.
        PartUnreadable: its text is damaged.
    """
    left = Counter[str]()

    def description(image: Image) -> list[html.Element]:
        """Replace a picture by its description."""
        left["picture"] += 1
        text = image.alt_text or ""
        return [html.element("em", {}, [html.text(text)])] if text else []

    names = {name: kind for name in opened.names if (kind := _kind(name))}
    if sum(map(opened.size, names)) > archive.TREE_BYTES_MAX:
        raise OfficeFileRefused("has too much text to be read at once")
    trees = {name: _tree(opened, name, left) for name in names}
    parts: dict[str, list[ET.Element]] = {}
    for name, kind in names.items():
        parts.setdefault(kind, []).append(trees[name])
    headers = _paragraphs(parts.get("header", ()))
    footers = _paragraphs(parts.get("footer", ()))
    notes = {
        reference: {attribute(note, "id") for tree in parts.get(kind, ()) for note in tree}
        for reference, kind in _REFERENCES.items()
    }
    for name, kind in names.items():
        if kind == "list":
            continue
        tree = trees[name]
        again = (node for one in descendants(tree, "Fallback") for node in one.iter())
        left.update(_unread(tree.iter()) - _unread(again))
        _prepare(tree, {**notes, "relation": set(_relations(opened, name))})
        if kind == "document":
            for body in (node for node in tree if local(node) == "body"):
                body[:] = [*_written(headers, body), *body, *_written(footers, body)]
    file = BytesIO()
    with ZipFile(file, "w") as prepared:
        for name, tree in trees.items():
            prepared.writestr(name, ET.tostring(tree))
    converted = mammoth.convert_to_html(
        file,
        style_map=STYLES,
        include_embedded_style_map=False,
        external_file_access=False,
        convert_image=description,
    )
    content = OfficeContent(html=converted.value, left=counted(left))
    return described(content, opened.properties(CORE))


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


def _relations(opened: Archive, name: str) -> Iterable[str]:
    try:
        return opened.relations(name)
    except PartUnreadable:
        return ()


def _unread(nodes: Iterable[ET.Element]) -> Counter[str]:
    return Counter(_LEFT[name] for node in nodes if (name := local(node)) in _LEFT)


def _prepare(root: ET.Element, ids: Mapping[str, Collection[str]]) -> None:
    """Change the XML of a part so that mammoth reads all of its text, and no more than that.

    Args:
        root: the XML.
        ids: what references can lead to: the ids of the relations of the part, and those of notes
            and comments by the names of the references.
    """
    for node in root.iter():
        for key in [key for key, value in node.items() if _is_lost(key, value, ids)]:
            del node.attrib[key]
        children = [
            child
            for child in node
            if (name := local(child)) not in _UNREAD
            and (name not in _REFERENCES or attribute(child, "id") in ids[name])
        ]
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


def _is_lost(key: str, value: str, ids: Mapping[str, Collection[str]]) -> bool:
    """Return whether an attribute has the id of a relation that does not exist."""
    return key.rpartition("}")[0].endswith("relationships") and value not in ids["relation"]


def _with_fallback(choices: list[ET.Element]) -> list[ET.Element]:
    """Return the fallback of alternatives, which mammoth reads, with the text of the first one."""
    fallbacks = [one for one in choices if local(one) == "Fallback"]
    texts = list(descendants(choices[0], "txbxContent")) if choices else []
    if not fallbacks and texts:
        fallbacks = [ET.Element(choices[0].tag.replace("}Choice", "}Fallback"))]
    if texts and not any(local(node) == "txbxContent" for node in fallbacks[0].iter()):
        ET.SubElement(fallbacks[0], _named("pict", texts[0])).extend(texts)
    return fallbacks


def _paragraphs(parts: Iterable[ET.Element]) -> Iterable[str]:
    """Return the paragraphs of headers or footers, each text once; most repeat those of others."""
    found = (node for part in parts for node in part.iter() if local(node) == "p")
    texts = ("".join(_texts(node)) for node in found)
    return dict.fromkeys(filter(None, map(collapse_whitespace, texts)))


def _texts(paragraph: ET.Element) -> Iterator[str]:
    fields: list[list[str]] = []  # the pieces of the instruction of each open field, then its name
    for node in _shown(paragraph):
        match local(node), attribute(node, "fldCharType"):
            case _, "begin":
                fields.append([])
            case _, "separate" if fields:
                fields[-1] = _field_name("".join(fields[-1]))
            case _, "end" if fields:
                fields.pop()
            case "instrText", _ if fields:
                fields[-1].append(node.text or "")
            case name, _ if name in _CHARACTERS and (not fields or fields[-1] not in _PAGE_FIELDS):
                yield _CHARACTERS[name] or node.text or ""
            case _:
                pass


def _shown(node: ET.Element) -> Iterator[ET.Element]:
    """Yield the texts of a paragraph, and the marks of its fields."""
    for child in node:
        match local(child):
            case name if name in _CHARACTERS or name in {"fldChar", "instrText"}:
                yield child
            case "Choice" | "txbxContent":  # the paragraphs inside it follow
                pass
            case "moveFrom" | "del":  # deleted text
                pass
            case "fldSimple" if _field_name(attribute(child, "instr")) in _PAGE_FIELDS:
                pass
            case _:
                yield from _shown(child)


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
