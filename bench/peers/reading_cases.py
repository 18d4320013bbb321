"""Run one reader of pages, tabwright's or another, in this process.

The arguments are the name of a reader and a file of pages; only the standard library and that
reader are imported. Each line ``from to`` of standard input names a range of pages. The answer to
it is one line of JSON: the seconds of CPU time that reading them took, and the texts.
"""

# ruff: noqa: PLC0415  (each process imports the one reader that it runs)

import json
import lzma
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

Reader: TypeAlias = Callable[[str, str], str | None]
"""Returns the main content of a page, from its HTML and its URL."""


def trafilatura() -> Reader:
    """Use the defaults, but without comments, which only the labels of forum pages include."""
    from trafilatura import extract

    return lambda html, url: extract(html, url=url, include_comments=False)


def trafilatura_fast() -> Reader:
    from trafilatura import extract

    return lambda html, url: extract(html, url=url, include_comments=False, fast=True)


def readability_lxml() -> Reader:
    from lxml.html import fromstring
    from readability import Document

    return lambda html, url: fromstring(Document(html, url=url).summary()).text_content()


def resiliparse() -> Reader:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: extract_plain_text(html, main_content=True, alt_texts=False, links=False)


def html2text() -> Reader:
    from html2text import HTML2Text

    def read(html: str, url: str) -> str:
        writer = HTML2Text(baseurl=url)
        writer.ignore_links = writer.ignore_images = True
        return writer.handle(html)

    return read


def markdownify() -> Reader:
    from markdownify import markdownify as convert

    return lambda html, _: convert(html, strip=["a", "img", "script", "style"])


def markitdown() -> Reader:
    from io import BytesIO

    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)
    return lambda html, _: (
        reader.convert_stream(BytesIO(html.encode()), file_extension=".html").text_content
    )


def tabwright() -> Reader:
    """Parse, find the main content and return its text as lines, as the other readers do."""
    from selectolax.lexbor import LexborNode

    from tabwright.content.html.hidden_elements import remove_unseen
    from tabwright.content.html.tree import parsed
    from tabwright.content.readability.dom_shapes import INLINE, WORDLESS
    from tabwright.content.readability.main_content import main_content
    from tabwright.protocol.snapshot import LoadedPage, PageSource

    def text(root: LexborNode) -> str:
        parts: list[str] = []
        wordless = 0
        for node in root.traverse(include_text=True):
            tag = node.tag or ""
            if tag == "-text":
                if node.parent and node.parent.mem_id != wordless:
                    parts.append(node.text_content or "")
            elif tag in WORDLESS:
                wordless = node.mem_id
            elif tag not in INLINE:
                parts.append("\n")
        return "".join(parts)

    def read(html: str, url: str) -> str:
        document = parsed(PageSource(LoadedPage(url, 200, "text/html"), html))
        remove_unseen(document)
        return "\n".join(map(text, main_content(document)))

    return read


def tabwright_snapshot() -> Reader:
    """Extract everything from a page, including blocks, links, forms, media and metadata.

    The headline, which the labels of some sets leave out, is above the main content.
    """
    from tabwright.content.html.snapshot import take_snapshot
    from tabwright.content.render.markdown import text_of
    from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection

    selection = Selection(readability=True)

    def read(html: str, url: str) -> str:
        source = PageSource(LoadedPage(url, 200, "text/html"), html)
        return text_of(take_snapshot(source, selection).content)

    return read


READERS: Final[dict[str, Callable[[], Reader]]] = {
    maker.__name__: maker
    for maker in (
        tabwright,
        tabwright_snapshot,
        trafilatura,
        trafilatura_fast,
        readability_lxml,
        resiliparse,
        html2text,
        markdownify,
        markitdown,
    )
}


def pages(path: Path) -> list[tuple[str, str]]:
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        records = map(json.loads, lines)
        return [
            (record["html"].encode("utf-8", "replace").decode(), record["url"])
            for record in records
        ]


def read(reader: Reader, html: str, url: str) -> str:
    """Return the text that a reader extracts, empty if it fails."""
    try:
        return reader(html, url) or ""
    except Exception as error:  # noqa: BLE001 - readers can raise anything
        print(f"{url}: {error!r}", file=sys.stderr)
        return ""


def main() -> None:
    reader = READERS[sys.argv[1]]()
    known = pages(Path(sys.argv[2]))
    for line in sys.stdin:
        first, last = map(int, line.split())
        begun_s = time.process_time()
        texts = [read(reader, html, url) for html, url in known[first:last]]
        spent_s = time.process_time() - begun_s
        print(json.dumps({"spent_s": spent_s, "texts": texts}), flush=True)


if __name__ == "__main__":
    main()
