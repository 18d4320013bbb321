"""The files and folders that can be uploaded: those in the folders that the settings allow."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem


def allowed_path(path: str, settings: Settings, *, folders: bool = False) -> str:
    """Return the absolute path of a file, or of a folder, that can be uploaded. It blocks.

    Raises:
        BadInput: it does not exist, or is not in a directory that the settings allow.
    """
    from tabwright.page.events.downloads import downloads_folder  # noqa: PLC0415  (heavy)

    downloads = downloads_folder(settings.acting.downloads)
    own = (str(downloads),) if downloads else ()
    return uploadable(path, (*settings.acting.upload_roots, *own), folders=folders)


def uploadable(path: str, roots: Sequence[str], *, folders: bool = False) -> str:
    """Return the path of a file that can be uploaded, with its links resolved. It blocks.

    A file is allowed if it is in one of `roots` or is itself one of them. Inside a root, hidden
    files and folders (such as ``.env`` and ``.git``) and files with several hard links, whose other
    names may be anywhere, are allowed only if they are listed as roots. With `folders`, the path
    can be that of a folder: the browser uploads everything in it, so each file must be allowed.

    Raises:
        BadInput: the file is not allowed, or does not exist; or a file in the folder is not.
    """
    if "\0" in path:
        raise BadInput("The path contains a NUL character.", advice="Check the path.")
    try:
        resolved = _permitted(path, roots)
        if folders and resolved.is_dir():
            _check_files_in(resolved, roots)
        elif not resolved.is_file():
            raise BadInput(f"There is no file {path}.", advice="Check the path.")
        return str(resolved)
    except (OSError, RuntimeError) as error:  # too long, a loop of links, an unknown home
        raise BadInput(file_problem(error, path), advice="Check the path.") from error


FOLDER_FILES_MAX = 2_000
"""How many files and folders a folder can contain to be uploaded."""


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
    if resolved not in listed and resolved.is_file() and resolved.stat().st_nlink > 1:
        raise BadInput(
            f"{path} has a second name (a hard link), and such files are not uploaded.",
            advice="Upload a copy of it, or let the user list it in acting.upload_roots.",
        )
    return resolved


def _check_files_in(path: Path, roots: Sequence[str]) -> None:
    """Check each file in a folder.

    Raises:
        BadInput: one of them is not allowed, or there are too many to check.
    """
    inner = list(islice(path.rglob("*"), FOLDER_FILES_MAX + 1))
    if len(inner) > FOLDER_FILES_MAX:
        raise BadInput(
            f"{path} contains more than {FOLDER_FILES_MAX:,} files.",
            advice="Upload smaller folders one by one.",
        )
    for one in inner:
        _permitted(str(one), roots)
