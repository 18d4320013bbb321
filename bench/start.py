"""Compare how soon tabwright and a peer answer ``initialize`` and ``tools/list``.

``python bench/start.py --peer "npx @playwright/mcp --headless"``

The two are started in turn, so that other load affects both equally: rely on the ratio.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import time

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def start(command: list[str]) -> tuple[float, float]:
    """Return the seconds from the spawn to each of the two answers."""
    began_s = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("no pipes")
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        greeted_s = time.perf_counter() - began_s
        for message in (INITIALIZED, LIST):
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        listed_s = time.perf_counter() - began_s
        server.stdin.close()
    return greeted_s, listed_s


def main() -> None:
    """Print medians in ms, and the median of the ratios pair by pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="the other server's command line")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    ours = [sys.executable, "-m", "tabwright", "serve"]
    peer = shlex.split(options.peer)
    pairs = [(start(ours), start(peer)) for _ in range(options.rounds + 1)][1:]
    for index, what in enumerate(("initialize", "tools/list")):
        mine = statistics.median(own[index] for own, _ in pairs) * 1000
        theirs = statistics.median(other[index] for _, other in pairs) * 1000
        ratio = statistics.median(own[index] / other[index] for own, other in pairs)
        print(f"{what:12} tabwright {mine:6.0f} ms   peer {theirs:6.0f} ms   ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
