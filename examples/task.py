"""Has a model do a task, and tells each step: ``python examples/task.py TASK [SETTINGS.yaml]``.

The model is that of the settings, or the one whose key is in the environment.
"""

import sys
from pathlib import Path

import trio

from tabwright import load_settings, open_tabwright, read_layer
from tabwright.agent.events import event_line
from tabwright.protocol.tasks import Limits, RunTask, TaskEvent


def tell(event: TaskEvent) -> None:
    """Replies what happens, for a person who watches."""
    if line := event_line(event):
        print(line)


async def main() -> None:
    """A task with ten minutes and twenty steps, in a session that others may look into."""
    words, *files = sys.argv[1:]
    settings = load_settings(*(read_layer(Path(file)) for file in files))
    async with open_tabwright(settings) as tabwright:
        request = RunTask(
            task=words,
            session="errand",
            model=tabwright.models.choose(),
            limits=Limits(steps_max=20),
            report=tell,
        )
        with trio.fail_after(600):
            result = await tabwright.run_task(request)
    print(result.answer if result.success else result.reason)


trio.run(main)
