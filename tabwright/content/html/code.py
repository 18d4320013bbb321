"""Code blocks and formulas of a page: indented text with its language, and TeX."""

import re
from collections.abc import Callable, Iterator, Mapping

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.tree import walk
from tabwright.protocol.blocks import Code, Formula
from tabwright.text.lines import collapse_whitespace, strip_invisible

GUTTERS = (
    "span.lineno, span.linenos, span.line-number, span.line-numbers-rows, span.linenumber,"
    " span.ln, span.lnt, .react-syntax-highlighter-line-number, td.gutter, td.hljs-ln-numbers,"
    " button"
)
"""Elements in code blocks that are not code: line numbers and copy buttons."""

NUMBER_CELLS = frozenset(
    {"blob-num", "crayon-nums", "gutter", "hljs-ln-numbers", "linenos", "lineno"} | {"rouge-gutter"}
)
CODE_CELLS = frozenset({"blob-code", "crayon-code", "hljs-ln-code"})
"""Classes of code cells, in tables with line numbers."""

_BREAKING = frozenset({"br", "div", "p", "li", "tr"})
"""Elements that break a line of code, besides line breaks in the text."""

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
    if node.css_first(",".join(_BREAKING)) is None:
        text = node.text()
    else:
        reader = _Reader()
        walk(node, reader)
        text = "".join(reader.pieces)
    shown = "\n".join(map(_line, text.split("\n"))).strip("\n")
    return Code(shown, language_of(node)) if shown else None


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
        pieces: the text so far.
    """

    pieces: list[str] = attrs.field(factory=list[str])

    def text(self, text: str) -> None:
        """Add text unchanged."""
        self.pieces.append(text)

    def opens(self, tag: str, _node: LexborNode) -> bool:
        """Break the line if the element does."""
        is_at_start = not self.pieces or self.pieces[-1].endswith("\n")
        if tag == "br" or (tag in _BREAKING and not is_at_start):
            self.pieces.append("\n")
        return True

    def closes(self) -> None:
        """Do nothing: the start of the next element breaks the line."""


# Formulas as TeX: the page's own TeX, or a translation of its MathML.

DEPTH_MAX = 24
"""Maximum nesting that is translated; deeper parts are kept as text."""

_TEX = (
    'annotation[encoding="application/x-tex"], annotation[encoding="TeX"],'
    ' annotation[encoding="application/x-latex"]'
)
_STYLE = re.compile(r"^\{\\(?:display|text)style (.*)\}$", re.DOTALL)


def formula_of(node: LexborNode) -> Formula | None:
    """Return the formula of a ``math`` element; None if it is empty."""
    attributes = node.attributes
    annotation = node.css_first(_TEX)
    tex = collapse_whitespace(annotation.text() if annotation else attributes.get("alttext"))
    tex = _STYLE.sub(r"\1", tex).strip() or collapse_whitespace(_written(node, 0))
    return Formula(tex, attributes.get("display") == "block") if tex else None


def script_formula(node: LexborNode) -> Formula | None:
    """Return the formula in a script such as ``<script type="math/tex">``."""
    kind = node.attributes.get("type") or ""
    tex = collapse_whitespace(node.text())
    return Formula(tex, "mode=display" in kind) if kind.startswith("math/tex") and tex else None


def _written(node: LexborNode, depth: int) -> str:
    """Translate presentation MathML to one line of TeX."""
    if depth > DEPTH_MAX:
        return node.text()
    parts = [
        _written(kid, depth + 1)
        for kid in node.iter()
        if kid.tag not in {"annotation", "annotation-xml"}
    ]
    if not parts:
        return node.text().strip()
    write = _WRITERS.get(node.tag or "")
    return write(parts) if write else "".join(parts)


def _grouped(part: str) -> str:
    return part if len(part) == 1 else f"{{{part}}}"


def _fraction(parts: list[str]) -> str:
    return "\\frac" + "".join(f"{{{part}}}" for part in parts[:2])


def _raised(parts: list[str]) -> str:
    return f"{parts[0]}^{_grouped(''.join(parts[1:]))}"


def _lowered(parts: list[str]) -> str:
    return f"{parts[0]}_{_grouped(''.join(parts[1:]))}"


def _both(parts: list[str]) -> str:
    low, high = "".join(parts[1:2]), "".join(parts[2:])
    return f"{parts[0]}_{_grouped(low)}^{_grouped(high)}"


def _root(parts: list[str]) -> str:
    return f"\\sqrt{{{''.join(parts)}}}"


def _root_of_degree(parts: list[str]) -> str:
    return f"\\sqrt[{''.join(parts[1:])}]{{{parts[0]}}}"


_WRITERS: Mapping[str, Callable[[list[str]], str]] = {
    "mfrac": _fraction,
    "msup": _raised,
    "mover": _raised,
    "msub": _lowered,
    "munder": _lowered,
    "msubsup": _both,
    "munderover": _both,
    "msqrt": _root,
    "mroot": _root_of_degree,
    "mtr": " & ".join,
    "mtable": r" \\ ".join,
}
