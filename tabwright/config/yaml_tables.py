"""YAML as tables whose cells remember their position, and as values of our classes."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import (
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs
import msgspec
import yaml
from yaml import CSafeLoader, SafeLoader

from tabwright.protocol.errors import SettingsError
from tabwright.text.file_errors import file_problem
from tabwright.text.similarity import close_match

WEB = "web"
"""A reserved engine name: its policy applies to every other host."""


@attrs.frozen(order=True)
class SourcePosition:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@attrs.frozen
class ConfigValue:
    """A value and its position.

    Attributes:
        items: the position of each item, if the value is a list.
    """

    value: object
    place: SourcePosition
    items: tuple[SourcePosition, ...] = attrs.field(default=(), eq=False)


@attrs.frozen
class ConfigTable:
    """Keys with their values and positions."""

    rows: Mapping[str, "Row"]
    place: SourcePosition


Row: TypeAlias = ConfigTable | ConfigValue

Loader: TypeAlias = SafeLoader | CSafeLoader


def read_table(path: Path) -> ConfigTable:
    """Read the table in a file.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of keys and values, each key once.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings cannot be read. {file_problem(error, path)}") from error
    return parse_table(text, str(path))


@cache
def shipped_table(name: str) -> ConfigTable:
    """Read the table in a file of the package, once."""
    return parse_shipped(files(__package__ or "").joinpath(name).read_text(encoding="utf-8"), name)


def parse_shipped(text: str, name: str) -> ConfigTable:
    """Parse the table in a file that comes with a package.

    It is parsed by libyaml, which is a hundred times as fast, but can be crashed by a hostile file.
    """
    return parse_table(text, name, CSafeLoader)


def parse_table(text: str, name: str, load: Callable[[str], Loader] = SafeLoader) -> ConfigTable:
    """Parse the table in YAML `text`; messages use `name` as the file name.

    Raises:
        SettingsError: see `read_table`.
    """
    try:
        loader = load(text)
        root = loader.get_single_node()
        rows = dict(_rows(loader, root, name)) if root else {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"{name} is not valid YAML: {error}") from error
    return ConfigTable(rows, SourcePosition(name, 1))


def merge_tables(upper: ConfigTable, lower: ConfigTable) -> ConfigTable:
    """Merge two tables, key by key down to the single cell; `upper` takes precedence.

    An empty table in `upper` changes nothing.
    """
    rows = dict(lower.rows)
    for key, row in upper.rows.items():
        below = rows.get(key)
        if isinstance(below, ConfigTable) and isinstance(row, ConfigTable):
            rows[key] = merge_tables(row, below)
        elif not (isinstance(below, ConfigTable) and is_empty(row)):
            rows[key] = row
    return ConfigTable(rows, lower.place)


def is_empty(row: Row) -> bool:
    """Return whether the row is empty, for example a table whose keys are all commented out."""
    return isinstance(row, ConfigValue) and row.value is None


def plain(row: Row) -> object:
    """Return the row's content without positions."""
    if isinstance(row, ConfigValue):
        return row.value
    return {key: plain(value) for key, value in row.rows.items()}


def _rows(loader: Loader, node: yaml.Node, name: str) -> Iterator[tuple[str, Row]]:
    if node.tag == "tag:yaml.org,2002:null":
        return
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f"{_place(node, name)}: expected a mapping of keys to values.")
    places: dict[str, SourcePosition] = {}
    for key, value in node.value:
        text, place = str(key.value), _place(key, name)
        if text in places:
            there = places[text].line
            raise SettingsError(
                f"{place}: {text!r} is already set in line {there}. Remove one of them."
            )
        places[text] = place
        yield text, _row(loader, value, name, place)


def _row(loader: Loader, node: yaml.Node, name: str, place: SourcePosition) -> Row:
    if isinstance(node, yaml.MappingNode):
        return ConfigTable(dict(_rows(loader, node, name)), place)
    value: object = loader.construct_object(node, deep=True)  # pyright: ignore[reportUnknownMemberType]
    is_list = isinstance(node, yaml.SequenceNode)
    items = tuple(_place(item, name) for item in node.value) if is_list else ()
    return ConfigValue(value, place, items)


def _place(node: yaml.Node, name: str) -> SourcePosition:
    return SourcePosition(name, node.start_mark.line + 1)


# Tables as values of our classes; all mistakes are reported at once.

_Kind = TypeVar("_Kind")

_MAPPINGS = (dict, Mapping)
_UNIONS = (Union, UnionType)

Check: TypeAlias = Callable[[type, object], object]
"""Converts a value to a type that msgspec does not know; raises ValueError with the reason."""


def no_check(kind: type, _value: object) -> object:
    """Refuse types that msgspec does not know.

    Raises:
        NotImplementedError: a record has such a type; this is a bug.
    """
    raise NotImplementedError(kind)


def record_of(kind: type[_Kind], table: ConfigTable, check: Check = no_check) -> _Kind:
    """Convert the table to `kind`: an attrs class, or a mapping to one.

    Raises:
        SettingsError: a key is unknown or missing, or a value has the wrong type; the message
            lists every mistake with its position.
    """
    return cast("_Kind", _Reader(check).read(table, kind, ""))


def partial_table(kind: type, row: Row, path: str, check: Check) -> ConfigTable:
    """Return the table in `row`, in which keys of `kind` can be missing; messages use its `path`.

    Raises:
        SettingsError: see `record_of`.
    """
    _Reader(check, is_partial=True).read(row, kind, path)
    return row if isinstance(row, ConfigTable) else ConfigTable({}, row.place)


def refuse(mistakes: Iterable[str]) -> None:
    """Raise `SettingsError` if there are mistakes."""
    if lines := [f"  {mistake}" for mistake in mistakes]:
        raise SettingsError("\n".join(["The settings cannot be used:", *lines]))


def suggestion(key: str, known: Iterable[str]) -> str:
    """Return a hint with the key that was probably meant; empty if there is none."""
    close = close_match(key, known)
    return f" Did you mean {close!r}?" if close else ""


@attrs.define
class _Reader:
    """Converts tables, collecting mistakes.

    Attributes:
        is_partial: whether keys can be missing; then nothing is converted, only checked.
    """

    check: Check
    is_partial: bool = False
    mistakes: list[tuple[SourcePosition, str]] = attrs.Factory(list[tuple[SourcePosition, str]])

    def read(self, row: Row, kind: type, path: str) -> object:
        """Convert `row` to `kind`.

        Raises:
            SettingsError: see `record_of`.
        """
        value = self.value(row, kind, path)
        refuse(text for _, text in sorted(self.mistakes, key=lambda mistake: mistake[0]))
        return value

    def value(self, row: Row, hint: object, path: str) -> object:
        """Convert `row` to the type `hint`; on a mistake, record it and return None."""
        kind = _table_kind(hint)
        if kind is None or (is_empty(row) and get_origin(hint) in _UNIONS):
            return self._entry(row, hint, path)
        if isinstance(row, ConfigTable) or is_empty(row):
            table = row if isinstance(row, ConfigTable) else ConfigTable({}, row.place)
            read = self._mapping if get_origin(kind) else self._record
            return read(table, kind, path)
        self._mistake(row.place, path, "expected a mapping of keys to values")
        return None

    def _entry(self, row: Row, hint: object, path: str) -> object:
        value = plain(row)
        if isinstance(value, float) and not math.isfinite(value):
            self._mistake(row.place, path, f"Expected a finite number, got {value}")
            return None
        try:
            return msgspec.convert(value, hint, dec_hook=self.check)
        except msgspec.ValidationError as error:
            self._mistake(row.place, path, str(error))
            return None

    def _mapping(self, table: ConfigTable, kind: type, path: str) -> object:
        key_hint, hint = get_args(kind)
        known = get_args(key_hint) if get_origin(key_hint) is Literal else table.rows
        self._name_unknown(table, known, path)
        return {key: self.value(row, hint, _below(path, key)) for key, row in table.rows.items()}

    def _record(self, table: ConfigTable, kind: type, path: str) -> object:
        before = len(self.mistakes)
        hints = hints_of(kind)
        self._name_unknown(table, hints, path)
        for field in attrs.fields(kind):
            is_required = field.default is attrs.NOTHING and not self.is_partial
            if is_required and field.name not in table.rows:
                self._mistake(table.place, _below(path, field.name), "is missing")
        values = {
            key: self.value(row, hints[key], _below(path, key))
            for key, row in table.rows.items()
            if key in hints
        }
        return None if self.is_partial or len(self.mistakes) > before else kind(**values)

    def _name_unknown(self, table: ConfigTable, known: Iterable[str], path: str) -> None:
        for key, row in table.rows.items():
            if key not in known:
                self._mistake(row.place, _below(path, key), f"unknown key.{suggestion(key, known)}")

    def _mistake(self, place: SourcePosition, path: str, text: str) -> None:
        self.mistakes.append((place, f"{place}: {path}: {text}"))


@cache
def hints_of(kind: type) -> Mapping[str, object]:
    """Return the types of the attributes of a class, with their constraints."""
    return get_type_hints(kind, include_extras=True)


def _table_kind(hint: object) -> type | None:
    """Return the class in a type that a table is converted to, if any."""
    if get_origin(hint) in _UNIONS:
        return next(filter(None, map(_table_kind, get_args(hint))), None)
    is_record = isinstance(hint, type) and attrs.has(hint)
    return cast("type", hint) if is_record or get_origin(hint) in _MAPPINGS else None


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def without_web_engines(engines: Row, path: str = "") -> Iterator[str]:
    """Yield a mistake if an engine uses the reserved name."""
    if isinstance(engines, ConfigTable) and WEB in engines.rows:
        place = engines.rows[WEB].place
        yield f"{place}: {path}{WEB}: this name is reserved. Use another name."
