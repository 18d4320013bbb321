"""Asking servers over their control channels."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec
import trio

from tabwright.actors.control.lines import (
    REFUSED,
    ControlAnswer,
    Failure,
    received_line,
    request_line,
)
from tabwright.control.transport import Server
from tabwright.protocol.errors import (
    BadInput,
    BrowserMissing,
    BrowserUnavailable,
    TabsBusy,
    TabwrightError,
    Unanswered,
    Undelivered,
)

ANSWER_BYTES_MAX = 16 << 20

RESTART = "Restart it if it is of another version; its log may say more."

KINDS: Mapping[str, type[TabwrightError]] = {
    kind.kind: kind
    for kind in (BadInput, BrowserMissing, BrowserUnavailable, TabsBusy, Undelivered, Unanswered)
}
"""What a server may answer to what can be asked here."""

Result = TypeVar("Result")


async def ask(server: Server, method: str, wanted: type[Result], params: object = ()) -> Result:
    """What a server answers; `tabwright.control.server` has the methods.

    Raises:
        Undelivered: it has just ended.
        Unanswered: it hung up, or what it answers makes no sense.
        TabwrightError: what else it says against it.
    """
    line = await _exchanged(server, request_line(method, params))
    try:
        answer = msgspec.json.decode(line, type=ControlAnswer)
        if answer.error is not None:
            raise _refusal(server, answer.error)
        return msgspec.json.decode(answer.result, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unanswered(
            f"Server {server.pid} answers what makes no sense here: {error}.", advice=RESTART
        ) from error


async def _exchanged(server: Server, line: bytes) -> bytes:
    try:
        stream = await trio.open_unix_socket(server.place)
    except OSError as error:
        raise Undelivered(f"Server {server.pid} has just ended.") from error
    async with stream:
        try:
            await stream.send_all(line + b"\n")
            answer = await received_line(stream, ANSWER_BYTES_MAX)
        except trio.BrokenResourceError:
            answer = None
    if answer is None:
        raise Unanswered(f"Server {server.pid} hung up.", advice="See whether it still runs.")
    return answer


def _refusal(server: Server, failure: Failure) -> TabwrightError:
    """The error that a server tells of, as it is known here."""
    if failure.code != REFUSED:
        return Unanswered(f"Server {server.pid} failed: {failure.message}", advice=RESTART)
    details = failure.data
    kind = KINDS.get(str(details.get("kind")), TabwrightError)
    retryable = details.get("retryable") is True
    return kind(failure.message, advice=str(details.get("advice", "")), retryable=retryable)
