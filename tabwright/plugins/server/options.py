"""The options of `serve` for many clients over HTTP."""

import argparse
import sys

from tabwright.cli.commands.command import (
    AddedOptions,
    GivenSettings,
    Work,
    environment_of,
    names,
)
from tabwright.config.settings import Settings
from tabwright.plugins.server.settings import SERVER_SETTINGS


def add_http(serve: argparse.ArgumentParser) -> None:
    """Add the options for serving over HTTP."""
    serve.add_argument(
        "--http", metavar="HOST:PORT", help="serve many clients over HTTP at this address"
    )
    serve.add_argument(
        "--token-file", metavar="FILE", help="file of bearer tokens; created if it does not exist"
    )
    serve.add_argument(
        "--allow-host", type=names, metavar="A,B", help="names of this server in requests"
    )
    serve.add_argument(
        "--allow-origin", type=names, metavar="A,B", help="origins of pages that can use it"
    )


def _settings(options: argparse.Namespace) -> GivenSettings:
    return {
        "server.http": (options.http, "--http"),
        "server.token_file": (options.token_file, "--token-file"),
        "server.hosts": (options.allow_host, "--allow-host"),
        "server.origins": (options.allow_origin, "--allow-origin"),
    }


def _work(settings: Settings) -> Work | None:
    return _serve if SERVER_SETTINGS.of(settings).http else None


async def _serve(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.plugins.server.http import serve_http

    await serve_http(settings, environment_of(settings), _announce)
    return 0


def _announce(url: str) -> None:
    sys.stdout.write(f"Serving MCP at {url}\n")
    sys.stdout.flush()


OVER_HTTP = AddedOptions(("serve",), add_http, _settings, _work)
