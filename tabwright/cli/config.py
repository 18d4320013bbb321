"""The command `config`: shows, explains and starts the settings of a user."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap

import attrs

from tabwright.cdp.websocket import public_part
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.layers import layers
from tabwright.cli.output import print_json
from tabwright.config.explanations import meaning_of, type_text, value_text
from tabwright.config.loader import (
    Layer,
    LayerRank,
    all_keys,
    core_keys,
    default_layer,
    effective,
    field_of,
    hint_of,
    keys_of,
    open_private,
    plugin_defaults,
    private_folder,
    settings_from,
    variable_of,
)
from tabwright.config.settings_group import SHOWN
from tabwright.config.user_layers import is_there, user_file
from tabwright.config.yaml_tables import suggestion
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem

WIDTH = 98
"""Columns of the starter file and of explanations."""


def config(action: str, options: argparse.Namespace) -> int:
    """Do what the action says; return the exit code.

    Raises:
        SettingsError: the settings cannot be used; `path` and `init` do not read them.
    """
    try:
        _do(action, options, options.config or user_file())
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE
    return ExitCode.OK


def _do(action: str, options: argparse.Namespace, path: Path) -> None:
    match action:
        case "explain":
            _explain(options.key, layers(options), as_json=options.json)
        case "path":
            sys.stdout.write(f"{path}\n")
            if not is_there(path):
                sys.stderr.write("The file does not exist. tabwright config init creates it.\n")
        case "init":
            _write_starter(path)
        case _:
            given = layers(options)
            settings_from(*given)
            shown = sources(*given).values()
            if options.json:
                print_json([attrs.asdict(one) for one in shown])
                return
            for one in shown:
                sys.stdout.write(f"{one.setting:32} {value_text(one.value):24} {one.source}\n")


@attrs.frozen
class SettingSource:
    """The value of a setting that counts, and the source that it comes from.

    Attributes:
        layer: the kind of the source: flags, environment, user_file, locale or defaults.
        source: the option, the variable, or the file with its line; ``default``.
    """

    setting: str
    value: object
    layer: str
    source: str


def sources(*given: Layer) -> Mapping[str, SettingSource]:
    """Return the value and the source of every setting. Unknown settings are left out."""
    counted = effective(*given, default_layer(), *plugin_defaults())
    found = dict[str, SettingSource]()
    for key in all_keys():
        rank, entry = counted[key]
        value = entry.value
        if key == "browser.cdp_endpoint" and isinstance(value, str):
            value = public_part(value)  # the rest can be a token
        field = field_of(key)
        if field and SHOWN in field.metadata and value:
            value = field.metadata[SHOWN](value)
        if key == "browser.cdp_headers" and value:
            value = "(hidden)"
        place = "default" if rank is LayerRank.DEFAULTS else entry.place
        found[key] = SettingSource(key, value, rank.name.lower(), place)
    return found


def _explain(key: str, given: tuple[Layer, ...], *, as_json: bool) -> None:
    if members := keys_of(key):
        raise BadInput(
            f"{key} is a group: {', '.join(members)}.", advice="Name one of these settings."
        )
    if hint_of(key) is None:
        raise BadInput(
            f"Unknown setting {key!r}.{suggestion(key, all_keys())}",
            advice="tabwright config show lists all settings.",
        )
    own = sources(*given)[key]
    default = sources()[key].value
    kind, variable = type_text(hint_of(key)), variable_of(key)
    if as_json:
        about = {"meaning": meaning_of(key), "type": kind, "default": default, "variable": variable}
        print_json({**attrs.asdict(own), **about})
        return
    rows = {
        "Type": kind,
        "Default": value_text(default),
        "Value": value_text(own.value),
        "Source": own.source,
        "Variable": variable,
    }
    facts = [f"{name + ':':9} {fact}" for name, fact in rows.items()]
    text = [key, "", *_wrapped(meaning_of(key), WIDTH), "", *facts]
    sys.stdout.write("".join(f"{line}\n" for line in text))


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


# The starter file.

HEAD = """\
# Settings of tabwright. Every setting is here with its default, but for those of plugins, which
# tabwright config show prints, too, with the values in effect. To change one, remove the # before
# its key and edit the value.
"""


def starter() -> str:
    """Return a settings file with every setting of the core as a comment; it changes nothing."""
    lines = [HEAD.rstrip("\n")]
    group = ""
    values = sources()
    for key in core_keys():
        one = values[key]
        if key.partition(".")[0] != group:
            group = key.partition(".")[0]
            lines.append(f"\n{group}:")
        lines.append("")
        lines += (f"  # {line}" for line in _wrapped(meaning_of(key), WIDTH - 4))
        lines.append(f"  #{key.partition('.')[2]}: {value_text(one.value)}")
    return "".join(f"{line}\n" for line in lines)


def _write_starter(path: Path) -> None:
    try:
        private_folder(path.absolute().parent)
        with open(path, "x", encoding="utf-8", opener=open_private) as file:
            file.write(starter())
    except OSError as error:
        if is_there(path):
            raise BadInput(f"{path} already exists.", advice="Edit it, or move it away.") from error
        raise BadInput(
            file_problem(error, path, writing=True), advice="Use another path."
        ) from error
    sys.stdout.write(f"Created {path}.\n")
