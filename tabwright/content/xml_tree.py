"""XML of files: a check before it is parsed, and its elements by their names without namespaces.

Python's parsers fetch nothing, but they expand: a small file that declares entities or default
attributes can become a huge tree.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from xml.etree import ElementTree as ET
from xml.parsers import expat

START_BYTES = 4_096
"""Length of the first part of a file that is checked; nearly all have their root in it."""


class ExpandingXML(Exception):
    """XML declares entities or default attributes, and is not parsed."""


def check_xml(data: bytes) -> None:
    """Check that XML declares nothing that a parser would expand, in any encoding.

    Declarations precede the root element (XML 1.0, section 2.8): the rest of the file is not read
    here. Damaged XML is accepted; it is reported by the parser that reads it.

    Raises:
        ExpandingXML: it declares entities or default attributes.
        LookupError: its encoding is unknown.
        ValueError: its encoding is one that XML parsers do not support.
    """
    parser = expat.ParserCreate()
    roots: list[str] = []
    parser.StartElementHandler = lambda name, _: roots.append(name)
    parser.EntityDeclHandler = parser.AttlistDeclHandler = _refuse
    with suppress(expat.ExpatError):
        for piece in (data[:START_BYTES], data[START_BYTES:]):
            parser.Parse(piece, False)  # noqa: FBT003  (not the last piece)
            if roots:
                return


def _refuse(*_declared: object) -> None:
    raise ExpandingXML


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
    inside = below(node, lambda one: () if local(one) in {name, border} else one)
    return (one for one in inside if local(one) == name)


def below(
    node: ET.Element, inside: Callable[[ET.Element], Iterable[ET.Element]]
) -> Iterator[ET.Element]:
    """Yield the elements inside another one in their order, in linear time however deep they are.

    Args:
        node: the element.
        inside: returns the children of an element that are yielded after it.
    """
    levels = [iter(node)]
    while levels:
        child = next(levels[-1], None)
        if child is None:
            levels.pop()
        else:
            yield child
            levels.append(iter(inside(child)))
