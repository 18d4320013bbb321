"""Many simulated worlds, one per seed, on all processors.

``python -m tests.support.seed_search --seed 0 --worlds 1000`` runs these worlds, and reports
those that violate an invariant of `tests.support.world`. The exit code is 0 only if none did.
"""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

import attrs

from tests.support.world import check_invariants, run_world

AT_ONCE = 8
"""Worlds that a process is given at a time."""


@attrs.frozen
class SeedResult:
    """The result of a world.

    Attributes:
        calls: the number of calls.
        breaches: the violated invariants; empty for none.
    """

    seed: int
    calls: int
    breaches: tuple[str, ...]

    def __str__(self) -> str:
        return f"seed {self.seed}: {' '.join(self.breaches)}"


def judged(seed: int) -> SeedResult:
    """Run a world; an error counts as a violation, too."""
    try:
        history = run_world(seed)
    except Exception:  # noqa: BLE001  (the batch goes on)
        return SeedResult(seed, 0, (traceback.format_exc(),))
    return SeedResult(
        seed, len(history.outcomes) + len(history.afterwards), check_invariants(history)
    )


def verdicts(seeds: Sequence[int], processes: int) -> Iterator[SeedResult]:
    """The worlds of these seeds, in their order."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(judged, seeds, chunksize=AT_ONCE)


def main() -> int:
    """Run the batch of the command line; 1 if one of its worlds is bad, and 0 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.seed_search")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--worlds", type=int, default=500, help="how many")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    began_s = time.perf_counter()
    calls = bad = 0
    for verdict in verdicts(range(options.seed, options.seed + options.worlds), options.processes):
        calls += verdict.calls
        if verdict.breaches:
            bad += 1
            sys.stdout.write(f"{verdict}\n")
    minutes = (time.perf_counter() - began_s) / 60
    sys.stdout.write(
        f"{options.worlds} worlds, {calls} calls, {bad} bad; "
        f"{options.worlds / minutes:,.0f} worlds a minute\n"
    )
    if bad:
        sys.stdout.write("Replay one: python -m tests.support.world SEED\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
