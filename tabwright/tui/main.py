"""``tabwright tui``: runs the terminal browser from its arguments to its exit code."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

WRONG_USE = 2
SIGNALLED = 128
TERMINAL = Path("/dev/tty")

MISSING = "The browser of the terminal is an optional extra: `pip install 'tabwright[tui]'`"


def browse_in_terminal(options: argparse.Namespace, server_arguments: Sequence[str]) -> int:
    """Browse, or print a page; return the exit code.

    Args:
        options: the parsed command line.
        server_arguments: the arguments of our own `serve`, if no other server is named.
    """
    try:
        from tabwright.tui import run  # noqa: PLC0415  (an extra)
        from tabwright.tui.server import ServerLocation, ServerProcess  # noqa: PLC0415
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{MISSING} ({error.name} is not there).\n")
        return WRONG_USE
    server = ServerProcess(ServerLocation.named(options.server, server_arguments))
    urls = [options.url] if options.url else []
    if not options.url and not sys.stdin.isatty():
        piped = (line.strip() for line in sys.stdin if not line.startswith("#"))
        urls = list(filter(None, piped))
    if options.dump or not sys.stdout.isatty():
        if not urls:
            sys.stderr.write("No URL is given. Give a URL, or pipe URLs in.\n")
            return WRONG_USE
        try:
            return asyncio.run(run.dump(server, urls, options.session))
        except BrokenPipeError:  # who reads it may leave
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return SIGNALLED + signal.SIGPIPE
    # Keys come from the terminal, also where URLs were piped in.
    if not sys.stdin.isatty():
        keyboard = os.open(TERMINAL, os.O_RDWR)
        os.dup2(keyboard, 0)
        os.close(keyboard)
    return asyncio.run(run.browse(server, urls, options.session))
