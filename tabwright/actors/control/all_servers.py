"""One question to all servers of this user that run."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import trio

from tabwright.control.client import Result, ask
from tabwright.control.transport import Server, running_servers
from tabwright.protocol.errors import NoServer, TabwrightError, Unanswered

ANSWER_S = 5.0
"""For what a server has at hand."""

Answers = Sequence[tuple[Server, Result]]
Errors = Sequence[TabwrightError]


async def all_answers(method: str, wanted: type[Result]) -> Answers[Result]:
    """What the running servers answer, by process; standard error has those that failed.

    Raises:
        NoServer: there is none.
        TabwrightError: not one answered.
    """
    answers, errors = await answers_and_errors(method, wanted)
    if not answers:
        raise errors[0] if errors else NoServer
    sys.stderr.writelines(f"{error}\n" for error in errors)
    return answers


async def answers_and_errors(
    method: str, wanted: type[Result], within_s: float = ANSWER_S
) -> tuple[Answers[Result], Errors]:
    """What the running servers answer, by process, and why others do not."""
    answers: dict[Server, Result] = {}
    errors: list[TabwrightError] = []

    async def take(server: Server) -> None:
        """Notes the answer of one server, or its error; raises none of ours."""
        try:
            with within(server, within_s):
                answers[server] = await ask(server, method, wanted)
        except TabwrightError as error:
            errors.append(error)

    async with trio.open_nursery() as nursery:
        for server in running_servers():
            nursery.start_soon(take, server)
    return sorted(answers.items()), errors


@contextmanager
def within(server: Server, time_s: float) -> Generator[None]:
    """A bound for what is asked of a server in the block.

    Raises:
        Unanswered: it did not answer in time.
    """
    try:
        with trio.fail_after(time_s):
            yield
    except trio.TooSlowError as error:
        raise Unanswered(
            f"Server {server.pid} did not answer within {time_s:.0f} s.",
            advice="Try again; if it hangs or is stopped, end it.",
        ) from error
