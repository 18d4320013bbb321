"""Where things are kept: what settings that are ``auto``, or a path, name; and where we are."""

import os
import sys
from pathlib import Path

AUTO = "auto"
"""The setting for where the system wants such things to be."""


def chosen_place(setting: str, automatic: Path) -> Path:
    """The path that a setting names; ``~`` is the user's home."""
    return automatic if setting == AUTO else Path(setting).expanduser()


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, each for its user alone (0700).

    One that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def open_private(path: str, flags: int) -> int:
    """Open a file as `os.open` does; one that is made is for its user alone (0600).

    It is an ``opener`` for `open` (docs.python.org, Built-in Functions).
    """
    return os.open(path, flags, mode=0o600)


def own_command(*arguments: str) -> tuple[str, ...]:
    """Return the command line that runs tabwright as a child process of ours.

    ``-P`` keeps the current directory off the child's module path: with ``-m`` alone, Python would
    import a ``mcp.py`` that lies there, whoever wrote it.
    """
    return (sys.executable, "-P", "-m", "tabwright", *arguments)
