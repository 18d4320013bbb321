"""Calls to servers over their control channels."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import msgspec
import trio

from tabwright.concurrency.lines import LineReader, LineTooLong
from tabwright.control.transport import (
    REFUSED,
    ControlAnswer,
    Failure,
    ServerSocket,
    request_line,
    running_servers,
)
from tabwright.protocol.errors import (
    BadInput,
    BrowserMissing,
    BrowserUnavailable,
    NoServer,
    TabsBusy,
    TabwrightError,
    Unanswered,
    Undelivered,
)

RESTART = "If it is of another version, restart it. Its log may have details."

KINDS: Mapping[str, type[TabwrightError]] = {
    kind.kind: kind
    for kind in (BadInput, BrowserMissing, BrowserUnavailable, TabsBusy, Undelivered, Unanswered)
}
"""The errors that a server can return."""

Result = TypeVar("Result")


async def ask(
    server: ServerSocket, method: str, wanted: type[Result], params: object = ()
) -> Result:
    """Return the answer of a server; `tabwright.control.server` lists the methods.

    Raises:
        Undelivered: the server has just ended.
        Unanswered: it disconnected, or its answer is not valid.
        TabwrightError: any other error that it returns.
    """
    line = await _exchanged(server, request_line(method, params))
    try:
        answer = msgspec.json.decode(line, type=ControlAnswer)
        if answer.error is not None:
            raise _refusal(server, answer.error)
        return msgspec.json.decode(answer.result, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unanswered(
            f"Server {server.pid} sent an invalid response: {error}.", advice=RESTART
        ) from error


async def _exchanged(server: ServerSocket, line: bytes) -> bytes:
    try:
        stream = await trio.open_unix_socket(server.place)
    except OSError as error:
        raise Undelivered(f"Server {server.pid} has just ended.") from error
    async with stream:
        try:
            await stream.send_all(line + b"\n")
            answer = await LineReader(stream).receive()
        except (trio.BrokenResourceError, LineTooLong):
            answer = None
    if answer is None:
        raise Unanswered(
            f"Server {server.pid} closed the connection.",
            advice="Check whether it is still running.",
        )
    return answer


def _refusal(server: ServerSocket, failure: Failure) -> TabwrightError:
    """Return the error of a server's response as an exception."""
    if failure.code != REFUSED:
        return Unanswered(f"Server {server.pid} failed: {failure.message}", advice=RESTART)
    details = failure.data
    kind = KINDS.get(str(details.get("kind")), TabwrightError)
    retryable = details.get("retryable") is True
    return kind(failure.message, advice=str(details.get("advice", "")), retryable=retryable)


# One request to all running servers of this user.

ANSWER_S = 5.0
"""The time limit of an answer that a server has ready, in seconds."""

Answers = Sequence[tuple[ServerSocket, Result]]
Errors = Sequence[TabwrightError]


async def all_answers(method: str, wanted: type[Result], params: object = ()) -> Answers[Result]:
    """Return the answers of the running servers by process; report failures on standard error.

    Raises:
        NoServer: no server is running.
        TabwrightError: not one answered.
    """
    answers, errors = await answers_and_errors(method, wanted, params=params)
    if not answers:
        raise errors[0] if errors else NoServer
    sys.stderr.writelines(f"{error}\n" for error in errors)
    return answers


async def answers_and_errors(
    method: str, wanted: type[Result], within_s: float = ANSWER_S, params: object = ()
) -> tuple[Answers[Result], Errors]:
    """Return the answers of the running servers by process, and the errors of the others."""
    answers: dict[ServerSocket, Result] = {}
    errors: list[TabwrightError] = []

    async def take(server: ServerSocket) -> None:
        """Record the answer of a server, or its error; raises no tabwright error."""
        try:
            with within(server, within_s):
                answers[server] = await ask(server, method, wanted, params)
        except TabwrightError as error:
            errors.append(error)

    async with trio.open_nursery() as nursery:
        for server in running_servers():
            nursery.start_soon(take, server)
    return sorted(answers.items()), errors


@contextmanager
def within(server: ServerSocket, time_s: float) -> Generator[None]:
    """Limit the time of requests to a server in the block.

    Raises:
        Unanswered: it did not answer in time.
    """
    try:
        with trio.fail_after(time_s):
            yield
    except trio.TooSlowError as error:
        raise Unanswered(
            f"Server {server.pid} did not answer within {time_s:.0f} s.",
            advice="Try again. If it hangs, end it.",
        ) from error
