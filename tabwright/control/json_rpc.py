"""The part of JSON-RPC 2.0 that is needed before, or without, the MCP SDK."""

import msgspec

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

_FIRST = tuple(sign.encode() for sign in '"-0123456789')

NO_ID = msgspec.Raw(b"null")
"""The id of an error that belongs to no request (section 5.1)."""


class _Envelope(msgspec.Struct, frozen=True):
    """The envelope of a message; missing fields are empty."""

    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()


def is_json(line: bytes) -> bool:
    """Return whether the line is valid JSON."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def unfit_id(line: bytes) -> msgspec.Raw | None:
    """Return a request's id that MCP does not allow, for the error; None for a valid one.

    MCP allows strings and integers; JSON-RPC allows any numbers, and null.
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
    """Return the id for an error that answers this line."""
    envelope = _envelope(line)
    return _answerable(envelope.id) if envelope and bytes(envelope.method) else NO_ID


def error_line(code: int, text: str, request_id: msgspec.Raw = NO_ID) -> bytes:
    """Return an error as a line of JSON."""
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    )


def _envelope(line: bytes) -> _Envelope | None:
    try:
        return msgspec.json.decode(line, type=_Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _answerable(request_id: msgspec.Raw) -> msgspec.Raw:
    """Return the id if it is a string, a number or null."""
    return request_id if bytes(request_id).startswith(_FIRST) else NO_ID
