"""How large the window of the terminal is."""

import asyncio
import shutil
import signal
from functools import partial

from textual import events
from textual.app import App
from textual.geometry import Size


def follow_window(app: App[int]) -> None:
    """Has a running app told whenever its window changes, of what it is now.

    Textual's own handler can be interrupted by the next signal, while a window is dragged, and
    then tells of the older size last; what the loop handles comes one after the other.
    """
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGWINCH, partial(_tell, app))


def _tell(app: App[int]) -> None:
    size = Size(*shutil.get_terminal_size())
    app.post_message(events.Resize(size, size))
