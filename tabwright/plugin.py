"""Plugins: what each one adds, and where they are found.

The core knows plugins only through this module. Those of tabwright are the packages in
`tabwright.plugins`; others are installed, and named by an entry point of the group
``tabwright.plugins``. Nothing of a plugin is imported before something of it is used.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, TypeVar

import attrs

from tabwright.protocol.errors import SettingsError

PartT = TypeVar("PartT")


class Named(Protocol):
    """A part with a name, such as a tool or a command."""

    @property
    def name(self) -> str:
        """The name by which it is called."""
        ...


NamedT = TypeVar("NamedT", bound=Named)

ENTRY_POINTS = "tabwright.plugins"
"""The group of entry points of foreign plugins; their names are those of the plugins."""

BUILT_IN = (
    "playwright",
    "formats",
    "devtools",
    "tui",
    "server",
    "trace",
    "crawl",
    "fleet",
    "remote",
)
"""The plugins that are part of tabwright, in the order of listings."""


def _nothing() -> tuple[object, ...]:
    return ()


@attrs.frozen(kw_only=True)
class Plugin:
    """What a plugin adds: its package has this value as ``PLUGIN``.

    Each callable imports what it returns. Its parts must be of the class that is named below;
    others are refused with a `SettingsError` that names the plugin.

    Attributes:
        name: of its package or entry point, and of its group of settings.
        summary: what it adds, in a sentence.
        packages: the modules that its extra installs, and that it does not work without.
        groups: the groups of its tools, for `--tools`.
        tools: `tabwright.mcp.tool.Tool`.
        toolset: `tabwright.mcp.tool.ToolsetOf`, at most one: tools under the names of another
            server, for `mcp.compat`.
        commands: `tabwright.cli.commands.command.CLICommand`.
        options: `tabwright.cli.commands.command.AddedOptions`, for commands of the core.
        settings: the `tabwright.config.settings_group.SettingsGroup` of its settings, at most one.
        checks: `tabwright.cli.doctor.PluginCheck`, for `tabwright doctor`.
        formats: `tabwright.content.formats.Format`.
        environment: `tabwright.environment.EnvironmentChange`.
    """

    name: str
    summary: str
    packages: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    tools: Callable[[], Iterable[object]] = _nothing
    toolset: Callable[[], Iterable[object]] = _nothing
    commands: Callable[[], Iterable[object]] = _nothing
    options: Callable[[], Iterable[object]] = _nothing
    settings: Callable[[], Iterable[object]] = _nothing
    checks: Callable[[], Iterable[object]] = _nothing
    formats: Callable[[], Iterable[object]] = _nothing
    environment: Callable[[], Iterable[object]] = _nothing

    def __attrs_post_init__(self) -> None:
        if self.tools is not _nothing and not self.groups:
            raise SettingsError(
                f"The plugin {self.name} adds tools, but no group for --tools.",
                advice="List the groups of its tools in its groups.",
            )

    def parts(self, which: str, kind: type[PartT]) -> tuple[PartT, ...]:
        """Return what it adds of one kind.

        Args:
            which: the name of the attribute.
            kind: the class of the parts.

        Raises:
            SettingsError: a part is of another class, or cannot be imported.
        """
        make: Callable[[], Iterable[object]] = getattr(self, which)
        try:
            return tuple(_checked(self.name, which, part, kind) for part in make())
        except ImportError as error:
            raise SettingsError(f"The plugin {self.name} cannot be imported: {error}.") from error

    @property
    def has_toolset(self) -> bool:
        """Whether it has tools under the names of another server."""
        return self.toolset is not _nothing

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that it needs and that are not installed."""
        return tuple(one for one in self.packages if find_spec(one) is None)


def _checked(name: str, which: str, part: object, kind: type[PartT]) -> PartT:
    if not isinstance(part, kind):
        raise SettingsError(
            f"The plugin {name} adds a {type(part).__name__} to its {which}.",
            advice=f"Add {kind.__name__} only.",
        )
    return part


def named_parts(
    plugins: Iterable[Plugin], which: str, kind: type[NamedT], taken: Iterable[str]
) -> tuple[NamedT, ...]:
    """Return what these plugins add of one kind, whose names must differ; see `Plugin.parts`.

    Args:
        plugins: the plugins.
        which: the name of the attribute.
        kind: the class of the parts.
        taken: the names of the core.

    Raises:
        SettingsError: a name is taken; otherwise see `Plugin.parts`.
    """
    parts: dict[str, NamedT] = {}
    names = {*taken}
    for plugin in plugins:
        for part in plugin.parts(which, kind):
            if part.name in names:
                raise SettingsError(
                    f"The plugin {plugin.name} adds {part.name} to the {which}, which have one "
                    "of this name.",
                    advice=f"Choose another name, such as {plugin.name}_{part.name}.",
                )
            names.add(part.name)
            parts[part.name] = part
    return tuple(parts.values())


@cache
def built_in() -> tuple[Plugin, ...]:
    """Return the plugins of tabwright."""
    return tuple(_loaded(name, f"tabwright.plugins.{name}:PLUGIN") for name in BUILT_IN)


def built_in_groups() -> tuple[str, ...]:
    """Return the groups of the tools of our plugins."""
    return tuple(group for plugin in built_in() for group in plugin.groups)


@cache
def foreign_places() -> Mapping[str, str]:
    """Return where the installed plugins of others are, by their names."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (it takes 10 ms, and few need it)

    return {one.name: one.value for one in entry_points(group=ENTRY_POINTS)}


def plugin_named(name: str) -> Plugin | None:
    """Return the plugin of this name; None if none is installed.

    Raises:
        SettingsError: it cannot be imported.
    """
    if name in BUILT_IN:
        return next(one for one in built_in() if one.name == name)
    place = foreign_places().get(name) if name else None
    return _loaded(name, place) if place else None


def plugins(enabled: Iterable[str] = ()) -> Iterator[Plugin]:
    """Yield the plugins of tabwright, and the `enabled` ones of others.

    Raises:
        SettingsError: an enabled plugin is not installed, or cannot be imported.
    """
    yield from built_in()
    for name in enabled:
        plugin = plugin_named(name)
        if plugin is None:
            raise SettingsError(
                f"plugins.enabled: no plugin {name} is installed.",
                advice="tabwright config plugins lists those that are.",
            )
        if name not in BUILT_IN:
            yield plugin


def installed() -> tuple[Plugin, ...]:
    """Return all plugins that are installed, whether enabled or not; ours are the first.

    Raises:
        SettingsError: one cannot be imported.
    """
    foreign = sorted(foreign_places().keys() - {*BUILT_IN})
    return (*built_in(), *filter(None, map(plugin_named, foreign)))


def _loaded(name: str, place: str) -> Plugin:
    """Return the plugin that an entry point such as ``package.module:PLUGIN`` names."""
    module, _, attribute = place.partition(":")
    try:
        found: object = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"The plugin {name} cannot be imported: {error}.") from error
    if not isinstance(found, Plugin) or found.name != name:
        raise SettingsError(f"The plugin {name}: {place} is not a Plugin of this name.")
    return found
