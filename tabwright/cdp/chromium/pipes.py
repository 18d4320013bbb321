"""The private pipe between us and one browser."""

import os
from types import TracebackType
from typing import Self

import attrs

from tabwright.cdp.chromium.errors import SystemRefused


@attrs.define
class PipeEnds:
    """One side of a pair of pipes: a descriptor to read from and one to write to.

    It owns both, until they are taken. As a context manager it closes what it still owns.
    """

    read_fd: int
    write_fd: int
    _owned: bool = True

    def take(self) -> tuple[int, int]:
        """Hands over ``(read_fd, write_fd)``: from now on the taker closes them."""
        self._owned = False
        return self.read_fd, self.write_fd

    def close(self) -> None:
        """Closes both, unless they were taken or closed before."""
        if self._owned:
            self._owned = False
            os.close(self.read_fd)
            os.close(self.write_fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def crossed() -> tuple[PipeEnds, PipeEnds]:
    """Two sides: what is written to one is read from the other.

    Raises:
        SystemRefused: there are no more file descriptors.
    """
    try:
        our_read, their_write = os.pipe()
        try:
            their_read, our_write = os.pipe()
        except OSError:
            os.close(our_read)
            os.close(their_write)
            raise
    except OSError as error:
        raise SystemRefused(error) from error
    return PipeEnds(our_read, our_write), PipeEnds(their_read, their_write)
