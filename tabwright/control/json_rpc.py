"""The little of JSON-RPC 2.0 that is said before, or without, the MCP SDK."""

import msgspec

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

ID_BYTES_MAX = 1024
"""A longer id is not repeated."""

_FIRST = tuple(sign.encode() for sign in '"-0123456789')

NO_ID = msgspec.Raw(b"null")
"""Of an error that answers no request in particular (section 5.1)."""


class _Envelope(msgspec.Struct, frozen=True):
    """A message, of which nothing but its outside is read; what is missing is empty."""

    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()


def is_json(line: bytes) -> bool:
    """Whether the line can be parsed at all."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def unfit_id(line: bytes) -> msgspec.Raw | None:
    """The id that a request is to be answered with whose id is none of MCP; None for any other.

    MCP knows texts and whole numbers; JSON-RPC numbers of any kind, and null.
    """
    envelope = _envelope(line)
    if envelope is None or not bytes(envelope.id) or not bytes(envelope.method):
        return None
    try:
        msgspec.json.decode(envelope.id, type=str | int)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _answerable(envelope.id)
    return None


def id_of(line: bytes) -> msgspec.Raw:
    """The id that an error is to have which answers this line."""
    envelope = _envelope(line)
    return _answerable(envelope.id) if envelope and bytes(envelope.method) else NO_ID


def error_line(code: int, text: str, request_id: msgspec.Raw = NO_ID) -> bytes:
    """An error, as JSON of one line."""
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    )


def _envelope(line: bytes) -> _Envelope | None:
    try:
        return msgspec.json.decode(line, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _answerable(request_id: msgspec.Raw) -> msgspec.Raw:
    """The id, if it is a text, a number or null, and none without end."""
    data = bytes(request_id)
    return request_id if data.startswith(_FIRST) and len(data) <= ID_BYTES_MAX else NO_ID
