"""Putting what a call gives into a file."""

from pathlib import Path

from tabwright.config.loader import open_private, private_folder
from tabwright.http.response import harmless_name
from tabwright.page.events.downloads import downloads_folder, unused_path
from tabwright.protocol.errors import BadInput


def written(setting: str | None, name: str, data: str | bytes) -> Path:
    """A new file in the folder for downloads.

    Args:
        setting: `acting.downloads`.
        name: as the client wishes it; directories in it are left out.
        data: text, or what is in it.

    Raises:
        BadInput: it cannot be written.
    """
    folder = downloads_folder(setting)
    if folder is None:
        raise BadInput("There is no download folder.", advice="Set acting.downloads.")
    harmless = harmless_name(name)
    if not harmless:
        raise BadInput(f"Nothing can be written to {name}.", advice="Leave filename out.")
    try:
        private_folder(folder)
        path = unused_path(folder, harmless)
        with open(path, "xb", opener=open_private) as file:
            file.write(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error}.") from error
    return path
