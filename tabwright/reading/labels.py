"""What elements of a page are called: by labels, by other elements, by themselves."""

from collections.abc import Iterator, Mapping
from itertools import islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.reading.walking import TEXT
from tabwright.text.lines import collapsed

CHARACTERS_MAX = 300
"""As much is kept of a name."""

NODES_MAX = 300
"""As many nodes of an element are looked at for its name."""

LABELS_MAX = 5_000
REFERENCES_MAX = 20
"""As many labels of a page are looked at, and as many elements that name another."""

_FIELD = "input:not([type=hidden i]), select, textarea, button, meter, output, progress"

_SILENT = frozenset(
    {"-comment", "button", "datalist", "noscript", "script", "select", "style", "template"}
    | {"textarea"}
)
"""What may stand in a label without being part of its text."""

_APART = frozenset({"br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "td"})
"""What does not stand in one word with the text before it."""


@attrs.frozen
class Labels:
    """Names elements of one document."""

    _ids: Mapping[str, LexborNode]
    _labels: Mapping[int, str]

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "Labels":
        """Those of a document."""
        ids = {node.id or "": node for node in reversed(document.css("[id]"))}
        return cls(ids, dict(_labelled(document, ids)))

    def name_of(self, node: LexborNode) -> str:
        """What a field is called; empty where nothing names it (accname, section 4.3)."""
        return next(filter(None, self._names(node)), "")[:CHARACTERS_MAX]

    def by_reference(self, node: LexborNode) -> str:
        """The texts of the elements that the page says name this one."""
        ids = (node.attributes.get("aria-labelledby") or "").split()[:REFERENCES_MAX]
        named = (_shown(self._ids[one]) for one in ids if one in self._ids)
        return " ".join(filter(None, named))

    def by_label(self, node: LexborNode) -> str:
        """The text of a field's ``label``."""
        return self._labels.get(node.mem_id, "")

    def _names(self, node: LexborNode) -> Iterator[str]:
        attributes = node.attributes
        yield self.by_reference(node)
        yield collapsed(attributes.get("aria-label"))
        yield self.by_label(node)
        yield collapsed(attributes.get("title"))
        yield collapsed(attributes.get("placeholder"))


def _labelled(
    document: LexborHTMLParser, ids: Mapping[str, LexborNode]
) -> Iterator[tuple[int, str]]:
    """Of several labels of a field the first comes last, so that it stays."""
    for label in reversed(document.css("label")[:LABELS_MAX]):
        target = label.attributes.get("for")
        field = ids.get(target) if target else label.css_first(_FIELD)
        if field is not None:
            yield field.mem_id, _shown(label)


def _shown(node: LexborNode) -> str:
    """What an element shows; fields in it are left out."""
    pieces = islice(_pieces(node), NODES_MAX)
    return collapsed(node.attributes.get("aria-label") or "".join(pieces))[:CHARACTERS_MAX]


def _pieces(top: LexborNode) -> Iterator[str]:
    """One piece for each node; a page may be nested as deep as it likes."""
    ahead = [top.iter(include_text=True)]
    while ahead:
        node = next(ahead[-1], None)
        if node is None:
            ahead.pop()
        elif node.tag == TEXT:
            yield node.text_content or ""
        elif node.tag == "img":
            yield f" {node.attributes.get('alt') or ''} "
        elif node.tag not in _SILENT:
            ahead.append(node.iter(include_text=True))
            yield " " if node.tag in _APART else ""
