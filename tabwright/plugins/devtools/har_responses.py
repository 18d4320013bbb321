"""The responses in a HAR file (HTTP Archive 1.2), whichever program has recorded them."""

from base64 import b64decode
from binascii import Error as Base64Error

import msgspec

from tabwright.protocol.context_options import RecordedResponse
from tabwright.protocol.errors import BadInput

LEFT_OUT = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
"""Headers of the transfer: a recorded body is decoded, and pseudo-headers begin with a colon."""


class _Pair(msgspec.Struct, frozen=True):
    name: str
    value: str


class _Request(msgspec.Struct, frozen=True):
    method: str
    url: str


class _Content(msgspec.Struct, frozen=True, rename="camel"):
    text: str = ""
    encoding: str = ""
    mime_type: str = ""


class _Response(msgspec.Struct, frozen=True):
    status: int
    headers: tuple[_Pair, ...] = ()
    content: _Content = _Content()


class _Entry(msgspec.Struct, frozen=True):
    request: _Request
    response: _Response


class _Log(msgspec.Struct, frozen=True):
    entries: tuple[_Entry, ...]


class _Archive(msgspec.Struct, frozen=True):
    log: _Log


def recorded_responses(text: bytes) -> tuple[RecordedResponse, ...]:
    """Return the responses in a HAR file, in order; failed requests are left out.

    Raises:
        BadInput: it is not a HAR file, or contains no response.
    """
    try:
        archive = msgspec.json.decode(text.removeprefix(b"\xef\xbb\xbf"), type=_Archive)
        found = tuple(_recorded(one) for one in archive.log.entries if one.response.status > 0)
    except (msgspec.MsgspecError, UnicodeDecodeError, Base64Error, ValueError) as error:
        raise BadInput(
            f"The file is not a HAR file: {error}.",
            advice="Use a file that the network panel of a browser, or Playwright, has saved.",
        ) from error
    if not found:
        raise BadInput("The HAR file contains no response.", advice="Record the requests again.")
    return found


def _recorded(entry: _Entry) -> RecordedResponse:
    content = entry.response.content
    body = (
        b64decode(content.text, validate=True)
        if content.encoding == "base64"
        else content.text.encode()
    )
    headers = tuple(
        (one.name, one.value)
        for one in entry.response.headers
        if one.name.lower() not in LEFT_OUT and not one.name.startswith(":")
    )
    if content.mime_type and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("Content-Type", content.mime_type))
    return RecordedResponse(
        entry.request.method.upper(),
        entry.request.url.partition("#")[0],
        entry.response.status,
        headers,
        body,
    )
