"""Code blocks and formulas of a page: text with indentation and language, and TeX."""

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
"""What stands in code without being of it: numbers of lines, and what copies it."""

NUMBER_CELLS = frozenset(
    {"blob-num", "crayon-nums", "gutter", "hljs-ln-numbers", "linenos", "lineno"} | {"rouge-gutter"}
)
CODE_CELLS = frozenset({"blob-code", "crayon-code", "hljs-ln-code"})
"""Classes of cells, in tables that put the numbers of lines beside code."""

_BREAKING = frozenset({"br", "div", "p", "li", "tr"})
"""What breaks a line of code, beside the line breaks in it."""

_PREFIXED = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight)-([\w+#.-]{1,20})(?=\s|$)"
    r"|(?:^|\s)brush:\s?([\w+#.-]{1,20})"
    r"|(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#.]{1,20})(?=\s|$)"
    r"|(?:^|\s)([\w+#.]{1,20})\s+hljs(?=\s|$)",
    re.IGNORECASE,
)
"""How classes name a language: those of highlighters and of their wrappers."""

_NAMED = ("data-lang", "data-language")
_NAME = re.compile(r"[\w+#.-]{1,20}")

_SHORT = frozenset({"c", "cs", "go", "js", "kt", "py", "rb", "rs", "sh", "ts"})
"""Short names that a ``lang`` attribute may have without being a language of people."""

_NONE = frozenset(
    {"auto", "default", "linenums", "none", "nohighlight", "notranslate", "plain"}
    | {"plaintext", "text", "txt", "undefined"}
)

_ROUND_MAX = 3
"""As many elements round a block may name its language."""


def code_of(node: LexborNode) -> Code | None:
    """The code block that a ``pre``, or what stands for one, holds; None for an empty one."""
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
    """The language that a block's element, its ``code`` or what is round it names."""
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
    """A line of code as it is shown: indented, and without what nobody sees."""
    return "\t".join(map(strip_invisible, line.replace("\xa0", " ").split("\t"))).rstrip()


@attrs.frozen
class _Reader:
    """Takes in code whose lines are elements.

    Attributes:
        pieces: the text so far.
    """

    pieces: list[str] = attrs.field(factory=list[str])

    def text(self, text: str) -> None:
        """Takes it in as it stands."""
        self.pieces.append(text)

    def opens(self, tag: str, _node: LexborNode) -> bool:
        """Breaks the line where the element does."""
        is_at_start = not self.pieces or self.pieces[-1].endswith("\n")
        if tag == "br" or (tag in _BREAKING and not is_at_start):
            self.pieces.append("\n")
        return True

    def closes(self) -> None:
        """An element's end is the next one's beginning."""


# Formulas as TeX: the TeX that the page provides, else a translation of its MathML.

DEPTH_MAX = 24
"""What is nested deeper is taken as it is written."""

_TEX = (
    'annotation[encoding="application/x-tex"], annotation[encoding="TeX"],'
    ' annotation[encoding="application/x-latex"]'
)
_STYLE = re.compile(r"^\{\\(?:display|text)style (.*)\}$", re.DOTALL)


def formula_of(node: LexborNode) -> Formula | None:
    """A ``math`` element's formula; None for one that says nothing."""
    attributes = node.attributes
    annotation = node.css_first(_TEX)
    tex = collapse_whitespace(annotation.text() if annotation else attributes.get("alttext"))
    tex = _STYLE.sub(r"\1", tex).strip() or collapse_whitespace(_written(node, 0))
    return Formula(tex, attributes.get("display") == "block") if tex else None


def script_formula(node: LexborNode) -> Formula | None:
    """A formula that a script of the page would show, as ``<script type="math/tex">``."""
    kind = node.attributes.get("type") or ""
    tex = collapse_whitespace(node.text())
    return Formula(tex, "mode=display" in kind) if kind.startswith("math/tex") and tex else None


def _written(node: LexborNode, depth: int) -> str:
    """MathML in one line, by its presentation."""
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
