"""Compare the time of a shell command with agent-browser and playwright-cli.

    sh bench/peers/get_shell_peers.sh .shell_peers
    python bench/shell.py --peers .shell_peers/node_modules/.bin

Each tool keeps its browser, the same Chromium, in a process of its own between commands. In each
round, all of them run each command in turn, so that other load affects all of them equally: rely on
the ratios. The first rounds are a warm-up and do not count.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

WARM_UP = 2
COMMAND_S = 60
ROWS = 40

PAGE = (
    "<!doctype html><title>Shop</title><h1>Shop</h1>"
    "<label>Name <input id=name></label>"
    '<button id=count onclick="this.nextElementSibling.textContent = ++window.clicks">Count'
    "</button><p>0</p><script>window.clicks = 0</script><ul>"
    + "".join(f"<li><a href='/item/{n}'>Item {n}</a> {n * 3} EUR</li>" for n in range(ROWS))
    + "</ul>"
).encode()

TABWRIGHT = {
    "open": ("open", "{url}"),
    "look": ("snapshot",),
    "click": ("click", "css=#count"),
    "type": ("type", "css=#name", "{text}"),
    "picture": ("screenshot", "--output", "page.png"),
}
AGENT_BROWSER = {
    "open": ("open", "{url}"),
    "look": ("snapshot",),
    "click": ("click", "#count"),
    "type": ("fill", "#name", "{text}"),
    "picture": ("screenshot", "page.png"),
}
PLAYWRIGHT_CLI = {
    "open": ("goto", "{url}"),
    "look": ("snapshot",),
    "click": ("click", "#count"),
    "type": ("fill", "#name", "{text}"),
    "picture": ("screenshot", "--filename=page.png"),
}


class Shell:
    """A tool with folders of its own."""

    def __init__(
        self,
        name: str,
        program: Sequence[str],
        commands: Mapping[str, Sequence[str]],
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        self.name = name
        self._program = tuple(program)
        self._commands = commands
        self._folder = folder / name
        self._folder.mkdir()
        self._environment = {**os.environ, **environment}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile at each start

    def run(self, *words: str) -> float:
        """Run a command line, and return its time in seconds."""
        began_s = time.perf_counter()
        ended = subprocess.run(
            [*self._program, *words],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
            check=False,
        )
        took_s = time.perf_counter() - began_s
        if ended.returncode:
            raise RuntimeError(f"{self.name} {words}: {ended.stdout}{ended.stderr}")
        return took_s

    def time(self, case: str, values: Mapping[str, str]) -> float:
        """Run the command of a case, and return its time in seconds."""
        return self.run(*(word.format_map(values) for word in self._commands[case]))


class Site(BaseHTTPRequestHandler):
    """Answer every path with the page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


@contextmanager
def open_site() -> Generator[str]:
    """Serve the page, and yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@contextmanager
def open_shells(peers: Path | None, chromium: str, url: str) -> Generator[list[Shell]]:
    """Start the process of each tool; stop them after the block."""
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "XDG_RUNTIME_DIR": folder,
            "XDG_STATE_HOME": folder,
            "TABWRIGHT_NETWORK__ALLOW_PRIVATE": "true",
            "TABWRIGHT_BROWSER__PROFILE": "null",
            "TABWRIGHT_NETWORK__PROXY": "none",
        }
        launcher = str(Path(sys.executable).with_name("tabwright"))
        shells = [Shell("tabwright", [launcher], TABWRIGHT, Path(folder), own)]
        shells[0].run("open", url)
        ends = [(shells[0], ("daemon", "stop"))]
        if peers is not None:
            agent = Shell(
                "agent-browser",
                [str(peers / "agent-browser"), "--session", "bench"],
                AGENT_BROWSER,
                Path(folder),
                {"AGENT_BROWSER_EXECUTABLE_PATH": chromium, "AGENT_BROWSER_ARGS": "--no-sandbox"},
            )
            playwright = Shell(
                "playwright-cli",
                [str(peers / "playwright-cli"), "-s=bench"],
                PLAYWRIGHT_CLI,
                Path(folder),
                {},
            )
            config = Path(folder) / "playwright.json"
            launch = {"executablePath": chromium, "headless": True, "args": ["--no-sandbox"]}
            browser = {"browserName": "chromium", "launchOptions": launch}
            config.write_text(json.dumps({"browser": browser}))
            agent.run("open", url)
            playwright.run(f"--config={config}", "open", url)
            shells += [agent, playwright]
            ends += [(agent, ("close",)), (playwright, ("close",))]
        try:
            yield shells
        finally:
            for shell, command in ends:
                shell.run(*command)


def main() -> None:
    """Print the medians of each case, and of the ratios of each round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="folder with the programs of the other tools")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with open_site() as url, open_shells(options.peers, options.chromium, url) as shells:
        for case in TABWRIGHT:
            took: dict[str, list[float]] = {shell.name: [] for shell in shells}
            for number in range(WARM_UP + options.rounds):
                values = {"url": f"{url}?{number}", "text": f"Name {number}"}
                for shell in shells:
                    took[shell.name].append(shell.time(case, values))
            counted = {name: times[WARM_UP:] for name, times in took.items()}
            line = [f"{case:8}"]
            for name, times in counted.items():
                pairs = zip(counted["tabwright"], times, strict=True)
                ratio = statistics.median(ours / theirs for ours, theirs in pairs)
                line.append(f"{name} {statistics.median(times) * 1000:5.0f} ms ({ratio:.2f})")
            print("   ".join(line), flush=True)


if __name__ == "__main__":
    main()
