"""The browser of the terminal from its first screen to its last."""

import asyncio
import signal
from collections.abc import Sequence
from functools import partial

from tabwright.tui.app import TerminalBrowser
from tabwright.tui.server_process import Server

SIGNALLED = 128
ENDING = (signal.SIGTERM, signal.SIGHUP)


async def browse(server: Server, urls: Sequence[str], session: str) -> int:
    """Browses until the person ends it; then the server ends too. Gives the exit code."""
    app = TerminalBrowser(server, urls, session)
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, partial(app.exit, return_code=SIGNALLED + number))
    running = asyncio.create_task(server.run())
    try:
        await app.run_async()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return app.return_code or 0
