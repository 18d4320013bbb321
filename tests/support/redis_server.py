"""A Redis server of its own for tests: Debian's program, on a socket in a new folder."""

import shutil
import socket
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Self

import attrs

START_S = 60.0
"""The time limit for the server to start; a busy machine is slow."""


@attrs.define(eq=False)
class RedisServer:
    """A Redis server for the block; it can be killed and started again meanwhile.

    Attributes:
        keeps: whether what was written survives a kill (an append-only file, synced each time).
    """

    keeps: bool = False
    _folder: Path = attrs.field(factory=lambda: Path(mkdtemp(prefix="redis-")))
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"unix://{self._socket}"

    @property
    def _socket(self) -> Path:
        return self._folder / "socket"

    @property
    def pid(self) -> int:
        """The process of the server; it must be running."""
        if self._process is None:
            raise AssertionError("the Redis server is not running")
        return self._process.pid

    def start(self) -> None:
        """Start the server, and wait until it answers. Blocks.

        Raises:
            RuntimeError: it does not start.
        """
        self._socket.unlink(missing_ok=True)
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("redis-server is missing: run scripts/get_test_programs.sh.")
        keep = ("--appendonly", "yes", "--appendfsync", "always") if self.keeps else ()
        self._process = subprocess.Popen(
            (program, "--port", "0", "--unixsocket", str(self._socket), "--save", "", *keep),
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        deadline_s = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise RuntimeError("redis-server does not start.")
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill the server, if it is running, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            try:
                connection.connect(str(self._socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
            except OSError:
                return False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)
