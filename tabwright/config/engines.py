"""The search engines: those that are asked by default, and each rate policy (``engines.yaml``)."""

from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.settings import Count, EngineSettings
from tabwright.config.yaml_tables import (
    WEB,
    merge_tables,
    read_table,
    record_of,
    refuse,
    shipped_table,
    without_web_engines,
)
from tabwright.protocol.web_search import Category

GOOGLE_AI_MODE = "google_ai_mode"


@attrs.frozen
class RatePolicy:
    """How often a site can be requested; ``engines.yaml`` documents the fields."""

    min_interval_s: Annotated[float, Meta(ge=0)]
    concurrency: Count
    daily_limit: Count | None = None
    cool_down_s: Annotated[float, Meta(ge=0)] = 0.0
    priority: Annotated[int, Meta(ge=1, le=10)] = 5

    @property
    def counts_starts(self) -> bool:
        """Whether it depends on when, and whether, a request begins."""
        return self.min_interval_s > 0 or self.daily_limit is not None


@attrs.frozen
class EngineConfig:
    """The search engines and their rate policies.

    Attributes:
        default: the engines of a search that names none.
        categories: the engines of such a search for another category of results.
        languages: the engines of such a search for results in a language, without its region.
        paces: rate policies by engine name; `WEB` applies to every other host.
    """

    default: tuple[str, ...]
    paces: Mapping[str, RatePolicy]
    categories: Mapping[Category, tuple[str, ...]] = attrs.Factory(dict[Category, tuple[str, ...]])
    languages: Mapping[str, tuple[str, ...]] = attrs.Factory(dict[str, tuple[str, ...]])

    def usual(self, category: Category, language: str) -> tuple[str, ...]:
        """Return the engines of a search that names none.

        Args:
            category: of its results.
            language: of its results; empty for any.
        """
        if category != "web":
            return self.categories.get(category, self.default)
        return self.languages.get(language.partition("-")[0].lower(), self.default)


@attrs.frozen
class _File:
    default: Annotated[tuple[str, ...], Meta(min_length=1)]
    categories: Mapping[Category, tuple[str, ...]]
    languages: Mapping[str, tuple[str, ...]]
    engines: Mapping[str, RatePolicy]
    web: RatePolicy


def configured_engines(settings: EngineSettings) -> EngineConfig:
    """Return the engines: the shipped files with the user's files merged over them.

    Raises:
        SettingsError: every mistake in the files.
    """
    if not (settings.policy or settings.parsers):
        return load_engines()

    # A server starts without them.
    from tabwright.config.search_parsers import load_apis, load_parsers  # noqa: PLC0415

    known = {*load_parsers(own_file(settings.parsers)), *load_apis()}
    return load_engines(own_file(settings.policy), known)


def own_file(name: str | None) -> Path | None:
    """Return the path of the file that a setting names, if any."""
    return Path(name).expanduser() if name else None


def load_engines(
    user_file: Path | None = None, parsers: Collection[str] | None = None
) -> EngineConfig:
    """Return the shipped policies with the user's file merged over them, key by key.

    Args:
        user_file: a file in the form of ``engines.yaml``; any part can be missing.
        parsers: engines whose result pages can be parsed; None skips the check, since the shipped
            files are consistent.

    Raises:
        SettingsError: every mistake in the files, at once.
    """
    table = shipped_table("engines.yaml")
    if user_file is not None:
        table = merge_tables(read_table(user_file), table)
    read = record_of(_File, table)
    unusable = list(without_web_engines(table.rows["engines"], "engines."))
    place = table.rows["default"].place
    unusable += [
        f"{place}: {engine!r} has no entry under engines"
        for engine in chain(*read.categories.values(), *read.languages.values())
        if engine not in read.engines
    ]
    for engine in read.default:
        if engine not in read.engines:
            unusable.append(f"{place}: default: {engine!r} has no entry under engines")
        if parsers is not None and engine not in parsers:
            unusable.append(f"{place}: default: {engine!r} has no parser in search_parsers.yaml")
    refuse(unusable)
    paces = {**read.engines, WEB: read.web}
    return EngineConfig(read.default, paces, read.categories, read.languages)
