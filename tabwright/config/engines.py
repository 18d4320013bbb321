"""The policy for each engine and host, from ``engines.yaml``."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.records import record_of, refuse
from tabwright.config.settings import Count, EngineSettings
from tabwright.config.yaml_tables import Row, Table, laid_over, read_table, shipped_table

GOOGLE_AI_MODE = "google_ai_mode"
WEB = "web"
"""No engine can have this name: it is for every other host."""


@attrs.frozen
class Pace:
    """How often a site may be turned to; the meanings stand in ``engines.yaml``."""

    min_interval_s: Annotated[float, Meta(ge=0)]
    concurrency: Count
    daily_limit: Count | None = None
    cool_down_s: Annotated[float, Meta(ge=0)] = 0.0
    priority: Annotated[int, Meta(ge=1, le=10)] = 5


@attrs.frozen
class Engines:
    """Which engines are asked, and at what pace.

    Attributes:
        default: the engines of a search that names none.
        paces: by the name of the engine; `WEB` is for every other host.
    """

    default: tuple[str, ...]
    paces: Mapping[str, Pace]


@attrs.frozen
class _File:
    default: Annotated[tuple[str, ...], Meta(min_length=1)]
    engines: Mapping[str, Pace]
    web: Pace


def configured_engines(settings: EngineSettings) -> Engines:
    """The engines, with the files laid over the shipped ones that the settings name.

    Raises:
        SettingsError: every mistake in the files.
    """
    if not (settings.policy or settings.parsers):
        return load_engines()
    from tabwright.config.parsers import load_parsers  # noqa: PLC0415  (a server starts without)

    return load_engines(own_file(settings.policy), load_parsers(own_file(settings.parsers)))


def own_file(name: str | None) -> Path | None:
    """The user's file that a setting names, if it does."""
    return Path(name).expanduser() if name else None


def load_engines(user_file: Path | None = None, parsers: Collection[str] | None = None) -> Engines:
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
        table = laid_over(read_table(user_file), table)
    read = record_of(_File, table)
    refuse(_unusable(read, table, parsers))
    return Engines(read.default, {**read.engines, WEB: read.web})


def no_web(engines: Row, path: str = "") -> Iterator[str]:
    """The mistake of giving an engine the name that is for every other host."""
    if isinstance(engines, Table) and WEB in engines.rows:
        place = engines.rows[WEB].place
        yield f"{place}: {path}{WEB}: this name is for hosts that are no engine. Take another one."


def _unusable(read: _File, table: Table, parsers: Collection[str] | None) -> Iterator[str]:
    yield from no_web(table.rows["engines"], "engines.")
    place = table.rows["default"].place
    for engine in read.default:
        if engine not in read.engines:
            yield f"{place}: default: {engine!r} has no entry under engines"
        if parsers is not None and engine not in parsers:
            yield f"{place}: default: {engine!r} has no parser in search_parsers.yaml"
