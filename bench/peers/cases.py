"""The cases that every client runs, and their measurement. Imports only the standard library.

A client reads the names of cases from standard input, line by line, and answers each with one line
of JSON: the cost of one operation. It exits at the end of its input.
"""

import json
import time
from typing import Final

EXPRESSION: Final = "1+1"
LARGE: Final = "'x'.repeat(5e6)"
LARGE_BYTES: Final = 5_000_000
EVENTS: Final = 10_000
FLOOD: Final = f"for (let i = 0; i < {EVENTS}; i++) console.log('event', i)"
AT_ONCE: Final = 64
"""Commands that are in flight together."""

OPERATIONS: Final = {"sequential": 500, "in_flight": 25 * AT_ONCE, "large": 3, "flood": EVENTS}
"""Number of commands or events in one measurement."""


class Stopwatch:
    """Wall and CPU time since its creation; `driver_s` is the CPU time of a helper process."""

    def __init__(self, driver_s: float = 0) -> None:
        self._cpu_s = time.process_time() + driver_s
        self._wall_s = time.perf_counter()

    def report(self, case: str, driver_s: float = 0) -> None:
        """Print the cost of one operation."""
        wall_s = time.perf_counter() - self._wall_s
        cpu_s = time.process_time() + driver_s - self._cpu_s
        count = OPERATIONS[case]
        cost = {"wall_us": wall_s / count * 1e6, "cpu_us": cpu_s / count * 1e6}
        print(json.dumps(cost), flush=True)
