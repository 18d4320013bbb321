"""The settings of a plugin: a group of its own, with its class and its defaults."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar, get_type_hints

import attrs
import msgspec

from tabwright.config.settings import Settings
from tabwright.config.yaml_tables import ConfigTable, parse_shipped, plain

ValuesT = TypeVar("ValuesT")

SHOWN = "shown"
"""In the metadata of a setting: a function that returns its value without secrets."""


def _fits(_settings: Settings) -> None:
    """Accept any settings."""


@attrs.frozen(slots=False)
class SettingsGroup(Generic[ValuesT]):
    """A group of settings.

    Attributes:
        name: of the group, which is that of its plugin.
        kind: the class of its values: each field is a setting.
        file: YAML with the group, each setting with its default and a comment on its meaning.
        check: raises a `SettingsError` for settings of the plugin that exclude others.
    """

    name: str
    kind: type[ValuesT]
    file: Path
    check: Callable[[Settings], None] = _fits

    @cached_property
    def table(self) -> ConfigTable:
        """The group with its defaults."""
        return parse_shipped(self.file.read_text(encoding="utf-8"), self.file.name)

    @cached_property
    def default(self) -> ValuesT:
        """The settings of users who change none."""
        values = msgspec.convert(plain(self.table), dict[str, dict[str, object]])[self.name]
        hints = get_type_hints(self.kind, include_extras=True)
        return self.kind(
            **{name: msgspec.convert(values[name], hint) for name, hint in hints.items()}
        )

    def of(self, settings: Settings) -> ValuesT:
        """Return the settings of the plugin."""
        given = settings.of_plugins.get(self.name)
        return given if isinstance(given, self.kind) else self.default

    def changed(self, settings: Settings, **changes: object) -> Settings:
        """Return settings in which those of the plugin are changed."""
        values = {**values_of(self.of(settings)), **changes}
        return attrs.evolve(
            settings, of_plugins={**settings.of_plugins, self.name: self.kind(**values)}
        )


def values_of(group: object) -> dict[str, object]:
    """Return the settings of a group by their names."""
    return {name: getattr(group, name) for name in get_type_hints(type(group))}
