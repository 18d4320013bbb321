"""The commands that serve MCP clients and coding agents, and set them up."""

import argparse
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tabwright.cli import user_client
from tabwright.cli.commands.command import (
    CLICommand,
    add_browser,
    environment_of,
    names,
    server_arguments,
)
from tabwright.cli.exit_codes import ExitCode
from tabwright.config.settings import TOOL_GROUPS, Settings
from tabwright.plugin import built_in
from tabwright.protocol.errors import SettingsError

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""The shells that shtab writes completions for."""


def add_serve(serve: argparse.ArgumentParser) -> None:
    """Add the options of `serve`."""
    serve.add_argument(
        "--tools",
        type=names,
        metavar="A,B",
        help=f"tool groups to serve: {', '.join(TOOL_GROUPS)}",
    )
    compatible = [plugin.name for plugin in built_in() if plugin.has_toolset]
    serve.add_argument("--compat", choices=compatible, help="use another server's tool names")
    serve.add_argument(
        "--own",
        nargs="?",
        const="default",
        metavar="NAME",
        help="session that acts in your own browser or profile (default: default)",
    )
    serve.add_argument(
        "--storage-state", metavar="FILE", help="cookies and localStorage of new sessions"
    )
    serve.add_argument(
        "--init-script",
        action="append",
        metavar="FILE",
        help="script that runs in every document; can be repeated",
    )
    serve.add_argument(
        "--shared",
        action="store_true",
        help="share the process of `tabwright daemon start`, and its sessions",
    )
    serve.add_argument("--device", metavar="NAME", help="device to emulate, such as 'iPhone 15'")
    serve.add_argument("--mobile", action="store_true", help="emulate a mobile device")
    serve.add_argument(
        "--grant-permissions", type=names, metavar="A,B", help="permissions of all pages"
    )


async def _serve(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.first_answers import FirstAnswers
    from tabwright.cli.serve import serve_shared, serve_stdio
    from tabwright.config.engines import configured_engines
    from tabwright.config.user_layers import user_file

    if options.shared:
        connection = user_client.connect() or user_client.start(server_arguments(options))
        if connection is None:
            return ExitCode.WRONG_USE
        await serve_shared(connection)
        return 0
    try:
        engines = configured_engines(settings.engines)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE
    files = map(str, _files_of(settings, options.config or user_file()))
    environment = partial(environment_of, settings, engines)
    first = options.first_answers or FirstAnswers(sys.argv[1:])
    await serve_stdio(settings, engines, environment, first, tuple(files))
    return 0


def _files_of(settings: Settings, file: Path) -> Iterator[Path]:
    """Yield the files that decide about the tools, or whether the server starts at all."""
    yield file
    engines, acting = settings.engines, settings.acting
    named = (engines.policy, engines.parsers, acting.secrets, settings.session.storage_state)
    for name in (*filter(None, named), *acting.init_scripts):
        yield Path(name).expanduser()


SERVE = CLICommand(
    "serve",
    "Run an MCP server on standard input and output, or over HTTP.",
    _serve,
    (add_browser, add_serve),
    examples=(
        "tabwright serve",
        "tabwright serve --tools search,read,act,debug",
        "tabwright serve --compat playwright",
        "tabwright serve --http 127.0.0.1:8931",
        "tabwright serve --http 0.0.0.0:8931 --token-file tokens.txt",
    ),
)


def add_install(install: argparse.ArgumentParser) -> None:
    """Add the arguments of `install`."""
    install.add_argument(
        "client", nargs="?", metavar="CLIENT", help="the client; without it, list all clients"
    )
    change = install.add_mutually_exclusive_group()
    change.add_argument("--print", action="store_true", help="print the entry, change nothing")
    change.add_argument("--remove", action="store_true", help="remove the entry again")
    others = install.add_argument_group("instead of a client")
    others.add_argument(
        "--skill",
        nargs="?",
        type=Path,
        const=Path(".claude/skills"),
        metavar="FOLDER",
        help="write the skill that teaches coding agents these commands to a folder of skills "
        "(default: .claude/skills), or print it with --print",
    )
    others.add_argument(
        "--completion",
        choices=SHELLS,
        help="print a script that completes commands and options in this shell",
    )


async def _install(_settings: Settings, options: argparse.Namespace) -> int:
    if options.completion:
        import shtab

        from tabwright.cli.command_line import parser

        sys.stdout.write(f"{shtab.complete(parser(), options.completion)}\n")
        return ExitCode.OK
    if options.skill:
        from tabwright.cli.skill import install_skill, skill_text

        if not options.print:
            return install_skill(options.skill)
        sys.stdout.write(skill_text())
        return ExitCode.OK
    from tabwright.cli import install

    folders = install.folders_of(sys.platform, os.environ, Path.home())
    tools = ("--tools", ",".join(options.tools)) if options.tools else ()
    compat = ("--compat", options.compat) if options.compat else ()
    own = ("--own", options.own) if options.own else ()
    named = (*server_arguments(options), *tools, *compat, *own)
    entry = install.server_entry(named, os.environ)
    if options.client is None:
        text = install.listing(folders)
    elif options.print:
        text = install.client_file(options.client, folders).snippet(entry)
    elif options.remove:
        text = install.uninstall(options.client, folders)
    else:
        text = install.install(options.client, entry, folders)
    sys.stdout.write(text)
    return 0


INSTALL = CLICommand(
    "install",
    "Add this server to an MCP client, or a skill to a coding agent.",
    _install,
    (add_browser, add_serve, add_install),
    examples=(
        "tabwright install",
        "tabwright install claude-desktop",
        "tabwright install cursor --headed",
        "tabwright install vscode --print",
        "tabwright install --skill",
        "tabwright install --skill ~/.codex/skills",
        "tabwright install --completion fish > ~/.config/fish/completions/tabwright.fish",
    ),
)


SERVING = (SERVE, INSTALL)
