"""Partial files of downloads: each browser keeps them in its own hidden folder.

Chromium leaves ``GUID.crdownload`` behind if it dies in the middle of a download. The hidden folder
is in the folder for downloads and is removed when the browser ends. The folder of a dead process
has a free lock, so the next browser removes it.
"""

import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from tabwright.cdp.chromium.directory import sweep, try_lock
from tabwright.config.loader import private_folder

PREFIX: Final = ".tabwright-"
SUFFIX: Final = ".partial"


@attrs.define(eq=False)
class PartialDownloads:
    """The folders for the partial files of one browser, one in each folder for downloads."""

    _made: dict[Path, tuple[Path, int]] = attrs.field(factory=dict[Path, tuple[Path, int]])
    _making: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    def folder_in(self, downloads: Path) -> Path:
        """Return the folder for partial files in `downloads`, created at the first call. It blocks.

        Several threads can call it at the same time, as the tabs of a browser do.

        Raises:
            OSError: the folder cannot be created.
        """
        with self._making:
            if downloads not in self._made:
                private_folder(downloads)
                sweep(downloads, f"{PREFIX}*{SUFFIX}", spare_empty=False)
                self._made[downloads] = _locked_folder(downloads)
            return self._made[downloads][0]

    def remove(self) -> None:
        """Remove the folders and their content. It blocks."""
        for path, lock_fd in self._made.values():
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock_fd)
        self._made.clear()


def _locked_folder(downloads: Path) -> tuple[Path, int]:
    """Create a folder that no other process removes; return it and the descriptor of its lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=downloads))
        with suppress(FileNotFoundError):  # another process removed it before it was locked
            lock_fd = os.open(path, os.O_RDONLY)
            if try_lock(lock_fd) and path.exists():
                return path, lock_fd
            os.close(lock_fd)
