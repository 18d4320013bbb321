"""The SystemInfo domain: the processes of the browser."""

from tabwright.cdp.wire import CDPCommand, Shape


class ProcessInfo(Shape, frozen=True):
    """A process of the browser; `type` is ``browser``, ``renderer``, ``GPU`` …, `id` its pid."""

    type: str
    id: int


class Processes(Shape, frozen=True):
    """All processes of the browser."""

    process_info: tuple[ProcessInfo, ...]


def get_process_info() -> CDPCommand[Processes]:
    """SystemInfo.getProcessInfo; available only in the browser's own session."""
    return CDPCommand("SystemInfo.getProcessInfo", {}, Processes)
