"""The first answers of an MCP server, given while the official SDK is still being imported.

Importing the SDK takes a second; a client asks for three things first, whose answers are known
beforehand. They are exactly what the SDK would answer (a test compares them).
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs
import msgspec

from tabwright import __version__
from tabwright.actors.gateway_tools import INSTRUCTIONS
from tabwright.actors.tools.tool import JSONObject, Tool

SERVER_NAME = "tabwright"
SERVER_TITLE = "tabwright: a browser for agents"

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"

Tools: TypeAlias = Sequence[Tool[object]]

_SERVER_INFO = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": __version__}
_CAPABILITIES = {"tools": {"listChanged": False}}


class _Message(msgspec.Struct, frozen=True):
    method: str
    id: str | int | None = None
    params: Mapping[str, object] | None = None


@attrs.frozen
class Reply:
    """An answer to a client's message.

    Attributes:
        forward: whether the SDK must be told of the message too, to know its client.
    """

    line: bytes
    forward: bool


@attrs.define
class Greeting:
    """Answers what it can without the SDK, until it is over.

    Attributes:
        tools: what there is to list.
        replayed: ids of answered requests that the SDK is told of too; its own answers to them
            are not to be sent.
        over: whether the SDK is there.
    """

    tools: Tools
    replayed: set[str | int] = attrs.field(factory=set[str | int])
    over: bool = False

    def reply(self, line: bytes) -> Reply | None:
        """The answer to a message; None where it is for the SDK to answer."""
        message = None if self.over else _read(line)
        if message is None or message.id is None:
            return None
        result = self._result(message.id, message)
        if result is None:
            return None
        answer = {"jsonrpc": "2.0", "id": message.id, "result": result}
        return Reply(msgspec.json.encode(answer), forward=message.id in self.replayed)

    def _result(self, request_id: str | int, message: _Message) -> JSONObject | None:
        params = message.params or {}
        modern = _is_modern(params)
        match message.method:
            case "initialize":
                self.replayed.add(request_id)
                return _initialized(params)
            case "ping" if self.replayed:
                return {}
            case "tools/list" if self.replayed or modern:
                listed: JSONObject = {"tools": [listed_tool(tool) for tool in self.tools]}
                return _stamped(listed) if modern else listed
            case "server/discover" if modern:
                return _stamped(_discovered())
            case _:
                return None


def _read(line: bytes) -> _Message | None:
    try:
        return msgspec.json.decode(line, type=_Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def listed_tool(tool: Tool[object]) -> JSONObject:
    """A tool as `tools/list` names it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
    }


def _initialized(params: JSONObject) -> JSONObject:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


def _discovered() -> JSONObject:
    return {
        "supportedVersions": [MODERN_VERSION],
        "capabilities": _CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }


def _is_modern(params: JSONObject) -> bool:
    match params.get("_meta"):
        case {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}:
            return True
        case _:
            return False


def _stamped(result: JSONObject) -> JSONObject:
    meta = {"io.modelcontextprotocol/serverInfo": _SERVER_INFO}
    return {
        **result,
        "resultType": "complete",
        "cacheScope": "private",
        "ttlMs": 0,
        "_meta": meta,
    }
