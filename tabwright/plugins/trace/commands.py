"""The commands that show, export and repeat traces."""

import argparse
from pathlib import Path

from tabwright.cli.commands.command import CLICommand, add_browser, add_json, environment_of
from tabwright.config.settings import Settings


def add_show(show: argparse.ArgumentParser) -> None:
    """Add the arguments of `trace show`."""
    show.add_argument("file", type=Path, metavar="FILE", help="trace file")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print it as text instead")
    form.add_argument("--json", action="store_true", help="print it as JSON instead")
    show.add_argument(
        "--output", "-o", type=Path, metavar="FILE", help="where to write it, without opening it"
    )


async def _show(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.trace.show_command import show

    return await show(options)


SHOW = CLICommand(
    "trace show",
    "Show a recorded session in a browser.",
    _show,
    (add_show,),
    examples=(
        "tabwright trace show shop.trace.zip",
        "tabwright trace show --text shop.trace.zip",
    ),
)


def add_export(export: argparse.ArgumentParser) -> None:
    """Add the arguments of `trace export`."""
    export.add_argument("file", type=Path, metavar="FILE", help="trace file")
    export.add_argument(
        "--to",
        choices=("run", "python", "playwright", "har", "video"),
        help="export as steps for the tool run, a Python program, a Playwright script in "
        "JavaScript, a HAR file of the requests, or a WebM video of the pictures",
    )
    export.add_argument("--url", default="", metavar="URL", help="page that the export begins at")
    export.add_argument("--output", "-o", type=Path, metavar="FILE", help="where to write it")


async def _export(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.trace.show_command import export

    return await export(options)


EXPORT = CLICommand(
    "trace export",
    "Write a recorded session as a program, a HAR file or a video.",
    _export,
    (add_export,),
    examples=(
        "tabwright trace export --to playwright -o shop.js shop.trace.zip",
        "tabwright trace export --to video -o shop.webm shop.trace.zip",
    ),
)


def add_replay(replay: argparse.ArgumentParser) -> None:
    """Add the arguments of `trace replay`."""
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
    "trace replay",
    "Repeat the actions of a trace in a browser, without a model.",
    _replay,
    (add_browser, add_replay, add_json),
    examples=(
        "tabwright trace replay shop.trace.zip",
        "tabwright trace replay --url https://staging.shop.example shop.trace.zip",
        "tabwright trace replay --secret PASSWORD shop.trace.zip",
    ),
)


COMMANDS = (SHOW, EXPORT, REPLAY)
