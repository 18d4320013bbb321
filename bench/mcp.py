"""Measure what MCP servers for browsers cost an agent, for tabwright and other servers in turn.

Run as ``python bench/mcp.py``, with ``--peers FOLDER`` for other servers too; see README.md. Every
server runs the same script on the same site over stdio. They take turns at each step, so that other
load on the machine affects all of them equally.
"""

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

import attrs
from mcp_servers import Client, Server, running, servers
from mcp_site import PAGES, open_site

from tabwright.cdp.chromium.finding import find_browser

T = TypeVar("T")

CHARACTERS_PER_TOKEN: Final = 4
FIELDS: Final = {"First name": "Ann", "Last name": "Lee", "E-mail": "a@b.example", "Town": "Ulm"}
REST_S: Final = 3.0
COUNT: Final = "document.querySelector('output').value"
FILLED: Final = "[...document.querySelectorAll('input')].map((one) => one.value).join()"
CONFIG: Final = "network: {allow_private: true}\nacting: {scripts: true}\n"


@attrs.define
class Measures:
    """The measurements, by name and server, with one number per round."""

    numbers: dict[str, dict[str, list[float]]] = attrs.field(
        factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    missing: dict[str, set[str]] = attrs.field(factory=lambda: defaultdict(set))

    def note(self, what: str, client: Client, number: float) -> None:
        """Add a number of this round."""
        self.numbers[what][client.server.name].append(number)


def tokens(text: str) -> float:
    return len(text) / CHARACTERS_PER_TOKEN


def cold(server: Server, site: str, folder: Path, measures: Measures) -> None:
    """Measure a server from its spawn to its first page."""
    began_s = time.perf_counter()
    with running(server, folder) as client:
        client.begin()
        measures.note("spawn to initialize, ms", client, (time.perf_counter() - began_s) * 1000)
        _, listed = client.ask("tools/list", {})
        size = len(json.dumps(listed["tools"], ensure_ascii=False, separators=(",", ":")))
        measures.note("tools/list, tokens", client, size / CHARACTERS_PER_TOKEN)
        measures.note("memory idle, MiB", client, client.memory_mib())
        first_page(client, site, "first page + snapshot, ms", measures)
        ended_s = time.perf_counter()
    measures.note("spawn to first page, ms", client, (ended_s - began_s) * 1000)
    with running(server, folder) as client:
        client.begin()
        time.sleep(REST_S)  # as a model does before its first call
        first_page(client, site, "first page of a rested server, ms", measures)


def first_page(client: Client, site: str, what: str, measures: Measures) -> None:
    """Open a page with a browser that does not run yet, and take its snapshot."""
    began_s = time.perf_counter()
    client.do("navigate", f"{site}/article")
    client.do("snapshot")
    measures.note(what, client, (time.perf_counter() - began_s) * 1000)


def visit(client: Client, site: str, name: str, measures: Measures) -> str:
    """Open a page, take its snapshot, and return it."""
    navigated = client.do("navigate", f"{site}/{name}")
    taken = client.do("snapshot")
    what = PAGES[name].what
    measures.note(f"{what}: navigate + snapshot, ms", client, navigated.ms + taken.ms)
    measures.note(f"{what}: snapshot alone, ms", client, taken.ms)
    measures.note(f"{what}: snapshot, tokens", client, tokens(taken.text))
    for needle in PAGES[name].needles:
        if needle not in taken.text:
            measures.missing[client.server.name].add(f"{needle!r} ({what})")
    if name == "article":
        read = client.do("text")
        measures.note(f"{what}: its whole text, ms", client, read.ms)
        measures.note(f"{what}: its whole text, tokens", client, tokens(read.text))
    return taken.text


def act(client: Client, snapshot: str, measures: Measures) -> None:
    """Click, evaluate a script, and fill in four fields of the form; check the effects."""
    find = client.server.dialect.find
    measures.note("click, ms", client, client.do("click", find(snapshot, "Add")).ms)
    counted = client.do("evaluate", COUNT)
    measures.note("evaluate, ms", client, counted.ms)
    values = {find(snapshot, label): value for label, value in FIELDS.items()}
    measures.note("fill 4 fields, ms", client, client.do("fill", values).ms)
    filled = client.do("evaluate", FILLED).text
    if "1" not in counted.text or not all(value in filled for value in FIELDS.values()):
        raise SystemExit(f"{client.server.name} failed to act: {counted.text} {filled}")


def measure(known: Sequence[Server], rounds: int, folder: Path) -> Measures:
    """Run all rounds; the first round with warm servers does not count."""
    measures, warming = Measures(), Measures()
    with open_site() as site:
        for turn in range(rounds):
            for server in rotated(known, turn):
                cold(server, site, folder, measures)
        with ExitStack() as stack:
            clients = [stack.enter_context(running(server, folder)) for server in known]
            for client in clients:
                client.begin()
            for turn in range(rounds + 1):
                warm(rotated(clients, turn), site, measures if turn else warming)
            for client in clients:
                measures.note("memory after, MiB", client, client.memory_mib())
    return measures


def rotated(of: Sequence[T], turn: int) -> Sequence[T]:
    """Return servers or clients in an order that begins with another one in each round."""
    first = turn % len(of)
    return (*of[first:], *of[:first])


def warm(clients: Sequence[Client], site: str, measures: Measures) -> None:
    for name in PAGES:
        for client in clients:
            snapshot = visit(client, site, name, measures)
            if name == "form":
                act(client, snapshot, measures)


def table(measures: Measures, names: Sequence[str]) -> Iterator[str]:
    """Yield a Markdown table: medians, and in brackets the ratios of ours to theirs by pairs."""
    yield "| | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    for what, by_name in sorted(measures.numbers.items(), key=lambda row: "tokens" in row[0]):
        cells = [f"{median(by_name[names[0]]):,.0f}"]
        for peer in names[1:]:
            pairs = zip(by_name[names[0]], by_name[peer], strict=True)
            ratio = median(ours / theirs for ours, theirs in pairs)
            cells.append(f"{median(by_name[peer]):,.0f} ({ratio:.2f})")
        yield f"| {what} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, the texts missing in snapshots, and the load of the machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="the folder of bench/peers/get_mcp_peers.sh")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    browser = str(find_browser(("chromium", "chrome", "edge")).path)
    peers = options.peers.absolute() if options.peers else None
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "tabwright.yaml"
        config.write_text(CONFIG)
        known = servers(peers, browser, config)
        before = os.getloadavg()[0]
        measures = measure(known, options.rounds, Path(folder))
    for line in table(measures, [server.name for server in known]):
        print(line)
    for name, what in measures.missing.items():
        print(f"missing in snapshots of {name}: {', '.join(sorted(what))}")
    print(f"load of the machine: {before:.1f} before, {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
