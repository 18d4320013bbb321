"""Books in EPUB (versions 2 and 3): their chapters in reading order."""

import re
from collections import Counter
from itertools import chain
from posixpath import dirname, normpath
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from tabwright.content.charset import decoded
from tabwright.content.documents import PAGES_MAX
from tabwright.content.html.sanitize import sanitize_html, xhtml_as_html
from tabwright.content.xml_tree import attribute, local
from tabwright.plugins.formats.office.archive import Archive, OfficeFileRefused, PartUnreadable
from tabwright.plugins.formats.office.content import OfficeContent, counted, described
from tabwright.plugins.formats.office.sheets import CHARACTERS_MAX

CONTAINER = "META-INF/container.xml"
"""The part that names the package document (EPUB 3.3, section 4.2.6.3.1); some books lack it."""

ENCRYPTION = "META-INF/encryption.xml"

_ABSOLUTE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_PICTURES = "img, svg, video, audio"


def read_epub(archive: Archive) -> OfficeContent:
    """Return the chapters of a book; those outside the reading order are left out.

    Raises:
        OfficeFileRefused: its chapters are encrypted.
    """
    roots = (one for one in archive.properties(CONTAINER) if local(one) == "rootfile")
    named = (attribute(one, "full-path") for one in roots)
    packages = (name for name in archive.names if name.lower().endswith(".opf"))
    path = next((one for one in chain(named, packages) if one in archive), "")
    package = archive.tree(path)
    nodes = list(package.iter())
    parts = {attribute(one, "id"): attribute(one, "href") for one in nodes if local(one) == "item"}
    spine = [attribute(one, "idref") for one in nodes if local(one) == "itemref"]
    folder = dirname(path)
    encrypted = _encrypted(archive)
    chapters: list[str] = []
    left = Counter[str]()
    size = 0
    for number, name in enumerate(spine):
        chapter = normpath(f"{folder}/{unquote(parts.get(name, ''))}").lstrip("/")
        if number >= PAGES_MAX or size > CHARACTERS_MAX:
            left["chapter"] += 1
            continue
        if chapter in encrypted:
            raise OfficeFileRefused("is encrypted against copying")
        try:
            source, _ = decoded(archive.part(chapter), "")
        except PartUnreadable:
            left["chapter"] += 1
            continue
        html = sanitize_html(xhtml_as_html(source))
        chapters.append(f"<section>{_chapter(html, left)}</section>")
        size += len(chapters[-1])
    metadata = next((one for one in nodes if local(one) == "metadata"), ())
    content = OfficeContent(html="".join(chapters), left=counted(left))
    return described(content, metadata, dated="date")


def _encrypted(archive: Archive) -> frozenset[str]:
    """Return the names of the encrypted parts; many books only obfuscate their fonts."""
    if ENCRYPTION not in archive:
        return frozenset()
    nodes = archive.tree(ENCRYPTION).iter()
    return frozenset(unquote(attribute(one, "URI")) for one in nodes)


def _chapter(html: str, left: Counter[str]) -> str:
    """Return the body of a chapter; links to other parts lead to their place in the book."""
    document = LexborHTMLParser(html)
    for picture in reversed(document.css(_PICTURES)):
        left["picture"] += picture.tag in {"img", "svg"}
        picture.replace_with(picture.attributes.get("alt") or "")
    for link in document.css("a[href]"):
        href = link.attributes.get("href") or ""
        if not _ABSOLUTE.match(href):
            link.attrs["href"] = f"#{href.partition('#')[2]}"
    body = document.body
    return (body.inner_html or "") if body else ""
