"""What a batch has done so far, on disk: so that one that is interrupted goes on where it was.

A line is written for each page as it comes, and is there for good before the next one is begun by
the same worker. The file beside the output is removed once the output is whole.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TypeAlias

import attrs
import msgspec

from tabwright.protocol.errors import BadInput

OWNERS_ALONE = 0o600

Record: TypeAlias = Mapping[str, object]
"""A page, or why there is none; ``asked`` is its URL as it was given."""


@attrs.frozen
class Journal:
    """The file of a batch that is under way.

    Attributes:
        wishes: stands for how the pages are read, and tells nothing of it: there may be secrets in
            that. A journal of another batch is not gone on with.
    """

    path: Path
    wishes: str

    def done(self) -> dict[str, Record]:
        """The pages that are there, by their URLs as given; failed ones are tried again.

        Raises:
            BadInput: the journal is that of another batch, or cannot be read.
        """
        try:
            lines = list(self._lines())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BadInput(f"{self.path} cannot be read: {error}.") from error
        if lines and lines[0].get("wishes") != self.wishes:
            raise BadInput(
                f"{self.path} is what an interrupted batch with other options has done.",
                advice="Give the same options again to go on with it, or remove the file.",
            )
        return {str(line["asked"]): line for line in lines[1:] if line.get("success")}

    def opened(self) -> BinaryIO:
        """The file, to go on with; what a crash has cut is cut off.

        Raises:
            BadInput: it cannot be written.
        """
        try:
            whole = self._whole_bytes()
            file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, OWNERS_ALONE), "r+b")
            file.seek(whole)
            file.truncate()
            if not whole:
                add(file, {"wishes": self.wishes})
        except OSError as error:
            raise BadInput(f"{self.path} cannot be written: {error}.") from error
        return file

    def _whole_bytes(self) -> int:
        try:
            return self.path.read_bytes().rfind(b"\n") + 1
        except FileNotFoundError:
            return 0

    def _lines(self) -> Iterator[dict[str, object]]:
        for line in self.path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                try:
                    yield msgspec.json.decode(line, type=dict[str, object])
                except msgspec.MsgspecError as error:
                    raise BadInput(
                        f"{self.path} is damaged: {error}.", advice="Remove it to begin anew."
                    ) from error


def add(file: BinaryIO, record: Record) -> None:
    """Writes a record down for good."""
    file.write(msgspec.json.encode(record) + b"\n")
    file.flush()
    os.fsync(file.fileno())
