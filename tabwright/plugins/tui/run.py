"""Runs the terminal browser, and prints pages with ``--dump``."""

import asyncio
import shutil
import signal
import sys
from collections.abc import Sequence
from functools import partial

from tabwright.cli.exit_codes import SIGNALLED
from tabwright.plugins.tui.app import TerminalBrowser
from tabwright.plugins.tui.commands import with_scheme
from tabwright.plugins.tui.layout import links_of, typeset
from tabwright.plugins.tui.replies import CallFailed, TerminalError
from tabwright.plugins.tui.server import ServerProcess
from tabwright.plugins.tui.web import Web
from tabwright.protocol.snapshot import ERROR_STATUS_MIN

SESSION = "tui"


async def dump(server: ServerProcess, urls: Sequence[str], session: str) -> int:
    """Print each page with its list of links; return the exit code."""
    running = asyncio.create_task(server.run())
    web = Web(server, session or SESSION, on_step=lambda _step: None)
    try:
        failed = [url for url in urls if not await _print(web, url)]
        if session:
            await web.keep()
    except TerminalError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return int(bool(failed))


async def _print(web: Web, url: str) -> bool:
    try:
        page = await web.open(with_scheme(url))
    except CallFailed as error:
        sys.stderr.write(f"{url}: {error}\n")
        return False
    width = shutil.get_terminal_size().columns
    lines = typeset(page, width).plain
    links = [f"[{link.number}] {link.url}" for link in links_of(page)]
    sys.stdout.write("\n".join([*lines, *(["", "Links", *links] if links else [])]) + "\n")
    sys.stdout.flush()
    if page.status >= ERROR_STATUS_MIN:
        sys.stderr.write(f"{url}: answered with HTTP status {page.status}.\n")
        return False
    return True


# The terminal browser from its first screen to its last.

ENDING = (signal.SIGTERM, signal.SIGHUP)


async def browse(server: ServerProcess, urls: Sequence[str], session: str) -> int:
    """Browse until the user quits, then end the server; return the exit code."""
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
