"""Answers and errors as MCP results."""

import logging
import secrets
from base64 import b64encode
from collections.abc import Callable, Iterable

import mcp_types as mcp
import msgspec

from tabwright.acting.budgets import cut
from tabwright.acting.secrets import Secrets
from tabwright.actors.tools.schema import JSONObject
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.pictures import SmallPicture
from tabwright.protocol.untrusted import marked
from tabwright.reading.telling import as_it_stands

FAILURE_TOKENS_MAX = 1000
"""Of what is said of a failure; it may say what has changed on a page."""

NONCE_BYTES = 4
"""Of the mark of a fence: more than can be guessed in one try, and few tokens."""

_log = logging.getLogger("tabwright.gateway")


def answered(
    text: str, record: JSONObject, pictures: Iterable[SmallPicture] = ()
) -> mcp.CallToolResult:
    """An answer: as text and pictures for the model, as a record for programs.

    Whatever a page has put into it, there is nothing that nobody sees, or that steers a terminal.
    """
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=as_it_stands(text)), *map(_shown, pictures)],
        structured_content={name: _each_text(one, as_it_stands) for name, one in record.items()},
    )


def _shown(picture: SmallPicture) -> mcp.ImageContent:
    """A picture; programs find in its metadata which of the page's media it is."""
    return mcp.ImageContent(
        type="image",
        data=b64encode(picture.data).decode(),
        mime_type=picture.media_type,
        _meta={"tabwright/number": picture.number},
    )


def listed(record: JSONObject) -> mcp.CallToolResult:
    """An answer whose text is its record."""
    return answered(msgspec.json.format(msgspec.json.encode(record), indent=1).decode(), record)


def masked(result: mcp.CallToolResult, kept: Secrets) -> mcp.CallToolResult:
    """A result in which no secret stands."""
    if not kept:
        return result
    clean = _each_text(result.model_dump(by_alias=True, exclude_unset=True), kept.masked)
    return mcp.CallToolResult.model_validate(clean)


def fenced(result: mcp.CallToolResult) -> mcp.CallToolResult:
    """A result whose texts stand in fences; programs find what marks these in the metadata."""
    nonce = _nonce()
    content = [
        part.model_copy(update={"text": marked(part.text, nonce)})
        if isinstance(part, mcp.TextContent)
        else part
        for part in result.content
    ]
    meta = {**(result.meta or {}), "tabwright/untrusted": nonce}
    return result.model_copy(update={"content": content, "meta": meta})


def fenced_text(text: str) -> str:
    """Text with what pages say in it, between marks that no page can have written."""
    return marked(text, _nonce())


def _nonce() -> str:
    """Drawn when the text is there: no page has seen it."""
    return secrets.token_hex(NONCE_BYTES)


def _each_text(value: object, change: Callable[[str], str]) -> object:
    """A value of JSON, with each text in it changed."""
    match value:
        case str():
            return change(value)
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {name: _each_text(inner, change) for name, inner in pairs}
        case list() | tuple():
            inner = msgspec.convert(value, list[object])
            return [_each_text(one, change) for one in inner]
        case _:
            return value


def failed(text: str, error: TabwrightError | None = None) -> mcp.CallToolResult:
    """A tool error; programs find its kind and what may be done in the metadata."""
    if error is not None:
        level = logging.INFO if isinstance(error, BadInput) else logging.WARNING
        _log.log(level, "A call failed: %s", error.kind, exc_info=error)
    internal: dict[str, object] = {"kind": "internal", "retryable": False, "effect": "unknown"}
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=_told(text))],
        is_error=True,
        _meta={"tabwright/error": _each_text(error.details() if error else internal, _told)},
    )


def _told(text: str) -> str:
    """What is said of a failure, which may have the words of a page in it."""
    return cut(as_it_stands(text), FAILURE_TOKENS_MAX)
