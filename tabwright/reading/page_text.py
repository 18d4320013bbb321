"""A page's HTML to text: furniture out, the main part kept, links absolute."""

import re

from html_to_markdown import ConversionOptions, convert
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.protocol.pages import PageFormat, PageSource, PageText

FURNITURE = (
    "script, style, noscript, template, iframe, svg, canvas, dialog, nav, "
    "[hidden], [aria-hidden=true], [role=navigation], [role=search], [role=dialog]"
)
"""What no reader of a page wants, by structure; words are never looked at."""

PAGE_FURNITURE = "body > header, body > footer, [role=banner], [role=contentinfo]"
"""Furniture of a page that names no main part."""

SAFE_SCHEMES = frozenset({"", "http", "https", "mailto", "tel"})
"""Where a link or a picture may lead; the empty one is a relative address."""

_IGNORED = re.compile(r"[\t\r\n]|^[\x00-\x20]+")
"""What a browser passes over in an address (WHATWG URL, section 4.4)."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def read_page(source: PageSource, page_format: PageFormat) -> PageText:
    """The page as text in `page_format`; ``html`` is the main part as it stands.

    Works on any input: what a hostile page holds can only end up as text.
    """
    document = LexborHTMLParser(source.html)
    root = document.css_first("html")
    return PageText(
        url=source.page.url,
        title=_title(document),
        language=(root.attributes.get("lang") if root else None) or "",
        format=page_format,
        text=_rendered(_main_part(document), source.page.url, page_format),
        cut=source.cut,
    )


def _title(document: LexborHTMLParser) -> str:
    node = document.css_first("head > title") or document.css_first("h1")
    return " ".join(node.text().split()) if node else ""


def _main_part(document: LexborHTMLParser) -> str:
    _remove(document, FURNITURE)
    _remove_unsafe_addresses(document)
    mains = document.css("main, [role=main]") or document.css("article")
    if len(mains) == 1 and _says_something(mains[0]):
        return mains[0].html or ""
    _remove(document, PAGE_FURNITURE)
    body = document.body
    return (body.html if body else None) or ""


def _remove(document: LexborHTMLParser, selector: str) -> None:
    found = {node.mem_id: node for node in document.css(selector)}
    for node in reversed(found.values()):  # what is inside goes before what is round it
        if node.tag != "html":
            node.decompose()


def _remove_unsafe_addresses(document: LexborHTMLParser) -> None:
    for attribute in ("href", "src"):
        for node in document.css(f"[{attribute}]"):
            if _scheme(node.attributes.get(attribute) or "") not in SAFE_SCHEMES:
                del node.attrs[attribute]


def _scheme(address: str) -> str:
    match = _SCHEME.match(_IGNORED.sub("", address))
    return match[1].lower() if match else ""


def _says_something(node: LexborNode) -> bool:
    return bool(node.text().strip())


def _rendered(html: str, url: str, page_format: PageFormat) -> str:
    if page_format == "html":
        return html
    options = ConversionOptions(
        base_url=url,
        extract_metadata=False,
        bullets="-",
        escape_asterisks=True,
        output_format="plain" if page_format == "text" else "markdown",
    )
    return (convert(html, options).content or "").strip() + "\n"
