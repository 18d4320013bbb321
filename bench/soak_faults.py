"""The faults of a soak: processes of the browser are killed or stopped."""

import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Final

import psutil


def processes() -> list[psutil.Process]:
    """Return all browser processes that this process has started."""
    found: list[psutil.Process] = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "chrom" in child.name() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found


def _send(kind: str, number: signal.Signals, random: Random) -> bool:
    """Send a signal to a process of this kind; return whether there was one."""
    wanted = [process for process in processes() if _kind(process) == kind]
    if not wanted:
        return False
    with suppress(psutil.Error):
        random.choice(wanted).send_signal(number)
    return True


def _kind(process: psutil.Process) -> str:
    """Return the kind of a process, for example ``renderer``; ``browser`` is the main process."""
    with suppress(psutil.Error):
        for argument in process.cmdline():
            if argument.startswith("--type="):
                return argument.removeprefix("--type=")
        return "browser"
    return ""


def _fault(kind: str, number: signal.Signals) -> Callable[[Random], bool]:
    return lambda random: _send(kind, number, random)


FAULTS: Final[Mapping[str, Callable[[Random], bool]]] = {
    "browser killed": _fault("browser", signal.SIGKILL),
    "browser stopped": _fault("browser", signal.SIGSTOP),
    "page killed": _fault("renderer", signal.SIGKILL),
    "page killed as well": _fault("renderer", signal.SIGKILL),
    "page stopped": _fault("renderer", signal.SIGSTOP),
    "helper killed": _fault("utility", signal.SIGKILL),
    "graphics killed": _fault("gpu-process", signal.SIGKILL),
}
"""Faults by name; each returns whether it found a process."""
