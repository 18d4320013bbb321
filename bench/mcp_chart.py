"""Draw the table of `mcp.py` as a picture (SVG 1.1): ``python bench/mcp_chart.py``.

It reads the table from ``bench/README.md`` and writes ``docs/pictures/bench.svg``.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import attrs

ROOT: Final = Path(__file__).parents[1]
HEAD: Final = r"\| \| tabwright \| playwright \|.*\n\|[-|]+\n"
TABLE: Final = re.compile(rf"^{HEAD}((?:\|.*\n)+)", re.MULTILINE)
RATIO: Final = re.compile(r"\((\d+\.\d+)\)")

PEERS: Final = {
    "@playwright/mcp": "#0969da",
    "@playwright/mcp, settle 0": "#8250df",
    "chrome-devtools-mcp": "#bf8700",
}

WIDTH: Final = 860
NAMES: Final = 330
RIGHT: Final = 30
TOP: Final = 70
ROW: Final = 22
LEAST: Final = 0.01
MOST: Final = 4.0
MARKS: Final = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


@attrs.frozen
class Row:
    """The name of a measurement, and the ratios of ours to each peer's."""

    name: str
    ratios: tuple[float, ...]


def rows(text: str) -> Iterator[Row]:
    """Yield the rows of the table in a text."""
    table = TABLE.search(text)
    for line in table[1].splitlines() if table else ():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        yield Row(name, tuple(float(found) for found in RATIO.findall(" ".join(cells))))


def chart(table: list[Row]) -> str:
    """Return an SVG with a dot per peer in each row; left of the line, tabwright takes less."""
    bottom = TOP + ROW * len(table)
    parts = (*_axis(bottom), *_legend(), *_dots(table))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 36}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" rx="12" '
        f'fill="white"/>\n{body}\n</svg>\n'
    )


def _axis(bottom: int) -> Iterator[str]:
    for mark in MARKS:
        x, stroke = _x(mark), "#57606a" if mark == 1.0 else "#d0d7de"
        yield f'<line x1="{x:.0f}" y1="{TOP - 8}" x2="{x:.0f}" y2="{bottom}" stroke="{stroke}"/>'
        yield f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{mark:g}</text>'
    yield (
        f'<text x="{_x(1.0) - 8:.0f}" y="{TOP - 14}" text-anchor="end" fill="#57606a">'
        "← tabwright takes less</text>"
    )


def _legend() -> Iterator[str]:
    x = 24
    for name, colour in PEERS.items():
        yield f'<circle cx="{x}" cy="24" r="5" fill="{colour}"/>'
        yield f'<text x="{x + 10}" y="28">tabwright / {escape(name)}</text>'
        x += 270


def _dots(table: list[Row]) -> Iterator[str]:
    for number, row in enumerate(table):
        y = TOP + ROW * number + ROW // 2
        yield f'<text x="{NAMES - 12}" y="{y + 4}" text-anchor="end">{escape(row.name)}</text>'
        for ratio, colour in zip(row.ratios, PEERS.values(), strict=True):
            yield f'<circle cx="{_x(ratio):.1f}" cy="{y}" r="5" fill="{colour}" opacity="0.85"/>'


def _x(ratio: float) -> float:
    wide = WIDTH - NAMES - RIGHT
    return NAMES + wide * math.log(ratio / LEAST) / math.log(MOST / LEAST)


if __name__ == "__main__":
    measured = [*rows((ROOT / "bench" / "README.md").read_text())]
    (ROOT / "docs" / "pictures" / "bench.svg").write_text(chart(measured))
