"""Answers that are kept on disk, to be given again or to be confirmed."""

import logging
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import attrs
import msgspec

from tabwright.config.loader import open_private, private_folder
from tabwright.http.response import Head

BYTES_MAX = 256 * 1024 * 1024
"""Of all that is kept; then what was taken longest ago goes."""

SUFFIX = ".page"
"""Of our files: whatever else is in the folder is not ours to delete."""

_log = logging.getLogger("tabwright.fetching")


@attrs.frozen
class Record:
    """What is known of a body that is kept.

    Attributes:
        url: whose it is.
        taken_s: when it came or was confirmed, in seconds since 1970 UTC.
        varied: headers of the request, by which the answer varies, as they were.
    """

    url: str
    taken_s: float
    head: Head
    varied: tuple[tuple[str, str], ...] = ()


@attrs.frozen
class Kept:
    """An answer that was kept."""

    record: Record
    body: bytes


@attrs.frozen
class Shelf:
    """A folder of answers; a file that cannot be read or written counts as none.

    Attributes:
        bytes_max: of all that it holds.
    """

    folder: Path
    bytes_max: int = BYTES_MAX

    def find(self, url: str) -> Kept | None:
        """What is kept of `url`."""
        try:
            line, _, body = self._file(url).read_bytes().partition(b"\n")
            record = msgspec.json.decode(line, type=Record)
        except (OSError, msgspec.MsgspecError):
            return None
        return Kept(record, body) if record.url == url else None

    def put(self, kept: Kept) -> None:
        """Keeps it, in place of what was kept of its URL; there are no half ones."""
        unfinished = self.folder / f"{uuid4().hex}{SUFFIX}"
        try:
            private_folder(self.folder)
            with open(unfinished, "xb", opener=open_private) as file:
                file.write(msgspec.json.encode(kept.record) + b"\n" + kept.body)
            unfinished.replace(self._file(kept.record.url))
            self._make_room()
        except OSError as error:
            _log.warning("A page could not be kept in %s: %s", self.folder, error)

    def _make_room(self) -> None:
        files = [(file.stat(), file) for file in self.folder.glob(f"*{SUFFIX}")]
        over = sum(stat.st_size for stat, _ in files) - self.bytes_max
        for stat, file in sorted(files, key=lambda entry: entry[0].st_mtime):
            if over <= 0:
                return
            file.unlink(missing_ok=True)
            over -= stat.st_size

    def _file(self, url: str) -> Path:
        return self.folder / f"{sha256(url.encode()).hexdigest()}{SUFFIX}"
