"""The ZIP archive of an office file or a book, with limits against hostile ones.

The sizes that a ZIP file declares are checked before anything is decompressed; `zipfile` never
returns more than the declared size. XML that declares entities or default attributes is refused
(ECMA-376, part 2, section 9.1.4 forbids it). A part is read once, because a small file could
otherwise use a large part for many slides, sheets or chapters.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from lzma import LZMAError
from posixpath import join, normpath
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile, ZipInfo

import attrs

from tabwright.content.xml_tree import ExpandingXML, attribute, check_xml

PARTS_MAX = 20_000
BYTES_MAX = 256_000_000
"""Maximum size of all parts together."""

RATIO_MAX = 100
"""Maximum ratio of the sizes of the parts and the file."""

RATIO_BYTES_MIN = 16_000_000
"""Files with smaller parts may have any ratio: a short table of equal rows has a high one."""

TREE_BYTES_MAX = 16_000_000
"""Maximum size of the XML that is read as a whole tree."""

TREE_ELEMENTS_MAX = 500_000
TREE_ATTRIBUTES_MAX = 1_000_000
"""Maximum numbers of elements and attributes of such a tree, which takes 200 MB with so many.

Files of office programs have fewer in `TREE_BYTES_MAX`.
"""

CORE = "docProps/core.xml"
"""The part with the metadata of a file of Word, Excel or PowerPoint."""

_DAMAGES = (
    BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
)
"""Errors for a part that is missing, is damaged, or is compressed by an unknown method."""


class OfficeFileRefused(Exception):
    """An office file is not read; the argument is the rest of a sentence about it."""


class PartUnreadable(Exception):
    """A part is missing, is damaged, or was read before; the argument is its name."""


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
    """An opened archive within the limits, whose other parts can be read if one cannot.

    Names of parts may differ in their case and slashes, as some programs write them.
    """

    _zip: ZipFile
    _parts: Mapping[str, ZipInfo]
    _read: set[str] = attrs.field(factory=set[str], init=False)

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

    def size(self, name: str) -> int:
        """Return the size of a part in bytes; 0 if there is no such part."""
        part = self._parts.get(_key(name))
        return part.file_size if part else 0

    def part(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            PartUnreadable: it is missing, is damaged, or was read before.
        """
        if _key(name) in self._read:
            raise PartUnreadable(name)
        self._read.add(_key(name))
        return self._bytes(name)

    def xml(self, name: str) -> bytes:
        """Return the bytes of a part that declares nothing that a parser would expand.

        Raises:
            OfficeFileRefused: it declares entities or default attributes.
            PartUnreadable: it is missing, is damaged, or was read before.
        """
        return _checked(name, self.part(name))

    def tree(self, name: str) -> ET.Element:
        """Return the XML of a part.

        Raises:
            OfficeFileRefused: it declares entities or default attributes, or is too large.
            PartUnreadable: it is missing or damaged, is not well formed, or was read before.
        """
        return _parsed(name, self.part(name))

    def relations(self, part: str) -> Mapping[str, Relation]:
        """Return the complete relations of a part by their ids; of the file if the name is empty.

        They can be read again.

        Raises:
            OfficeFileRefused: they are too many, or declare entities or default attributes.
            PartUnreadable: they are damaged.
        """
        folder, slash, name = part.rpartition("/")
        path = f"{folder}{slash}_rels/{name}.rels"
        found: dict[str, Relation] = {}
        for node in _parsed(path, self._bytes(path)) if path in self else ():
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

    def _bytes(self, name: str) -> bytes:
        try:
            return self._zip.read(self._parts[_key(name)])
        except _DAMAGES as error:
            raise PartUnreadable(name) from error


def _key(name: str) -> str:
    return name.replace("\\", "/").lower()


def _checked(name: str, data: bytes) -> bytes:
    try:
        check_xml(data)
    except ExpandingXML as error:
        reason = "declares entities or default attributes, which are not expanded"
        raise OfficeFileRefused(reason) from error
    except (LookupError, ValueError) as error:  # its encoding
        raise PartUnreadable(name) from error
    return data


def _parsed(name: str, data: bytes) -> ET.Element:
    elements = data.count(b"<") - data.count(b"</")
    is_large = elements > TREE_ELEMENTS_MAX or data.count(b"=") > TREE_ATTRIBUTES_MAX
    if is_large or len(data) > TREE_BYTES_MAX:
        raise OfficeFileRefused("has too much text to be read at once")
    try:
        return ET.fromstring(_checked(name, data))  # noqa: S314  (it is checked)
    except ET.ParseError as error:
        raise PartUnreadable(name) from error
