"""The settings of the tools under the names of playwright-mcp."""

from pathlib import Path
from typing import Literal, TypeAlias

import attrs

from tabwright.config.settings_group import SettingsGroup

Capability: TypeAlias = Literal[
    "core",
    "core-navigation",
    "core-tabs",
    "core-input",
    "core-install",
    "config",
    "devtools",
    "network",
    "pdf",
    "storage",
    "testing",
    "tracing",
    "vision",
]


@attrs.frozen(kw_only=True)
class PlaywrightSettings:
    """Which of the tools are served."""

    caps: tuple[Capability, ...]


PLAYWRIGHT_SETTINGS = SettingsGroup(
    "playwright", PlaywrightSettings, Path(__file__).with_name("settings.yaml")
)
