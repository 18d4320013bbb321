#!/usr/bin/env python3
"""Draw docs/pictures/session.svg: a real session of an MCP client with ``tabwright serve``.

The client opens a page, fills in a form and sends it in a real Chromium; the picture has what it
called and what it got, beside a screenshot of the page. Run it in a terminal with a browser.
"""

import base64
import struct
import sys
import tempfile
from pathlib import Path

import mcp_types as mcp
import trio
import yaml
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tabwright.testing.replica.server import Exchange, html, open_server

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "session.svg"
COLUMNS, PICTURE_WIDTH = 68, 610
PAGE = """<!doctype html><meta charset=utf-8><title>Checkout</title><style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #223; background: #f6f4ef }
header { background: #23543f; color: #fff; padding: 14px 28px; font-weight: 600 }
header a { color: #cfe5d8; margin-left: 20px; font-weight: 400 }
main { margin: 24px 28px; background: #fff; border-radius: 10px; padding: 20px 24px }
h1 { font-size: 22px; margin: 0 0 12px } label { display: block; margin: 10px 0 }
input[type=text], select { display: block; width: 300px; padding: 7px; font-size: 15px;
  border: 1px solid #bbb; border-radius: 6px } button { margin-top: 12px; padding: 9px 22px;
  font-size: 15px; border: 0; border-radius: 6px; background: #23543f; color: #fff }
#thanks { color: #23543f; font-weight: 600 }
</style><header>Tea House <a href=/teas>Teas</a><a href=/basket>Basket</a></header>
<main><h1>Checkout</h1><p>Two tins of Assam, 18.40 €</p>
<form onsubmit="event.preventDefault(); thanks.textContent =
  'Thank you, ' + this.elements[0].value + '. Your tea leaves tomorrow.'">
<label>Name <input type=text name=name required></label>
<label>Country <select name=country><option>Austria<option>Germany<option>Japan</select></label>
<label><input type=checkbox name=gift> Gift</label>
<button>Place order</button></form><p id=thanks role=status></p></main>"""


async def session(port: int, folder: Path, console: Console) -> bytes:
    """Print the calls and their results, and return the screenshot at the end."""
    settings = folder / "settings.yaml"
    rules = f"--host-resolver-rules=MAP tea.example 127.0.0.1:{port}"
    settings.write_text(
        yaml.safe_dump(
            {
                "browser": {"extra_args": [rules]},
                "network": {"allow_private": True, "proxy": "none", "robots": False},
            }
        )
    )
    program = StdioServerParameters(
        command=str(Path(sys.executable).with_name("tabwright")),
        args=["serve", "--config", str(settings)],
    )
    async with Client(stdio_client(program)) as client:

        async def call(tool: str, **arguments: object) -> mcp.CallToolResult:
            """Call a tool, and print the call and its result."""
            given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            console.print(Text(f"→ {tool}({given})", style="bold bright_cyan"))
            result = await client.call_tool(tool, arguments)
            for part in result.content:
                if isinstance(part, mcp.TextContent):
                    lines = [one for one in part.text.splitlines() if "untrusted" not in one]
                    console.print(Text("\n".join(lines)), end="\n\n")
            return result

        opened = await call("navigate", url="http://tea.example/", format="outline")
        outline = "".join(part.text for part in opened.content if part.type == "text")
        button = next(line for line in outline.splitlines() if "Place order" in line)
        fields = {"Name": "Ada", "Country": "Japan", "Gift": True}
        await call("fill_form", fields=fields)
        await call("click", ref=button.partition("[")[2].partition("]")[0])
        picture = await client.call_tool("screenshot", {"format": "png"})
    image = next(part for part in picture.content if isinstance(part, mcp.ImageContent))
    return base64.b64decode(image.data)


def drawing(console: Console, picture: bytes) -> str:
    """Return the printed session with the picture at its side."""
    printed = console.export_svg(
        theme=MONOKAI, title="An agent and tabwright", code_format=FORMAT, unique_id="s"
    )
    width, height = struct.unpack(">II", picture[16:24])  # of a PNG file, in its first chunk
    frame = PICTURE_WIDTH * height // width + 50
    data = base64.b64encode(picture).decode()
    return printed.replace("PICTURE", data).replace("FRAME", str(frame))


FORMAT = """<svg viewBox="0 0 1512 {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, Consolas, monospace }}
.{unique_id}-title {{ font: bold 18px system-ui, sans-serif }}
{styles}
</style>
<defs><clipPath id="{unique_id}-terminal">
<rect x="0" y="0" width="{width}" height="{height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
<rect x="880" y="1" width="630" height="FRAME" fill="#e8e8e6" rx="10"/>
<image x="890" y="40" width="610" href="data:image/png;base64,PICTURE"/>
<text x="1195" y="27" text-anchor="middle" class="{unique_id}-title" fill="#555">tea.example</text>
</svg>"""


async def main() -> None:
    """Serve the page, run the session, and write the picture."""
    console = Console(record=True, width=COLUMNS, file=sys.stderr, force_terminal=True)

    async def answer(exchange: Exchange) -> None:
        """Answer every request with the page."""
        await exchange.answer(html(PAGE))

    async with open_server(answer, []) as port:
        with tempfile.TemporaryDirectory() as folder:
            picture = await session(port, Path(folder), console)
    PICTURE.write_text(drawing(console, picture), encoding="utf-8")


if __name__ == "__main__":
    trio.run(main)
