"""What goes wrong in a soak: processes of the browser that are killed or stopped."""

import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Final

import psutil


def processes() -> list[psutil.Process]:
    """Every process of browsers that this one has started."""
    found: list[psutil.Process] = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "chrom" in child.name() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found


def _send(kind: str, number: signal.Signals, random: Random) -> bool:
    """Sends a signal to a process of that kind, if there is one."""
    wanted = [process for process in processes() if _kind(process) == kind]
    if not wanted:
        return False
    with suppress(psutil.Error):
        random.choice(wanted).send_signal(number)
    return True


def _kind(process: psutil.Process) -> str:
    """As ``renderer``; ``browser`` for the one that has started the others."""
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
"""By name; each says whether it found something to harm."""
