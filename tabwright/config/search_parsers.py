"""How engines are requested and parsed: their pages, and the APIs of ``search_apis.yaml``."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import cast, get_origin

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from tabwright.config.yaml_tables import (
    ConfigTable,
    SourcePosition,
    merge_tables,
    partial_table,
    read_table,
    record_of,
    refuse,
    shipped_table,
    suggestion,
    without_web_engines,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.urls import Bounds, checked_url
from tabwright.protocol.web_search import (
    Css,
    Ordinal,
    ResultParser,
    Selectors,
    SelectorTemplate,
    Template,
    UrlTemplate,
)
from tabwright.protocol.web_urls import ABSOLUTE

PLACEHOLDERS = (
    "query",
    "page",
    "further",
    "offset",
    "language",
    "tag",
    "time",
    "since",
    "first_day",
    "last_day",
    "region",
    "safe",
    "value",
)
"""Placeholders of result pages; ``search_parsers.yaml`` documents them."""

API_PLACEHOLDERS = ("index", "category", "server", "ids", "since_day", "since_s", "days")
"""More placeholders, of APIs; ``search_apis.yaml`` documents them."""

DEFAULTS = "defaults"
"""A reserved engine name: its keys are those of every engine that does not set them itself."""

_NO_PAGE = LexborHTMLParser("")


def load_parsers(user_file: Path | None = None) -> Mapping[str, ResultParser]:
    """Return the shipped parsers with the user's file merged over them, key by key.

    A mistake in the defaults is reported before those of the engines.

    Args:
        user_file: a file in the form of ``search_parsers.yaml``; any part can be missing.

    Raises:
        SettingsError: every mistake in the files, at once.
    """
    table = shipped_table("search_parsers.yaml")
    if user_file is not None:
        table = merge_tables(read_table(user_file), table)
    parsers = record_of(dict[str, ResultParser], _with_defaults(table), checked_part)
    refuse(without_web_engines(table))
    return parsers


def _with_defaults(table: ConfigTable) -> ConfigTable:
    """Return the engines of a table, each merged over the defaults.

    Raises:
        SettingsError: a default is not valid.
    """
    rows = dict(table.rows)
    defaults = partial_table(ResultParser, rows.pop(DEFAULTS), DEFAULTS, checked_part)
    engines = {
        name: merge_tables(row, _placed(defaults, row.place))
        if isinstance(row, ConfigTable)
        else row
        for name, row in rows.items()
    }
    return ConfigTable(engines, table.place)


def _placed(table: ConfigTable, place: SourcePosition) -> ConfigTable:
    """Return a table as if it were written there, where a message then finds a key missing."""
    rows = {
        key: _placed(row, place) if isinstance(row, ConfigTable) else row
        for key, row in table.rows.items()
    }
    return ConfigTable(rows, place)


@cache
def load_apis() -> Mapping[str, SearchApi]:
    """Return the shipped engines with an API, by name."""
    return record_of(dict[str, SearchApi], shipped_table("search_apis.yaml"), checked_part)


def checked_part(kind: type, value: object) -> object:
    """Return a part of an engine's entry as the class that its attribute has.

    Raises:
        ValueError: it is not valid, with the reason.
    """
    return _CHECKS[get_origin(kind) or kind](value)


def _address(value: object) -> UrlTemplate:
    url = _text(value)
    try:
        checked_url(url, Bounds(private=True))
    except BadInput as error:
        raise ValueError(f"{url!r} cannot be opened. {ABSOLUTE}") from error
    return UrlTemplate(url.strip())


def _ordinal(value: object) -> Ordinal:
    if type(value) is not int or value < 1:
        raise ValueError(f"Expected `int` >= 1, got {value!r}")
    return Ordinal(value)


def _css(value: object) -> Css:
    selector = _text(value)
    try:
        _NO_PAGE.css(selector)
    except (SelectolaxError, UnicodeError) as error:
        raise ValueError(f"{selector!r} is not a CSS selector") from error
    return Css(selector)


def _selectors(value: object) -> Selectors:
    if not isinstance(value, list):
        return Selectors([_css(value)])
    selectors = Selectors(map(_css, cast("list[object]", value)))
    if not selectors:
        raise ValueError("Expected one or more selectors, got none")
    return selectors


def _pattern(value: object) -> re.Pattern[str]:
    text = _text(value)
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from error


def _template(value: object) -> Template:
    template = Template(_text(value))
    for name in sorted(template.placeholders() - {*PLACEHOLDERS, *API_PLACEHOLDERS}):
        raise ValueError(f"unknown placeholder {{{name}}}.{suggestion(name, PLACEHOLDERS)}")
    return template


def _selector_template(value: object) -> SelectorTemplate:
    template = SelectorTemplate(_template(value))
    _css(template.filled(dict.fromkeys(PLACEHOLDERS, "1")))
    return template


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"Expected `str`, got {value!r}")  # noqa: TRY004 - msgspec wants it
    return value


_CHECKS: Mapping[object, Callable[[object], object]] = {
    UrlTemplate: _address,
    Ordinal: _ordinal,
    Css: _css,
    Selectors: _selectors,
    re.Pattern: _pattern,
    Template: _template,
    SelectorTemplate: _selector_template,
}
