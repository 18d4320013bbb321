"""``tabwright task``: a task in words, its steps on standard error, its answer on output."""

import sys

import attrs

from tabwright.actors.house import Seams, open_tabwright
from tabwright.actors.terminal import ExitCode, json_text, print_outcome
from tabwright.agent.event_text import event_line
from tabwright.config.settings import Settings
from tabwright.protocol.tasks import RunTask, TaskEvent, TaskResult
from tabwright.reading.telling import as_it_stands


async def task(settings: Settings, seams: Seams, words: str, session: str, *, as_json: bool) -> int:
    """Has a task done, and prints its answer; fails where it was not done, and says why.

    Cancellation ends the task, and then the browser.
    """
    ends: list[TaskResult] = []

    async def work() -> str:
        async with open_tabwright(settings, seams) as house:
            model = house.models.choose()
            limits = settings.agent.limits
            result = await house.run_task(
                RunTask(task=words, session=session, model=model, limits=limits, report=_say)
            )
        ends.append(result)
        return json_text(attrs.asdict(result)) if as_json else as_it_stands(result.answer)

    code = await print_outcome(work, as_json=as_json)
    for result in ends:
        if not result.success:
            sys.stderr.write(f"The task was not done: {as_it_stands(result.reason)}\n")
            return ExitCode.FAILED
    return code


def _say(event: TaskEvent) -> None:
    if line := event_line(event):
        sys.stderr.write(f"{line}\n")
