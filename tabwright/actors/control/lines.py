"""What is said over a control channel: a line of JSON-RPC 2.0 asks, and a line answers."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs
import msgspec
import trio

from tabwright.actors.control.last_errors import PastError
from tabwright.protocol.browser_pool import PoolState
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.rate_limit import SiteRate
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import TaskState

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REFUSED = -32000
"""An error of ours, whose kind and advice are in its data."""

READ_BYTES = 1 << 16

RequestId: TypeAlias = int | str


@attrs.frozen
class Standing:
    """How it stands with a server.

    Attributes:
        now_s: on the clock that the times of `pool` are on.
        rates: of all sites that it knows.
    """

    now_s: float
    pool: PoolState
    rates: tuple[SiteRate, ...]


@attrs.frozen
class Overview:
    """All that can be seen of a server from outside.

    Attributes:
        up_s: since it began to serve.
        memory_bytes: of the server itself, without its browsers; 0 where nobody knows.
        queue: what waits for a person, or did.
        errors: the last, oldest first.
    """

    standing: Standing
    up_s: float
    memory_bytes: int
    queue: tuple[Intervention, ...]
    sessions: tuple[SessionState, ...]
    tasks: tuple[TaskState, ...]
    errors: tuple[PastError, ...]


class ControlRequest(msgspec.Struct, frozen=True):
    """A line that asks."""

    jsonrpc: Literal["2.0"]
    id: RequestId
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no result.

    Attributes:
        data: the details of an error of ours.
    """

    code: int
    message: str
    data: Mapping[str, object] = {}


class ControlAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that answers, with a result or with an error."""

    jsonrpc: Literal["2.0"]
    id: RequestId | None
    result: msgspec.Raw = msgspec.Raw()
    error: Failure | None = None


def request_line(method: str, params: object) -> bytes:
    """Asks for something."""
    encoded = msgspec.Raw(msgspec.json.encode(params))
    return msgspec.json.encode(ControlRequest("2.0", 1, method, encoded))


def result_line(request_id: RequestId, result: object) -> bytes:
    """Answers with a result."""
    encoded = msgspec.Raw(msgspec.json.encode(result))
    return msgspec.json.encode(ControlAnswer("2.0", request_id, result=encoded))


def failure_line(request_id: RequestId, code: int, text: str) -> bytes:
    """Answers with an error of the conversation."""
    return msgspec.json.encode(ControlAnswer("2.0", request_id, error=Failure(code, text)))


def refusal_line(request_id: RequestId, error: TabwrightError) -> bytes:
    """Answers with an error of ours."""
    failure = Failure(REFUSED, error.message, error.details())
    return msgspec.json.encode(ControlAnswer("2.0", request_id, error=failure))


async def received_line(stream: trio.abc.ReceiveStream, bytes_max: int) -> bytes | None:
    """The first line of a stream, without its end; None where it has none, or a longer one."""
    buffer = bytearray()
    while len(buffer) < bytes_max and (chunk := await stream.receive_some(READ_BYTES)):
        buffer += chunk
        if b"\n" in chunk:
            return bytes(buffer.partition(b"\n")[0])
    return None
