"""What the options of a command say of the settings."""

import argparse

from tabwright.config.loader import Entry, Layer, Rank, read_layer


def layers(options: argparse.Namespace) -> list[Layer]:
    """The layers of settings that the command line gives.

    Raises:
        SettingsError: the file that it names cannot be read.
    """
    option = vars(options).get  # a command has only those that it takes
    width, height = option("image_size") or (None, None)
    given = {
        "browser.headless": (False if option("headed") else None, "--headed"),
        "browser.path": (option("browser"), "--browser"),
        "browser.profile": (option("profile"), "--profile"),
        "browser.cdp_endpoint": (option("cdp_endpoint"), "--cdp-endpoint"),
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
        "log.level": (_level(options), "--verbose or --quiet"),
    }
    flags = {key: Entry(*entry) for key, entry in given.items() if entry[0] is not None}
    files = [read_layer(options.config)] if options.config else []
    return [Layer(Rank.FLAGS, flags), *files]


def _level(options: argparse.Namespace) -> str | None:
    if options.quiet:
        return "error"
    return "info" if options.verbose else None


def server_arguments(options: argparse.Namespace) -> list[str]:
    """The arguments for a `serve` that is to run as this command would."""
    given = {
        "--config": options.config,
        "--browser": options.browser,
        "--profile": options.profile,
        "--cdp-endpoint": options.cdp_endpoint,
    }
    named = [part for flag, value in given.items() if value for part in (flag, str(value))]
    return [*named, *(["--headed"] if options.headed else [])]
