"""Records found by induction: cards, list items and tiles are siblings of the same shape."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import unquote

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.data_tables import labelled_line
from tabwright.content.html.element_path import (
    RECORDS_MAX,
    STRUCK,
    ElementPaths,
    attribute,
    descendants,
    is_hidden,
    is_struck,
    picture_label,
    rating_label,
    visible_text,
)
from tabwright.content.html.tree import TEXT, Addresses
from tabwright.protocol.structured_data import DataField, DataRecord, RecordGroup
from tabwright.text.lines import HEADING_LEVELS

SIBLINGS_MIN = 3
"""Fewer similar siblings are not a list of records."""

GROUPS_MAX = 100
"""Maximum number of groups of a page, and of places with similar siblings that can be some."""

FIELDS_MAX = 30
"""Maximum number of fields of a record."""

PARTS_MAX = 300
"""Maximum number of elements and texts of a record that are read."""

SAMPLES = 10
"""Number of records by which groups are compared."""

LIST_SCORE = 0.1
"""The score of a record with a single value, of which two are worth 1."""

_RECORDS = frozenset({"li", "div", "article", "section", "a", "figure", "dl", "p", "tbody"})
"""Elements that can be records, besides custom elements."""

_APART = frozenset({"nav", "header", "footer", "select", "form", "table", "head", "svg"})
"""Elements whose parts are not content of the page, or read elsewhere."""

ALT = "image_alt"
"""The name of the text that stands for a picture."""

UNNAMED = frozenset({ALT, "text"})
"""Names of texts that are left out if a field with a name of its own has the same text."""

PARTS = frozenset({"article", "dd", "div", "figure", "li", "section", "td"})
"""Elements whose parts are values of their own, even beside text."""

_VALUE_TAGS = frozenset({"time", *HEADING_LEVELS})

_SCHEMES = {"mailto": "email", "tel": "phone"}
"""The names of addresses that are no pages, by the scheme of their link."""

PRICE = re.compile(
    r"(?:[$€£¥₹₽₩₺]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)\s)\s?\d[\d.,'\u2019\s]*"
    r"|\d[\d.,'\u2019\s]*(?:[$€£¥₹₽₩₺]|\s?(?:USD|EUR|GBP|CHF|JPY|CNY|INR|kr|zł|Kč)\b)"
)
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|\d{1,2}\.? \w{3,9}\.? \d{4}|\w{3,9}\.? \d{1,2}, \d{4}"
)
NUMBER = re.compile(r"[-+\u2212]?\d[\d.,'\u2019\s]*%?")


@attrs.frozen
class _Candidate:
    """Similar siblings.

    Attributes:
        score: how much they look like records.
    """

    parent: LexborNode
    siblings: tuple[LexborNode, ...]
    score: float


def repeated_groups(
    document: LexborHTMLParser, paths: ElementPaths, addresses: Addresses
) -> Iterator[RecordGroup]:
    """Yield the groups of records, those with the most values first; none is inside another."""
    reader = RecordReader(paths, addresses)
    candidates = list(islice(_candidates(document, reader), GROUPS_MAX))
    chosen = sorted(_disjoint(candidates), key=lambda one: -one.score)
    for candidate in chosen:
        found = [reader.record(one) for one in candidate.siblings[:RECORDS_MAX]]
        kept = tuple(record for record in found if record.fields)
        if len(kept) >= SIBLINGS_MIN:
            omitted = max(0, len(candidate.siblings) - RECORDS_MAX)
            yield RecordGroup("repeated", paths.of(candidate.parent), kept, omitted=omitted)


def _disjoint(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return candidates of which none is inside another, so that their scores are highest.

    Sections that each contain a list are left out, because their lists together have more values.
    The candidates are in document order.
    """
    numbers = {
        sibling.mem_id: number
        for number, candidate in enumerate(candidates)
        for sibling in candidate.siblings
    }
    owners: list[int | None] = []
    for candidate in candidates:
        here: LexborNode | None = candidate.parent
        while here is not None and here.mem_id not in numbers:
            here = here.parent
        owners.append(numbers[here.mem_id] if here else None)
    inner = [0.0] * len(candidates)
    for number in reversed(range(len(candidates))):
        owner = owners[number]
        if owner is not None:
            inner[owner] += max(candidates[number].score, inner[number])
    covered: set[int] = set()
    chosen: list[_Candidate] = []
    for number, candidate in enumerate(candidates):
        if owners[number] in covered:
            covered.add(number)
        elif candidate.score >= inner[number]:
            covered.add(number)
            chosen.append(candidate)
    return chosen


def _candidates(document: LexborHTMLParser, reader: "RecordReader") -> Iterator[_Candidate]:
    body = document.body
    seen = [body, *descendants(body)] if body else []
    apart: set[int] = set()
    for parent in (node for node in seen if node.is_element_node):
        outer = parent.parent
        if parent.tag in _APART or (outer is not None and outer.mem_id in apart):
            apart.add(parent.mem_id)
            continue
        groups: dict[str, list[LexborNode]] = {}
        for child in parent.iter():
            tag = child.tag or ""
            if (tag in _RECORDS or "-" in tag) and tag != TEXT and not is_hidden(child):
                groups.setdefault(f"{tag}.{_class(child)}", []).append(child)
        for siblings in groups.values():
            if len(siblings) < SIBLINGS_MIN:
                continue
            samples = [reader.fields(one) for one in siblings[:SAMPLES]]
            filled = [len({field.name for field in one}) for one in samples if one]
            if len(filled) >= max(SIBLINGS_MIN, len(samples) / 2):
                mean = sum(filled) / len(filled)
                is_prose = parent.tag != "ul" and mean < 2 and siblings[0].tag == "p"  # noqa: PLR2004
                if not is_prose:
                    score = len(siblings) * max(mean - 1, LIST_SCORE)
                    yield _Candidate(parent, tuple(siblings), score)


def _class(node: LexborNode) -> str:
    """Return the first class of an element; the others often differ between records."""
    return next(iter(attribute(node, "class").split()), "")


@attrs.frozen
class RecordReader:
    """Reads the fields of one record from its links, headings, pictures and texts."""

    paths: ElementPaths
    addresses: Addresses

    def record(self, root: LexborNode) -> DataRecord:
        """Return an element as a record."""
        fields = self.fields(root)
        omitted = max(0, len(fields) - FIELDS_MAX)
        return DataRecord(self.paths.of(root), fields[:FIELDS_MAX], omitted)

    def fields(self, root: LexborNode) -> tuple[DataField, ...]:
        """Return the fields of an element; the source of each is below the element or itself.

        The name of a text that is struck through begins with ``old_``.
        """
        found: list[DataField] = []
        known: set[tuple[str, str]] = set()
        read: set[int] = set()
        nodes = [root, *islice(descendants(root), PARTS_MAX)]
        for node in nodes:
            if not node.is_element_node or (node.parent and node.parent.mem_id in read):
                read |= {node.mem_id} if node.is_element_node else set()
                continue
            for name, value, origin, source in self._values(node):
                kind = name
                if not source and is_struck(origin, root):
                    kind = f"old_{name}"
                elif name == "title" and any(one.name == "title" for one in found):
                    kind = "text"
                if value and (kind, value) not in known:
                    known.add((kind, value))
                    found.append(DataField(kind, value, f"{self.paths.of(origin)}{source}"))
                if not source and not _has_parts(node):
                    read.add(node.mem_id)
        named = {str(one.value) for one in found if one.name not in UNNAMED}
        return tuple(one for one in found if one.name not in UNNAMED or one.value not in named)

    def _values(self, node: LexborNode) -> Iterator[tuple[str, str, LexborNode, str]]:
        """Yield values: name, value, its element, and the end of the source."""
        tag = node.tag or ""
        if tag == "a" and (url := self.addresses.linked(node.attributes.get("href"))):
            yield *_address(url), node, "@href"
        if tag == "img":
            yield "image", self.addresses.loaded(node.attributes.get("src")), node, "@src"
            yield ALT, attribute(node, "alt"), node, "@alt"
            return
        if tag == "time" and (when := attribute(node, "datetime")):
            yield "date", when, node, "@datetime"
            return
        if tag in HEADING_LEVELS and (text := visible_text(node)):
            yield "title", text, node, ""
            link = node.css_first("a[href]")
            if link and (url := self.addresses.linked(link.attributes.get("href"))):
                yield "url", url, link, "@href"
            return
        rating, key = rating_label(node)
        if label := picture_label(node) or rating:
            yield self._name(node, label), label, node, f"@{key or 'aria-label'}"
            return
        children = node.iter(include_text=True)
        if any(one.tag == TEXT and (one.text_content or "").strip() for one in children):
            yield from self._texts(node)

    def _texts(self, node: LexborNode) -> Iterator[tuple[str, str, LexborNode, str]]:
        """Yield the values of an element with text of its own."""
        if _has_parts(node):
            yield "text", visible_text(node), node, ""
        elif pair := labelled_line(node):
            yield *pair, node, ""
        elif text := visible_text(node):
            yield self._name(node, text), text, node, ""
            struck = [one for one in islice(descendants(node), PARTS_MAX) if one.tag in STRUCK]
            yield from (
                (self._name(node, old), old, one, "")
                for one in struck
                if (old := visible_text(one))
            )

    def _name(self, node: LexborNode, text: str) -> str:
        """Return the name of a text: by its form, else by its class, else ``text``."""
        if PRICE.fullmatch(text):
            return "price"
        if DATE.fullmatch(text):
            return "date"
        if node.tag == "a":
            return "title"
        own = _class(node).replace("_", "-").rpartition("-")[2].lower()
        if own.isalpha() and 2 < len(own) <= 30:  # noqa: PLR2004
            return own
        return "number" if NUMBER.fullmatch(text) else "text"


def _has_parts(node: LexborNode) -> bool:
    """Return whether an element with text of its own has values in it, such as links."""
    return node.tag in PARTS and any(
        one.tag in _VALUE_TAGS or (one.tag == "a" and "href" in one.attributes)
        for one in node.iter()
    )


def _address(url: str) -> tuple[str, str]:
    """Return the name and the value of the target of a link."""
    scheme, _, rest = url.partition(":")
    if name := _SCHEMES.get(scheme):
        return name, unquote(rest).partition("?")[0]
    return "url", url
