"""What a tool says and answers, as far as the terminal has a use for it."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import attrs
import msgspec

RecordT = TypeVar("RecordT")

Told: TypeAlias = Callable[[str], None]
"""Is called with each step of a call."""


@attrs.frozen
class Picture:
    """A small picture.

    Attributes:
        number: of the medium that it shows, as the page's record has it; None where nobody says.
        data: a JPEG or a PNG.
    """

    number: int | None
    data: bytes


@attrs.frozen
class Answer:
    """An answer of a tool.

    Attributes:
        text: without the marks that are there for models.
        record: for programs; plain values.
        failed: whether the text says why nothing came of it.
    """

    text: str
    pictures: tuple[Picture, ...] = ()
    record: object = None
    failed: bool = False

    def read(self, wanted: type[RecordT]) -> RecordT:
        """The record as a value of a type.

        Raises:
            msgspec.ValidationError: it is none.
        """
        return msgspec.convert(self.record, wanted)
