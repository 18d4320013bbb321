"""The SystemInfo domain: what the browser runs on, and as."""

from tabwright.cdp.wire import CDPCommand, Shape


class ProcessInfo(Shape, frozen=True):
    """A process of the browser's; `type` is ``browser``, ``renderer``, ``GPU`` …, `id` its pid."""

    type: str
    id: int


class Processes(Shape, frozen=True):
    """All processes of the browser's."""

    process_info: tuple[ProcessInfo, ...]


def get_process_info() -> CDPCommand[Processes]:
    """SystemInfo.getProcessInfo; the browser's own session alone has it."""
    return CDPCommand("SystemInfo.getProcessInfo", {}, Processes)
