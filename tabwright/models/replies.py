"""Replies as values of the shapes that a vendor documents."""

from typing import TypeVar

import msgspec

from tabwright.llm.vendor import Place, Reply
from tabwright.llm.vendor_errors import unreadable

_ShapeT = TypeVar("_ShapeT", bound=msgspec.Struct)


def decoded(reply: Reply, shape: type[_ShapeT], place: Place) -> _ShapeT:
    """The body of a reply.

    Raises:
        ModelFailed: it is none of that shape.
    """
    try:
        return msgspec.json.decode(reply.body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise unreadable(place, "it is not the JSON that belongs there") from error
