"""Layers from outside a program: the user's file, environment variables, and the locale."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args, get_origin

import msgspec
import yaml
from platformdirs import user_config_path

from tabwright.config.loader import (
    Layer,
    LayerEntry,
    LayerRank,
    hint_of,
    override,
    read_layer,
    settings_from,
)
from tabwright.config.settings import Settings
from tabwright.config.variables import LOCALE_VARIABLES, VARIABLE_PREFIX
from tabwright.text.languages import checked_language


def load_settings(*files: Path | str, user: bool = False, **values: object) -> Settings:
    """Return settings: the shipped defaults, and over them what is given here.

    Args:
        files: YAML files of groups and keys; a later one wins over an earlier one.
        user: whether to include what the user has set: the user's settings file and the locale
            below `files`, and environment variables such as ``TABWRIGHT_SEARCH__LANGUAGE`` above.
        values: values by key, over all others: ``browser__headless=False``.

    Raises:
        SettingsError: a file cannot be read; otherwise every mistake in them, at once.

    Example::

        load_settings("shop.yaml", user=True, search__language="de-DE")
    """
    given = (read_layer(Path(file)) for file in files)
    return settings_from(*(user_layers() if user else ()), *given, override(**values))


def user_layers(
    environment: Mapping[str, str] | None = None, file: Path | None = None
) -> tuple[Layer, ...]:
    """Return the layers of the current user: environment, settings file and locale.

    Args:
        environment: environment variables; by default those of this process.
        file: the settings file; by default the user's.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of groups and keys.
    """
    environment = os.environ if environment is None else environment
    path = file or user_file()
    files = [read_layer(path)] if file or is_there(path) else []
    return (environment_layer(environment), *files, locale_layer(environment))


def user_file() -> Path:
    """Return the path of the user's settings file, which need not exist."""
    return user_config_path("tabwright", appauthor=False) / "config.yaml"


def is_there(path: Path) -> bool:
    """Return whether a file exists. In a folder that cannot be searched, no file does."""
    try:
        return path.exists()
    except OSError:
        return False


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """Return the settings in variables such as ``TABWRIGHT_SEARCH__LANGUAGE``.

    An empty variable is ignored.
    """
    entries: dict[str, LayerEntry] = {}
    for variable, text in environment.items():
        if variable.startswith(VARIABLE_PREFIX):
            key = variable.removeprefix(VARIABLE_PREFIX).lower().replace("__", ".", 1)
            if text or hint_of(key) is None:
                entries[key] = LayerEntry(text_value(key, text), variable)
    return Layer(LayerRank.ENVIRONMENT, entries)


def text_value(key: str, text: str) -> object:
    """Parse the value of a setting that is written as text.

    The text is read as YAML. A list can be separated by commas only. For a setting of type text,
    YAML of another type is kept as written: ``4`` can be the name of a model.
    """
    value: object
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    hint = hint_of(key)
    if hint is None or _fits(value, hint):
        return value
    if _is_list(hint) and not _is_sequence(value):
        value = [item for part in text.split(",") if (item := part.strip())]
    elif _fits(text, hint):
        value = text
    return value


def _fits(value: object, hint: object) -> bool:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def _is_sequence(value: object) -> bool:
    return isinstance(value, list)


def _is_list(hint: object) -> bool:
    return get_origin(hint) is tuple or any(map(_is_list, get_args(hint)))


_LOCALE = re.compile(r"([A-Za-z]{2,3})(?:[_-]([A-Za-z]{2}|\d{3}))?(?:[.@].*)?")


def locale_layer(environment: Mapping[str, str]) -> Layer:
    """Return the language of the locale; ``C`` and ``POSIX`` name none."""
    variable = next((name for name in LOCALE_VARIABLES if environment.get(name)), "")
    match = _LOCALE.fullmatch(environment.get(variable, ""))
    if match is None:
        return Layer(LayerRank.LOCALE, {})
    language = "-".join(filter(None, match.groups()))
    entry = LayerEntry(checked_language(language), variable)
    return Layer(LayerRank.LOCALE, {"search.language": entry})
