"""Texts of office files: paragraphs of drawings, headers and footers, and symbols.

Headers and footers repeat on each page, sheet or slide, and are read once. Symbols have characters
of their fonts, such as the check marks of Wingdings, and are written in Unicode.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from xml.etree import ElementTree as ET

from tabwright.content.xml_tree import descendants, local
from tabwright.text.lines import collapse_whitespace

PAGE_NUMBER = "\x1a"
"""Stands for the number of a page, or of all pages, in a text; XML cannot have this character."""

_WORD = re.compile(r"\w+")
_PAGE_WORDS = frozenset(
    """
    page pages p pp pg of seite seiten s von página páginas pág pagina pagine pag de di sur van
    sida side av af sivu oldal strana stránka str strona stron z ze sayfa trang halaman dari
    страница стр из сторінка з σελίδα από 第 頁 页 頁面 页面 共 ページ 쪽 페이지
    """.split()  # noqa: SIM905  (as a list it is longer than the module)
)
"""Words beside the numbers of pages."""


def margin_texts(texts: Iterable[str]) -> Iterable[str]:
    """Return the texts of headers or footers, each once and without page numbers."""
    shown = (text for text in dict.fromkeys(texts) if not only_numbers_pages(text))
    lines = (collapse_whitespace(text.replace(PAGE_NUMBER, " ")) for text in shown)
    return dict.fromkeys(filter(None, lines))


def only_numbers_pages(text: str) -> bool:
    """Return whether a text is like ``Page 1 of 9``."""
    return PAGE_NUMBER in text and _PAGE_WORDS.issuperset(_WORD.findall(text.casefold()))


def paragraph_texts(node: ET.Element) -> Iterator[str]:
    """Yield the text of each paragraph of a drawing (ECMA-376, part 1, section 21.1.2)."""
    for paragraph in descendants(node, "p", "Fallback"):
        found = (one for one in paragraph.iter() if local(one) in {"t", "br"})
        texts = (one.text or "" if local(one) == "t" else " " for one in found)
        if text := collapse_whitespace("".join(texts)):
            yield text


# Symbols.

UNKNOWN = "\ufffd"
"""Stands for a symbol without a known character."""

_PRIVATE = re.compile("[\uf020-\uf0ff]")
"""The characters of symbol fonts, in an area of Unicode for private use."""


def symbol(font: str, code: int) -> str:
    """Return the character of a symbol, or `UNKNOWN`.

    Args:
        font: the name of its font.
        code: its number in the font, or in Unicode if the font is an ordinary one.
    """
    character = chr(code)
    number = code & 0xFF if _PRIVATE.match(character) else code
    if known := _characters().get((font, number)):
        return chr(known)
    return character if character.isprintable() else UNKNOWN


def with_symbols(text: str, font: str, left: Counter[str]) -> str:
    """Return a text with its symbols in Unicode, and count those that are unknown in `left`."""
    shown = _PRIVATE.sub(lambda match: symbol(font, ord(match[0])), text)
    left["symbol"] += shown.count(UNKNOWN) - text.count(UNKNOWN)
    return shown


@cache
def _characters() -> Mapping[tuple[str, int], int]:
    """Return the characters by fonts and numbers; none without the extra ``tabwright[office]``."""
    try:
        from mammoth.docx.dingbats import dingbats  # noqa: PLC0415  (an extra)
    except ImportError:
        return {}
    return dingbats
