"""The command `plugins`: shows what each installed plugin adds."""

import sys

import attrs

from tabwright.cli.commands.command import CLICommand
from tabwright.cli.output import print_json, table
from tabwright.config.loader import keys_of
from tabwright.config.settings import Settings
from tabwright.mcp.registry import tools_of
from tabwright.plugin import BUILT_IN, Plugin, installed


@attrs.frozen
class PluginParts:
    """What a plugin adds, for a person.

    Attributes:
        missing: the packages that it needs and that are not installed.
        enabled: whether its tools and its part of the environment are used.
    """

    name: str
    summary: str
    enabled: bool
    missing: tuple[str, ...]
    commands: tuple[str, ...]
    groups: tuple[str, ...]
    tools: tuple[str, ...]
    settings: tuple[str, ...]


def show(settings: Settings, *, as_json: bool) -> None:
    """Print the plugins that are installed.

    Raises:
        SettingsError: one cannot be imported.
    """
    shown = [_parts(plugin, settings) for plugin in installed()]
    if as_json:
        print_json([attrs.asdict(one) for one in shown])
        return
    rows = [(one.name, _state(one), one.summary) for one in shown]
    lines = list(table(("Plugin", "State", "Adds"), rows))
    for one in shown:
        parts = {
            "commands": one.commands,
            "tools": one.tools,
            "tool groups": one.groups,
            "settings": one.settings,
        }
        named = [f"  {what}: {', '.join(names)}" for what, names in parts.items() if names]
        lines += ["", one.name, *named]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _parts(plugin: Plugin, settings: Settings) -> PluginParts:
    return PluginParts(
        name=plugin.name,
        summary=plugin.summary,
        enabled=plugin.name in {*BUILT_IN, *settings.plugins.enabled},
        missing=plugin.missing,
        commands=tuple(one.name for one in plugin.parts("commands", CLICommand)),
        groups=plugin.groups,
        tools=tuple(one.name for one in tools_of([plugin])),
        settings=keys_of(plugin.name),
    )


def _state(one: PluginParts) -> str:
    if not one.enabled:
        return f"off: add {one.name} to plugins.enabled"
    return f"needs {', '.join(one.missing)}" if one.missing else "on"
