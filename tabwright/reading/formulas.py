"""Formulas of a page as TeX: what the page gives along with MathML, else what MathML says."""

import re
from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborNode

from tabwright.protocol.blocks import Formula
from tabwright.text.lines import collapsed

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
    tex = collapsed(annotation.text() if annotation else attributes.get("alttext"))
    tex = _STYLE.sub(r"\1", tex).strip() or collapsed(_written(node, 0))
    return Formula(tex, attributes.get("display") == "block") if tex else None


def script_formula(node: LexborNode) -> Formula | None:
    """A formula that a script of the page would show, as ``<script type="math/tex">``."""
    kind = node.attributes.get("type") or ""
    tex = collapsed(node.text())
    return Formula(tex, "mode=display" in kind) if kind.startswith("math/tex") and tex else None


def _written(node: LexborNode, depth: int) -> str:
    """MathML in one line, by its presentation."""
    if depth > DEPTH_MAX:
        return node.text()
    parts = [_written(kid, depth + 1) for kid in node.iter() if not _is_annotation(kid)]
    if not parts:
        return node.text().strip()
    write = _WRITERS.get(node.tag or "")
    return write(parts) if write else "".join(parts)


def _is_annotation(node: LexborNode) -> bool:
    return node.tag in {"annotation", "annotation-xml"}


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
