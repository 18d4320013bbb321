"""YAML as tables whose every cell remembers where it was set."""

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import attrs
import yaml
from yaml import CSafeLoader, SafeLoader

from tabwright.protocol.errors import SettingsError


@attrs.frozen(order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@attrs.frozen
class Cell:
    """A value that somebody set, and where.

    Attributes:
        items: where each item stands, if the value is a list.
    """

    value: object
    place: Place
    items: tuple[Place, ...] = attrs.field(default=(), eq=False)


@attrs.frozen
class Table:
    """Keys with what they hold, and where it begins."""

    rows: Mapping[str, "Row"]
    place: Place


Row: TypeAlias = Table | Cell

Loader: TypeAlias = SafeLoader | CSafeLoader


def read_table(path: Path) -> Table:
    """The table in a file.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of keys and values, each key once.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error}.") from error
    return parse_table(text, str(path))


def shipped_table(name: str) -> Table:
    """The table in a file that comes with the package.

    Read by libyaml, in a hundredth of the time; a hostile file could bring that to its end.
    """
    text = files(__package__ or "").joinpath(name).read_text(encoding="utf-8")
    return parse_table(text, name, CSafeLoader)


def parse_table(text: str, name: str, load: Callable[[str], Loader] = SafeLoader) -> Table:
    """The table in YAML `text`; `name` stands for the file in messages.

    Raises:
        SettingsError: as `read_table`.
    """
    try:
        loader = load(text)
        root = loader.get_single_node()
        rows = dict(_rows(loader, root, name)) if root else {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"{name} is not YAML that can be read: {error}") from error
    return Table(rows, Place(name, 1))


def laid_over(upper: Table, lower: Table) -> Table:
    """Both as one, key by key down to the single cell; that of `upper` counts.

    A table that has been left empty in `upper` changes nothing.
    """
    rows = dict(lower.rows)
    for key, row in upper.rows.items():
        below = rows.get(key)
        if isinstance(below, Table) and isinstance(row, Table):
            rows[key] = laid_over(row, below)
        elif not (isinstance(below, Table) and is_empty(row)):
            rows[key] = row
    return Table(rows, lower.place)


def is_empty(row: Row) -> bool:
    """Whether nothing stands there, as in a table whose keys are all commented out."""
    return isinstance(row, Cell) and row.value is None


def plain(row: Row) -> object:
    """What the row holds, without its places."""
    if isinstance(row, Cell):
        return row.value
    return {key: plain(value) for key, value in row.rows.items()}


def _rows(loader: Loader, node: yaml.Node, name: str) -> Iterator[tuple[str, Row]]:
    if node.tag == "tag:yaml.org,2002:null":
        return
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f"{_place(node, name)}: a mapping of keys to values belongs here.")
    places: dict[str, Place] = {}
    for key, value in node.value:
        text, place = str(key.value), _place(key, name)
        if text in places:
            there = places[text].line
            raise SettingsError(f"{place}: {text!r} is in line {there} already. Keep one of them.")
        places[text] = place
        yield text, _row(loader, value, name, place)


def _row(loader: Loader, node: yaml.Node, name: str, place: Place) -> Row:
    if isinstance(node, yaml.MappingNode):
        return Table(dict(_rows(loader, node, name)), place)
    value: object = loader.construct_object(node, deep=True)  # pyright: ignore[reportUnknownMemberType]
    is_list = isinstance(node, yaml.SequenceNode)
    items = tuple(_place(item, name) for item in node.value) if is_list else ()
    return Cell(value, place, items)


def _place(node: yaml.Node, name: str) -> Place:
    return Place(name, node.start_mark.line + 1)
