"""The servers of bench/mcp.py: the command and the tool names of each."""

import json
import re
import select
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias

import attrs
import msgspec

JSON: TypeAlias = dict[str, object]
Step: TypeAlias = Literal["navigate", "snapshot", "text", "click", "evaluate", "fill"]

PATIENCE_S: Final = 60
LEAVE_S: Final = 10

INITIALIZE: Final[JSON] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class _Text(msgspec.Struct):
    type: str
    text: str = ""


class _Result(msgspec.Struct):
    content: list[_Text] = []
    is_error: bool = msgspec.field(name="isError", default=False)


@attrs.frozen
class Answer:
    """The result of a call.

    Attributes:
        ms: from the first byte of the call to the last of the answer.
        text: the part that a model reads.
    """

    ms: float
    text: str


@attrs.frozen
class Dialect:
    """The tools of a server and their arguments.

    Attributes:
        tools: the tool of each step.
        always: arguments of every call.
        reads: arguments of the calls that return a whole snapshot.
        text: arguments of the call that returns the whole text, if a snapshot does not have it.
        ref: pattern that finds the ref of a control in a snapshot; ``{}`` is the control's name.
    """

    tools: Mapping[Step, str]
    ref: str
    always: JSON = attrs.field(factory=dict[str, object])
    reads: JSON = attrs.field(factory=dict[str, object])
    text: JSON = attrs.field(factory=dict[str, object])

    def find(self, snapshot: str, name: str) -> str:
        """Return the ref of a control."""
        found = re.search(self.ref.format(re.escape(name)), snapshot)
        if found is None:
            raise SystemExit(f"There is no {name!r} in the snapshot:\n{snapshot[:2000]}")
        return found[1]


OURS: Final = Dialect(
    tools={
        "navigate": "navigate",
        "snapshot": "snapshot",
        "text": "snapshot",
        "click": "click",
        "evaluate": "evaluate",
        "fill": "fill_form",
    },
    ref=r'\[\*?(\d+\.\d+)\] \w+ "{}"',
    reads={"format": "outline", "max_tokens": 100_000},
    text={"format": "markdown", "max_tokens": 100_000},
)
PLAYWRIGHT: Final = Dialect(
    tools={
        "navigate": "browser_navigate",
        "snapshot": "browser_snapshot",
        "text": "browser_snapshot",
        "click": "browser_click",
        "evaluate": "browser_evaluate",
        "fill": "browser_fill_form",
    },
    ref=r'\w+ "{}"[^\n]* \[ref=(\w+)\]',
)
DEVTOOLS: Final = Dialect(
    tools={
        "navigate": "navigate_page",
        "snapshot": "take_snapshot",
        "text": "take_snapshot",
        "click": "click",
        "evaluate": "evaluate_script",
        "fill": "fill_form",
    },
    ref=r'uid=(\w+) \w+ "{}"',
    always={"pageId": 1},
)


@attrs.frozen
class Server:
    """A server that can be started."""

    name: str
    command: Sequence[str]
    dialect: Dialect

    def arguments(self, step: Step, given: object) -> JSON:
        """Return the arguments of a step, from its object."""
        spoken: JSON
        match step, given:
            case "navigate", str(url):
                spoken = {"url": url, **self.dialect.reads}
                if self.dialect is DEVTOOLS:
                    spoken["type"] = "url"
            case "snapshot", _:
                spoken = dict(self.dialect.reads)
            case "text", _:
                spoken = dict(self.dialect.text)
            case "click", str(ref):
                spoken = {_word(self.dialect, "ref", "target", "uid"): ref}
            case "evaluate", str(script):
                spoken = self._script(script)
            case _, values:
                spoken = self._fields(msgspec.convert(values, dict[str, str]))
        return {**self.dialect.always, **spoken}

    def _script(self, script: str) -> JSON:
        return {"script": script} if self.dialect is OURS else {"function": f"() => {script}"}

    def _fields(self, values: Mapping[str, str]) -> JSON:
        if self.dialect is OURS:
            return {"fields": dict(values)}
        if self.dialect is DEVTOOLS:
            return {"elements": [{"uid": ref, "value": text} for ref, text in values.items()]}
        fields = [
            {"target": ref, "name": ref, "type": "textbox", "value": text}
            for ref, text in values.items()
        ]
        return {"fields": fields}


def _word(dialect: Dialect, ours: str, playwright: str, devtools: str) -> str:
    return {id(OURS): ours, id(PLAYWRIGHT): playwright}.get(id(dialect), devtools)


def servers(peers: Path | None, browser: str, config: Path) -> tuple[Server, ...]:
    """Return our server, and those installed in the npm folder `peers`."""
    ours = Server(
        "tabwright",
        (sys.executable, "-m", "tabwright", "serve", "-q", "--config", str(config)),
        OURS,
    )
    if peers is None:
        return (ours,)
    playwright = (
        "node", str(peers / "node_modules/@playwright/mcp/cli.js"),
        "--headless", "--isolated", "--no-sandbox", "--executable-path", browser,
    )  # fmt: skip
    devtools = (
        "node", str(peers / "node_modules/.bin/chrome-devtools-mcp"), "--headless", "--isolated",
        "--no-usage-statistics", "--chromeArg=--no-sandbox", "--executablePath", browser,
    )  # fmt: skip
    return (
        ours,
        Server("playwright", playwright, PLAYWRIGHT),
        Server("playwright, settle 0", (*playwright, "--timeout-settle", "0"), PLAYWRIGHT),
        Server("devtools", devtools, DEVTOOLS),
    )


@attrs.define(eq=False)
class Client:
    """A running server, and the client's side of its pipes."""

    server: Server
    process: subprocess.Popen[bytes]
    _last: int = 0

    def ask(self, method: str, params: JSON) -> tuple[float, JSON]:
        """Send a request; return the ms that it took, and its result."""
        self._last += 1
        request: JSON = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        began_s = time.perf_counter()
        self._send(request)
        while True:
            line = self._line()
            took_ms = (time.perf_counter() - began_s) * 1000
            message = msgspec.json.decode(line, type=dict[str, object])
            if message.get("id") == self._last and "method" not in message:
                if "result" not in message:
                    raise SystemExit(f"{self.server.name}: {message['error']}")
                return took_ms, msgspec.convert(message["result"], dict[str, object])

    def do(self, step: Step, given: object = None) -> Answer:
        """Do a step of the script, which must succeed."""
        dialect = self.server.dialect
        call: JSON = {"name": dialect.tools[step], "arguments": self.server.arguments(step, given)}
        took_ms, answer = self.ask("tools/call", call)
        result = msgspec.convert(answer, _Result)
        text = "\n".join(part.text for part in result.content)
        if result.is_error:
            raise SystemExit(f"{self.server.name} failed at {step}: {text}")
        return Answer(took_ms, text)

    def begin(self) -> float:
        """Initialize the connection; return the ms that the answer took."""
        took_ms, _ = self.ask("initialize", INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took_ms

    def memory_mib(self) -> float:
        """Return the resident memory of the server and its helpers, without the browser."""
        return sum(map(_resident_mib, _family(self.process.pid)))

    def _send(self, message: JSON) -> None:
        if self.process.stdin is None:
            raise RuntimeError("no pipe")
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _line(self) -> bytes:
        if self.process.stdout is None:
            raise RuntimeError("no pipe")
        if not select.select([self.process.stdout], [], [], PATIENCE_S)[0]:
            raise SystemExit(f"{self.server.name} hangs.")
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.server.name} has ended.")
        return line


@contextmanager
def running(server: Server, folder: Path) -> Generator[Client]:
    """Spawn a server in a folder; close its standard input at the end."""
    process = subprocess.Popen(
        server.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    with process:
        try:
            yield Client(server, process)
        finally:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(LEAVE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _family(pid: int) -> Generator[int]:
    """Yield a process and its descendants, without browsers and their descendants."""
    if "chrom" in Path(f"/proc/{pid}/exe").readlink().name:
        return
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _family(int(child))


def _resident_mib(pid: int) -> float:
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096 / 2**20
