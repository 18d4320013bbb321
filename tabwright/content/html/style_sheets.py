"""Keep words and lines apart that style sheets keep apart.

The words are those of blocks, labels, and links beside each other.
"""

import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings

_INLINE = "a, b, em, i, label, small, span, strong, time"
"""Elements that are inline unless a style makes them blocks."""

_STYLED_INLINE = f":is([style*=display i], [style*=display i] > *):is({_INLINE})"

_BLOCKS = frozenset({"block", "flex", "grid", "list-item", "table"})
"""Values of ``display`` that begin a line, or a column."""

_ROWS = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
"""Values of ``display`` whose children are blocks."""

_Selectors: TypeAlias = AbstractSet[tuple[str, str]]
"""Tags and classes; one can be empty."""

_CODE = "code, pre, textarea, code *, pre *"
_KEEPING = (
    ":is([style*=white-space i], .whitespace-pre, .whitespace-pre-line, .whitespace-pre-wrap)"
)
_KEPT_LINES = f":is([data-kept-lines], {_KEEPING}, {_KEEPING} *):not({_CODE})"
"""Elements that can show the lines of their texts: a tab marks them, and over HTTP an inline style
or a class of Tailwind tells."""

_LINE_END = re.compile(r"\s*\n\s*")
_KEEPS_LINES = re.compile(r"white-space\s*:\s*(?:pre\b|break-spaces)", re.IGNORECASE)

_LABELS = "span[class] + span[class]"
_PARTS = ":is(span, b, em, i, small, strong, time, label, data, output)"
_NEIGHBOURS = f"{_PARTS} + {_PARTS}"
_AFTER_TEXT = "span, small, time"
_UNITS = frozenset({"label", "time"})
"""Elements that are no part of a word."""

SHORT_CHARS = 2
"""Letters of a name such as CO or mp, of which a single digit can be a part."""

_EDGE_CHARS = 20
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_FIRST_WORD = re.compile(r"[^\W\d_]{3}")
_READ_ONLY = "span:is([class*=hidden i], [class*=sr-only i], [class*=reader i])"
"""Elements that can be texts for screen readers, which take no part in the line."""

_FOR_READERS = re.compile(r"sr-only|(?:visually|visual)-?hidden|screen-?reader|offscreen|assistive")
"""Words in the classes of texts that are for screen readers only."""

_VERBATIM = frozenset({"code", "pre", "svg", "textarea"})

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE = re.compile(r"(?P<tag>[a-z]*)(?:\.(?P<name>[\w-]+))?", re.IGNORECASE)
_LETTER = re.compile(r"\s*[^\W\d_]\s*")


def set_blocks_apart(document: LexborHTMLParser) -> None:
    """Put spaces around inline elements that are blocks by their style, such as labels of values.

    Only inline styles and selectors of one tag, one class or both count. Letters that have an
    element each remain a word. Most style sheets are not in the page, so neighbours that have
    different classes, or that are no parts of a word by what they are, are kept apart too.
    """
    blocks, rows = _block_selectors(document)
    is_verbatim = Surroundings(lambda node: node.tag in _VERBATIM)
    for node in document.css(_INLINE if blocks or rows else _STYLED_INLINE):
        if _is_block(node, blocks, rows) and not is_verbatim.include(node):
            if _is_word(node.prev):
                node.insert_before(" ")
            if _is_word(node.next):
                node.insert_after(" ")
    for node in document.css(_LABELS):
        before = node.prev
        is_label = before is not None and before.is_element_node and _is_label(before, node)
        if is_label and not is_verbatim.include(node):
            _part(before, node)
    _set_units_apart(document, is_verbatim)


def set_links_apart(document: LexborHTMLParser) -> None:
    """Put a space between links beside each other, and around texts for screen readers.

    A word is in one link, and style sheets put such texts elsewhere.
    """
    is_verbatim = Surroundings(lambda node: node.tag in _VERBATIM)
    for node in document.css(_READ_ONLY):
        if _FOR_READERS.search(node.attributes["class"] or "") and not is_verbatim.include(node):
            _part(node.prev, node)
            _part(node, node.next)
    for node in document.css("a[href] + a[href]"):
        before = node.prev
        if before is None or before.tag != "a":
            continue
        is_letter = [_LETTER.fullmatch(one.text()) is not None for one in (before, node)]
        if (
            before.attributes.get("href") != node.attributes.get("href")
            and len(set(is_letter)) == 1
        ):
            _part(before, node)


def break_lines(document: LexborHTMLParser) -> None:
    """Put line breaks into texts whose style keeps their lines, such as messages and poems."""
    for node in document.css(_KEPT_LINES):
        style = node.attributes.get("style") or ""
        if "white-space" in style.lower() and not _KEEPS_LINES.search(style):
            continue
        for text in [one for one in node.iter(include_text=True) if one.is_text_node]:
            first, *lines = _LINE_END.split(_within(text))
            if not lines:
                continue
            text.insert_before(first)
            for line in lines:
                text.insert_before(document.create_node("br"), move=True)
                text.insert_before(line)
            text.decompose()


def _within(text: LexborNode) -> str:
    """Return a text with a space for the white space at the edges of its element."""
    words = text.text_content or ""
    if text.prev is None and (shown := words.lstrip()) != words:
        words = f" {shown}"
    if text.next is None and (shown := words.rstrip()) != words:
        words = f"{shown} "
    return words


def _is_label(before: LexborNode, node: LexborNode) -> bool:
    """Return whether two elements beside each other are not parts of one word."""
    kinds = {one.attributes.get("class") or "" for one in (before, node)}
    return len(kinds) > 1 and all(len(one.text().strip()) > 1 for one in (before, node))


def _set_units_apart(document: LexborHTMLParser, is_verbatim: Surroundings) -> None:
    """Put spaces between neighbours that are no parts of a word."""
    for node in document.css(_NEIGHBOURS):
        before = _text_before(node)
        if before is not None and _are_units(before, node) and not is_verbatim.include(node):
            _part(before, node)
    for node in document.css(_AFTER_TEXT):
        before = node.prev
        if before is None or not before.is_text_node or is_verbatim.include(node):
            continue
        if _are_units(before, node):
            _part(before, node)


def _text_before(node: LexborNode) -> LexborNode | None:
    """Return the element right before another, or before an empty one; None if it is text."""
    before = node.prev
    if before is not None and before.is_element_node and before.first_child is None:
        before = before.prev  # for example a dotted line
    return before if before is not None and before.is_element_node else None


def _are_units(before: LexborNode, node: LexborNode) -> bool:
    """Return whether neighbours are no parts of one word, by their kinds or by their texts.

    A word is apart from a number or a price after it, and a number from a word, but not from a
    unit or an ending such as ``th``.
    """
    if before.tag in _UNITS or node.tag in _UNITS:
        return True
    end = _edge_text(before, at_end=True)[-_EDGE_CHARS:]
    start = _edge_text(node, at_end=False)[:_EDGE_CHARS]
    if word := _LAST_WORD.search(end):
        is_short = len(word[0]) + (len(start.strip()) > 1) <= SHORT_CHARS
        is_number = start[:1].isdigit() and not is_short
        is_price = len(word[0]) > 1 and unicodedata.category(start[:1] or " ") == "Sc"
        return (is_number or is_price) and _is_spaced_script(word[0])
    is_other = before.tag != node.tag and all("class" in one.attributes for one in (before, node))
    following = (_FIRST_WORD.search if is_other else _FIRST_WORD.match)(start)
    return end[-1:].isdigit() and following is not None and _is_spaced_script(following[0])


def _is_spaced_script(word: str) -> bool:
    """Return whether words of this script have spaces between them, as those with capitals do."""
    return word.lower() != word.upper()


def _part(before: LexborNode | None, after: LexborNode | None) -> None:
    """Put a space between neighbours that would be read as one word, or as a word and a price."""
    if before is None or after is None:
        return
    end, start = _edge(before, at_end=True), _edge(after, at_end=False)
    if end.isalnum() and (start.isalnum() or unicodedata.category(start or " ") == "Sc"):
        after.insert_before(" ")


def _edge(node: LexborNode, *, at_end: bool) -> str:
    """Return the character at an edge of the text of a node; empty if there is no text."""
    text = _edge_text(node, at_end=at_end)
    return text[-1:] if at_end else text[:1]


def _edge_text(node: LexborNode, *, at_end: bool) -> str:
    """Return the first or the last text in a node, or its own; empty if it does not begin so."""
    inner: LexborNode | None = node
    while inner is not None and not inner.is_text_node:
        inner = inner.last_child if at_end else inner.first_child
    return inner.text_content or "" if inner is not None else ""


def _is_block(node: LexborNode, blocks: _Selectors, rows: _Selectors) -> bool:
    parent = node.parent
    is_in_row = parent is not None and _is_displayed(parent, rows, _ROWS)
    if not is_in_row and not _is_displayed(node, blocks, _BLOCKS):
        return False
    child = node.first_child
    if child is None or child.next is not None or not child.is_text_node:
        return True
    return _LETTER.fullmatch(child.text()) is None


def _is_displayed(node: LexborNode, selectors: _Selectors, values: AbstractSet[str]) -> bool:
    """Return whether an element has one of the values of ``display``, or matches a selector."""
    attributes, tag = node.attributes, node.tag or ""
    if own := _display(attributes.get("style") or ""):
        return own in values
    names = ("", *(attributes.get("class") or "").split())
    return any((one, name) in selectors for name in names for one in ("", tag))


def _is_word(node: LexborNode | None) -> bool:
    """Return whether a node beside a block could be read as one word with it."""
    return node is not None and (not node.is_text_node or bool(node.text().strip()))


def _block_selectors(document: LexborHTMLParser) -> tuple[_Selectors, _Selectors]:
    """Return the selectors of blocks, and those of rows of blocks, in style sheets of the page."""
    displays: dict[tuple[str, str], str] = {}
    for sheet in document.css("style"):
        displays.update(_rules(_COMMENT.sub("", sheet.text())))
    blocks = frozenset(one for one, display in displays.items() if display in _BLOCKS)
    return blocks, frozenset(one for one, display in displays.items() if display in _ROWS)


def _rules(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each simple selector of a style sheet with the display that it sets."""
    for rule in text.split("}"):
        head, _, body = rule.rpartition("{")
        if display := _display(body):
            for one in head.rpartition("{")[2].split(","):
                matched = _SIMPLE.fullmatch(one.strip())
                if matched is not None and matched[0]:
                    yield (matched["tag"].lower(), matched["name"] or ""), display


def _display(declarations: str) -> str:
    """Return the last display that declarations set, in lower case; empty if there is none."""
    found = ""
    if "display" not in declarations.lower():  # nearly always
        return found
    for declaration in declarations.split(";"):
        name, _, value = declaration.partition(":")
        if name.strip().lower() == "display":
            found = value.replace("!important", "").strip().lower()
    return found
