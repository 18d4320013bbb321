"""Move sessions between servers, each in a network namespace, while their parts are killed.

Clients open named sessions over MCP and do small steps in them, at one server or another. Servers
are killed by SIGKILL, ended by SIGTERM and started again, stopped for a while, and cut off from the
network; their browsers and Redis are killed. The site logs the server, the cookie and the storage
of each request. The append-only file of Redis shows which server owned each session at that time.

Needs root, ``ip`` and ``redis-server``.
"""

import argparse
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import attrs
import httpx2
import msgspec
import trio
from fleet_history import Grant, History, read_history
from fleet_parts import (
    HOST,
    REDIS_PORT,
    SITE_PORT,
    TABWRIGHT,
    Chaos,
    Fault,
    Harm,
    PageRequest,
    PageResponse,
    Program,
    kept_in,
    network,
    redis_words,
    run_and_print,
    start_site,
)

from tabwright.sessions.moving import SAVE_S

SERVER_PORT = 8000
TOKEN = "the-token-of-the-clients-of-the-chaos"  # noqa: S105
CALL_S = 30.0
PAUSE_S = 0.7
"""How long a client waits between two calls."""

START_S = 120.0
MOVES_WITHIN_S = 2.0

CONFIG = """network: {allow_private: true, proxy: none, robots: false}
browser: {profile: null, extra_args: [--no-sandbox]}
log: {dir: null}
engines: {policy: POLICY, counts: null}
server: {drain_s: 5}
fleet: {redis: REDIS}
"""

PAGE = """<!doctype html><html lang=en><title>Step STEP</title><h1>Step STEP</h1>
<p>This is step STEP of session SESSION, and it is a page with one button.</p>
<button onclick="tell('click', Number(localStorage.step || 0))">Buy</button><script>
const tell = (what, step) =>
  fetch(`/${what}?session=SESSION&step=${step}&was=${localStorage.step || ''}`);
tell('seen', STEP); localStorage.step = 'STEP';
</script>"""


# What is recorded.


@attrs.frozen
class Visit:
    """A request that the site has received.

    Attributes:
        server: the server that sent it.
        step: the number that its page has.
        cookie: the step in the cookie, or None without a cookie.
        storage: the step in the storage of the page; None if the request does not have it.
    """

    time_s: float
    server: str
    session: str
    kind: str
    step: int
    cookie: int | None
    storage: int | None


@attrs.define(eq=False)
class StepSite:
    """The site: each page sets a cookie, and its script sets a value in the storage."""

    servers: dict[str, str]
    visits: list[Visit] = attrs.field(factory=list[Visit])

    async def answer(self, request: PageRequest) -> PageResponse:
        """Return a page."""
        await trio.lowlevel.checkpoint()
        url = urlsplit(request.target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        kind = url.path.removeprefix("/")
        if kind not in {"step", "seen", "click"}:
            return PageResponse(b"", 404)
        cookie = request.headers.get("cookie", "").removeprefix("step=")
        visit = Visit(
            time.time(),
            self.servers[request.client],
            query["session"],
            kind,
            int(query["step"]),
            int(cookie) if cookie else None,
            int(query["was"]) if "was" in query else None if kind == "step" else -1,
        )
        self.visits.append(visit)
        if kind != "step":
            return PageResponse(b"")
        page = PAGE.replace("STEP", str(visit.step)).replace("SESSION", visit.session)
        return PageResponse(page.encode(), 200, (f"Set-Cookie: step={visit.step}; Max-Age=86400",))


@attrs.frozen
class Call:
    """A call of a client.

    Attributes:
        step: the step of the page that it opens; 0 for a click.
        outcome: "done", the kind of its error, or "lost" without an answer.
    """

    session: str
    server: str
    step: int
    from_s: float
    to_s: float
    outcome: str


# The clients.


class CallError(msgspec.Struct):
    """The error of a result."""

    kind: str


class CallMeta(msgspec.Struct, rename={"error": "tabwright/error"}):
    """The metadata of a result."""

    error: CallError | None = None


class CallResult(msgspec.Struct, rename={"is_error": "isError", "meta": "_meta"}):
    """The result of a call."""

    is_error: bool = False
    meta: CallMeta | None = None


class CallAnswer(msgspec.Struct):
    """The response to a call."""

    result: CallResult | None = None


HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "chaos", "version": "1"},
}


@attrs.define(eq=False)
class Client:
    """A client that does one step after another in a session of its own."""

    session: str
    has_browser: bool
    servers: dict[str, str]
    random: random.Random
    calls: list[Call]
    _mcp: dict[str, str] = attrs.field(factory=dict[str, str], init=False)

    async def live(self, until: trio.Event) -> None:
        """Call tools until the event is set."""
        step, server = 0, self.random.choice(list(self.servers))
        async with httpx2.AsyncClient(timeout=CALL_S, trust_env=False) as http:
            while not until.is_set():
                clicks = self.has_browser and step > 0 and self.random.random() < 0.4
                step += not clicks
                from_s = time.time()
                outcome = await self._call(http, server, 0 if clicks else step)
                call = Call(
                    self.session, server, 0 if clicks else step, from_s, time.time(), outcome
                )
                self.calls.append(call)
                if outcome != "done" or self.random.random() < 0.3:
                    server = self.random.choice(list(self.servers))
                await trio.sleep(self.random.expovariate(1 / PAUSE_S))

    async def _call(self, http: httpx2.AsyncClient, server: str, step: int) -> str:
        base = f"http://{self.servers[server]}:{SERVER_PORT}/mcp"
        try:
            if server not in self._mcp:
                response = await self._post(http, base, server, "initialize", HELLO)
                self._mcp[server] = response.headers["mcp-session-id"]
            params = {"name": "navigate", "arguments": self._arguments(step)}
            if not step:
                name = {"ref": 'role=button[name="Buy"]', "session": self.session}
                params = {"name": "click", "arguments": name}
            response = await self._post(http, base, server, "tools/call", params)
        except (httpx2.HTTPError, KeyError) as error:
            self._mcp.pop(server, None)
            return "lost" if isinstance(error, httpx2.TransportError) else "refused"
        lines = response.text.splitlines()
        line = next((line for line in lines if line.startswith('data: {"')), "data: {}")
        answer = msgspec.json.decode(line.removeprefix("data: "), type=CallAnswer)
        if answer.result is None:
            return "lost" if not lines else f"protocol: {response.text[:200]}"
        if not answer.result.is_error:
            return "done"
        error = answer.result.meta and answer.result.meta.error
        return (error and error.kind) or f"unknown: {response.text[:300]}"

    def _arguments(self, step: int) -> dict[str, object]:
        url = f"http://{HOST}:{SITE_PORT}/step?session={self.session}&step={step}"
        way = {"format": "outline"} if self.has_browser else {"max_tier": 1}
        return {"url": url, "session": self.session, **way}

    async def _post(
        self, http: httpx2.AsyncClient, url: str, server: str, method: str, params: object
    ) -> httpx2.Response:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {TOKEN}",
        }
        if server in self._mcp:
            headers["Mcp-Session-Id"] = self._mcp[server]
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return (await http.post(url, json=body, headers=headers)).raise_for_status()


# The faults.


@attrs.define(eq=False, kw_only=True)
class SessionChaos(Chaos):
    """The faults, and in addition servers that are stopped by SIGTERM.

    Attributes:
        kinds: the names of the faults; empty for all.
    """

    calls: list[Call]
    kinds: tuple[str, ...]

    def faults(self) -> list[tuple[int, Fault]]:
        """Return the faults, each with its weight."""
        faults = [*super().faults(), (4, self.drain_worker)]
        return [one for one in faults if not self.kinds or one[1].__name__ in self.kinds]

    def chosen(self) -> list[Program]:
        """Return a server that is in use, if another one is in use too."""
        used = [
            one
            for one in self.workers
            if any(
                (call.server, call.outcome) == (one.name, "done") and call.from_s > one.started_s
                for call in self.calls
            )
        ]
        return [self.random.choice(used)] if len(used) > 1 else []

    async def drain_worker(self) -> str:
        """Stop a server by SIGTERM; it is then started again."""
        for worker in self.chosen():
            process = worker.process
            if self.killed(worker, signal.SIGTERM) and process is not None:
                await process.wait()
                return worker.name
        return ""


# The verdict.


@attrs.frozen
class Move:
    """A session that has moved to another server.

    Attributes:
        kind: "killed" for a lease that has ended by itself, otherwise "drained" or "handed over".
        wait_s: the time until it moved, since nothing was in its way and somebody asked for it.
        is_clean: whether nothing else was wrong meanwhile.
        since_death_s: the time until it moved, since its server was dead and somebody asked for
            it; None if it was not killed.
    """

    session: str
    kind: str
    at_s: float
    wait_s: float
    is_clean: bool
    since_death_s: float | None = None


@attrs.define(eq=False)
class Trial:
    """The recorded data that the verdict is based on."""

    history: History
    visits: list[Visit]
    calls: list[Call]
    harms: list[Harm]

    def moves(self) -> list[Move]:
        """Return the moves, in the order of the sessions."""
        return [
            move
            for grants in self.history.grants.values()
            for before, after in pairwise(grants)
            if before.owner != after.owner and (move := self._move(before, after))
        ]

    def _move(self, before: Grant, after: Grant) -> Move | None:
        asked_s = after.from_s
        for one in reversed(before.requests_s):
            if asked_s - one > MOVES_WITHIN_S:  # a different server, which has given up
                break
            asked_s = one
        if not before.is_released:
            return self._moved("killed", before, after, max(before.until_s, asked_s))
        drains = [
            harm.from_s
            for harm in self.harms
            if harm.kind == "drain_worker"
            and harm.target == before.owner
            and harm.from_s <= after.from_s <= harm.to_s + 1
        ]
        if drains:
            return self._moved("drained", before, after, max(drains[-1], asked_s))
        ended_s = [
            one.to_s
            for one in self.calls
            if (one.session, one.server) == (before.session, before.owner)
            and one.from_s < after.from_s
        ]
        free_s = min(max(ended_s, default=0), after.from_s)
        return self._moved("handed over", before, after, max(asked_s, free_s))

    def _moved(self, kind: str, before: Grant, after: Grant, since_s: float) -> Move:
        others = [one for one in self.harms if one.kind not in {"drain_worker", "kill_worker"}]
        is_clean = not any(
            one.to_s + 4 > since_s and one.from_s < after.from_s  # Redis needs time to come back
            for one in others
            if one.target in {before.owner, after.owner, "redis"}
        )
        deaths_s = [
            one.from_s
            for one in self.harms
            if (one.kind, one.target) == ("kill_worker", before.owner)
            and before.from_s < one.from_s < after.from_s
        ]
        since_death_s = None
        if kind == "killed" and deaths_s:
            asked_s = [one for one in before.requests_s if one >= deaths_s[-1]]
            since_death_s = after.from_s - min(asked_s, default=after.from_s)
        wait_s = after.from_s - since_s
        return Move(before.session, kind, after.from_s, wait_s, is_clean, since_death_s)

    def by_others(self) -> list[str]:
        """Return the requests of servers that no longer owned the session."""
        found = list[str]()
        for visit in self.visits:
            owner = self.history.owner_at(visit.session, visit.time_s)
            if owner is None or owner.owner != visit.server:
                found.append(
                    f"{visit.kind} {visit.step} of {visit.session} at {visit.time_s:.3f} by"
                    f" {visit.server}, but {owner and owner.owner} has it"
                    f" since {owner.from_s if owner else 0:.3f}; {self._around(visit)}"
                )
        return found

    def _around(self, visit: Visit) -> str:
        near = [
            f"{one.kind} {one.from_s - visit.time_s:+.1f} to {one.to_s - visit.time_s:+.1f} s"
            for one in self.harms
            if one.target == visit.server
            and one.from_s < visit.time_s
            and one.to_s > visit.time_s - 30
        ]
        return ", ".join(near)

    def losses(self) -> tuple[list[str], float]:
        """Return the steps lost by moves, and the maximum age of a lost step.

        The age is the time from the step to the last renewal of the owner that lost it.
        """
        steps = defaultdict[str, list[Call]](list)
        for call in self.calls:
            if call.outcome == "done" and call.step:
                steps[call.session].append(call)
        lost, longest_s = list[str](), 0.0
        for visit in self.visits:
            for name, value in (("cookie", visit.cookie), ("storage", visit.storage)):
                if (name, visit.kind) in {("cookie", "click"), ("cookie", "seen")}:
                    continue
                if name == "storage" and visit.storage is None:
                    continue
                missing = [
                    one
                    for one in steps[visit.session]
                    if (value or 0) < one.step < visit.step and one.to_s < visit.time_s
                ]
                if not missing:
                    continue
                age_s = self._age(visit, missing[0])
                longest_s = max(longest_s, age_s or 0.0)
                if age_s is None or age_s > SAVE_S + 1:
                    lost.append(
                        f"{visit.session}: {visit.kind} {visit.step} at {visit.server} has {name}"
                        f" {value}, but {len(missing)} steps from {missing[0].step} at"
                        f" {missing[0].server} were done; {age_s} s"
                    )
        return lost, longest_s

    def _age(self, visit: Visit, call: Call) -> float | None:
        """Return how long a lost step was done before the last renewal of its lost owner."""
        ended = [
            one
            for one in self.history.grants.get(visit.session, ())
            if one.owner == call.server and one.from_s <= call.to_s and one.from_s < visit.time_s
        ]
        if not ended or ended[-1].is_released:
            return None
        return ended[-1].renewed_s - call.to_s


def spread(values: list[float]) -> dict[str, float]:
    """Return the median and the maximum, in seconds."""
    ordered = sorted(values)
    if not ordered:
        return {"moves": 0}
    middle, high = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    numbers = {"median": middle, "p95": high, "max": ordered[-1]}
    return {"moves": len(ordered), **{key: round(one, 2) for key, one in numbers.items()}}


def verdict(trial: Trial) -> dict[str, object]:
    """Return the mistakes, and the durations of moves."""
    moves, (lost, longest_s) = trial.moves(), trial.losses()
    by_kind = {kind: [one for one in moves if one.kind == kind] for kind in KINDS}
    others = trial.by_others()
    outcomes = Counter(one.outcome for one in trial.calls)
    return {
        "calls": len(trial.calls),
        "outcomes": dict(outcomes),
        "grants": sum(len(one) for one in trial.history.grants.values()),
        "mistakes in the directory": trial.history.mistakes,
        "requests to the site": len(trial.visits),
        "by a server that was not the owner": len(others),
        "the first of them": others[:10],
        "moves": {kind: spread([one.wait_s for one in each]) for kind, each in by_kind.items()},
        "clean moves": {
            kind: spread([one.wait_s for one in each if one.is_clean])
            for kind, each in by_kind.items()
        },
        "from a request after the kill of a server to the move": spread(
            [one.since_death_s for one in moves if one.is_clean and one.since_death_s is not None]
        ),
        "clean and late": [
            f"{one.session} {one.kind} at {one.at_s:.1f}: {one.wait_s:.2f} s"
            for one in moves
            if one.is_clean and one.wait_s > MOVES_WITHIN_S
        ][:10],
        "lost steps": len(lost),
        "the first lost": lost[:10],
        "longest unsaved before the last renewal, s": round(longest_s, 2),
    }


KINDS = ("killed", "drained", "handed over")


async def run_chaos(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Run it, and return the verdict."""
    source = random.Random(options.seed)  # noqa: S311
    policy, config, tokens = (folder / name for name in ("engines.yaml", "config.yaml", "tokens"))
    policy.write_text("web: {min_interval_s: 0, concurrency: 64}\n")
    tokens.write_text(f"chaos {TOKEN}\n")
    redis_url = f"redis://{HOST}:{REDIS_PORT}"
    config.write_text(CONFIG.replace("POLICY", str(policy)).replace("REDIS", redis_url))
    over, calls = trio.Event(), list[Call]()
    async with network(0, options.servers) as (_, spaces):
        addresses = {space.name: space.address for space in spaces}
        site = StepSite({address: name for name, address in addresses.items()})
        program = kept_in(folder)
        redis = program("redis", *redis_words(folder))
        servers = [
            program(
                space.name,
                *("ip", "netns", "exec", space.name, *TABWRIGHT, "serve", "--config", config),
                *("--http", f"{space.address}:{SERVER_PORT}", "--token-file", tokens),
                *("--set", f"fleet.worker={space.name}"),
            )
            for space in spaces
        ]
        clients = [
            Client(
                f"s{number}",
                number < options.browsers,
                addresses,
                random.Random(source.random()),  # noqa: S311
                calls,
            )
            for number in range(options.clients)
        ]
        chaos = SessionChaos(
            source, servers, spaces, redis, calls=calls, kinds=tuple(options.faults)
        )
        async with trio.open_nursery() as nursery:
            await start_site(nursery, site.answer)
            pause = partial(source.uniform, 0.2, 3.0)
            nursery.start_soon(partial(redis.keep, pause, until=over))
            codes = (-signal.SIGKILL, 128 + signal.SIGTERM)
            for one in servers:
                nursery.start_soon(partial(one.keep, pause, until=over, codes=codes))
            for address in addresses.values():
                await wait_for(address)
            async with trio.open_nursery() as life:
                for client in clients:
                    life.start_soon(client.live, over)
                with trio.move_on_after(options.seconds):
                    async with trio.open_nursery() as trouble:
                        trouble.start_soon(chaos.rage, options.mean)
                        trouble.start_soon(say, calls, chaos)
                over.set()
            for one in (*servers, redis):
                one.send(signal.SIGCONT)
            for one in servers:
                one.send(signal.SIGTERM)
            with trio.move_on_after(START_S):  # a server that is starting does not stop earlier
                while any(one.send(0) for one in servers):
                    await trio.sleep(0.1)
            ended = [one.name for one in servers if one.send(signal.SIGKILL)]
            redis.send(signal.SIGTERM)
            nursery.cancel_scope.cancel()
    trial = Trial(read_history(folder), site.visits, calls, chaos.history)
    return {
        "seed": options.seed,
        "faults": dict(chaos.done),
        "starts": {one.name: one.starts for one in (*servers, redis)},
        "servers that did not end": ended,
        **verdict(trial),
    }


async def wait_for(address: str) -> None:
    """Wait until a server listens."""
    with trio.fail_after(START_S):
        while True:
            try:
                stream = await trio.open_tcp_stream(address, SERVER_PORT)
            except OSError:
                await trio.sleep(0.5)
            else:
                await stream.aclose()
                return


async def say(calls: list[Call], chaos: Chaos) -> None:
    """Print the progress until cancelled."""
    while True:
        await trio.sleep(10)
        done = sum(one.outcome == "done" for one in calls)
        print(f"{done} of {len(calls)} calls; {dict(chaos.done)}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the chaos and print the verdict as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--browsers", type=int, default=4, help="clients that need a browser")
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--mean", type=float, default=5.0, help="seconds between faults")
    parser.add_argument("--faults", nargs="*", default=[], help="their names; all by default")
    parser.add_argument("--keep", help="a folder for logs")
    run_and_print(run_chaos, parser.parse_args())


if __name__ == "__main__":
    main()
