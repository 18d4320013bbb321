"""The settings of a server over HTTP."""

from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.settings import Count, Positive, Word
from tabwright.config.settings_group import SettingsGroup


@attrs.frozen(kw_only=True)
class ServerSettings:
    """Serving MCP to many clients over HTTP."""

    http: Annotated[str, Meta(pattern=r"^\S+:\d+$")] | None
    token_file: Word | None
    issuer: Word | None
    audience: Word | None
    scopes: tuple[Word, ...]
    hosts: tuple[Word, ...]
    origins: tuple[Word, ...]
    calls_max: Count
    user_calls_max: Count
    users_max: Count
    drain_s: Positive


SERVER_SETTINGS = SettingsGroup("server", ServerSettings, Path(__file__).with_name("settings.yaml"))
