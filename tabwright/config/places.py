"""Where things are kept: what settings that are ``auto``, or a path, name."""

from pathlib import Path

AUTO = "auto"
"""The setting for where the system wants such things to be."""


def chosen_place(setting: str, automatic: Path) -> Path:
    """The path that a setting names; ``~`` is the user's home."""
    return automatic if setting == AUTO else Path(setting).expanduser()
