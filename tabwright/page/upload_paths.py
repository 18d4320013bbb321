"""The files that can be uploaded: those in the folders that the settings allow."""

from collections.abc import Sequence
from pathlib import Path

from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem


def allowed_path(path: str, settings: Settings) -> str:
    """Return the absolute path of a file that can be uploaded. It blocks.

    Raises:
        BadInput: it does not exist, or is not in a directory that the settings allow.
    """
    from tabwright.page.events.downloads import downloads_folder  # noqa: PLC0415  (heavy)

    downloads = downloads_folder(settings.acting.downloads)
    own = (str(downloads),) if downloads else ()
    return uploadable(path, (*settings.acting.upload_roots, *own))


def uploadable(path: str, roots: Sequence[str]) -> str:
    """Return the path of a file that can be uploaded, with its links resolved. It blocks.

    A file is allowed if it is in one of `roots` or is itself one of them. Inside a root, hidden
    files and folders (such as ``.env`` and ``.git``) and files with several hard links, whose other
    names may be anywhere, are allowed only if they are listed as roots.

    Raises:
        BadInput: the file is not allowed, or does not exist.
    """
    if "\0" in path:
        raise BadInput("The path contains a NUL character.", advice="Check the path.")
    try:
        return str(_permitted(path, roots))
    except (OSError, RuntimeError) as error:  # too long, a loop of links, an unknown home
        raise BadInput(file_problem(error, path), advice="Check the path.") from error


def _permitted(path: str, roots: Sequence[str]) -> Path:
    resolved = Path(path).expanduser().resolve()
    listed = [Path(root).expanduser().resolve() for root in roots]
    inside = [resolved.relative_to(root) for root in listed if resolved.is_relative_to(root)]
    if not inside:
        raise BadInput(
            f"{path} is not in a directory for uploads.",
            advice=f"Files can be in {', '.join(map(str, listed)) or 'no directory'}: the user "
            "can set acting.upload_roots.",
        )
    if all(any(part.startswith(".") for part in below.parts) for below in inside):
        raise BadInput(
            f"{path} is hidden, and hidden files are not uploaded.",
            advice="The user can list it in acting.upload_roots.",
        )
    if not resolved.is_file():
        raise BadInput(f"There is no file {path}.", advice="Check the path.")
    if resolved not in listed and resolved.stat().st_nlink > 1:
        raise BadInput(
            f"{path} has a second name (a hard link), and such files are not uploaded.",
            advice="Upload a copy of it, or let the user list it in acting.upload_roots.",
        )
    return resolved
