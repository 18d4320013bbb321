"""The first answers of `serve`, kept for its next start.

A client begins each time with the same lines, and the answers to them follow from the code and the
settings. `serve` therefore keeps them. At its next start a thread repeats them while everything
else is imported, for as long as the client sends the same lines, byte by byte. Nothing is repeated
if a file has changed that decides about the answers: a module, a table of defaults, or a file that
the settings name.

It imports little, and only of the standard library, as `tabwright.cli.user_client` does.
"""

import json
import os
import select
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256

from tabwright.config.variables import settings_variables

ANSWERS_MAX = 32
"""The maximum number of kept answers, of all clients with the same command line."""

KEPT_S = 30 * 24 * 3600
"""How long answers are kept that no start has added to."""

READ_BYTES = 1 << 16
"""The number of bytes that are read at once; the first lines of a client are shorter."""


class FirstAnswers:
    """The answers of earlier starts with the same command line, and the lines of this one.

    An answer is kept under the digest of all that the client has sent until then.

    Attributes:
        received: the bytes that the thread has read.
        answered: for each of the first lines in them, whether the thread has answered it.
    """

    def __init__(self, arguments: Iterable[str]) -> None:
        places = [sys.path, os.path.expanduser("~"), settings_variables()]
        key = json.dumps([*places, *arguments], sort_keys=True)
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self._path = f"{caches}/tabwright/answers/{sha256(key.encode()).hexdigest()}.json"
        self._began_ns = time.time_ns()
        self._kept: dict[str, str | None] = {}
        self._added: dict[str, str | None] = {}
        self._is_saved = False
        self._sent = sha256()
        self._ended = self._end = -1
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.received = self.unsent = b""
        self.answered: list[bool] = []

    def begin(self) -> None:
        """Answer in a thread, if answers are kept and still apply."""
        try:
            with open(self._path, encoding="utf-8") as file:
                record = json.load(file)
            if any(_version(path) != version for path, version in record["files"].items()):
                return
            self._kept = dict(record["answers"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return  # there is none, or it is damaged: it is written again
        if self._kept:
            self._ended, self._end = os.pipe()
            self._thread.start()

    def end(self) -> None:
        """End the thread, so that it reads no further lines."""
        if self._kept:
            os.close(self._end)
            self._thread.join()
            os.close(self._ended)

    def keep(self, line: bytes, answer: bytes | None) -> None:
        """Note the next line of the client and its answer, until they are saved."""
        self._sent.update(line + b"\n")
        digest = self._sent.hexdigest()
        if not self._is_saved and len(self._added) < ANSWERS_MAX:
            self._added[digest] = None if answer is None else answer.decode()

    def save(self, files: Iterable[str]) -> None:
        """Save the answers for the next start, unless a module has changed since this one.

        Later ones need no place: the client gets them at once.

        Args:
            files: the paths of the files that decide about the answers, besides the code and the
                tables of tabwright. They need not exist.
        """
        from pathlib import Path

        from tabwright.config.loader import write_private

        self._is_saved = True
        if all(text is None or self._kept.get(key) == text for key, text in self._added.items()):
            return
        modules = [getattr(module, "__file__", None) for module in tuple(sys.modules.values())]
        tables = map(str, Path(__file__).parents[1].rglob("*.yaml"))
        versions = {path: _version(path) for path in (*filter(None, modules), *tables, *files)}
        if any(version and version[0] > self._began_ns for version in versions.values()):
            return
        former = [pair for pair in self._kept.items() if pair[0] not in self._added]
        answers = dict([*self._added.items(), *former][:ANSWERS_MAX])
        record = {"files": versions, "answers": answers}
        with suppress(OSError):  # the next start is slower
            write_private(Path(self._path), json.dumps(record).encode())
            for other in Path(self._path).parent.glob("*.json"):
                if other.stat().st_mtime < time.time() - KEPT_S:
                    other.unlink()

    def _run(self) -> None:
        with suppress(OSError):  # a stream is closed, which the server finds out, too
            self._answer()

    def _answer(self) -> None:
        sent, rest = sha256(), b""
        while len(rest) < READ_BYTES:
            ready, _, _ = select.select([0, self._ended], [], [])
            chunk = b"" if self._ended in ready else os.read(0, READ_BYTES)
            if not chunk:
                return
            self.received += chunk
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                sent.update(line + b"\n")
                digest = sent.hexdigest()
                if digest not in self._kept:
                    return
                answer = self._kept[digest]
                if answer is not None and not self._write(answer.encode() + b"\n"):
                    return
                self.answered.append(answer is not None)

    def _write(self, data: bytes) -> bool:
        """Write as fast as the client reads; return whether it was all of it."""
        while data:
            ended, _, _ = select.select([self._ended], [1], [])
            if ended:
                self.unsent = data
                self.answered.append(True)
                return False
            data = data[os.write(1, data[: select.PIPE_BUF]) :]
        return True


def _version(path: str) -> list[int] | None:
    """Return the time, the size and the number of a file; None if there is none.

    The number tells apart files of the same relative path, in the folders of two projects.
    """
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_ctime_ns, status.st_size, status.st_ino]
