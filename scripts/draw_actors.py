#!/usr/bin/env python3
"""Draw which parts of the core call which, as `docs/pictures/actors.svg`.

Run without arguments to write the picture, or with ``--check`` to see whether it is up to date.
"""

import sys
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "actors.svg"

LEFT, STEP, WIDTH = 40, 179, 164
"""Columns: the first one, the distance between two, and the width of a box."""

SIZE = (960, 720)

BOXES = (
    # kind, column, columns, y, name, summary
    ("outside", 0, 1, 20, "MCP client", "Claude, Cursor, …"),
    ("outside", 1.5, 2, 20, "shell", "tabwright COMMAND"),
    ("outside", 4, 1, 20, "your program", "trio, asyncio, neither"),
    ("object", 0, 1, 92, "MCPGateway", "requests in, results out"),
    ("object", 0, 5, 164, "Tabwright", "the facade: search, web_search, browse, act, run_task, …"),
    ("actor", 0, 1, 244, "TaskRunner", "an agent in a session"),
    ("actor", 1, 1, 244, "SessionRegistry", "cookies, history, tabs"),
    ("object", 2, 1, 244, "PageReader", "by the cheapest tier"),
    ("object", 3, 1, 244, "WebSearcher", "several engines"),
    ("actor", 4, 1, 244, "AISearchActor", "Google AI Mode"),
    ("actor", 0, 1, 356, "InterventionQueue", "CAPTCHAs for a person"),
    ("actor", 3, 2, 356, "PrincipalPool", "a user's part of the pool, if there are several"),
    ("actor", 0, 1, 432, "RateGovernor", "the pace of each site"),
    ("actor", 1, 1, 432, "FetcherActor", "HTTP without a browser"),
    ("actor", 2, 1, 432, "ExtractorActor", "CPU work, in a thread"),
    ("actor", 3, 2, 432, "BrowserSupervisor", "browsers on demand, the tab pool"),
    ("outside", 1, 1, 508, "web sites", "HTTP/1.1 and HTTP/2"),
    ("actor", 3, 1, 508, "BrowserActor", "one process"),
    ("actor", 4, 1, 508, "TabActor", "one page"),
    ("object", 3, 2, 580, "CDPConnection", "commands, replies, events"),
    ("outside", 3, 2, 652, "Chromium", "over a pipe or a WebSocket"),
)
HEIGHT = 48
GROUPS = ((232, 72), (344, 148))
"""The top and the height of the frames around parts that ask the same others."""

ARROWS = (
    # x and y of both ends
    (122, 68, 122, 92),
    (480, 68, 480, 164),
    (838, 68, 838, 164),
    (122, 140, 122, 164),
    (480, 212, 480, 232),
    (204, 268, 219, 268),
    (383, 268, 398, 268),
    (480, 304, 480, 344),
    (122, 404, 122, 432),
    (204, 380, 577, 380),
    (748, 404, 748, 432),
    (301, 480, 301, 508),
    (659, 480, 659, 508),
    (838, 480, 838, 508),
    (756, 532, 741, 532),
    (659, 556, 659, 580),
    (838, 556, 838, 580),
    (748, 628, 748, 652),
)
LEGEND = (
    ("actor", "an actor: asked by messages"),
    ("object", "an object: its methods are called"),
    ("outside", "outside of tabwright"),
)

STYLE = """\
  <style>
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; \
font-size: 12px; fill: #424a53; }
    .name { font-size: 14px; font-weight: 600; fill: #1f2328; }
    .mid { text-anchor: middle; }
    .actor { fill: #ddf4ff; stroke: #54aeff; stroke-width: 1.5; }
    .object { fill: #ffffff; stroke: #6e7781; stroke-width: 1.5; }
    .outside { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1.5; stroke-dasharray: 4 3; }
    .group { fill: #f6f8fa; stroke: #d0d7de; }
    .arrow { stroke: #57606a; stroke-width: 1.5; marker-end: url(#head); }
  </style>
  <defs>
    <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#57606a"/></marker>
  </defs>"""


def rectangle(kind: str, x: int, y: int, width: int, height: int) -> str:
    """Return a box; those of actors are round."""
    radius = height // 2 if kind == "actor" else 4
    size = f'width="{width}" height="{height}"'
    return f'  <rect class="{kind}" x="{x}" y="{y}" {size} rx="{radius}"/>'


def box(row: tuple[str, float, int, int, str, str]) -> str:
    """Return a box with its name and its summary; see `BOXES`."""
    kind, column, columns, y, name, summary = row
    x, width = LEFT + round(column * STEP), STEP * (columns - 1) + WIDTH
    middle = x + width // 2
    return "\n".join(
        (
            rectangle(kind, x, y, width, HEIGHT),
            f'  <text class="mid name" x="{middle}" y="{y + 20}">{name}</text>',
            f'  <text class="mid" x="{middle}" y="{y + 38}">{summary}</text>',
        )
    )


def picture() -> str:
    """Return the picture."""
    width, height = SIZE
    groups = [rectangle("group", LEFT - 12, y, STEP * 4 + WIDTH + 24, tall) for y, tall in GROUPS]
    arrows = [
        f'  <line class="arrow" x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"/>'
        for x, y, to_x, to_y in ARROWS
    ]
    legend = [
        rectangle(kind, LEFT, 594 + 34 * row, 36, 22)
        + f'<text x="{LEFT + 48}" y="{610 + 34 * row}">{text}</text>'
        for row, (kind, text) in enumerate(LEGEND)
    ]
    head = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    frame = f'x="1" y="1" width="{width - 2}" height="{height - 2}" rx="16"'
    description = "From the top: " + ", ".join(name for *_, name, _ in BOXES)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {head} role="img" aria-labelledby="t d">',
            '  <title id="t">The actors of tabwright; what calls what, from the top down</title>',
            f'  <desc id="d">{description}.</desc>',
            STYLE,
            f'  <rect {frame} fill="#ffffff" stroke="#d0d7de"/>',
            *groups,
            *map(box, BOXES),
            *arrows,
            *legend,
            "</svg>\n",
        )
    )


def main() -> int:
    """Write the picture, or with ``--check`` compare it."""
    text = picture()
    if "--check" in sys.argv[1:]:
        return 0 if PICTURE.read_text(encoding="utf-8") == text else 1
    PICTURE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
