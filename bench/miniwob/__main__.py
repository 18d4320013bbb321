"""MiniWoB++ by scripted solvers over MCP; see ../README.md.

Run as ``python bench/miniwob``, with ``--peers FOLDER`` for @playwright/mcp, too.
"""

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import mean
from typing import Final, TextIO

import attrs
import bpe_openai
import episodes
import families
import msgspec
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pages import Page
from playwright_page import PlaywrightPage
from tabwright_page import TabwrightPage

from tabwright.cdp.chromium.finding import find_browser

SEEDS: Final = 5
EPISODE_S: Final = 90
CONFIG: Final = """
network: {allow_private: true}
acting: {scripts: true}
"""


@attrs.frozen
class Result:
    """The result of an episode."""

    server: str
    task: str
    seed: int
    won: bool
    reward: float | None
    tokens: int
    calls: int
    seconds: float
    error: str


@attrs.frozen
class Player:
    """A running server, and the class of its pages."""

    name: str
    session: ClientSession
    make_page: Callable[[ClientSession, Callable[[str], int]], Page]
    count_tokens: Callable[[str], int]
    verbose: bool

    async def _navigate(self, url: str) -> None:
        if self.name == "tabwright":
            await self._call("navigate", url=url, format="outline")
        else:
            await self._call("browser_navigate", url=url)

    async def evaluate(self, script: str) -> str:
        """Return the value of an expression as JSON."""
        if self.name == "tabwright":
            text = await self._call("evaluate", script=script)
            return next(filter(is_json, text.splitlines()), "")  # after fences and earlier events
        text = await self._call("browser_evaluate", function=f"() => {script}")
        return text.partition("### Result\n")[2].partition("\n### ")[0]

    async def _call(self, tool: str, **arguments: object) -> str:
        result = await self.session.call_tool(tool, arguments)
        return "\n".join(part.text for part in result.content if part.type == "text")

    async def play(self, url: str, task: str, seed: int) -> Result:
        """Play an episode."""
        page = self.make_page(self.session, self.count_tokens)
        page.verbose = self.verbose
        began_s = time.perf_counter()
        error, reward = "", None
        try:
            async with asyncio.timeout(EPISODE_S):
                await self._navigate(url)
                order = await episodes.begin(self.evaluate, seed)
                page.utterance, page.fields = order.utterance, order.fields
                await families.SOLVERS[task](page)
        except Exception as failure:  # noqa: BLE001 - an error of a solver loses its episode
            error = f"{type(failure).__name__}: {failure}"[:2000]
        try:
            reward = await episodes.reward(self.evaluate)
        except (msgspec.MsgspecError, IndexError) as failure:
            error = error or f"{type(failure).__name__}: {failure}"
        won = reward is not None and reward > 0
        took_s = round(time.perf_counter() - began_s, 2)
        return Result(self.name, task, seed, won, reward, page.tokens, page.calls, took_s, error)


def is_json(line: str) -> bool:
    """Return whether a line is a value as JSON."""
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


@asynccontextmanager
async def player(  # noqa: PLR0913
    name: str,
    command: Sequence[str],
    folder: Path,
    count_tokens: Callable[[str], int],
    errors: TextIO,
    *,
    verbose: bool,
) -> AsyncGenerator[Player]:
    """Start a server, and stop it at the end."""
    program = StdioServerParameters(command=command[0], args=list(command[1:]), cwd=folder)
    make_page = TabwrightPage if name == "tabwright" else PlaywrightPage
    async with (
        stdio_client(program, errlog=errors) as (reader, writer),
        ClientSession(reader, writer) as session,
    ):
        await session.initialize()
        yield Player(name, session, make_page, count_tokens, verbose)


def commands(peers: Path | None, only: str, config: Path) -> dict[str, Sequence[str]]:
    """Return the commands that start the servers."""
    known: dict[str, Sequence[str]] = {
        "tabwright": (sys.executable, "-m", "tabwright", "serve", "-q", "--config", str(config))
    }
    if peers is not None:
        browser = str(find_browser(("chromium", "chrome", "edge")).path)
        known["playwright"] = (
            "node", str(peers.absolute() / "node_modules/@playwright/mcp/cli.js"),
            "--headless", "--isolated", "--no-sandbox", "--executable-path", browser,
            "--caps", "vision",
        )  # fmt: skip
    return {name: command for name, command in known.items() if only in {"", name}}


async def play_all(  # noqa: PLR0913
    known: dict[str, Sequence[str]],
    wanted: Sequence[tuple[str, int]],
    pages: Path,
    log: Path,
    errors: TextIO,
    *,
    verbose: bool,
) -> None:
    """Play episodes with all servers in turn, and append each result to the log."""
    encoding = bpe_openai.get_encoding("o200k_base")
    with tempfile.TemporaryDirectory() as folder, episodes.site(pages) as address:
        config = Path(folder) / "tabwright.yaml"
        config.write_text(CONFIG)
        async with AsyncExitStack() as stack:
            players = [
                await stack.enter_async_context(
                    player(
                        name,
                        command,
                        Path(folder),
                        lambda text: len(encoding.encode(text)),
                        errors,
                        verbose=verbose,
                    )
                )
                for name, command in known.items()
            ]
            for task, seed in wanted:
                for one in players:
                    result = await one.play(f"{address}/{task}.html", task, seed)
                    with log.open("ab") as file:
                        file.write(msgspec.json.encode(result) + b"\n")
                    if not result.won:
                        print(f"{one.name} {task} {seed}: {result.reward} {result.error[:300]}")


def read(log: Path) -> dict[tuple[str, str, int], Result]:
    """Return the latest result of each episode."""
    lines = log.read_bytes().splitlines() if log.exists() else []
    results = [msgspec.json.decode(line, type=Result) for line in lines]
    return {(one.server, one.task, one.seed): one for one in results}


def report(results: Sequence[Result], tasks: int) -> None:
    """Print the score of each server, and the cost of episodes that all servers have won."""
    by_server: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        by_server[one.server][one.task].append(one)
    wins = [{(one.task, one.seed) for one in results if one.won and one.server == name}
            for name in by_server]  # fmt: skip
    common = set.intersection(*wins) if wins else set[tuple[str, int]]()
    print("| server | won on all seeds | on some | episodes won | tokens | calls | tokens, common |"
          " calls, common |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for name, played in by_server.items():
        each = sum(all(one.won for one in runs) for runs in played.values())
        some = sum(any(one.won for one in runs) for runs in played.values())
        won = [one for runs in played.values() for one in runs if one.won]
        both = [one for one in won if (one.task, one.seed) in common]
        costs = [f"{mean(values):,.1f}" if values else "-" for values in (
            [one.tokens for one in won], [one.calls for one in won],
            [one.tokens for one in both], [one.calls for one in both])]  # fmt: skip
        print(f"| {name} | {each} of {tasks} | {some} | {len(won)} | {' | '.join(costs)} |")
        lost = {task: sum(one.won for one in runs) for task, runs in played.items()}
        lost = {task: won for task, won in lost.items() if won < len(played[task])}
        print(f"<!-- {name}, not always won: {json.dumps(lost)} -->")


def main() -> None:
    """Play the chosen episodes, and print the table of all results in the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="the folder of bench/peers/get_mcp_peers.sh")
    parser.add_argument("--only", default="", help="tabwright or playwright")
    parser.add_argument("--tasks", default="", help="names, separated by commas")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--only-failed", action="store_true", help="only episodes that are not won in the log"
    )
    parser.add_argument("--new", action="store_true", help="only episodes that are not in the log")
    parser.add_argument("--verbose", action="store_true", help="print all calls and answers")
    parser.add_argument("--report", action="store_true", help="only print the table")
    folder = Path(tempfile.gettempdir())
    parser.add_argument("--log", type=Path, default=folder / "tabwright-miniwob.jsonl")
    parser.add_argument("--cache", type=Path, default=folder / "tabwright-miniwob")
    parser.add_argument("--wheel", type=Path, help="of miniwob 1.1.0; by default it is downloaded")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    pages = episodes.get_pages(options.cache, options.wheel)
    tasks = options.tasks.split(",") if options.tasks else episodes.all_tasks(pages)
    wanted = [(task, seed) for seed in range(1, options.seeds + 1) for task in tasks]
    config = Path("tabwright.yaml")
    known = commands(options.peers, options.only, config)
    before = read(options.log)
    if options.only_failed or options.new:
        wanted = [
            (task, seed)
            for task, seed in wanted
            if any(
                one is None or (options.only_failed and not one.won)
                for one in (before.get((name, task, seed)) for name in known)
            )
        ]
    if not options.report:
        with Path(os.devnull).open("w") as errors:
            asyncio.run(
                play_all(known, wanted, pages, options.log, errors, verbose=options.verbose)
            )
    chosen = [
        one
        for one in read(options.log).values()
        if one.task in tasks and one.server in known and one.seed <= options.seeds
    ]
    report(chosen, len(tasks))


if __name__ == "__main__":
    main()
