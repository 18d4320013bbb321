"""The policy for each engine and host (``engines.yaml``), and the parsers of result pages."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, cast, get_origin

import attrs
from msgspec import Meta
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from tabwright.config.settings import Count, EngineSettings
from tabwright.config.yaml_tables import (
    ConfigTable,
    Row,
    merge_tables,
    read_table,
    record_of,
    refuse,
    shipped_table,
    suggestion,
)
from tabwright.protocol.errors import BadInput
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

GOOGLE_AI_MODE = "google_ai_mode"
WEB = "web"
"""No engine can have this name: it is for every other host."""


@attrs.frozen
class RatePolicy:
    """How often a site may be turned to; the meanings stand in ``engines.yaml``."""

    min_interval_s: Annotated[float, Meta(ge=0)]
    concurrency: Count
    daily_limit: Count | None = None
    cool_down_s: Annotated[float, Meta(ge=0)] = 0.0
    priority: Annotated[int, Meta(ge=1, le=10)] = 5


@attrs.frozen
class EngineConfig:
    """Which engines are asked, and at what pace.

    Attributes:
        default: the engines of a search that names none.
        paces: by the name of the engine; `WEB` is for every other host.
    """

    default: tuple[str, ...]
    paces: Mapping[str, RatePolicy]


@attrs.frozen
class _File:
    default: Annotated[tuple[str, ...], Meta(min_length=1)]
    engines: Mapping[str, RatePolicy]
    web: RatePolicy


def configured_engines(settings: EngineSettings) -> EngineConfig:
    """The engines, with the files laid over the shipped ones that the settings name.

    Raises:
        SettingsError: every mistake in the files.
    """
    if not (settings.policy or settings.parsers):
        return load_engines()
    # DROPPED

    return load_engines(own_file(settings.policy), load_parsers(own_file(settings.parsers)))


def own_file(name: str | None) -> Path | None:
    """The user's file that a setting names, if it does."""
    return Path(name).expanduser() if name else None


def load_engines(
    user_file: Path | None = None, parsers: Collection[str] | None = None
) -> EngineConfig:
    """The shipped policy with the user's file laid over it, key by key.

    Args:
        user_file: of the shape of ``engines.yaml``; may have any part of it.
        parsers: the engines whose result pages can be read; None where there is nothing to check:
            what is shipped fits together.

    Raises:
        SettingsError: every mistake in the files, at once.
    """
    table = shipped_table("engines.yaml")
    if user_file is not None:
        table = merge_tables(read_table(user_file), table)
    read = record_of(_File, table)
    refuse(_unusable(read, table, parsers))
    return EngineConfig(read.default, {**read.engines, WEB: read.web})


def without_web_engines(engines: Row, path: str = "") -> Iterator[str]:
    """The mistake of giving an engine the name that is for every other host."""
    if isinstance(engines, ConfigTable) and WEB in engines.rows:
        place = engines.rows[WEB].place
        yield f"{place}: {path}{WEB}: this name is for hosts that are no engine. Take another one."


def _unusable(read: _File, table: ConfigTable, parsers: Collection[str] | None) -> Iterator[str]:
    yield from without_web_engines(table.rows["engines"], "engines.")
    place = table.rows["default"].place
    for engine in read.default:
        if engine not in read.engines:
            yield f"{place}: default: {engine!r} has no entry under engines"
        if parsers is not None and engine not in parsers:
            yield f"{place}: default: {engine!r} has no parser in search_parsers.yaml"


# How the result pages of engines are reached and read (``search_parsers.yaml``).

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
)
"""What may stand in braces; the meanings stand in ``search_parsers.yaml``."""

_NO_PAGE = LexborHTMLParser("")


def load_parsers(user_file: Path | None = None) -> Mapping[str, ResultParser]:
    """The shipped parsers with the user's file laid over them, key by key.

    Args:
        user_file: of the shape of ``search_parsers.yaml``; may have any part of it.

    Raises:
        SettingsError: every mistake in the files, at once.
    """
    table = shipped_table("search_parsers.yaml")
    if user_file is not None:
        table = merge_tables(read_table(user_file), table)
    parsers = record_of(dict[str, ResultParser], table, _checked)
    refuse(without_web_engines(table))
    return parsers


def _checked(kind: type, value: object) -> object:
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
        raise ValueError("Expected a selector or several, got none")
    return selectors


def _pattern(value: object) -> re.Pattern[str]:
    text = _text(value)
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from error


def _template(value: object) -> Template:
    template = Template(_text(value))
    for name in sorted(template.placeholders() - set(PLACEHOLDERS)):
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
