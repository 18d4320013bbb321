"""Merge layers of settings into one value.

A key is taken from the topmost layer that sets it; `LayerRank` has the order. Nothing here reads
the environment or the user's file: see `tabwright.config.user_layers`.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args, get_origin, get_type_hints

import attrs
import msgspec

from tabwright.config.settings import Settings
from tabwright.config.settings_group import SettingsGroup
from tabwright.config.variables import VARIABLE_PREFIX
from tabwright.config.yaml_tables import (
    ConfigTable,
    ConfigValue,
    Row,
    hints_of,
    is_empty,
    plain,
    read_table,
    refuse,
    shipped_table,
    suggestion,
)
from tabwright.plugin import installed, plugin_named
from tabwright.protocol.errors import SettingsError
from tabwright.text.similarity import close_match


class LayerRank(IntEnum):
    """The order of the layers, topmost first.

    A command or a server resolves the layers from FLAGS to DEFAULTS once, when it starts. The
    result is the user's settings. `overlay` puts SESSION over them for each session, and REQUEST
    over those for each call.
    """

    FLAGS = 1
    REQUEST = 2
    SESSION = 3
    ENVIRONMENT = 4
    USER_FILE = 5
    LOCALE = 6
    DEFAULTS = 7


def variable_of(key: str) -> str:
    """Return the environment variable for a setting."""
    return VARIABLE_PREFIX + key.replace(".", "__").upper()


@attrs.frozen
class LayerEntry:
    """A value and its source: ``settings.yaml:7`` or ``--headed``.

    Attributes:
        items: the position of each item, if the value is a list in a file.
    """

    value: object
    place: str
    items: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    def parts(self) -> Iterator["LayerEntry"]:
        """Each list item as a list with its own position; other values unchanged."""
        if not self.items:
            yield self
            return
        for item, place in zip(cast("list[object]", self.value), self.items, strict=True):
            yield LayerEntry([item], place)


@attrs.frozen
class Layer:
    """The values of one source, by dotted keys such as ``browser.headless``."""

    rank: LayerRank
    entries: Mapping[str, LayerEntry]


def override(**values: object) -> Layer:
    """Return the topmost layer, from code: ``override(browser__headless=False)``.

    A double underscore replaces the dot of a key.
    """
    entries = {
        name.replace("__", ".", 1): LayerEntry(value, f"{name}=…") for name, value in values.items()
    }
    return Layer(LayerRank.FLAGS, entries)


@cache
def group_kinds() -> Mapping[str, type]:
    """Return the class of each group of settings of the core."""
    return {name: kind for name, kind in get_type_hints(Settings).items() if name != "of_plugins"}


@cache
def plugin_group(name: str) -> SettingsGroup[object] | None:
    """Return the settings of the plugin of this name; None if it is not installed or has none."""
    plugin = plugin_named(name)
    # What a plugin adds is checked at run time, where the class of the settings is not known.
    found = cast(
        "tuple[SettingsGroup[object], ...]",
        plugin.parts("settings", SettingsGroup) if plugin else (),
    )
    return found[0] if found else None


def _kind_of(group: str) -> type | None:
    if group in group_kinds():
        return group_kinds()[group]
    found = plugin_group(group)
    return found.kind if found else None


def hint_of(key: str) -> object:
    """Return the type of a dotted key; None for an unknown one."""
    group, _, name = key.partition(".")
    kind = _kind_of(group)
    return hints_of(kind).get(name) if kind else None


def field_of(key: str) -> "attrs.Attribute[object] | None":
    """Return the attribute of a dotted key; None for an unknown one."""
    group, _, name = key.partition(".")
    kind = _kind_of(group)
    return attrs.fields_dict(kind).get(name) if kind else None


def keys_of(group: str) -> tuple[str, ...]:
    """Return the dotted keys of a group; none for one that is unknown."""
    kind = _kind_of(group)
    return tuple(f"{group}.{name}" for name in hints_of(kind)) if kind else ()


def core_keys() -> Iterator[str]:
    """Yield the dotted keys of the core."""
    for group in group_kinds():
        yield from keys_of(group)


def all_keys() -> Iterator[str]:
    """Yield the dotted keys of the core, and of all plugins that are installed."""
    yield from core_keys()
    for plugin in installed():
        yield from keys_of(plugin.name)


def resolve(*layers: Layer) -> Settings:
    """Merge the layers, in whatever order they are passed, into settings.

    Raises:
        SettingsError: a key is unknown, a value has the wrong type, or a setting has no value;
            the message lists every mistake of every layer with its position.
    """
    mistakes = [mistake for layer in layers for mistake in _mistakes(layer)]
    named = dict.fromkeys(key.partition(".")[0] for layer in layers for key in layer.entries)
    extra = [one for name in named if name not in group_kinds() and (one := plugin_group(name))]
    below = map(_defaults_of, extra)
    merged = {key: entry for key, (_, entry) in effective(*layers, *below).items()}
    known = [
        key for name in (*group_kinds(), *(one.name for one in extra)) for key in keys_of(name)
    ]
    mistakes += [f"{key}: not set in any layer" for key in known if key not in merged]
    mistakes += _unfit({key: merged[key] for key in known if key in merged})
    refuse(mistakes)
    groups: dict[str, dict[str, object]] = {}
    for key in known:
        group, name = key.split(".")
        groups.setdefault(group, {})[name] = msgspec.convert(merged[key].value, hint_of(key))
    kinds = group_kinds()
    settings = Settings(
        **{name: kind(**groups[name]) for name, kind in kinds.items()},
        of_plugins={one.name: one.kind(**groups[one.name]) for one in extra},
    )
    for one in extra:
        one.check(settings)
    return settings


def effective(*layers: Layer) -> Mapping[str, tuple[LayerRank, LayerEntry]]:
    """Return the effective entry for each key, with the rank of its layer.

    The locale is ignored if page languages are set: the first of them is preferred.
    """
    given = (layer.entries.get("network.languages") for layer in layers)
    has_languages = any(entry is not None and entry.value is not None for entry in given)
    return {
        key: (layer.rank, entry)
        for layer in sorted(layers, key=lambda layer: layer.rank, reverse=True)
        for key, entry in layer.entries.items()
        if layer.rank is not LayerRank.LOCALE or not has_languages
    }


def _mistakes(layer: Layer) -> Iterator[str]:
    for key, entry in layer.entries.items():
        hint = hint_of(key)
        if hint is None:
            yield _unknown(layer, key, entry)
            continue
        try:
            msgspec.convert(entry.value, hint)
        except msgspec.ValidationError as error:
            is_wrong_choice = str(error).startswith("Invalid enum value")
            choices = f". There are: {', '.join(_words(hint))}" if is_wrong_choice else ""
            yield f"{entry.place}: {key}: {error}{choices}"


def overlay(settings: Settings, layer: Layer) -> Settings:
    """Return resolved settings with the layer of a session or of a call merged over them.

    Raises:
        SettingsError: every mistake in the layer.
    """
    refuse(_mistakes(layer))
    for key, entry in layer.entries.items():
        group, name = key.split(".")
        value: object = msgspec.convert(entry.value, hint_of(key))
        changed = attrs.evolve(getattr(settings, group), **{name: value})
        settings = attrs.evolve(settings, **{group: changed})
    return settings


def _unknown(layer: Layer, key: str, entry: LayerEntry) -> str:
    if layer.rank is not LayerRank.ENVIRONMENT:
        return f"{entry.place}: unknown setting {key!r}.{suggestion(key, all_keys())}"
    close = close_match(key, all_keys())
    meant = f" Did you mean {variable_of(close)}?" if close else ""
    return f"{entry.place}: unknown environment variable.{meant}"


def _unfit(merged: Mapping[str, LayerEntry]) -> Iterator[str]:
    """Yield the mistakes that the settings' own validators find."""
    for key, merged_entry in merged.items():
        field = field_of(key)
        if field is None or field.validator is None:
            continue
        for entry in merged_entry.parts:
            try:
                field.validator(None, field, msgspec.convert(entry.value, hint_of(key)))
            except SettingsError as error:
                yield f"{entry.place}: {error}"
            except msgspec.ValidationError:  # already reported
                continue


def _words(hint: object) -> Iterator[str]:
    if get_origin(hint) is Literal:
        yield from map(str, get_args(hint))
        return
    for part in get_args(hint):
        yield from _words(part)


# The settings file of a layer.


def read_layer(path: Path) -> Layer:
    """Read the layer in a user's file.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of groups and keys.
    """
    return layer_of(read_table(path), LayerRank.USER_FILE)


def default_layer() -> Layer:
    """Return the shipped defaults."""
    return layer_of(shipped_table("default.yaml"), LayerRank.DEFAULTS)


def plugin_defaults() -> Iterator[Layer]:
    """Yield the defaults of each installed plugin that has settings."""
    yield from map(_defaults_of, filter(None, (plugin_group(one.name) for one in installed())))


def _defaults_of(group: SettingsGroup[object]) -> Layer:
    return layer_of(group.table, LayerRank.DEFAULTS)


def settings_from(*layers: Layer) -> Settings:
    """Return the settings from these layers over the shipped defaults.

    Raises:
        SettingsError: every mistake in them, at once.
    """
    return resolve(*layers, default_layer())


def layer_of(table: ConfigTable, rank: LayerRank) -> Layer:
    """Return the layer in a table of groups and keys."""
    entries: list[tuple[str, LayerEntry]] = []
    for group, row in table.rows.items():
        if isinstance(row, ConfigTable):
            for key, value in row.rows.items():
                entries.append((f"{group}.{key}", _entry(value)))
        elif not is_empty(row):
            entries.append((group, _entry(row)))
    return Layer(rank, dict(entries))


def _entry(row: Row) -> LayerEntry:
    items = row.items if isinstance(row, ConfigValue) else ()
    return LayerEntry(plain(row), str(row.place), tuple(map(str, items)))


# Folders and paths: resolving ``auto`` and the paths in settings.

AUTO = "auto"
"""The value that selects the system's default folder."""


def resolve_path(setting: str, automatic: Path) -> Path:
    """Return the path of a setting; ``~`` is the user's home."""
    return automatic if setting == AUTO else Path(setting).expanduser()


def private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, each for this user only (0700).

    An existing folder is not changed.

    Raises:
        OSError: it cannot be created.
    """
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def open_private(path: str, flags: int) -> int:
    """Open a file as `os.open` does; a new file is for this user only (0600).

    It is an ``opener`` for `open` (docs.python.org, Built-in Functions).
    """
    return os.open(path, flags, mode=0o600)


def write_private(path: Path, data: bytes) -> None:
    """Write a file for this user only, with its missing folders, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    private_folder(path.parent)
    new = path.with_suffix(".new")
    with open(new, "wb", opener=open_private) as file:
        file.write(data)
    new.replace(path)


def own_command(*arguments: str) -> tuple[str, ...]:
    """Return the command line that runs tabwright as a child process.

    ``-P`` keeps the current directory off the child's module path: with only ``-m``, Python would
    import a ``mcp.py`` from there.
    """
    return (sys.executable, "-P", "-m", "tabwright", *arguments)
