"""Have a model do a task and print each step: ``python examples/task.py TASK [SETTINGS.yaml]``.

The model is that of the settings, or the one whose key is in the environment.
"""

import sys
from pathlib import Path

import trio

from tabwright import (
    Limits,
    RunTask,
    TaskEvent,
    event_line,
    load_settings,
    open_tabwright,
    read_layer,
)


def print_event(event: TaskEvent) -> None:
    """Print an event for a person who watches."""
    if line := event_line(event):
        print(line)


async def main() -> None:
    """Run a task with at most ten minutes and twenty steps in a named session."""
    words, *files = sys.argv[1:]
    settings = load_settings(*(read_layer(Path(file)) for file in files))
    async with open_tabwright(settings) as tabwright:
        request = RunTask(
            task=words,
            session="example",
            model=tabwright.models.choose(),
            limits=Limits(steps_max=20),
            report=print_event,
        )
        with trio.fail_after(600):
            result = await tabwright.run_task(request)
    print(result.answer if result.success else result.reason)


trio.run(main)
