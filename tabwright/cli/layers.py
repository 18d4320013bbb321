"""Layers of settings from a command line: its options, and the file that `--config` names."""

import argparse
from collections.abc import Mapping, Sequence

from tabwright.config.devices import MOBILE
from tabwright.config.loader import Layer, LayerEntry, LayerRank
from tabwright.config.user_layers import text_value, user_layers

_QUIET = ("log.level", "error")
"""The setting of `--quiet`, which changes no answer."""


def add_set(command: argparse.ArgumentParser) -> None:
    """Add the option that changes any setting."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        type=_assignment,
        metavar="KEY=VALUE",
        help="change a setting, for example search.language=de-DE; can be repeated",
    )


def _assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form group.key=value")
    return key.strip(), value


def layers(
    options: argparse.Namespace, environment: Mapping[str, str] | None = None
) -> tuple[Layer, ...]:
    """Return the layers of settings for a command: its options above those of the user.

    Args:
        options: of the command.
        environment: environment variables; by default those of this process.

    Raises:
        SettingsError: a settings file cannot be read.
    """
    option = vars(options).get  # a command has only some of them
    width, height = option("image_size") or (None, None)
    level = _QUIET[1] if options.quiet else "info" if options.verbose else None
    given: dict[str, tuple[object, str]] = {
        "browser.headless": (False if option("headed") else None, "--headed"),
        "browser.identity": ("ordinary" if option("stealth") else None, "--stealth"),
        "browser.path": (option("browser"), "--browser"),
        "browser.profile": (option("profile"), "--profile"),
        "browser.cdp_endpoint": (option("cdp_endpoint"), "--cdp-endpoint"),
        "browser.cdp_headers": (option("cdp_header"), "--cdp-header"),
        "network.page_timeout_s": (option("timeout"), "--timeout"),
        "reading.picture_width": (width, "--image-size"),
        "reading.picture_height": (height, "--image-size"),
        "reading.video_frames": (option("video_frames"), "--video-frames"),
        "reading.picture_quality": (option("image_quality"), "--image-quality"),
        "models.provider": (option("provider"), "--provider"),
        "models.name": (option("model"), "--model"),
        "agent.steps_max": (option("max_steps"), "--max-steps"),
        "agent.validate": (False if option("no_validate") else None, "--no-validate"),
        "mcp.tools": (option("tools"), "--tools"),
        "mcp.compat": (option("compat"), "--compat"),
        "session.own": (option("own"), "--own"),
        "session.storage_state": (option("storage_state"), "--storage-state"),
        "acting.init_scripts": (option("init_script"), "--init-script"),
        "acting.device": (MOBILE if option("mobile") else option("device"), "--device"),
        "acting.permissions": (option("grant_permissions"), "--grant-permissions"),
        "log.level": (level, "--verbose or --quiet"),
    }
    for added in option("added") or ():
        given |= added.settings(options)
    assigned = {key: LayerEntry(text_value(key, text), f"--set {key}") for key, text in options.set}
    named = {key: LayerEntry(*entry) for key, entry in given.items() if entry[0] is not None}
    return (
        Layer(LayerRank.FLAGS, {**assigned, **named}),
        *user_layers(environment, options.config),
    )


def flags_of(given: Sequence[Layer]) -> Mapping[str, LayerEntry]:
    """Return the settings that the options of a command give, of its layers."""
    return next(layer.entries for layer in given if layer.rank is LayerRank.FLAGS)


def changing_flags(given: Sequence[Layer]) -> Mapping[str, LayerEntry]:
    """Return those of `flags_of` that can change an answer."""
    return {key: one for key, one in flags_of(given).items() if (key, one.value) != _QUIET}
