"""Which files of this machine may be given to a page."""

from collections.abc import Sequence
from pathlib import Path

from tabwright.protocol.errors import BadInput


def uploadable(path: str, roots: Sequence[str]) -> str:
    """Return a path that may be given to a page, with its links resolved. It blocks.

    A file may be given if it lies in one of `roots` or is itself one of them. Inside a root, hidden
    files and folders (such as ``.env`` and ``.git``) and files with a second name elsewhere (hard
    links, whose other name may be anywhere) may be given only if they are listed as roots.

    Raises:
        BadInput: it may not be given, or there is no such file.
    """
    if "\0" in path:
        raise BadInput("The path contains a NUL character.", advice="Check the path.")
    try:
        return str(_permitted(path, roots))
    except (OSError, RuntimeError) as error:  # too long, a loop of links, an unknown home
        raise BadInput(f"{path} cannot be opened: {error}.", advice="Check the path.") from error


def _permitted(path: str, roots: Sequence[str]) -> Path:
    resolved = Path(path).expanduser().resolve()
    listed = [Path(root).expanduser().resolve() for root in roots]
    inside = [resolved.relative_to(root) for root in listed if resolved.is_relative_to(root)]
    if not inside:
        raise BadInput(
            f"{path} is in no directory for uploads.",
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
