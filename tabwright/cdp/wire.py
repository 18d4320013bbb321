"""CDP on the wire: JSON-RPC frames in and out (https://chromedevtools.github.io/devtools-protocol).

The only module that reads and writes JSON. Only the envelope of a frame is decoded; results and
event parameters stay raw until they are decoded as a type.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import attrs
import msgspec

from tabwright.cdp.errors import MalformedReply, UnsendableText

DefaultT = TypeVar("DefaultT")
Raw: TypeAlias = msgspec.Raw
JSON: TypeAlias = (
    "str | int | float | bool | list[JSON] | tuple[JSON, ...] | Mapping[str, JSON] | Raw | None"
)
"""A value in a command; `Raw` is a value from the browser, sent back unchanged."""


class Shape(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a reply or an event; attributes are the protocol's names in snake case.

    A msgspec struct and not an attrs class, because msgspec then translates the names while it
    decodes, in C. Fields that we do not name are skipped.
    """


def spelled(name: str, *, default: DefaultT) -> DefaultT:
    """Return the definition of a field that CDP does not write in camel case.

    Args:
        name: on the wire.
        default: of a part without the field.
    """
    return msgspec.field(default=default, name=name)


class Event(Shape, frozen=True):
    """The parameters of an event; `method` is its name on the wire."""

    method: ClassVar[str]


class Nothing(Shape, frozen=True):
    """The reply of a command without a result."""


class _Fault(Shape, frozen=True):
    code: int
    message: str
    data: object = ""


class WireFrame(Shape, frozen=True):
    """The envelope of a frame from a browser.

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
"""An escaped backslash, a surrogate pair, or a lone surrogate.

A JavaScript string may contain a lone surrogate, which Chromium sends unchanged; JSON decoders
reject it, and one such character in a page would lose the whole reply. It is read as U+FFFD, as
`toWellFormed` does.
"""

_REPLY_HEAD = re.compile(rb'\{"id":(\d{1,18}),')
"""The beginning of Chromium's replies."""

_encoder = msgspec.json.Encoder()
_frame_decoder = msgspec.json.Decoder(WireFrame)
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}

ShapeT = TypeVar("ShapeT")


def encode_command(number: int, session_id: str, method: str, params: Mapping[str, JSON]) -> bytes:
    """Encode a command as a frame.

    Raises:
        UnsendableText: a parameter contains a lone surrogate.
    """
    command: dict[str, object] = {"id": number, "method": method, "params": params}
    if session_id:
        command["sessionId"] = session_id
    try:
        return _encoder.encode(command)
    except UnicodeEncodeError as error:
        raise UnsendableText(method, f"a parameter is not valid text ({error})") from error


def decode_frame(frame: bytes) -> WireFrame | None:
    """Decode the envelope of a frame; None if it is not valid."""
    try:
        return _frame_decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            return _frame_decoder.decode(_SURROGATES.sub(_repaired, frame))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


def reply_number(frame: bytes) -> int:
    """Return the number of the command that a frame replies to, from its head; 0 if it has none."""
    match = _REPLY_HEAD.match(frame)
    return int(match[1]) if match else 0


def _repaired(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match["lone"] else match[0]


def decode(raw: Raw | bytes | str, shape: type[ShapeT], method: str) -> ShapeT:
    """Decode `raw` as a `shape`.

    Raises:
        MalformedReply: it has another shape; `method` names the command or event.
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
        method: the name on the wire, for example ``Page.navigate``.
        params: the parameters by their names on the wire.
        reply: the shape that the reply is decoded into.
    """

    method: str
    params: Mapping[str, JSON]
    reply: type[ReplyT_co]


def present(**params: JSON) -> dict[str, JSON]:
    """Return the parameters that are not None."""
    return {name: value for name, value in params.items() if value is not None}
