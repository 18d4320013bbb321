"""What a person at a shell gets of the servers that run already, such as that of an MCP client."""

import shutil
from collections.abc import Callable
from textwrap import fill

import attrs

from tabwright.cli.output import json_text, print_outcome
from tabwright.cli.status_tables import pool_text
from tabwright.control.client import Answers, Result, all_answers, ask, within
from tabwright.control.transport import ServerSocket, ServerStatus
from tabwright.mcp.tools.interventions import Action, queue_text
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import AnswerIntervention, Intervention

ACTION_S = 120.0
"""For a window to open, and the page in it; a browser may have to start first."""

INDENT = " " * 6
"""As wide as the id of an intervention, and what follows it."""

HINT = "Act on one: tabwright interventions open ID (or solved ID, or skip ID)"

Queue = tuple[Intervention, ...]


async def interventions(action: Action, name: str | None, *, as_json: bool) -> int:
    """Prints what waits for a person in all servers, or has one of it answered.

    Gives the exit code.

    Args:
        action: ``list``, or a person's answer.
        name: the id of what is answered.
        as_json: whether a program reads it.
    """

    async def work() -> str:
        """The queues as text.

        Raises:
            NoServer: none runs.
            TabwrightError: what was asked of one could not be done.
        """
        queues = await _queues(action, name)
        if as_json:
            listed = [
                {"server": server.pid, **attrs.asdict(one)}
                for server, queue in queues
                for one in queue
            ]
            return json_text({"interventions": listed})
        text = _headed(queues, _queue_text)
        return (
            f"{text}\n\n{HINT}"
            if action == "list" and any(one.state.is_open for _, queue in queues for one in queue)
            else text
        )

    return await print_outcome(work, as_json=as_json)


async def pool(*, reset: bool, as_json: bool) -> int:
    """Prints how it stands with all servers; gives the exit code.

    Args:
        reset: whether as many tabs may search as the settings say, again.
        as_json: whether a program reads it.
    """

    async def work() -> str:
        """How it stands, as text.

        Raises:
            NoServer: none runs.
            TabwrightError: not one answered.
        """
        if reset:
            await all_answers("reset_back_off", type(None))
        standings = await all_answers("pool", ServerStatus)
        return json_text(_pool_record(standings)) if as_json else _headed(standings, _pool_text)

    return await print_outcome(work, as_json=as_json)


async def _queues(action: Action, name: str | None) -> Answers[Queue]:
    if action == "list":
        if name is not None:
            raise BadInput("list takes no id.")
        return await all_answers("interventions", Queue)
    if name is None:
        raise BadInput(f"{action} needs an id.", advice="`tabwright interventions` lists them.")
    server = _server_of(await all_answers("interventions", Queue), name)
    with within(server, ACTION_S):
        one = await ask(server, "answer", Intervention, AnswerIntervention(name, action))
    return [(server, (one,))]


def _server_of(queues: Answers[Queue], name: str) -> ServerSocket:
    """The server that has the intervention; should several have one of that id, an open one."""
    waiting = [(server, one) for server, queue in queues for one in queue]
    found = [(not one.state.is_open, server) for server, one in waiting if one.id == name]
    if not found:
        known = ", ".join(one.id for _, one in waiting if one.state.is_open)
        raise BadInput(
            f"There is no intervention {name!r}.",
            advice=f"There are: {known}." if known else "None waits for a person now.",
        )
    return min(found)[1]


def _queue_text(queue: Queue) -> str:
    lines = queue_text(queue).splitlines()
    return "\n".join(fill(line, _columns(), subsequent_indent=INDENT) for line in lines)


def _pool_text(standing: ServerStatus) -> str:
    return pool_text(standing, _columns())


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _headed(answers: Answers[Result], text: Callable[[Result], str]) -> str:
    """The text of each answer; with its server above it where there are several."""
    if len(answers) == 1:
        return text(answers[0][1])
    return "\n\n".join(f"Server {server.pid}\n\n{text(result)}" for server, result in answers)


def _pool_record(standings: Answers[ServerStatus]) -> dict[str, object]:
    listed = [{"server": server.pid, **attrs.asdict(standing)} for server, standing in standings]
    return {"servers": listed}
