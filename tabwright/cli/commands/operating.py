"""The commands that show and steer running servers, and look after the installation."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tabwright.cli.commands.command import (
    BeforeSettings,
    CLICommand,
    Options,
    add_browser,
    add_json,
)
from tabwright.config.settings import Settings

if TYPE_CHECKING:
    from tabwright.mcp.tools.run_task import TaskAction


def add_task_id(task: argparse.ArgumentParser) -> None:
    """Add the argument of the commands that control a task."""
    task.add_argument("id", metavar="ID", help="id of the task")


def task_command(action: "TaskAction", text: str, example: str) -> CLICommand:
    """Return a command for running tasks; all but `list` name one."""

    async def work(_settings: Settings, options: argparse.Namespace) -> int:
        from tabwright.cli import servers

        return await servers.tasks(action, getattr(options, "id", None), as_json=options.json)

    named = () if action == "list" else (add_task_id,)
    return CLICommand(f"task {action}", text, work, (*named, add_json), examples=(example,))


TASKS = (
    task_command("list", "List running tasks.", "tabwright task list"),
    task_command("pause", "Pause a task before its next action.", "tabwright task pause task-1"),
    task_command("resume", "Continue a paused task.", "tabwright task resume task-1"),
    task_command("cancel", "End a task.", "tabwright task cancel 4711:task-1"),
)


INTERVENTION_ACTIONS = ("list", "open", "solved", "skip")
"""The actions of the tool `interventions`, whose module takes long to import."""


def add_interventions(interventions: argparse.ArgumentParser) -> None:
    """Add the arguments of `view captchas`."""
    interventions.add_argument("action", nargs="?", choices=INTERVENTION_ACTIONS, default="list")
    interventions.add_argument(
        "id", nargs="?", metavar="ID", help="id of the intervention (not for list)"
    )


async def _interventions(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.interventions(options.action, options.id, as_json=options.json)


INTERVENTIONS = CLICommand(
    "view captchas",
    "List CAPTCHAs that need you, or act on one.",
    _interventions,
    (add_interventions, add_json),
    examples=(
        "tabwright view captchas",
        "tabwright view captchas open ID",
        "tabwright view captchas solved ID",
    ),
)


def add_view(view: argparse.ArgumentParser) -> None:
    """Add the options of `view link`."""
    view.add_argument("--open", action="store_true", help="open the link in your browser")
    view.add_argument(
        "--tab",
        type=int,
        metavar="N",
        help="show this tab alone (`tabwright top --pool` lists them)",
    )
    view.add_argument(
        "--minutes",
        type=float,
        default=10.0,
        metavar="N",
        help="time in which the link can be used (default: 10)",
    )
    view.add_argument("--user", default="", metavar="NAME", help="user of a server with several")


async def _view(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import view
    from tabwright.control.transport import ViewRequest

    return await view.print_links(
        ViewRequest(options.tab, options.user, options.minutes * 60),
        opens=options.open,
        as_json=options.json,
    )


VIEW = CLICommand(
    "view link",
    "Create a link to watch the tabs of running servers, and to act in them.",
    _view,
    (add_view, add_json),
    examples=(
        "tabwright view link",
        "tabwright view link --open",
        "tabwright view link --tab 3 --minutes 60",
    ),
)


def add_top(top: argparse.ArgumentParser) -> None:
    """Add the options of `top`."""
    what = top.add_mutually_exclusive_group()
    what.add_argument("--once", action="store_true", help="print the status once and exit")
    what.add_argument("--pool", action="store_true", help="print the tab usage and exit")
    what.add_argument("--reset", action="store_true", help="allow all tabs to search again")


async def _top(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    if options.pool or options.reset:
        return await servers.pool(reset=options.reset, as_json=options.json)
    return await servers.top(once=options.once, as_json=options.json)


TOP = CLICommand(
    "top",
    "Monitor running servers.",
    _top,
    (add_top, add_json),
    fills_screen=True,
    examples=(
        "tabwright top",
        "tabwright top --once --json",
        "tabwright top --pool",
        "tabwright top --reset",
    ),
)


def add_demo(doctor: argparse.ArgumentParser) -> None:
    """Add the option of `doctor` that shows what tabwright does."""
    doctor.add_argument(
        "--demo",
        action="store_true",
        help="run a demo on local copies of the sites instead, without network access",
    )


async def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    if options.demo:
        from tabwright.testing.demo import show

        return await show(settings)
    from tabwright.cli import doctor

    return await doctor.report(settings, os.environ, file=options.config, as_json=options.json)


DOCTOR = CLICommand(
    "doctor",
    "Check the installation: show which browser is used and why, and try it.",
    _doctor,
    (add_browser, add_demo, add_json),
    examples=(
        "tabwright doctor",
        "tabwright doctor --headed",
        "tabwright doctor --demo",
    ),
)


def add_signing_key(key: argparse.ArgumentParser) -> None:
    """Add the argument of `config signing-key`."""
    key.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="file of the private key; created if it does not exist (default: network.signing)",
    )


async def _signing_key(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.signing_key import signing_key

    return await signing_key(settings, options)


SIGNING_KEY = CLICommand(
    "config signing-key",
    "Create a key that signs requests, and print its public key for your site.",
    _signing_key,
    (add_signing_key,),
    examples=("tabwright config signing-key ~/.config/tabwright/signing.pem",),
)


def add_key(config: argparse.ArgumentParser) -> None:
    """Add the argument of `config explain`."""
    config.add_argument("key", metavar="KEY", help="the setting to explain")


def config_command(action: str, text: str, example: str, *more: Options) -> CLICommand:
    """Return a command for the settings."""

    def work(options: argparse.Namespace) -> int:
        from tabwright.cli import config

        return config.config(action, options)

    return CLICommand(
        f"config {action}",
        text,
        BeforeSettings(work),
        (add_browser, *more, add_json),
        examples=(f"tabwright config {example}",),
    )


CONFIG = (
    config_command("show", "Show all settings and where they are set.", "show"),
    config_command("path", "Print the path of your settings file.", "path"),
    config_command("init", "Create your settings file.", "init"),
    config_command("explain", "Explain a setting.", "explain search.language", add_key),
)


async def _plugins(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import plugins

    plugins.show(settings, as_json=options.json)
    return 0


PLUGINS = CLICommand(
    "config plugins",
    "List the installed plugins, with what each adds.",
    _plugins,
    (add_json,),
    examples=("tabwright config plugins",),
)


OPERATING = (*TASKS, INTERVENTIONS, VIEW, TOP, DOCTOR, *CONFIG, SIGNING_KEY, PLUGINS)
