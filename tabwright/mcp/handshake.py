"""The first answers of an MCP server, sent while the official SDK is still being imported.

Importing the SDK takes a second; a client first sends three requests whose answers are known
beforehand. They are exactly those of the SDK (a test compares them). Calls that come before the
SDK is ready are answered by `tabwright.cli.early_calls`.
"""

from collections.abc import Mapping
from contextlib import suppress

import attrs
import msgspec

from tabwright._version import __version__
from tabwright.mcp.apps import APPS, listing_for
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.tool import Toolset

SERVER_NAME = "tabwright"
SERVER_TITLE = "tabwright: a browser for AI agents"

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"

TASKS = "io.modelcontextprotocol/tasks"
"""The extension for long calls; see `tabwright.mcp.tasks`."""

CLIENT = "io.modelcontextprotocol/clientCapabilities"
"""The capabilities of the client of a request, since 2026-07-28."""

_SERVER_INFO = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": __version__}


class _Message(msgspec.Struct, frozen=True):
    method: str
    id: str | int | None = None
    params: Mapping[str, object] | None = None


class _Client(msgspec.Struct, frozen=True):
    """The capabilities of a client."""

    extensions: Mapping[str, object] | None = None


@attrs.frozen
class HandshakeReply:
    """An answer to a client's message.

    Attributes:
        forward: whether the SDK must also receive the message, to know its client.
    """

    line: bytes
    forward: bool


@attrs.define
class InitializeHandshake:
    """Answers messages without the SDK, until the SDK is ready.

    Attributes:
        toolbox: the tools to list.
        replayed: ids of answered requests that the SDK also receives; its answers to them must not
            be sent.
        over: whether the SDK is ready.
        tools_changed: whether the list of tools has changed; the SDK has to answer then.
        declared: the capabilities of the client, as it wrote them; None before `initialize`.
    """

    toolbox: Toolset
    replayed: set[str | int] = attrs.field(factory=set[str | int])
    over: bool = False
    tools_changed: bool = attrs.field(default=False, init=False)
    declared: object = attrs.field(default=None, init=False)

    def reply(self, line: bytes) -> HandshakeReply | None:
        """Return the answer to a message; None if the SDK has to answer it."""
        message = None if self.over else _read(line)
        if message is None or message.id is None:
            return None
        result = self._result(message.id, message)
        if result is None:
            return None
        answer = {"jsonrpc": "2.0", "id": message.id, "result": result}
        return HandshakeReply(msgspec.json.encode(answer), forward=message.id in self.replayed)

    def _result(self, request_id: str | int, message: _Message) -> JSONObject | None:
        params = message.params or {}
        modern = _meta(params).get("io.modelcontextprotocol/protocolVersion") == MODERN_VERSION
        match message.method:
            case "initialize":
                self.replayed.add(request_id)
                self.declared = params.get("capabilities") or {}
                asked = params.get("protocolVersion")
                return {
                    "protocolVersion": asked
                    if asked in HANDSHAKE_VERSIONS
                    else HANDSHAKE_VERSIONS[-1],
                    "capabilities": _capabilities(listening=False),
                    "serverInfo": _SERVER_INFO,
                    "instructions": self.toolbox.instructions,
                }
            case "ping" if self.replayed:
                return {}
            case "tools/list" if not self.tools_changed and (self.replayed or modern):
                client = _declared(_meta(params).get(CLIENT) if modern else self.declared)
                listed: JSONObject = {"tools": listing_for(self.toolbox, client.extensions)}
                return _stamped(listed) if modern else listed
            case "server/discover" if modern:
                return _stamped(
                    {
                        "supportedVersions": [MODERN_VERSION],
                        "capabilities": _capabilities(listening=True),
                        "instructions": self.toolbox.instructions,
                    }
                )
            case _:
                return None


def _read(line: bytes) -> _Message | None:
    try:
        return msgspec.json.decode(line, type=_Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _capabilities(*, listening: bool) -> JSONObject:
    """Return the server's capabilities; in the modern era a client can subscribe to anything."""
    extensions: JSONObject = {"extensions": {TASKS: {}, APPS: {}}} if listening else {}
    return {
        "prompts": {"listChanged": listening},
        "resources": {"subscribe": True, "listChanged": listening},
        "tools": {"listChanged": True},
        "completions": {},
        **extensions,
    }


def _meta(params: JSONObject) -> JSONObject:
    with suppress(msgspec.ValidationError):
        return msgspec.convert(params.get("_meta", {}), dict[str, object])
    return {}


def _declared(capabilities: object) -> _Client:
    with suppress(msgspec.ValidationError):
        return msgspec.convert(capabilities, _Client)
    return _Client()


def _stamped(result: JSONObject) -> JSONObject:
    meta = {"io.modelcontextprotocol/serverInfo": _SERVER_INFO}
    return {
        **result,
        "resultType": "complete",
        "cacheScope": "private",
        "ttlMs": 0,
        "_meta": meta,
    }
