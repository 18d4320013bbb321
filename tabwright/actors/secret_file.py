"""The file of secrets: lines of ``NAME=value``, as ``.env`` files have them."""

from pathlib import Path

from dotenv import dotenv_values

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import SettingsError


def load_secrets(path: str | None) -> Secrets:
    """The secrets of a file; none where there is no file.

    Raises:
        SettingsError: it cannot be read.
    """
    if path is None:
        return Secrets()
    file = Path(path).expanduser()
    try:
        with file.open(encoding="utf-8") as lines:
            values = dotenv_values(stream=lines, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"acting.secrets: {file} cannot be read: {error}.", advice="Check the path."
        ) from error
    return Secrets({name: value for name, value in values.items() if value})
