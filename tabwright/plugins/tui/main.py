"""``tabwright tui``: runs the terminal browser from its arguments to its exit code."""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path

from tabwright.cli.commands.command import CLICommand, OwnLoop, add_browser, server_arguments
from tabwright.cli.exit_codes import SIGNALLED, ExitCode
from tabwright.config.settings import Settings

TERMINAL = Path("/dev/tty")

MISSING = "The browser of the terminal is an optional extra: `pip install 'tabwright[tui]'`"


def add_tui(tui: argparse.ArgumentParser) -> None:
    """Add the arguments of `tui`."""
    tui.add_argument("url", nargs="?", default="", help="URL to open (or pipe it in)")
    tui.add_argument("--dump", action="store_true", help="print the page as text and exit")
    tui.add_argument(
        "--session", default="", metavar="NAME", help="use and keep the cookies of this session"
    )
    tui.add_argument(
        "--server",
        default="",
        metavar="WHERE",
        help="a server elsewhere: its URL, or a command that starts one, e.g. "
        "'ssh box tabwright serve'",
    )


def browse_in_terminal(_settings: Settings, options: argparse.Namespace) -> int:
    """Browse, or print a page; return the exit code.

    Args:
        _settings: are not used: they are the server's.
        options: the parsed command line.
    """
    try:
        from tabwright.plugins.tui import run  # noqa: PLC0415  (an extra)
        from tabwright.plugins.tui.replies import ServerLocation  # noqa: PLC0415
        from tabwright.plugins.tui.server import ServerProcess  # noqa: PLC0415
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{MISSING} ({error.name} is not there).\n")
        return ExitCode.WRONG_USE
    server = ServerProcess(ServerLocation.named(options.server, server_arguments(options)))
    urls = [options.url] if options.url else []
    if not options.url and not sys.stdin.isatty():
        piped = (line.strip() for line in sys.stdin if not line.startswith("#"))
        urls = list(filter(None, piped))
    if options.dump or not sys.stdout.isatty():
        if not urls:
            sys.stderr.write("No URL is given. Give a URL, or pipe URLs in.\n")
            return ExitCode.WRONG_USE
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


TUI = CLICommand(
    "tui",
    "Browse the web in this terminal.",
    OwnLoop(browse_in_terminal),
    (add_browser, add_tui),
    examples=(
        "tabwright tui https://example.com",
        "tabwright tui --dump https://example.com | less",
    ),
    fills_screen=True,
)
