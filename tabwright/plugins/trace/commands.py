"""The commands that show, export and repeat traces."""

import argparse
from pathlib import Path

from tabwright.cli.commands.command import CLICommand, add_browser, add_json, environment_of
from tabwright.config.settings import Settings


def add_trace(trace: argparse.ArgumentParser) -> None:
    """Add the arguments of `trace`."""
    trace.add_argument(
        "action",
        choices=("show", "export"),
        help="show the trace in a browser, or write it in another form",
    )
    trace.add_argument("file", type=Path, metavar="FILE", help="trace file")
    form = trace.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print it as text instead")
    form.add_argument("--json", action="store_true", help="print it as JSON instead")
    trace.add_argument(
        "--to",
        choices=("run", "python", "playwright", "har", "video"),
        help="export as steps for the tool run, a Python program, a Playwright script in "
        "JavaScript, a HAR file of the requests, or a WebM video of the pictures",
    )
    trace.add_argument("--url", default="", metavar="URL", help="page that the export begins at")
    trace.add_argument(
        "--output", "-o", type=Path, metavar="FILE", help="where to write it, without opening it"
    )


async def _trace(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.trace.show_command import trace

    return await trace(options)


TRACE = CLICommand(
    "trace",
    "Show a recorded session, or export it as a program, a HAR file or a video.",
    _trace,
    (add_trace,),
    examples=(
        "tabwright trace show shop.trace.zip",
        "tabwright trace show --text shop.trace.zip",
        "tabwright trace export --to playwright -o shop.js shop.trace.zip",
        "tabwright trace export --to video -o shop.webm shop.trace.zip",
    ),
)


def add_replay(replay: argparse.ArgumentParser) -> None:
    """Add the arguments of `replay`."""
    replay.add_argument("file", type=Path, metavar="FILE", help="trace file")
    replay.add_argument(
        "--url", default="", metavar="URL", help="page to begin at, instead of the recorded one"
    )
    replay.add_argument(
        "--session", default="replay", metavar="NAME", help="session to use (default: replay)"
    )
    replay.add_argument(
        "--secret",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="value of a name in the trace, or the name of a secret of acting.secrets; can be "
        "repeated",
    )


async def _replay(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.trace.replay_command import ReplayOptions, replay

    given = ReplayOptions(
        path=options.file,
        url=options.url,
        session=options.session,
        secrets=tuple(options.secret),
        as_json=options.json,
    )
    return await replay(settings, environment_of(settings), given)


REPLAY = CLICommand(
    "replay",
    "Repeat the actions of a trace in a browser, without a model.",
    _replay,
    (add_browser, add_replay, add_json),
    examples=(
        "tabwright replay shop.trace.zip",
        "tabwright replay --url https://staging.shop.example shop.trace.zip",
        "tabwright replay --secret PASSWORD shop.trace.zip",
    ),
)


COMMANDS = (TRACE, REPLAY)
