"""The YAML file of a layer, read so that every key remembers its line."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import yaml

from tabwright.config.layers import Entry, Layer, Rank, resolve
from tabwright.config.settings import Settings
from tabwright.protocol.errors import SettingsError


def read_layer(path: Path, rank: Rank = Rank.USER_FILE) -> Layer:
    """The layer in a file.

    Raises:
        SettingsError: the file cannot be read, or is not YAML of groups and keys.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error}.") from error
    return parse_layer(text, str(path), rank)


def parse_layer(text: str, name: str, rank: Rank) -> Layer:
    """The layer in YAML `text`; `name` stands for the file in messages.

    Raises:
        SettingsError: as `read_layer`.
    """
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        return Layer(rank, dict(_entries(loader, root, name)) if root else {})
    except (yaml.YAMLError, ValueError) as error:
        raise SettingsError(f"{name} is not YAML that can be read: {error}") from error


def default_layer() -> Layer:
    """The shipped defaults."""
    text = files("tabwright.config").joinpath("default.yaml").read_text(encoding="utf-8")
    return parse_layer(text, "default.yaml", Rank.DEFAULTS)


def load_settings(*layers: Layer) -> Settings:
    """The settings from these layers over the shipped defaults.

    Raises:
        SettingsError: every mistake in them, at once.
    """
    return resolve(*layers, default_layer())


def _entries(loader: yaml.SafeLoader, root: yaml.Node, name: str) -> Iterator[tuple[str, Entry]]:
    for group, group_node, group_place in _pairs(root, name):
        if isinstance(group_node, yaml.MappingNode) or _is_empty(group_node):
            for key, node, place in _pairs(group_node, name):
                yield f"{group}.{key}", Entry(_value(loader, node), place)
        else:
            yield group, Entry(_value(loader, group_node), group_place)


def _pairs(node: yaml.Node, name: str) -> Iterator[tuple[str, yaml.Node, str]]:
    if _is_empty(node):
        return
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f"{_place(node, name)}: a mapping of keys to values belongs here.")
    for key, value in node.value:
        yield str(key.value), value, _place(key, name)


def _is_empty(node: yaml.Node) -> bool:
    """Whether nothing stands there, as in a group whose keys are all commented out."""
    return node.tag == "tag:yaml.org,2002:null"


def _value(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    value: object = loader.construct_object(node, deep=True)  # pyright: ignore[reportUnknownMemberType]
    return value


def _place(node: yaml.Node, name: str) -> str:
    return f"{name}:{node.start_mark.line + 1}"
