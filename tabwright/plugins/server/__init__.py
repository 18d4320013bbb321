"""The server that many clients share: MCP over streamable HTTP."""

from collections.abc import Iterator

from tabwright.plugin import Plugin


def _settings() -> Iterator[object]:
    from tabwright.plugins.server.settings import SERVER_SETTINGS

    yield SERVER_SETTINGS


def _options() -> Iterator[object]:
    from tabwright.plugins.server.options import OVER_HTTP

    yield OVER_HTTP


PLUGIN = Plugin(
    name="server",
    summary="MCP over HTTP for many clients: users, OAuth, limits and metrics.",
    settings=_settings,
    options=_options,
)
