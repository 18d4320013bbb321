"""A small web, the terminal browser on it in a real terminal, and golden screens."""

import difflib
import html
import os
import re
import shlex
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest
import trio
from PIL import Image

from tabwright.plugins.tui.replies import TOOLS
from tabwright.testing.replica.server import (
    Exchange,
    Handler,
    Seen,
    ServerResponse,
    open_server,
    redirect,
)
from tests.support.terminal import Terminal, open_terminal

OpenTui: TypeAlias = Callable[..., AbstractAsyncContextManager[Terminal]]
Golden: TypeAlias = Callable[[Terminal, str], Awaitable[None]]

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
CHINESE = "结构化并发意味着每个任务都有一个等待它的父任务。因此不会丢失任何错误。"
JAPANESE = "構造化並行性とは、すべてのタスクに、それを待つ親があるということです。"

TOPICS = (
    "Nurseries", "Scopes", "Deadlines", "Shields", "Channels", "Mailboxes", "Roles", "Requests",
    "Answers", "Refusals", "Leases", "Permits", "Links", "Sessions", "Tabs", "Frames", "Crashes",
    "Restarts", "Traces", "Clocks", "Seeds", "Faults", "Oracles", "Proofs",
)  # fmt: skip

LONG = 500
MANY_LINKS = 5_000


def document(body: str, title: str, head: str = "") -> bytes:
    icon = "<link rel=icon href=data:,>"  # else one that is not there is asked for
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{icon}"
        f"{head}</head><body>{body}</body></html>"
    ).encode()


def page(body: str, title: str, status: int = 200) -> ServerResponse:
    return ServerResponse(document(body, title), status=status)


def picture(width: int = 320, height: int = 200) -> bytes:
    """Return a PNG picture, half red and half blue."""
    drawn = Image.new("RGB", (width, height), "#cc2222")
    drawn.paste("#2222cc", (width // 2, 0, width, height))
    written = BytesIO()
    drawn.save(written, "PNG")
    return written.getvalue()


ARTICLE = f"""<h1>Structured concurrency</h1>
<p>{SENTENCE} Read <a href=/long>the long story</a>, or <em>this</em> <strong>short</strong> one
with <code>open_nursery()</code>, <del>nothing</del> and a <a href=/form>form</a>.</p>
<h2>What there is</h2>
<ul><li>Nurseries<ul><li>that wait<ul><li>for their tasks</li></ul></li>
<li>that stop them</li></ul></li><li>Scopes</li></ul>
<ol start=3><li>Third</li><li>Fourth<ol><li>Inner first</li></ol></li></ol>
<h3>How long it takes</h3>
<table><thead><tr><th>Call</th><th>Time</th><th>What it does</th></tr></thead><tbody>
<tr><td>ask</td><td align=right>120 µs</td><td>waits for the answer</td></tr>
<tr><td>tell</td><td align=right>80 µs</td><td>waits for room in the mailbox</td></tr>
</tbody></table>
<pre><code class=language-python>async with trio.open_nursery() as nursery:
    nursery.start_soon(task)
</code></pre>
<blockquote><p>Go statement considered harmful.</p><p>Nathaniel J. Smith</p></blockquote>
<hr>
<h2>In other languages</h2>
<p lang=zh>{CHINESE}</p><p lang=ja>{JAPANESE}</p><p>Threads 🧵 and thumbs 👍 and rockets 🚀.</p>
<h2>Pictures</h2>
<p><img src=/picture.png alt="Two colours" width=320 height=200>
<img src=/nameless.png width=320 height=200></p>
<h2>More</h2>
<ol>{"".join(f"<li><a href=/topic/{name.lower()}>{name}</a></li>" for name in TOPICS)}</ol>"""

EMOJI = """<h1>Signs of several parts</h1>
<p>Heart ❤️ end</p><p>Family 👨‍👩‍👧 end</p><p>Flag 🇩🇪 end</p><p>Hand 👍🏽 end</p><p>Key 1️⃣ end</p>
<p>Accents e\u0301 n\u0303 end</p>"""

FORM = """<h1>Order</h1><form action=/found>
<p><label>Search <input name=q></label> <button>Find</button></p></form>
<form action=/sent method=post>
<p><label>Name <input name=name required></label></p>
<p><label>Password <input name=password type=password></label></p>
<p><label><input name=gift type=checkbox value=yes> As a gift</label></p>
<p><label><input name=size type=radio value=small checked> Small</label>
<label><input name=size type=radio value=large> Large</label></p>
<p><label>Colour <select name=colour><option value=red>Red<option value=blue>Blue</select></label>
</p>
<p><label>Note <textarea name=note rows=3></textarea></label></p>
<p><button name=go value=1>Send</button></p></form>"""

CODES = (
    "\x1b[2J\x1b[31m\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1bPowned\x1b\\"
    "\x9b2J\x9d0;owned\x9c\x08\x7f\u202e\u2066\u200b\u200f"
)
"""What would clear the screen, colour it, name the window, fill the clipboard, turn text round."""

REFERENCES = "&#27;[2J&#27;]0;owned&#7;&#155;2J&#157;0;owned&#156;&#x202e;&#x200b;"
"""The like, as references."""

MARKUP = (
    "[bold]loud[/bold] [link=http://evil.example]x[/link] [@click=app.bell]y[/] [/nothing] [red"
)

EVIL = CODES + REFERENCES + html.escape(MARKUP)

HOSTILE = f"""<h1>Head {EVIL}</h1><p>Text {EVIL} after</p><pre>Code {EVIL}</pre>
<p><a href="/article" title="{EVIL}">Link {EVIL}</a> <img src=/picture.png alt="Picture {EVIL}"></p>
<p><a href="/article?{html.escape(MARKUP)}\x1b[2J">Address</a></p>
<form action=/found><label>Field {EVIL} <input name=q value="{EVIL}"></label>
<button>Button {EVIL}</button></form><table><tr><td>Cell {EVIL}</table><p>The end of it.</p>"""

SCRIPTED = """<div id=root></div><script>
document.getElementById('root').innerHTML =
  '<h1>Made by a script</h1>' + '<p>It can only be seen with scripts. </p>'.repeat(20);
</script>"""

PAGES: Mapping[str, ServerResponse] = {
    "/": redirect("/article"),
    "/article": page(ARTICLE, "Structured concurrency"),
    "/emoji": page(EMOJI, "Signs"),
    "/long": page(
        "<h1>A long story</h1>"
        + "".join(f"<p>Paragraph {number}. {SENTENCE}</p>" for number in range(1, LONG + 1)),
        "A long story",
    ),
    "/form": page(FORM, "Order"),
    "/hostile": page(HOSTILE, f"Title {EVIL}"),
    "/links": page(
        "<h1>Many links</h1>"
        + "".join(f"<a href=/topic/{number}>Link {number}</a> " for number in range(MANY_LINKS)),
        "Many links",
    ),
    "/redirect": redirect("/redirect/on", status=301),
    "/redirect/on": redirect("/article"),
    "/scripted": page(SCRIPTED, "Scripted"),
    "/picture.png": ServerResponse(picture(), content_type="image/png"),
    "/nameless.png": ServerResponse(picture(), content_type="image/png"),
}


@attrs.define(eq=False)
class Web:
    """A web of pages on loopback, to be read in a terminal.

    Attributes:
        pages: the response for each path; a test may add others.
        log: every request.
        sent: the fields of each posted form.
        released: lets ``/slow`` be answered, once set.
        given_up: set when a client has stopped waiting for ``/slow``.
    """

    port: int = 0
    pages: dict[str, ServerResponse] = attrs.field(factory=lambda: dict(PAGES))
    log: list[Seen] = attrs.field(factory=list[Seen])
    sent: list[Mapping[str, str]] = attrs.field(factory=list[Mapping[str, str]])
    released: trio.Event = attrs.field(factory=trio.Event)
    given_up: trio.Event = attrs.field(factory=trio.Event)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def put(self, path: str, body: str, title: str = "Mine") -> None:
        """Put up another page."""
        self.pages[path] = page(body, title)

    def asked(self, path: str) -> int:
        """Return how often a path, including its query, was requested."""
        return sum(seen.path == path for seen in self.log)

    async def answer(self, exchange: Exchange) -> None:
        handlers: Mapping[str, Handler] = {
            "/slow": self._answer_slowly,
            "/found": self._find,
            "/sent": self._take,
        }
        if handler := handlers.get(exchange.path):
            await handler(exchange)
        elif exchange.path.startswith("/topic/"):
            name = html.escape(exchange.path.rpartition("/")[2].capitalize())
            await exchange.answer(page(f"<h1>{name}</h1><p>{SENTENCE}</p>", name))
        else:
            missing = page("<h1>Not here</h1><p>There is no such page.</p>", "Not here", status=404)
            await exchange.answer(self.pages.get(exchange.path, missing))

    async def _answer_slowly(self, exchange: Exchange) -> None:
        try:
            await self.released.wait()
        except trio.Cancelled:
            self.given_up.set()
            raise
        await exchange.answer(page(f"<h1>Slow</h1><p>{SENTENCE}</p>", "Slow"))

    async def _find(self, exchange: Exchange) -> None:
        await exchange.answer(page(f"<h1>Found</h1>{listed(exchange.query)}", "Found"))

    async def _take(self, exchange: Exchange) -> None:
        self.sent.append(exchange.form)
        await exchange.answer(page(f"<h1>Thank you</h1>{listed(exchange.form)}", "Thank you"))


def listed(fields: Mapping[str, str]) -> str:
    """Return an HTML list of the form fields that were sent."""
    lines = (f"<li>{html.escape(name)} is {html.escape(value)}" for name, value in fields.items())
    return f"<ul>{''.join(lines)}</ul>"


@pytest.fixture
def png() -> Callable[[int, int], bytes]:
    """Return a function that makes a PNG file of the given size in pixels."""
    return picture


@pytest.fixture
async def web() -> AsyncGenerator[Web]:
    own = Web()
    async with open_server(own.answer, own.log) as own.port:
        yield own


@pytest.fixture
def quick_tui(quick_tabwright: list[str]) -> Callable[[Path], list[str]]:
    """Return a function that builds the command of a quick-starting terminal browser."""

    def command(config: Path) -> list[str]:
        server = [*quick_tabwright, "serve", "--tools", TOOLS, "--config", str(config)]
        return [*quick_tabwright, "tui", "--server", shlex.join(server), "--config", str(config)]

    return command


@pytest.fixture
def open_tui(
    write_config, request: pytest.FixtureRequest, quick_tui: Callable[[Path], list[str]]
) -> OpenTui:
    """Return a function that opens terminal browsers, with settings given by group.

    They run as the real program, which starts its server itself, if a test requests `processes`.
    """

    @asynccontextmanager
    async def opened(
        url: str = "", columns: int = 80, lines: int = 24, **groups: dict[str, object]
    ) -> AsyncGenerator[Terminal]:
        config = write_config(**groups)
        if "processes" in request.fixturenames:
            command = [sys.executable, "-m", "tabwright", "tui", "--config", str(config)]
        else:
            command = quick_tui(config)
        command += [url] if url else []
        async with open_terminal(command, columns=columns, lines=lines) as terminal:
            yield terminal

    return opened


SCREENS = Path(__file__).parent / "screens"

WRITES = "write"
"""Of GOLDEN_SCREENS: screens are not compared, but kept as they are."""

STEADY_S = 1
"""A screen that has not changed for so long is kept."""

COMPARED_S = 30


@pytest.fixture
def golden() -> Golden:
    """Return a function that waits for a golden screen, and reports any differences."""

    async def compare(terminal: Terminal, name: str) -> None:
        place = SCREENS / f"{name}.txt"
        if os.environ.get("GOLDEN_SCREENS") == WRITES:
            place.parent.mkdir(exist_ok=True)
            place.write_text(await steady(terminal))
            return
        assert place.exists(), f"{place.name} is missing: run once with GOLDEN_SCREENS={WRITES}."
        kept = place.read_text()
        try:
            await terminal.until(lambda now: portless(now.text) == kept, COMPARED_S)
        except AssertionError:
            raise AssertionError(difference(kept, portless(terminal.text), name)) from None

    return compare


async def steady(terminal: Terminal) -> str:
    """Return the text of a screen once it has stopped changing."""
    while True:
        before = portless(terminal.text)
        await trio.sleep(STEADY_S)
        if portless(terminal.text) == before:
            return before


def portless(text: str) -> str:
    """Return the text of a screen with ports and times masked, at unchanged width."""
    ports = re.compile(r"(?<=127\.0\.0\.1:)\d{1,5}|(?<=localhost:)\d{1,5}")
    timeless = re.sub(r"\b\d\.\d s\b", "_._ s", text)
    return ports.sub(lambda port: "PORT_"[: len(port[0])], timeless).rstrip("\n") + "\n"


def difference(kept: str, shown: str, name: str) -> str:
    lines = difflib.unified_diff(
        kept.splitlines(), shown.splitlines(), f"{name}.txt", "the screen", lineterm=""
    )
    return "\n".join(("The screen is another one:", *lines, "", "It is now:", shown))
