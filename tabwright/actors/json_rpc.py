"""The little of JSON-RPC 2.0 that is said before, or without, the MCP SDK."""

import msgspec

PARSE_ERROR = -32700
INVALID_REQUEST = -32600


def is_json(line: bytes) -> bool:
    """Whether the line can be parsed at all."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def error_line(code: int, text: str) -> bytes:
    """An error that answers no request in particular (section 5.1: its id is null)."""
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}}
    )
