"""The settings file of a layer."""

from collections.abc import Iterator
from pathlib import Path

from tabwright.config.loader import Entry, Layer, Rank, resolve
from tabwright.config.settings import Settings
from tabwright.config.yaml_tables import (
    Cell,
    Row,
    Table,
    is_empty,
    parse_table,
    plain,
    read_table,
    shipped_table,
)


def read_layer(path: Path, rank: Rank = Rank.USER_FILE) -> Layer:
    """The layer in a file.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of groups and keys.
    """
    return _layer(read_table(path), rank)


def parse_layer(text: str, name: str, rank: Rank) -> Layer:
    """The layer in YAML `text`; `name` stands for the file in messages.

    Raises:
        SettingsError: as `read_layer`.
    """
    return _layer(parse_table(text, name), rank)


def default_layer() -> Layer:
    """The shipped defaults."""
    return _layer(shipped_table("default.yaml"), Rank.DEFAULTS)


def load_settings(*layers: Layer) -> Settings:
    """The settings from these layers over the shipped defaults.

    Raises:
        SettingsError: every mistake in them, at once.
    """
    return resolve(*layers, default_layer())


def _layer(table: Table, rank: Rank) -> Layer:
    return Layer(rank, dict(_entries(table)))


def _entries(table: Table) -> Iterator[tuple[str, Entry]]:
    for group, row in table.rows.items():
        if isinstance(row, Table):
            for key, value in row.rows.items():
                yield f"{group}.{key}", _entry(value)
        elif not is_empty(row):
            yield group, _entry(row)


def _entry(row: Row) -> Entry:
    items = row.items if isinstance(row, Cell) else ()
    return Entry(plain(row), str(row.place), tuple(map(str, items)))
