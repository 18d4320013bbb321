"""The answers of the library in a page, read.

They come out of a page: nothing in them is trusted to have the right shape.
"""

from typing import TypeVar

import msgspec

from tabwright.acting.outlines import DocumentRecord
from tabwright.protocol.errors import PageFailed

ShapeT = TypeVar("ShapeT")


def read_record(answer: str) -> DocumentRecord:
    """What ``listed`` answered.

    Raises:
        PageFailed: it is not the script's answer.
    """
    return read_answer(answer, DocumentRecord)


def read_answer(answer: str, shape: type[ShapeT]) -> ShapeT:
    """What a function of the library answered, in its shape.

    Raises:
        PageFailed: it is not the script's answer.
    """
    try:
        return msgspec.json.decode(answer, type=shape)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The page gave no readable answer: {error}.") from error
