"""XML of files: which is refused before it is parsed, and how its elements are found."""

import sys
from xml.etree import ElementTree as ET

import pytest

from tabwright.content import xml_tree
from tabwright.content.xml_tree import ExpandingXML, below, check_xml, descendants

DECLARATIONS = [
    '<!ENTITY a "b">',
    '<!ENTITY % a "b">',
    '<!ENTITY a SYSTEM "file:///etc/passwd">',
    '<!ATTLIST r z CDATA "b">',
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_xml_that_declares_what_expands_is_refused(declaration, encoding):
    with pytest.raises(ExpandingXML):
        check_xml(f"<!DOCTYPE r [{declaration}]><r/>".encode(encoding))


def test_declaration_after_a_long_comment_is_refused():
    comment = f"<!--{'x' * xml_tree.START_BYTES}-->"
    with pytest.raises(ExpandingXML):
        check_xml(f"{comment}<!DOCTYPE r [{DECLARATIONS[0]}]><r/>".encode())


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"no XML",
        b"<r>",
        b"<!DOCTYPE r [<!ELEMENT r ANY>]><r/>",
        b'<!DOCTYPE r SYSTEM "r.dtd"><r>&a;</r>',
        b"<r><![CDATA[<!ENTITY a 'b'>]]></r>",
    ],
)
def test_xml_that_declares_nothing_is_accepted(xml):
    check_xml(xml)


def test_elements_nested_beyond_the_limit_of_recursion_are_found():
    depth = 2 * sys.getrecursionlimit()
    root = node = ET.Element("r")
    for _ in range(depth):
        node = ET.SubElement(node, "a")
    ET.SubElement(node, "b")
    assert [one.tag for one in descendants(root, "b")] == ["b"]
    assert sum(1 for _ in below(root, lambda one: one)) == depth + 1
