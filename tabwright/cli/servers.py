"""Commands for running servers, such as that of an MCP client."""

import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from textwrap import fill
from typing import TypeAlias

import attrs
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import json_text, print_outcome
from tabwright.cli.status_tables import overview_text, pool_text
from tabwright.control.client import (
    ANSWER_S,
    Answers,
    Errors,
    Result,
    all_answers,
    answers_and_errors,
    ask,
    within,
)
from tabwright.control.transport import AnswerRequest, Overview, ServerStatus, TaskRequest
from tabwright.mcp.tools.interventions import Action, queue_text
from tabwright.mcp.tools.run_task import TaskAction, tasks_text
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.tasks import TaskState

ACTION_S = 120.0
"""The time limit in seconds to open a window and its page; a browser may have to start first."""

INDENT = " " * 6
"""As wide as the id of an intervention and the space after it."""

HINT = "Act on one: tabwright view captchas open ID (or solved ID, or skip ID)"

Queue = tuple[Intervention, ...]

TaskStates = tuple[TaskState, ...]


async def interventions(action: Action, name: str | None, *, as_json: bool) -> int:
    """Print the interventions of all servers, or answer one; return the exit code.

    Args:
        action: ``list``, or a person's answer.
        name: the id of the intervention to answer.
        as_json: whether to print JSON.
    """

    async def work() -> str:
        """Return the queues as text.

        Raises:
            NoServer: no server is running.
            TabwrightError: a server could not fulfil the request.
        """
        queues = await _queues(action, name)
        if as_json:
            return json_text({"interventions": _records(queues)})
        text = _headed(queues, _queue_text)
        return (
            f"{text}\n\n{HINT}"
            if action == "list" and any(one.state.is_open for _, queue in queues for one in queue)
            else text
        )

    return await print_outcome(work, as_json=as_json)


async def tasks(action: TaskAction, name: str | None, *, as_json: bool) -> int:
    """Print the running tasks of all servers, or change one; return the exit code.

    Args:
        action: ``list``, ``pause``, ``resume`` or ``cancel``.
        name: the id of the task to change.
        as_json: whether to print JSON.
    """

    async def work() -> str:
        """Return the tasks as text.

        Raises:
            NoServer: no server is running.
            TabwrightError: a server could not fulfil the request.
        """
        running = await _tasks(action, name)
        if as_json:
            return json_text({"tasks": _records(running)})
        return _headed(running, tasks_text)

    return await print_outcome(work, as_json=as_json)


async def _tasks(action: TaskAction, name: str | None) -> Answers[TaskStates]:
    if action == "list":
        if name is not None:
            raise BadInput("list does not accept an id.")
        return await all_answers("tasks", TaskStates)
    if name is None:
        raise BadInput(f"{action} needs an id.", advice="List them with `tabwright task list`.")
    process, _, task = name.rpartition(":")
    running = [
        (server, one)
        for server, states in await all_answers("tasks", TaskStates)
        for one in states
        if process in {"", str(server.pid)}
    ]
    found = [server for server, one in running if one.id == task]
    if len(found) != 1:
        known = ", ".join(f"{server.pid}:{one.id}" for server, one in running)
        raise BadInput(
            f"{'Several tasks have' if found else 'No task has'} the id {name!r}.",
            advice=f"There are: {known}." if known else "No task is running.",
        )
    (server,) = found
    with within(server, ANSWER_S):
        changed = await ask(server, "change_task", TaskState, TaskRequest(task, action))
    return [(server, (changed,))]


async def pool(*, reset: bool, as_json: bool) -> int:
    """Print the status of all servers; return the exit code.

    Args:
        reset: whether to restore the number of searching tabs of the settings.
        as_json: whether to print JSON.
    """

    async def work() -> str:
        """Return the status as text.

        Raises:
            NoServer: no server is running.
            TabwrightError: not one answered.
        """
        if reset:
            await all_answers("reset_back_off", type(None))
        statuses = await all_answers("pool", ServerStatus)
        if as_json:
            return _servers_json(statuses)
        return _headed(statuses, lambda status: pool_text(status, _columns()))

    return await print_outcome(work, as_json=as_json)


async def _queues(action: Action, name: str | None) -> Answers[Queue]:
    if action == "list":
        if name is not None:
            raise BadInput("list does not accept an id.")
        return await all_answers("interventions", Queue)
    if name is None:
        raise BadInput(f"{action} needs an id.", advice="List them with `tabwright view captchas`.")
    # The server that has the intervention; should several have one of that id, an open one.
    waiting = [
        (server, one)
        for server, queue in (await all_answers("interventions", Queue))
        for one in queue
    ]
    found = [(not one.state.is_open, server) for server, one in waiting if one.id == name]
    if not found:
        known = ", ".join(one.id for _, one in waiting if one.state.is_open)
        raise BadInput(
            f"There is no intervention {name!r}.",
            advice=f"There are: {known}." if known else "No intervention is open.",
        )
    server = min(found)[1]
    with within(server, ACTION_S):
        one = await ask(server, "answer", Intervention, AnswerRequest(name, action))
    return [(server, (one,))]


def _queue_text(queue: Queue) -> str:
    lines = queue_text(queue).splitlines()
    wrapped = partial(
        fill,
        width=_columns(),
        break_long_words=False,
        break_on_hyphens=False,  # for links
    )
    return "\n".join(wrapped(line, subsequent_indent=INDENT) for line in lines)


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _headed(answers: Answers[Result], text: Callable[[Result], str]) -> str:
    """The text of each answer; with its server above it where there are several."""
    if len(answers) == 1:
        return text(answers[0][1])
    return "\n\n".join(f"Server {server.pid}\n\n{text(result)}" for server, result in answers)


def _records(answers: Answers[Queue] | Answers[TaskStates]) -> list[dict[str, object]]:
    """Return each item of each answer, with the server that it is from."""
    return [
        {"server": server.pid, **attrs.asdict(one)} for server, items in answers for one in items
    ]


def _servers_json(answers: Answers[ServerStatus] | Answers[Overview]) -> str:
    """Return each answer with the server that it is from."""
    listed = [{"server": server.pid, **attrs.asdict(answer)} for server, answer in answers]
    return json_text({"servers": listed})


# Reading single keys while a view is on the screen.

Keys: TypeAlias = Callable[[], Awaitable[str]]
"""Wait for the next key. Cancellation leaves the keyboard as it is."""


@contextmanager
def open_keyboard() -> Generator[Keys]:
    """Read keys from standard input without Enter and without echo; restore it after the block.

    If it is not a terminal there are no keys, and a caller waits until it is cancelled.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield trio.sleep_forever
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield lambda: _key(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


async def _key(number: int) -> str:
    await trio.lowlevel.wait_readable(number)
    key = os.read(number, 1)
    if not key:  # the terminal has gone, and no key comes any more
        await trio.sleep_forever()
    return key.decode(errors="replace")


EVERY_S = 1.0
"""The refresh interval in seconds."""

WAITING = "No tabwright server is running. Waiting for one."

QUIT = "q"
QUIT_HINT = "q quits"


async def top(*, once: bool, as_json: bool) -> int:
    """Show all servers until the user quits; on no terminal, or with `once`, show them once.

    Returns the exit code. Cancellation restores the terminal.
    """
    if as_json or once or not sys.stdout.isatty():
        return await print_outcome(lambda: _now(as_json=as_json), as_json=as_json)
    with open_keyboard() as keys:
        # Until the person quits.
        console = Console(highlight=False, markup=False)
        with Live(console=console, screen=True, auto_refresh=False) as live:
            async with trio.open_nursery() as nursery:

                async def poll() -> None:
                    """Query every server every `EVERY_S` seconds, until cancelled."""
                    while True:
                        answers, errors = await answers_and_errors("overview", Overview)
                        text = _text(answers, errors, console.width)
                        shown = text.splitlines()[: console.height - 1]
                        live.update(
                            Text("\n".join([*shown, QUIT_HINT]), no_wrap=True, overflow="ellipsis"),
                            refresh=True,
                        )
                        await trio.sleep(EVERY_S)

                nursery.start_soon(poll)
                while await keys() != QUIT:
                    pass
                nursery.cancel_scope.cancel()
    return ExitCode.OK


async def _now(*, as_json: bool) -> str:
    answers = await all_answers("overview", Overview)
    if as_json:
        return _servers_json(answers)
    return _text(answers, (), shutil.get_terminal_size().columns)


def _text(answers: Answers[Overview], errors: Errors, columns: int) -> str:
    parts = [f"Server {server.pid}  {overview_text(seen, columns)}" for server, seen in answers]
    return "\n\n".join([*parts, *map(str, errors)]) or WAITING
