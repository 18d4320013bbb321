"""Word files: headings, lists, tables, links, notes and comments.

Imported only if the extra ``tabwright[office]`` is installed.
"""

import re
from collections import Counter
from io import BytesIO

import mammoth
from mammoth import html
from mammoth.documents import Image

from tabwright.content.office.archive import CORE, Archive, OfficeContent, counted, described

STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
comment-reference => sup
"""
"""Styles beyond those that mammoth knows, and comments, which it leaves out by default."""

_LEFT = {
    "formula": re.compile(rb"<m:oMath[\s>]"),
    "chart": re.compile(rb"<c:chart\s"),
    "diagram": re.compile(rb"<dgm:relIds\s"),
}
"""What the text of a file contains beside text, and mammoth does not read."""


def read_word(archive: Archive) -> OfficeContent:
    """Return the text of a Word file."""
    archive.check_parts(as_trees=True)
    left = Counter[str]()

    def description(image: Image) -> list[html.Element]:
        """Replace a picture by its description."""
        left["picture"] += 1
        text = image.alt_text or ""
        return [html.element("em", {}, [html.text(text)])] if text else []

    converted = mammoth.convert_to_html(
        BytesIO(archive.body),
        style_map=STYLES,
        include_embedded_style_map=False,
        external_file_access=False,
        convert_image=description,
    )
    if "word/document.xml" in archive.names:
        text = archive.part("word/document.xml")
        left.update({name: len(found.findall(text)) for name, found in _LEFT.items()})
    content = OfficeContent(html=converted.value, left=counted(left))
    return described(content, archive.tree(CORE) if CORE in archive.names else ())
