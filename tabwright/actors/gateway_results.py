"""Answers and errors as MCP results."""

import logging
from base64 import b64encode
from collections.abc import Iterable

import mcp_types as mcp
import msgspec

from tabwright.acting.secrets import Secrets
from tabwright.actors.tools.schema import JSONObject
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.pictures import SmallPicture

_log = logging.getLogger("tabwright.gateway")


def answered(
    text: str, record: JSONObject, pictures: Iterable[SmallPicture] = ()
) -> mcp.CallToolResult:
    """An answer: as text and pictures for the model, as a record for programs."""
    shown = [
        mcp.ImageContent(type="image", data=b64encode(one.data).decode(), mime_type=one.media_type)
        for one in pictures
    ]
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=text), *shown],
        structured_content=dict(record),
    )


def listed(record: JSONObject) -> mcp.CallToolResult:
    """An answer whose text is its record."""
    return answered(msgspec.json.format(msgspec.json.encode(record), indent=1).decode(), record)


def masked(result: mcp.CallToolResult, secrets: Secrets) -> mcp.CallToolResult:
    """A result in which no secret stands."""
    if not secrets:
        return result
    clean = _masked(result.model_dump(by_alias=True, exclude_unset=True), secrets)
    return mcp.CallToolResult.model_validate(clean)


def _masked(value: object, secrets: Secrets) -> object:
    match value:
        case str():
            return secrets.masked(value)
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {name: _masked(inner, secrets) for name, inner in pairs}
        case list():
            return [_masked(inner, secrets) for inner in msgspec.convert(value, list[object])]
        case _:
            return value


def failed(text: str, error: TabwrightError | None = None) -> mcp.CallToolResult:
    """A tool error; programs find its kind and what may be done in the metadata."""
    if error is not None:
        level = logging.INFO if isinstance(error, BadInput) else logging.WARNING
        _log.log(level, "A call failed: %s", error.kind, exc_info=error)
    internal: dict[str, object] = {"kind": "internal", "retryable": False, "effect": "unknown"}
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=text)],
        is_error=True,
        _meta={"tabwright/error": error.details() if error else internal},
    )
