#!/usr/bin/env python3
"""Draw the layers of the packages, from `.importlinter`, as `docs/pictures/packages.svg`.

Run without arguments to write the picture, or with ``--check`` to see whether it is up to date.
"""

import re
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "packages.svg"

SUMMARIES = {
    "__main__": "signals, logging, exit code",
    "plugins": "what not everybody needs: each registered by one value",
    "cli": "the parser, and what commands do",
    "advanced": "names that few programs need",
    "blocks": "the blocks of an answer",
    "testing": "fake browser, replica sites",
    "bridge": "asyncio and synchronous hosts",
    "app": "starts every actor in order",
    "environment": "what tests and plugins replace",
    "mcp": "tools, results, handshake",
    "control": "the control socket",
    "client": "Tabwright, the facade",
    "objects": "sessions, pages and locators of a program",
    "agent": "natural-language tasks",
    "sessions": "tabs, cookies, storage of a user",
    "search": "AI Mode, result pages",
    "reader": "a page by its cheapest tier",
    "interventions": "CAPTCHAs that wait for a person",
    "llm": "vendors, transport, router",
    "view": "the page to watch tabs and to act in them",
    "page": "actions, outlines, events of a page",
    "browser": "launch, workers, tab pool, identity",
    "ratelimit": "the pace of a site",
    "http": "connections, cookies, cache",
    "content": "snapshots and text",
    "config": "settings and their layers, YAML tables",
    "plugin": "what a plugin is, and where they are",
    "text": "token budgets, hints, six languages",
    "cdp": "the CDP client, the Chromium process",
    "concurrency": "nurseries, timers, threads",
    "protocol": "roles, values, errors",
    "_version": "only the version",
}

ACTORS = (
    ("SessionRegistry", "TaskRunner", "MCPGateway"),
    ("PrincipalPool", "InterventionQueue", "AISearchActor"),
    ("BrowserActor", "TabActor", "BrowserSupervisor"),
    ("RateGovernor", "ExtractorActor", "FetcherActor"),
)

DOORS = {"__main__", "plugins", "cli", "testing", "bridge", "app", "environment", "client"}
DOORS |= {"advanced", "blocks", "objects"}
DOORS |= {"plugin", "_version"}
"""Entry points and composition; the rest does I/O unless a contract keeps trio out of it."""

LEFT, WIDTH, GAP, HEIGHT = 40, 880, 8, 32
ACTORS_HEIGHT = 196

STYLE = """\
  <style>
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; \
font-size: 13px; fill: #424a53; }
    .name { font-size: 15px; font-weight: 600; fill: #1f2328; }
    .box { stroke: #6e7781; stroke-width: 1.5; }
    .door { fill: #f6f8fa; }
    .pure { fill: #dafbe1; }
    .trio { fill: #ddf4ff; }
    .actor { fill: #ffffff; stroke: #54aeff; }
    .mid { text-anchor: middle; }
  </style>"""


def read_contracts() -> tuple[list[list[str]], set[str]]:
    """Return the layers from the top, and the packages that do not import trio."""
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    lines = contracts["importlinter:contract:layers"]["layers"].split("\n")
    layers = [re.findall(r"\w+", line) for line in lines if line.strip()]
    pure = contracts["importlinter:contract:pure-packages"]["source_modules"]
    return layers, set(re.findall(r"tabwright\.(\w+)$", pure, re.MULTILINE))


def rectangle(kind: str, x: int, y: int, width: int, height: int) -> str:
    """Return a box."""
    return f'  <rect class="box {kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>'


def layer(names: list[str], pure: set[str], y: int) -> Iterator[str]:
    """Yield the boxes of a layer."""
    width = (WIDTH - GAP * (len(names) - 1)) // len(names)
    for place, name in enumerate(names):
        x = LEFT + place * (width + GAP)
        kind = "pure" if name in pure else "door" if name in DOORS else "trio"
        yield rectangle(kind, x, y, width, HEIGHT)
        text = f'<tspan class="name">{name}</tspan>   {SUMMARIES[name]}'
        middle = x + width // 2
        yield f'  <text class="mid" x="{middle}" y="{y + 21}" xml:space="preserve">{text}</text>'


def actors(y: int) -> Iterator[str]:
    """Yield the box of the actors."""
    yield rectangle("trio", LEFT, y, WIDTH, ACTORS_HEIGHT)
    yield f'  <text x="56" y="{y + 26}" class="name">actors</text>'
    words = (
        "one module each, and the kit:",
        "addresses, mailboxes, supervision.",
        "An actor waits only for actors",
        "below it or to the left of it.",
    )
    for line, text in enumerate(words):
        yield f'  <text x="56" y="{y + 50 + 20 * line}">{text}</text>'
    for row, names in enumerate(ACTORS):
        for column, name in enumerate(names):
            left, top = 400 + 170 * column, y + 14 + 44 * row
            yield (
                f'  <rect class="actor" x="{left}" y="{top}" width="160" height="34" rx="17"/>'
                f'<text class="mid" x="{left + 80}" y="{top + 22}">{name}</text>'
            )


def legend(y: int) -> Iterator[str]:
    """Yield the meaning of the colors."""
    meanings = {
        "pure": "does not import trio",
        "trio": "does I/O, at least in part",
        "door": "entry points, composition, tests",
    }
    for place, (kind, text) in enumerate(meanings.items()):
        x = LEFT + 220 * place
        yield rectangle(kind, x, y, 22, 22) + f'<text x="{x + 30}" y="{y + 16}">{text}</text>'


def picture() -> str:
    """Return the picture."""
    layers, pure = read_contracts()
    drawn: list[str] = []
    y = 24
    for names in layers:
        drawn += actors(y) if names == ["actors"] else layer(names, pure, y)
        y += 6 + (ACTORS_HEIGHT if names == ["actors"] else HEIGHT)
    drawn += legend(y + 8)
    height = y + 50
    order = ", ".join(" and ".join(names) for names in layers)
    title = "The packages of tabwright in layers; a package imports only what is below it"
    size = f'width="960" height="{height}"'
    head = f'viewBox="0 0 960 {height}" {size} role="img" aria-labelledby="title desc"'
    frame = f'x="1" y="1" width="958" height="{height - 2}" rx="16"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {head}>',
            f'  <title id="title">{title}</title>',
            f'  <desc id="desc">From the top: {order}.</desc>',
            STYLE,
            f'  <rect {frame} fill="#ffffff" stroke="#d0d7de"/>',
            *drawn,
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
