"""The machine that browsers run on: whether it has the memory and the CPU for another tab."""

from typing import Protocol

import attrs

from tabwright.config.settings import PoolSettings


class Machine(Protocol):
    """The readings of a machine."""

    def available_bytes(self) -> int:
        """Return the memory that programs can still have without swapping."""
        ...

    def load(self) -> float:
        """Return how many tasks ran or waited for a core in the last minute, for each core."""
        ...


@attrs.frozen
class ThisMachine:
    """The readings of this machine, by psutil."""

    def available_bytes(self) -> int:
        """See `Machine.available_bytes`."""
        import psutil  # noqa: PLC0415  (not before a tab is needed)

        return psutil.virtual_memory().available

    def load(self) -> float:
        """See `Machine.load`."""
        import psutil  # noqa: PLC0415

        return psutil.getloadavg()[0] / (psutil.cpu_count() or 1)


def shortage(machine: Machine, limits: PoolSettings) -> str:
    """Return what a machine is short of, as a clause; empty for nothing."""
    if machine.available_bytes() < limits.free_memory_bytes_min:
        return "the machine is short of memory"
    if limits.load_max is not None and machine.load() > limits.load_max:
        return "the machine is overloaded"
    return ""
