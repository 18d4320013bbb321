"""Text inside a line: runs of one style, links and citations, white space collapsed."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import attrs

from tabwright.protocol.blocks import Citation, Inlines, Text
from tabwright.search.ai_mode.page_state import Node
from tabwright.search.ai_mode.sources import outward
from tabwright.searching.numbering import Numbering

Run: TypeAlias = Text | Citation
"""What lines of answers consist of."""

_SPACES = re.compile(r"\s+")


def inlines(nodes: Iterable[Node], numbering: Numbering) -> Inlines:
    """The content of one line; everything below the nodes is taken as inside that line."""
    return tuple(_collapsed(_runs(nodes, Text(""), numbering)))


def _runs(nodes: Iterable[Node], style: Text, numbering: Numbering) -> Iterator[Run]:
    for node in nodes:
        match node.kind:
            case "text" | "code":
                yield attrs.evolve(style, text=node.text)
            case "chip":
                yield from numbering.citation(node)
            case "link":
                yield from _link(node, style, numbering)
            case "bold":
                yield from _runs(node.kids, attrs.evolve(style, bold=True), numbering)
            case "italic":
                yield from _runs(node.kids, attrs.evolve(style, italic=True), numbering)
            case "mono":
                yield from _runs(node.kids, attrs.evolve(style, code=True), numbering)
            case "break":
                yield attrs.evolve(style, text=" ")
            case _:
                yield Text(" ")
                yield from _runs(node.kids, style, numbering)
                yield Text(" ")


def _link(node: Node, style: Text, numbering: Numbering) -> Iterator[Run]:
    url = outward(node.href, numbering.resolved)
    runs = tuple(_runs(node.kids, attrs.evolve(style, url=url), numbering))
    if any(isinstance(run, Text) and run.text.strip() for run in runs):
        yield from runs
    else:
        yield from numbering.citation(Node("chip", hrefs=(node.href,), label=node.label))


def _collapsed(runs: Iterable[Run]) -> list[Run]:
    """The runs as a browser shows them: single spaces, none at the edges or before a citation."""
    line: list[Run] = []
    for run in runs:
        if isinstance(run, Citation):
            _trim_end(line)
            _cite(line, run)
        else:
            text = _SPACES.sub(" ", run.text)
            if not line or _ends_with_space(line):
                text = text.removeprefix(" ")
            _append(line, attrs.evolve(run, text=text))
    _trim_end(line)
    return line


def _append(line: list[Run], run: Text) -> None:
    last = line[-1] if line else None
    if not run.text:
        return
    if isinstance(last, Text) and attrs.evolve(last, text="") == attrs.evolve(run, text=""):
        line[-1] = attrs.evolve(last, text=last.text + run.text)
    else:
        line.append(run)


def _cite(line: list[Run], citation: Citation) -> None:
    """A chip's link and its button may come one by one; together they are one mark."""
    if not line or line[-1] != citation:
        line.append(citation)


def _ends_with_space(line: list[Run]) -> bool:
    last = line[-1]
    return isinstance(last, Text) and last.text.endswith(" ")


def _trim_end(line: list[Run]) -> None:
    while line and isinstance(last := line[-1], Text):
        text = last.text.rstrip()
        if text:
            line[-1] = attrs.evolve(last, text=text)
            return
        line.pop()
