"""A command: what to send, and the shape of its reply."""

from collections.abc import Mapping
from typing import Generic, TypeVar

import attrs

from tabwright.cdp.wire import JSON

ReplyT_co = TypeVar("ReplyT_co", covariant=True)


@attrs.frozen
class CDPCommand(Generic[ReplyT_co]):
    """One call of the protocol, made by the functions of `tabwright.cdp.domains`.

    Attributes:
        method: the name on the wire, as ``Page.navigate``.
        params: the parameters by their names on the wire.
        reply: the shape that the reply is decoded into.
    """

    method: str
    params: Mapping[str, JSON]
    reply: type[ReplyT_co]


def present(**params: JSON) -> dict[str, JSON]:
    """The parameters that were given: those that are not None."""
    return {name: value for name, value in params.items() if value is not None}
