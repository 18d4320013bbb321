"""Code blocks of a page: indented text with its language."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.tree import walk
from tabwright.protocol.blocks import Code
from tabwright.text.lines import strip_invisible

GUTTERS = (
    "span.lineno, span.linenos, span.line-number, span.line-numbers-rows, span.linenumber,"
    " span.ln, span.lnt, .react-syntax-highlighter-line-number, td.gutter, td.hljs-ln-numbers,"
    " button"
)
"""Elements in code blocks that are not code: line numbers and copy buttons."""

NUMBER_CELLS = frozenset(
    {
        "blob-num",
        "blob-num-addition",
        "blob-num-deletion",
        "crayon-nums",
        "diff-line-num",
        "gutter",
        "hljs-ln-numbers",
        "linenos",
        "lineno",
    }
    | {"rouge-gutter"}
)
CODE_CELLS = frozenset(
    {"blob-code", "blob-code-addition", "blob-code-context", "blob-code-deletion"}
    | {"crayon-code", "hljs-ln-code", "line_content"}
)
"""Classes of code cells, in tables with line numbers."""

_BREAKING = frozenset({"br", "div", "p", "li", "tr"})
"""Elements that break a line of code, besides line breaks in the text."""

_MARKED = "[data-code-marker]"
_MARKERS = frozenset({"+", "-", " "})
_SIGNS = {
    "blob-code-addition": "+",
    "blob-code-deletion": "-",
    "blob-code-context": " ",
    "new": "+",
    "old": "-",
    "line_content": " ",
}
"""Signs of the lines of a diff by the class of their cell, on GitHub and GitLab."""

_DRAWN_LINES = "[style*=block i], span.line + span.line"
"""Elements in code that are lines by their style, without a line break between them."""

_PREFIXED = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight)-([\w+#.-]{1,20})(?=\s|$)"
    r"|(?:^|\s)brush:\s?([\w+#.-]{1,20})"
    r"|(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#.]{1,20})(?=\s|$)"
    r"|(?:^|\s)([\w+#.]{1,20})\s+hljs(?=\s|$)",
    re.IGNORECASE,
)
"""Class names that name a language, as used by highlighters and their wrappers."""

_NAMED = ("data-lang", "data-language")
_NAME = re.compile(r"[\w+#.-]{1,20}")

_SHORT = frozenset({"c", "cs", "go", "js", "kt", "py", "rb", "rs", "sh", "ts"})
"""Short names of programming languages in ``lang`` that are not human languages."""

_NONE = frozenset(
    {"auto", "default", "linenums", "none", "nohighlight", "notranslate", "plain"}
    | {"plaintext", "text", "txt", "undefined"}
)

_ROUND_MAX = 3
"""Maximum number of ancestors of a block that are searched for its language."""


def code_of(node: LexborNode) -> Code | None:
    """Return the code block of a ``pre`` or an equivalent element; None if it is empty."""
    for gutter in reversed(node.css(GUTTERS)):
        if gutter.mem_id != node.mem_id:
            gutter.decompose()
    lines = {one.mem_id for one in node.css(_DRAWN_LINES) if _is_drawn_line(one)}
    if not lines and node.css_first(",".join(_BREAKING)) is None:
        text = node.text()
    else:
        reader = _Reader(lines)
        walk(node, reader)
        text = "".join(reader.pieces)
    if sign := _sign(node):
        text = sign + text.removeprefix("\n")
    shown = "\n".join(map(_line, text.splitlines())).strip("\n")
    return Code(shown, language_of(node)) if shown else None


def _is_drawn_line(node: LexborNode) -> bool:
    """Return whether an element begins a line of code; one that is beside text does not."""
    before = node.prev
    attributes = node.attributes
    if "display:block" in (attributes.get("style") or "").replace(" ", "").lower():
        return True
    is_named = "line" in (attributes.get("class") or "").split()
    return is_named and before is not None and before.is_element_node


def _sign(node: LexborNode) -> str:
    """Return the sign of a line of a diff, which a style sheet adds; empty for other code."""
    if node.tag != "td":
        return ""
    marked = node if "data-code-marker" in node.attributes else node.css_first(_MARKED)
    marker = marked.attributes["data-code-marker"] if marked else None
    if marker is not None:
        return marker if marker in _MARKERS else ""
    names = (node.attributes.get("class") or "").split()
    signs = [sign for name, sign in _SIGNS.items() if name in names]
    text = node.text().lstrip("\n")
    return signs[0] if signs and not text.startswith(signs[0]) else ""


def language_of(node: LexborNode) -> str:
    """Return the language in the block's element, its ``code`` or its ancestors."""
    inner = node.css_first("code")
    named = map(_named, (*((inner,) if inner else ()), node, *_round(node)))
    return next((name for name in named if name and name.lower() not in _NONE), "")


def _named(node: LexborNode) -> str:
    attributes = node.attributes
    for name in _NAMED:
        if match := _NAME.fullmatch(attributes.get(name) or ""):
            return match[0]
    if match := _PREFIXED.search(attributes.get("class") or ""):
        return match[match.lastindex or 0]
    lang = attributes.get("lang") or ""
    is_code = node.tag in {"pre", "code"} and (len(lang) > len("xx-") or lang in _SHORT)
    return lang if is_code and "-" not in lang and _NAME.fullmatch(lang) else ""


def _round(node: LexborNode) -> Iterator[LexborNode]:
    for _ in range(_ROUND_MAX):
        parent = node.parent
        if parent is None or parent.tag == "body":
            return
        yield parent
        node = parent


def _line(line: str) -> str:
    """Return a line of code with indentation, without invisible characters."""
    return "\t".join(map(strip_invisible, line.replace("\xa0", " ").split("\t"))).rstrip()


@attrs.frozen
class _Reader:
    """Collects code whose lines are elements.

    Attributes:
        lines: ids of elements that are lines by their style.
        pieces: the text so far.
    """

    lines: AbstractSet[int]
    pieces: list[str] = attrs.field(factory=list[str])

    def text(self, text: str) -> None:
        """Add text unchanged."""
        self.pieces.append(text)

    def opens(self, tag: str, node: LexborNode) -> bool:
        """Break the line if the element does."""
        is_line = tag in _BREAKING or (bool(self.lines) and node.mem_id in self.lines)
        is_at_start = not self.pieces or self.pieces[-1].endswith("\n")
        if tag == "br" or (is_line and not is_at_start):
            self.pieces.append("\n")
        return True

    def closes(self) -> None:
        """Do nothing: the start of the next element breaks the line."""
