"""Failed uses of files as sentences, in place of the operating system's wording."""

import errno
from pathlib import Path

SENTENCES = {
    errno.ENOENT: "The file {path} does not exist.",
    errno.EEXIST: "{path} already exists.",
    errno.EACCES: "You have no permission to {use} {path}.",
    errno.EPERM: "You have no permission to {use} {path}.",
    errno.EISDIR: "{path} is a folder, not a file.",
    errno.ENOTDIR: "A folder in the path {path} is a file.",
    errno.ENOSPC: "{path} cannot be written, because the disk is full.",
    errno.EROFS: "{path} cannot be written, because its file system is read-only.",
    errno.ENAMETOOLONG: "The path {path} is too long.",
    errno.ELOOP: "The path {path} is a loop of links.",
    errno.EMFILE: "{path} cannot be opened, because too many files are open.",
}
"""By error number of POSIX; a sentence of the operating system ends every other problem."""


def file_problem(error: Exception, path: Path | str, *, writing: bool = False) -> str:
    """Return why a file or folder could not be used, as one sentence.

    Args:
        error: an `OSError`, or the error of a parser.
        path: the file or folder, which the sentence names.
        writing: whether it was to be written, or else read.
    """
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not a text file in UTF-8."
    reason = str(error)
    if isinstance(error, OSError):
        if writing and error.errno == errno.ENOENT:
            return f"The folder {Path(path).parent} does not exist."
        if error.errno == errno.EEXIST and error.filename not in {None, str(path)}:
            return f"{error.filename} is a file, not a folder."
        if error.errno in SENTENCES:
            return SENTENCES[error.errno].format(path=path, use="write" if writing else "read")
        reason = error.strerror or reason
    cannot = f"{path} cannot be {'written' if writing else 'read'}"
    return f"{cannot}: {reason.rstrip('.')}." if reason else f"{cannot}."
