"""Formulas of a page as TeX: the page's own TeX, or a translation of its MathML."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from unicodedata import normalize

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings, descendants
from tabwright.protocol.blocks import Formula
from tabwright.text.lines import collapse_whitespace, strip_invisible

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


# Formulas that a script draws: each becomes a ``math`` element with its TeX.

_LOADERS = "script[src*=mathjax i], script[src*=katex i]"
_DOLLARS = re.compile(r"""(?:\[|left["']?\s*:)\s*["']\$["']""")
"""In the settings of MathJax or KaTeX, that single dollar signs delimit formulas."""

_DELIMITED = (
    r"(?<!\\)\\\((?P<inline>(?:[^\\]|\\[^()])++)\\\)"
    r"|(?<!\\)\\\[(?P<display>(?:[^\\]|\\[^\[\]])++)\\\]"
    r"|\$\$(?P<dollars>[^$]+)\$\$"
)
_IN_TEXT = re.compile(_DELIMITED)
_IN_DOLLARS = re.compile(
    rf"{_DELIMITED}|(?<![\\$\w])\$(?P<dollar>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\w$])"
)

_NOT_READ = frozenset({"code", "kbd", "math", "pre", "samp", "select", "textarea", "title"})
"""Elements whose text neither MathJax nor KaTeX reads."""


def place_formulas(document: LexborHTMLParser) -> None:
    """Put each formula that MathJax draws, or that it or KaTeX has not drawn yet, into a ``math``.

    What MathJax 2 draws is removed, since the TeX is beside it.
    """
    for script in document.css("script[type^='math/tex']"):
        _remove_drawing_before(script)
    is_drawing = Surroundings(lambda node: node.tag == "mjx-container")
    for drawing in document.css("mjx-container"):
        if drawing.parent is not None and is_drawing.include(drawing.parent):
            continue
        if tex := _drawn_tex(drawing):
            inner = drawing.css_first("math")
            is_block = inner is not None and inner.attributes.get("display") == "block"
            is_block = is_block or drawing.attributes.get("display") in {"true", "block"}
            drawing.replace_with(_math(document, tex, is_block=is_block), move=True)
        elif drawing.css_first("math") is None and (spoken := _spoken(drawing)):
            drawing.replace_with(f" {spoken} ")
    root = document.body
    if root is not None and document.css_matches(_LOADERS):
        scripts = document.css("script:not([src])")
        has_dollars = any(_DOLLARS.search(script.text()) for script in scripts)
        delimited = _IN_DOLLARS if has_dollars else _IN_TEXT
        for node in [one for one in descendants(root, _NOT_READ) if one.is_text_node]:
            _place_tex(document, node, delimited)


def _remove_drawing_before(script: LexborNode) -> None:
    """Remove the drawing of a formula, and its preview, before the script with its TeX."""
    before = script.prev
    while before is not None and (before.attributes.get("class") or "").startswith("MathJax"):
        drawing, before = before, before.prev
        drawing.decompose()


def _drawn_tex(drawing: LexborNode) -> str:
    """Return the TeX of a formula of MathJax 3 or 4; empty if only its MathML or sound is there."""
    source = "[data-latex]:is(mjx-math, [data-mml-node=math])"
    root = drawing if "data-latex" in drawing.attributes else drawing.css_first(source)
    if root is not None and (tex := collapse_whitespace(root.attributes["data-latex"])):
        return tex
    inner = drawing.css_first("math")
    if inner is not None:
        formula = formula_of(inner)
        return formula.tex if formula else ""
    drawn = drawing.css_first("svg [data-mml-node=math]")
    return collapse_whitespace(_written(drawn, 0)) if drawn else ""


def _spoken(drawing: LexborNode) -> str:
    named = (drawing, *drawing.css("mjx-speech[aria-label]"))
    labels = (collapse_whitespace(one.attributes.get("aria-label")) for one in named)
    return next(filter(None, labels), "")


def _place_tex(document: LexborHTMLParser, node: LexborNode, delimited: re.Pattern[str]) -> None:
    """Replace the delimited formulas in a text by elements."""
    text = node.text_content or ""
    if "$" not in text and "\\" not in text:
        return
    end = 0
    for match in delimited.finditer(text):
        kind = match.lastgroup or ""
        node.insert_before(text[end : match.start()])
        is_block = kind in {"display", "dollars"}
        node.insert_before(_math(document, collapse_whitespace(match[kind]), is_block=is_block))
        end = match.end()
    if end:
        node.insert_before(text[end:])
        node.decompose()


def _math(document: LexborHTMLParser, tex: str, *, is_block: bool) -> LexborNode:
    node = document.create_node("math")
    node.attrs["alttext"] = tex
    if is_block:
        node.attrs["display"] = "block"
    return node


# Translating presentation MathML.

_FUNCTIONS = frozenset(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp"}
    | {"gcd", "inf", "ker", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin"}
    | {"sinh", "sup", "tan", "tanh"}
)
_ACCENTS = {
    "\u2192": "\\vec",
    "\u20d7": "\\vec",
    "\xaf": "\\overline",
    "\u203e": "\\overline",
    "\u2015": "\\overline",
    "^": "\\hat",
    "\u02c6": "\\hat",
    "~": "\\tilde",
    "\u02dc": "\\tilde",
    "\u02d9": "\\dot",
    "\xa8": "\\ddot",
    "\u23de": "\\overbrace",
}
_ACCENTS_BELOW = {"_": "\\underline", "\u0332": "\\underline", "\u23df": "\\underbrace"}

_SPECIAL = re.compile(r"[{}%#&_$]")
_COMMAND = re.compile(r"\\[a-zA-Z]+$")
_MATRIX = "\\begin{matrix}"
_HEIGHT = re.compile(r"translate\([^,()]*,\s*(-?[\d.]+)")


def _written(node: LexborNode, depth: int) -> str:
    """Translate presentation MathML, or its drawing by MathJax as SVG, to one line of TeX."""
    if depth > DEPTH_MAX:
        return node.text()
    kind = _kind(node)
    kids = [one for one in node.iter() if _kind(one) not in {"annotation", "annotation-xml"}]
    if kind in {"mi", "mn", "mo", "mtext", "ms"} or not kids:
        return _leaf(kind, node)
    if "data-mml-node" in node.attributes:
        kids = [one for one in kids if "data-mml-node" in one.attributes]
        if kind in {"msubsup", "munderover"}:
            kids[1:] = sorted(kids[1:], key=_height)
    parts = [_written(one, depth + 1) for one in kids]
    if kind == "mmultiscripts":
        marks = [place for place, one in enumerate(kids) if one.tag == "mprescripts"]
        place = marks[0] if marks else len(kids)
        before, after = parts[place + 1 :], parts[1:place]
        return f"{'{}' if any(before) else ''}{_scripts(before)}{parts[0]}{_scripts(after)}"
    if kind == "mfenced":
        return _fenced(node, parts)
    write = _WRITERS.get(kind)
    least = 1 if kind in {"msqrt", "mtr", "mtable"} else 2
    return write(parts) if write and len(parts) >= least else _joined(parts)


def _kind(node: LexborNode) -> str:
    return node.attributes.get("data-mml-node") or node.tag or ""


def _height(node: LexborNode) -> float:
    """Return how far MathJax draws a part above the line."""
    match = _HEIGHT.search(node.attributes.get("transform") or "")
    return float(match[1]) if match else 0.0


def _leaf(kind: str, node: LexborNode) -> str:
    glyphs = "".join(map(_glyph, node.css("[data-c]")))
    text = strip_invisible(glyphs or node.text())
    shown = text.strip()
    if kind == "mi" and shown in _FUNCTIONS:
        return f"\\{shown}"
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    return f"\\text{{{escaped}}}" if kind in {"mtext", "ms"} and shown else escaped.strip()


def _glyph(node: LexborNode) -> str:
    try:
        return normalize("NFKC", chr(int(node.attributes["data-c"] or "", 16)))
    except (ValueError, OverflowError):
        return ""


def _joined(parts: Sequence[str]) -> str:
    """Return parts in a row; a brace before a matrix with nothing after it begins cases."""
    shown = [part for part in parts if part]
    if len(shown) > 1 and shown[-2] == "\\{" and shown[-1].startswith(_MATRIX):
        shown[-2:] = [shown[-1].replace("{matrix}", "{cases}")]
    return "".join(_apart(shown))


def _apart(parts: Sequence[str]) -> Iterator[str]:
    """Yield the parts, with a space between a command and a letter."""
    before = ""
    for part in parts:
        if part[0].isalpha() and _COMMAND.search(before):
            yield " "
        yield part
        before = part


def _grouped(part: str) -> str:
    return part if len(part) == 1 else f"{{{part}}}"


def _fraction(parts: list[str]) -> str:
    return "\\frac" + "".join(f"{{{part}}}" for part in parts[:2])


def _raised(parts: list[str]) -> str:
    return f"{parts[0]}^{_grouped(''.join(parts[1:]))}"


def _lowered(parts: list[str]) -> str:
    return f"{parts[0]}_{_grouped(''.join(parts[1:]))}"


def _both(parts: list[str]) -> str:
    return f"{parts[0]}{_scripts(parts[1:3])}"


def _over(parts: list[str]) -> str:
    accent = _ACCENTS.get(parts[1])
    return f"{accent}{{{parts[0]}}}" if accent else _raised(parts)


def _under(parts: list[str]) -> str:
    accent = _ACCENTS_BELOW.get(parts[1].removeprefix("\\"))
    return f"{accent}{{{parts[0]}}}" if accent else _lowered(parts)


def _scripts(parts: Sequence[str]) -> str:
    """Return the scripts of a base: below and above it in turn."""
    below, above = "".join(parts[::2]), "".join(parts[1::2])
    return (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")


def _root(parts: list[str]) -> str:
    return f"\\sqrt{{{_joined(parts)}}}"


def _root_of_degree(parts: list[str]) -> str:
    return f"\\sqrt[{''.join(parts[1:])}]{{{parts[0]}}}"


def _matrix(rows: list[str]) -> str:
    lines = r" \\ ".join(rows)
    return f"{_MATRIX} {lines} \\end{{matrix}}"


def _fenced(node: LexborNode, parts: list[str]) -> str:
    """Return the content of an ``mfenced``, an element of MathML 3."""
    attributes = node.attributes
    left, right = attributes.get("open") or "(", attributes.get("close") or ")"
    marks = (attributes.get("separators") or ",").strip()[:1]
    ends = (_SPECIAL.sub(r"\\\g<0>", end) for end in (left, right))
    return marks.join(parts).join(ends)


_WRITERS: Mapping[str, Callable[[list[str]], str]] = {
    "mfrac": _fraction,
    "msup": _raised,
    "mover": _over,
    "msub": _lowered,
    "munder": _under,
    "msubsup": _both,
    "munderover": _both,
    "msqrt": _root,
    "mroot": _root_of_degree,
    "mtr": " & ".join,
    "mtable": _matrix,
}
