"""The commands that act on pages."""

import argparse
import sys

from tabwright.cli import shell, user_client
from tabwright.cli.commands.command import (
    BeforeSettings,
    CLICommand,
    add_browser,
    add_json,
    environment_of,
)
from tabwright.config.settings import DEFAULT_SESSION, Settings


def page_command(command: shell.ShellCommand) -> CLICommand:
    """Return a command that runs in the user process, for the help of the program."""

    def add(parser: argparse.ArgumentParser) -> None:
        """Add the options of its tool."""
        from tabwright.mcp.registry import PAGE_TOOLS, tools_of
        from tabwright.plugin import built_in

        tools = {one.name: one for one in (*PAGE_TOOLS, *tools_of(built_in()))}
        shell.add_options(parser, command, tools[command.tool])

    return CLICommand(
        command.name,
        command.text,
        BeforeSettings(lambda _: user_client.run_in_user_process(sys.argv[1:])),
        (add,),
        command.examples,
        has_settings=False,
    )


def add_login(login: argparse.ArgumentParser) -> None:
    """Add the arguments of `session login`."""
    login.add_argument("url", metavar="URL", help="page to log in at")
    login.add_argument(
        "--session",
        default=DEFAULT_SESSION,
        metavar="NAME",
        help=f"session that keeps the log-in (default: {DEFAULT_SESSION})",
    )


async def _login(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.login import login

    return await login(settings, environment_of, options.url, options.session)


LOGIN = CLICommand(
    "session login",
    "Let you log in to a site, in a window or by a link, and keep the session.",
    _login,
    (add_browser, add_login),
    examples=(
        "tabwright session login https://shop.example/login",
        "tabwright session login --session work https://tracker.example",
    ),
)


def add_task(task: argparse.ArgumentParser) -> None:
    """Add the arguments of `task run`."""
    task.add_argument("task", nargs="+", help="what to do, and what to report at the end")
    task.add_argument("--session", default="task", metavar="NAME", help="session to use")
    task.add_argument("--provider", metavar="NAME", help="model provider, e.g. openai or anthropic")
    task.add_argument("--model", metavar="NAME", help="model name")
    task.add_argument("--max-steps", type=int, metavar="N", help="stop after N steps")
    task.add_argument("--no-validate", action="store_true", help="do not check the answer")


async def _task(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import task

    words, environment = " ".join(options.task), environment_of(settings)
    return await task.task(settings, environment, words, options.session, as_json=options.json)


TASK = CLICommand(
    "task run",
    "Let an AI model do a task in the browser.",
    _task,
    (add_browser, add_task, add_json),
    examples=(
        'tabwright task run "Find the cheapest lamp at https://shop.example"',
        'tabwright task run --provider ollama --model qwen3 "…"',
    ),
)


ACTING = (LOGIN, TASK)
