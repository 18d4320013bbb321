"""Partial files of downloads: each browser keeps them in a hidden folder of its own.

Chromium leaves ``GUID.crdownload`` behind if it dies in the middle of a download. The hidden folder
lies in the folder for downloads and is removed when the browser ends. A folder that a dead process
left has a free lock: the next browser removes it.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from tabwright.cdp.chromium.locking import try_lock
from tabwright.config.places import private_folder

PREFIX: Final = ".tabwright-"
SUFFIX: Final = ".partial"


@attrs.define(eq=False)
class PartialDownloads:
    """The folders for the partial files of one browser, one in each folder for downloads."""

    _made: dict[Path, tuple[Path, int]] = attrs.field(factory=dict[Path, tuple[Path, int]])

    def folder_in(self, downloads: Path) -> Path:
        """Return the folder for partial files in `downloads`, made at the first time. It blocks.

        Raises:
            OSError: it cannot be made.
        """
        if downloads not in self._made:
            private_folder(downloads)
            sweep(downloads)
            path = Path(tempfile.mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=downloads))
            lock_fd = os.open(path, os.O_RDONLY)
            try_lock(lock_fd)
            self._made[downloads] = path, lock_fd
        return self._made[downloads][0]

    def remove(self) -> None:
        """Remove the folders with what is in them. It blocks."""
        for path, lock_fd in self._made.values():
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock_fd)
        self._made.clear()


def sweep(downloads: Path) -> None:
    """Remove the folders for partial files whose owner is dead: nobody has their lock."""
    for path in downloads.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):  # another user's, or swept by another process at this moment
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(fd).st_uid == os.geteuid() and try_lock(fd):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(fd)
