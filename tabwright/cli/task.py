"""``tabwright task run``: runs a task, with steps on standard error and the answer on output."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext

import attrs

from tabwright.agent.events import event_line
from tabwright.app import open_tabwright
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import LiveProgress, draws, json_text, live, print_outcome, stderr_console
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import Settings
from tabwright.control.server import serve_control
from tabwright.environment import Environment
from tabwright.protocol.progress import WaitProgress
from tabwright.protocol.tasks import Report, TaskEvent, TaskResult
from tabwright.text.lines import verbatim

TASK = "task"
"""The name of the progress row."""


async def task(
    settings: Settings, environment: Environment, words: str, session: str, *, as_json: bool
) -> int:
    """Run a task and print its answer; if it was not done, fail with the reason.

    Returns the exit code. Cancellation ends the task, and then the browser.
    """
    ends: list[TaskResult] = []

    async def work() -> str:
        """Return the answer, or the result as JSON; the result is kept for the exit code."""
        async with open_tabwright(settings, environment) as tabwright:
            with _telling() as print_event:
                async with background_nursery() as nursery:
                    nursery.start_soon(serve_control, tabwright)  # for `tabwright task list`
                    result = await tabwright.session(session).run_task(words, report=print_event)
        ends.append(result)
        return json_text(attrs.asdict(result)) if as_json else verbatim(result.answer)

    code = await print_outcome(work, as_json=as_json)
    for result in ends:
        if not result.success:
            sys.stderr.write(f"The task failed: {verbatim(result.reason)}\n")
            return ExitCode.FAILED
    return code


@contextmanager
def _telling() -> Generator[Report]:
    """Print each event as a line; on a terminal, show the current step and its duration below."""
    console, watch = stderr_console(), LiveProgress(time.monotonic)

    def print_event(event: TaskEvent) -> None:
        """Print an event, and show the current step."""
        if line := event_line(event):
            console.print(line, soft_wrap=True)
        step = f"step {event.step} of {event.steps_max}"
        first, *_ = event.details.splitlines() or [""]
        watch.take(WaitProgress(f"{step}, {event.actor}: {first}"), TASK)

    with live(console, watch) if draws(console) else nullcontext():
        yield print_event
