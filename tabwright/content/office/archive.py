"""The ZIP archive of an office file or a book, with limits against hostile ones.

The sizes that a ZIP file declares are checked before anything is decompressed; `zipfile` never
returns more than the declared size. XML that declares entities or default attributes is refused,
so that a small file cannot expand (ECMA-376, part 2, section 9.1.4 forbids such declarations).
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from io import BytesIO
from lzma import LZMAError
from posixpath import join, normpath
from xml.etree import ElementTree as ET
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

import attrs

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.snapshot import Metadata, PageLink
from tabwright.text.lines import collapse_whitespace

PARTS_MAX = 20_000
BYTES_MAX = 256_000_000
"""Maximum size of all parts together."""

RATIO_MAX = 100
"""Maximum ratio of the sizes of the parts and the file."""

RATIO_BYTES_MIN = 16_000_000
"""Files with smaller parts may have any ratio: a short table of equal rows has a high one."""

TREE_BYTES_MAX = 16_000_000
"""Maximum size of the XML that is read as a whole tree."""

CORE = "docProps/core.xml"
"""The part with the metadata of a file of Word, Excel or PowerPoint."""

_DAMAGES = (BadZipFile, zlib.error, LZMAError, EOFError, OSError, RuntimeError, ValueError)
"""Errors of `zipfile` for a part that is damaged or compressed by an unknown method."""

_FORBIDDEN = "declares entities or default attributes, which are not expanded"


class OfficeFileRefused(Exception):
    """An office file is not read; the argument is the rest of a sentence about it."""


class PartUnreadable(Exception):
    """A part of an archive is damaged; the argument is its name. Other parts can be read."""


@attrs.frozen
class OfficeContent:
    """The content of an office file.

    Attributes:
        html: the content as HTML; empty if `blocks` has it.
        left: what was not read, as phrases such as ``3 pictures``.
    """

    html: str = ""
    blocks: Blocks = ()
    links: tuple[PageLink, ...] = ()
    title: str = ""
    metadata: Metadata = attrs.field(factory=Metadata)
    left: tuple[str, ...] = ()


@attrs.frozen
class Relation:
    """A relation of a part of an office file (ECMA-376, part 2, section 8.5).

    Attributes:
        kind: the last word of its type, for example ``slide``.
        target: the name of the other part, or the URL if it is external.
    """

    kind: str
    target: str
    is_external: bool


@attrs.frozen(eq=False)
class Archive:
    """An opened archive within the limits.

    Names of parts may differ in their case and slashes, as some programs write them.
    """

    _zip: ZipFile
    _parts: Mapping[str, ZipInfo]

    @classmethod
    def of(cls, body: bytes) -> "Archive":
        """Open an archive.

        Raises:
            OfficeFileRefused: it exceeds a limit, or is encrypted.
            BadZipFile: it is damaged.
        """
        opened = ZipFile(BytesIO(body))
        parts = opened.infolist()
        size = sum(part.file_size for part in parts)
        if len(parts) > PARTS_MAX or size > BYTES_MAX:
            raise OfficeFileRefused("is too large when it is decompressed")
        if size > max(RATIO_BYTES_MIN, RATIO_MAX * len(body)):
            raise OfficeFileRefused("is compressed like a ZIP bomb")
        if any(part.flag_bits & 1 for part in parts):
            raise OfficeFileRefused("is protected by a password")
        return cls(opened, {_key(part.filename): part for part in parts})

    def __contains__(self, name: str) -> bool:
        """Return whether there is a part of this name."""
        return _key(name) in self._parts

    @property
    def names(self) -> Sequence[str]:
        """Return the names of the parts."""
        return [part.filename.replace("\\", "/") for part in self._parts.values()]

    def part(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            KeyError: there is no such part.
            PartUnreadable: it is damaged.
        """
        part = self._parts[_key(name)]
        try:
            return self._zip.read(part)
        except _DAMAGES as error:
            raise PartUnreadable(name) from error

    def size(self, name: str) -> int:
        """Return the size of a part in bytes.

        Raises:
            KeyError: there is no such part.
        """
        return self._parts[_key(name)].file_size

    def tree(self, name: str) -> ET.Element:
        """Return the XML of a part.

        Raises:
            KeyError: there is no such part.
            OfficeFileRefused: it declares entities or default attributes, or is too large.
            PartUnreadable: it is damaged, or is not well formed.
        """
        data = self.part(name)
        if len(data) > TREE_BYTES_MAX:
            raise OfficeFileRefused("has too much text to be read at once")
        try:
            check_xml(data)
            return ET.fromstring(data)  # noqa: S314  (it declares nothing that expands)
        except (ET.ParseError, LookupError, ValueError) as error:  # or its encoding is unknown
            raise PartUnreadable(name) from error

    def relations(self, part: str) -> Mapping[str, Relation]:
        """Return the complete relations of a part by their ids; of the file if the name is empty.

        Raises:
            OfficeFileRefused: they are too many, or declare entities or default attributes.
            PartUnreadable: they are damaged.
        """
        folder, slash, name = part.rpartition("/")
        path = f"{folder}{slash}_rels/{name}.rels"
        found: dict[str, Relation] = {}
        for node in self.tree(path) if path in self else ():
            target = attribute(node, "Target")
            kind = attribute(node, "Type").rpartition("/")[2]
            is_external = attribute(node, "TargetMode") == "External"
            if target and kind:
                if not is_external:
                    target = normpath(join(f"/{folder}", target)).lstrip("/")
                found[attribute(node, "Id")] = Relation(kind, target, is_external)
        return found

    def main_part(self, usual: str) -> str:
        """Return the part that has the workbook or the presentation.

        Args:
            usual: its name in nearly all files.
        """
        kinds = () if usual in self else self.relations("").values()
        return next((one.target for one in kinds if one.kind == "officeDocument"), usual)

    def properties(self, name: str) -> Iterable[ET.Element]:
        """Return the elements of a part with metadata; none if it is missing or unreadable."""
        try:
            return list(self.tree(name).iter()) if name in self else ()
        except (PartUnreadable, OfficeFileRefused):
            return ()


def _key(name: str) -> str:
    return name.replace("\\", "/").lower()


def check_xml(data: bytes) -> None:
    """Refuse XML that a parser would expand; damaged XML is reported by the one that reads it.

    Raises:
        OfficeFileRefused: it declares entities or default attributes.
    """
    with suppress(expat.ExpatError):
        safe_parser().Parse(data, True)  # noqa: FBT003  (the last piece)


def safe_parser() -> expat.XMLParserType:
    """Return a parser that raises OfficeFileRefused for entities and default attributes."""
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = parser.AttlistDeclHandler = _refuse_declaration
    return parser


def _refuse_declaration(*_declared: object) -> None:
    raise OfficeFileRefused(_FORBIDDEN)


# The XML of parts.


def local(node: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return node.tag.rpartition("}")[2]


def attribute(node: ET.Element, name: str) -> str:
    """Return an attribute by its name without the namespace; empty if there is none."""
    return next((value for key, value in node.items() if key.rpartition("}")[2] == name), "")


def relation_id(node: ET.Element, name: str = "id") -> str:
    """Return the id of a relation in an attribute that is named in its own namespace."""
    return next((value for key, value in node.items() if key.endswith(f"}}{name}")), "")


def number_of(node: ET.Element, name: str, most: int) -> int:
    """Return an attribute as a number from 1 to `most`; 1 if it is not one."""
    value = attribute(node, name)
    return min(max(int(value), 1), most) if value.isdecimal() else 1


def descendants(node: ET.Element, name: str, border: str = "") -> Iterator[ET.Element]:
    """Yield the elements of a name, without those inside another one, or beyond a border."""
    for child in node:
        if local(child) == name:
            yield child
        elif local(child) != border:
            yield from descendants(child, name, border)


def paragraph_texts(node: ET.Element) -> Iterator[str]:
    """Yield the text of each paragraph of a drawing (ECMA-376, part 1, section 21.1.2)."""
    for paragraph in descendants(node, "p", "Fallback"):
        found = (one for one in paragraph.iter() if local(one) in {"t", "br"})
        texts = (one.text or "" if local(one) == "t" else " " for one in found)
        if text := collapse_whitespace("".join(texts)):
            yield text


# Metadata, which Office, OpenDocument and EPUB write in the terms of Dublin Core.


def described(
    content: OfficeContent, properties: Iterable[ET.Element], *, dated: str = "created"
) -> OfficeContent:
    """Return the content with its title and metadata.

    Args:
        content: what was read.
        properties: elements named by Dublin Core, for example ``dc:title``.
        dated: the name of the element with the date of publication.
    """
    values: dict[str, list[str]] = {}
    for node in properties:
        name = attribute(node, "property").rpartition(":")[2] or local(node)
        text = collapse_whitespace("".join(node.itertext()))
        if text and text not in values.setdefault(name, []):
            values[name].append(text)
    first: Callable[[str], str] = lambda name: values.get(name, [""])[0]  # noqa: E731
    keywords = values.get("keywords", []) + values.get("keyword", []) + values.get("subject", [])
    return attrs.evolve(
        content,
        title=first("title"),
        metadata=Metadata(
            description=first("description"),
            keywords=tuple(keywords),
            language=first("language"),
            author=", ".join(values.get("initial-creator") or values.get("creator", [])),
            site_name=first("publisher"),
            published=first(dated),
            modified=first("modified") or ("" if dated == "date" else first("date")),
        ),
    )


# What readers write: phrases and HTML.


def counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return phrases such as ``3 pictures`` for what there is; the names are singular."""
    return tuple(
        f"{n:,} {name.replace(' or ', 's or ')}s" if n > 1 else f"{n:,} {name}"
        for name, n in counts.items()
        if n
    )


def element(name: str, inner: str) -> str:
    """Return an HTML element, or nothing if it would be empty."""
    return f"<{name}>{inner}</{name}>" if inner.strip() else ""


def linked(inner: str, url: str) -> str:
    """Return HTML as a link."""
    return f'<a href="{escape(url)}">{inner}</a>' if url and inner else inner
