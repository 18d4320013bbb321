"""Measure many named sessions of one user, each on a page of its own, visited in turn.

Each session fills in a field. In the next rounds, a snapshot of each must still show the text: a
call that fails, or whose answer lacks the text, is lost. The peers have no named sessions: with
playwright-mcp each is a tab, and with chrome-devtools-mcp a page in a context of its own.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import attrs
import msgspec
import psutil
from mcp_servers import JSON, Client, running, servers

from tabwright.cdp.chromium.finding import find_browser

CONFIG = """network: {allow_private: true}
search: {language: en-US}
log: {dir: null}
browser: {extra_args: [--no-sandbox], profile: null}
session: {close_after_s: 86400}
"""
SETTLED = 100
"""Number of sessions after which the memory of a server grows only by that of its sessions."""

PAGE = """<!doctype html><html lang=en><title>Page NUMBER</title><h1>Page NUMBER</h1>
<label>Name <input name=name></label><button>Send</button>
<ul>ITEMS</ul><p style="height: 3000px">The end.
<script>if (STORED) localStorage.setItem("kept", "x".repeat(STORED))</script>"""
ITEMS = "".join(f"<li><a href='/item/{number}'>Item {number}</a>" for number in range(20))


class _Content(msgspec.Struct):
    type: str
    text: str = ""


class _CallResult(msgspec.Struct):
    content: list[_Content] = []
    is_error: bool = msgspec.field(name="isError", default=False)


@attrs.define
class Figures:
    """The measurements of a server.

    Attributes:
        opened_ms, visited_ms: of each session's first call, and of each later visit.
        lost: calls that failed, or whose answer lacks the text of the field.
        first: the first of them, for the report.
        session_kib: growth of the server's first process per opened session.
    """

    opened_ms: list[float] = attrs.field(factory=list[float])
    visited_ms: list[float] = attrs.field(factory=list[float])
    lost: int = 0
    first: str = ""
    pss_mib: float = 0
    processes: int = 0
    session_kib: float = 0


@contextmanager
def open_site(stored: int) -> Generator[str]:
    """Serve a small page at each path; yields the URL before its number.

    Args:
        stored: how many characters each page stores in ``localStorage``.
    """

    class Handler(BaseHTTPRequestHandler):
        """Answer each request with the page of its path."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer a request."""
            page = PAGE.replace("NUMBER", self.path[1:]).replace("ITEMS", ITEMS)
            body = page.replace("STORED", str(stored)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


def call(client: Client, name: str, **arguments: object) -> str:
    """Return the text of an answer.

    Raises:
        RuntimeError: the call failed.
    """
    given: JSON = {"name": name, "arguments": dict(arguments)}
    called = msgspec.convert(client.ask("tools/call", given)[1], _CallResult)
    text = "\n".join(part.text for part in called.content)
    if called.is_error:
        raise RuntimeError(text)
    return text


def open_ours(client: Client, url: str, number: int) -> None:
    """Open the page of a session, and fill in its field."""
    session = f"s{number}"
    call(client, "navigate", url=f"{url}{number}", session=session, format="outline")
    call(client, "fill_form", session=session, fields={"Name": f"text {number}."})


def visit_ours(client: Client, number: int) -> str:
    """Return a snapshot of a session."""
    return call(client, "snapshot", session=f"s{number}", format="outline")


FILL = "() => { document.querySelector('input').value = 'text NUMBER.'; }"


def open_playwright(client: Client, url: str, number: int) -> None:
    """Open a tab, and fill in its field."""
    if number:
        call(client, "browser_tabs", action="new")
    call(client, "browser_navigate", url=f"{url}{number}")
    call(client, "browser_evaluate", function=FILL.replace("NUMBER", str(number)))


def visit_playwright(client: Client, number: int) -> str:
    """Return a snapshot of a tab."""
    call(client, "browser_tabs", action="select", index=number)
    return call(client, "browser_snapshot")


def open_devtools(client: Client, url: str, number: int) -> None:
    """Open a page in a context of its own, and fill in its field."""
    call(client, "new_page", url=f"{url}{number}", isolatedContext=f"s{number}")
    script = FILL.replace("NUMBER", str(number))
    call(client, "evaluate_script", function=script, pageId=number + 2)


def visit_devtools(client: Client, number: int) -> str:
    """Return a snapshot of a page; the first page is the blank one of the start."""
    call(client, "select_page", pageId=number + 2)
    return call(client, "take_snapshot", pageId=number + 2)


WAYS: dict[str, tuple[Callable[[Client, str, int], None], Callable[[Client, int], str]]] = {
    "tabwright": (open_ours, visit_ours),
    "playwright": (open_playwright, visit_playwright),
    "devtools": (open_devtools, visit_devtools),
}


def measure(client: Client, url: str, sessions: int, rounds: int) -> Figures:
    """Open the sessions, and visit them in turn."""
    figures, (opens, visits) = Figures(), WAYS[client.server.name]
    client.begin()
    server = psutil.Process(client.process.pid)
    opened, before = min(SETTLED, sessions // 2), 0
    for number in range(sessions):
        if number == opened:
            before = server.memory_full_info().uss
        with timed(figures, figures.opened_ms):
            opens(client, url, number)
    figures.session_kib = (server.memory_full_info().uss - before) / (sessions - opened) / 2**10
    for _ in range(rounds):
        for number in range(sessions):
            with timed(figures, figures.visited_ms):
                if f"text {number}." not in (seen := visits(client, number)):
                    raise RuntimeError(f"no text {number}: {seen[:300]}")
    tree = [server, *server.children(recursive=True)]
    figures.processes = len(tree)
    figures.pss_mib = sum(one.memory_full_info().pss for one in tree) / 2**20
    return figures


@contextmanager
def timed(figures: Figures, times_ms: list[float]) -> Generator[None]:
    """Add the time of the block, or count it as lost."""
    began_s = time.perf_counter()
    try:
        yield
    except RuntimeError as error:
        figures.lost += 1
        figures.first = figures.first or str(error)
    else:
        times_ms.append((time.perf_counter() - began_s) * 1000)


def shown(times_ms: list[float]) -> str:
    """Return the median and the 95th percentile."""
    if len(times_ms) < 2:
        return "-"
    return f"{statistics.median(times_ms):.0f} / {statistics.quantiles(times_ms, n=20)[-1]:.0f}"


def main() -> None:
    """Print a row for each server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="the folder of bench/peers/get_mcp_peers.sh")
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--peer-sessions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--stored", type=int, default=0, help="characters that each page stores")
    parser.add_argument("--only", choices=WAYS, help="measure one server")
    options = parser.parse_args()
    browser = str(find_browser(("chromium", "chrome", "edge")).path)
    peers = options.peers.absolute() if options.peers else None
    print(
        "server | sessions | opened ms | visited ms (median / p95) | lost | MiB (PSS) | processes"
        " | KiB of a session"
    )
    with tempfile.TemporaryDirectory() as folder, open_site(options.stored) as url:
        config = Path(folder) / "tabwright.yaml"
        config.write_text(CONFIG)
        for server in servers(peers, browser, config):
            if server.name not in WAYS or options.only not in {None, server.name}:
                continue
            is_ours = server.name == "tabwright"
            sessions = options.sessions if is_ours else options.peer_sessions
            with running(server, Path(folder)) as client:
                one = measure(client, url, sessions, options.rounds)
            row = (
                server.name, sessions, shown(one.opened_ms), shown(one.visited_ms), one.lost,
                round(one.pss_mib), one.processes, round(one.session_kib, 1),
            )  # fmt: skip
            print(*row, sep=" | ", flush=True)
            if one.first:
                print(f"  the first lost call: {one.first[:400]}")


if __name__ == "__main__":
    main()
