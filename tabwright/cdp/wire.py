"""CDP on the wire: JSON-RPC frames in and out (https://chromedevtools.github.io/devtools-protocol).

The one module that knows JSON. Of a frame only the envelope is decoded; results and event
parameters stay raw until somebody who knows their type asks.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import attrs
import msgspec

from tabwright.cdp.errors import MalformedReply, UnsendableText

Raw: TypeAlias = msgspec.Raw
JSON: TypeAlias = (
    "str | int | float | bool | list[JSON] | tuple[JSON, ...] | Mapping[str, JSON] | Raw | None"
)
"""What a command can carry; `Raw` is what the browser said, given back as it was."""


class Shape(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a reply or an event; attributes are the protocol's names in snake case.

    A msgspec struct and not an attrs class, because msgspec then translates the names while it
    decodes, in C. Fields that we do not name are skipped.
    """


class Event(Shape, frozen=True):
    """The parameters of an event; `method` is its name on the wire."""

    method: ClassVar[str]


class Nothing(Shape, frozen=True):
    """The reply of a command that has nothing to say."""


class _Fault(Shape, frozen=True):
    code: int
    message: str
    data: object = ""


class WireFrame(Shape, frozen=True):
    """The envelope of everything that a browser sends.

    Attributes:
        id: the number of the command that this replies to; None in an event.
        method: the name of the event; None in a reply.
        session_id: the target's session; empty for the browser itself.
    """

    id: int | None = None
    method: str | None = None
    session_id: str = ""
    params: Raw = Raw(b"{}")
    result: Raw = Raw(b"{}")
    error: _Fault | None = None


_SURROGATES = re.compile(rb"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<lone>\\u[dD][89a-fA-F]..)")
"""An escaped backslash, a whole pair, or half of one.

A JavaScript string may hold half a pair, and Chromium sends it so; JSON's readers refuse it, and
one such character in a page would cost the whole reply. It is read as U+FFFD, as `toWellFormed`
does.
"""

_REPLY_HEAD = re.compile(rb'\{"id":(\d{1,18}),')
"""How Chromium begins a reply."""

_encoder = msgspec.json.Encoder()
_frame_decoder = msgspec.json.Decoder(WireFrame)
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}

ShapeT = TypeVar("ShapeT")


def encode_command(number: int, session_id: str, method: str, params: Mapping[str, JSON]) -> bytes:
    """The frame of a command.

    Raises:
        UnsendableText: a parameter holds a lone surrogate.
    """
    command: dict[str, object] = {"id": number, "method": method, "params": params}
    if session_id:
        command["sessionId"] = session_id
    try:
        return _encoder.encode(command)
    except UnicodeEncodeError as error:
        raise UnsendableText(method, f"a parameter is not valid text ({error})") from error


def decode_frame(frame: bytes) -> WireFrame | None:
    """The envelope of a frame; None where it is not one."""
    try:
        return _frame_decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            return _frame_decoder.decode(_SURROGATES.sub(_repaired, frame))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


def reply_number(frame: bytes) -> int:
    """The number of the command that a frame replies to, by its head alone; 0 where it is none."""
    match = _REPLY_HEAD.match(frame)
    return int(match[1]) if match else 0


def _repaired(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match["lone"] else match[0]


def decode(raw: Raw | bytes | str, shape: type[ShapeT], method: str) -> ShapeT:
    """What `raw` holds, as a `shape`.

    Raises:
        MalformedReply: it holds something else; `method` names what it belongs to.
    """
    decoder = _decoders.get(shape)
    if decoder is None:
        decoder = _decoders[shape] = msgspec.json.Decoder(shape)
    try:
        decoded: ShapeT = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedReply(method, str(error)) from error
    return decoded


# A command: what to send, and the shape of its reply.

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
