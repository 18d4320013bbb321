"""The commands that show and steer running servers, and look after the installation."""

import argparse
import os
from pathlib import Path

from tabwright.cli.commands.command import (
    BeforeSettings,
    CLICommand,
    add_browser,
    add_json,
)
from tabwright.config.settings import Settings

TASK_ACTIONS = ("list", "pause", "resume", "cancel")
"""The actions of the tool `task_control`."""


def add_tasks(tasks: argparse.ArgumentParser) -> None:
    """Add the arguments of `tasks`."""
    tasks.add_argument("action", nargs="?", choices=TASK_ACTIONS, default="list")
    tasks.add_argument("id", nargs="?", metavar="ID", help="id of the task (not for list)")


async def _tasks(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.tasks(options.action, options.id, as_json=options.json)


TASKS = CLICommand(
    "tasks",
    "List running tasks, or pause, resume or cancel one.",
    _tasks,
    (add_tasks, add_json),
    examples=(
        "tabwright tasks",
        "tabwright tasks pause task-1",
        "tabwright tasks cancel 4711:task-1",
    ),
)


INTERVENTION_ACTIONS = ("list", "open", "solved", "skip")
"""The actions of the tool `interventions`, whose module takes long to import."""


def add_interventions(interventions: argparse.ArgumentParser) -> None:
    """Add the arguments of `interventions`."""
    interventions.add_argument("action", nargs="?", choices=INTERVENTION_ACTIONS, default="list")
    interventions.add_argument(
        "id", nargs="?", metavar="ID", help="id of the intervention (not for list)"
    )


async def _interventions(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.interventions(options.action, options.id, as_json=options.json)


INTERVENTIONS = CLICommand(
    "interventions",
    "List CAPTCHAs that need you, or act on one.",
    _interventions,
    (add_interventions, add_json),
    examples=(
        "tabwright interventions",
        "tabwright interventions open ID",
        "tabwright interventions solved ID",
    ),
)


def add_view(view: argparse.ArgumentParser) -> None:
    """Add the options of `view`."""
    view.add_argument("--open", action="store_true", help="open the link in your browser")
    view.add_argument(
        "--tab", type=int, metavar="N", help="show this tab alone (`tabwright pool` lists them)"
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
    "view",
    "Create a link to watch the tabs of running servers, and to act in them.",
    _view,
    (add_view, add_json),
    examples=("tabwright view", "tabwright view --open", "tabwright view --tab 3 --minutes 60"),
)


def add_pool(pool: argparse.ArgumentParser) -> None:
    """Add the options of `pool`."""
    pool.add_argument("--reset", action="store_true", help="allow all tabs to search again")


async def _pool(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.pool(reset=options.reset, as_json=options.json)


POOL = CLICommand(
    "pool",
    "Show the tab usage of running servers.",
    _pool,
    (add_pool, add_json),
    examples=(
        "tabwright pool",
        "tabwright pool --reset",
    ),
)


def add_top(top: argparse.ArgumentParser) -> None:
    """Add the options of `top`."""
    top.add_argument("--once", action="store_true", help="print the status once and exit")


async def _top(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

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
    ),
)


async def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import doctor

    return await doctor.report(settings, os.environ, file=options.config, as_json=options.json)


DOCTOR = CLICommand(
    "doctor",
    "Check the installation: show which browser is used and why, and try it.",
    _doctor,
    (add_browser, add_json),
    examples=(
        "tabwright doctor",
        "tabwright doctor --headed",
    ),
)


def add_signing_key(key: argparse.ArgumentParser) -> None:
    """Add the argument of `signing-key`."""
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
    "signing-key",
    "Create a key that signs requests, and print its public key for your site.",
    _signing_key,
    (add_signing_key,),
    examples=("tabwright signing-key ~/.config/tabwright/signing.pem",),
)


def add_config_action(config: argparse.ArgumentParser) -> None:
    """Add the arguments of `config`."""
    config.add_argument(
        "action",
        nargs="?",
        choices=("show", "path", "init", "explain"),
        default="show",
        help="show all settings and where they are set (default), print the path of the settings "
        "file, create that file, or explain one setting",
    )
    config.add_argument("key", nargs="?", metavar="KEY", help="the setting to explain")


def _config(options: argparse.Namespace) -> int:
    from tabwright.cli import config

    return config.config(options)


CONFIG = CLICommand(
    "config",
    "Show or explain the settings, or create your settings file.",
    BeforeSettings(_config),
    (add_browser, add_config_action, add_json),
    examples=(
        "tabwright config",
        "tabwright config explain search.language",
        "tabwright config init",
    ),
)


async def _demo(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.testing.demo import show

    return await show(settings)


DEMO = CLICommand(
    "demo",
    "Run a demo on local copies of the sites, without network access.",
    _demo,
    (add_browser,),
    examples=("tabwright demo",),
)


async def _plugins(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import plugins

    plugins.show(settings, as_json=options.json)
    return 0


PLUGINS = CLICommand(
    "plugins",
    "List the installed plugins, with what each adds.",
    _plugins,
    (add_json,),
    examples=("tabwright plugins",),
)


OPERATING = (TASKS, INTERVENTIONS, VIEW, POOL, TOP, DOCTOR, SIGNING_KEY, CONFIG, PLUGINS, DEMO)
