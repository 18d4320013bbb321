"""Where things are kept: what settings that are ``auto``, or a path, name; and where we are."""

import sys
from pathlib import Path

AUTO = "auto"
"""The setting for where the system wants such things to be."""


def chosen_place(setting: str, automatic: Path) -> Path:
    """The path that a setting names; ``~`` is the user's home."""
    return automatic if setting == AUTO else Path(setting).expanduser()


def own_command(*arguments: str) -> tuple[str, ...]:
    """Return the command line that runs tabwright as a child process of ours.

    ``-P`` keeps the current directory off the child's module path: with ``-m`` alone, Python would
    import a ``mcp.py`` that lies there, whoever wrote it.
    """
    return (sys.executable, "-P", "-m", "tabwright", *arguments)
