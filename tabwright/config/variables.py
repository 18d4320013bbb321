"""The environment variables that decide about settings. Only the standard library is imported."""

import os

VARIABLE_PREFIX = "TABWRIGHT_"
"""Prefix of environment variables for settings, for example ``TABWRIGHT_SEARCH__LANGUAGE``."""

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables for the language of messages; the first that is set is used (POSIX, 8.2)."""


def settings_variables() -> dict[str, str]:
    """Return the variables that are set and decide about settings, or where their file is."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in (*LOCALE_VARIABLES, "XDG_CONFIG_HOME") or name.startswith(VARIABLE_PREFIX)
    }
