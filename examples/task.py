"""Have a model do a task and print each step: ``python examples/task.py TASK [SETTINGS.yaml]``.

The model is that of the settings, or the one whose key is in the environment.
"""

import sys

import trio

import tabwright


def print_event(event: tabwright.TaskEvent) -> None:
    """Print an event for a person who watches."""
    if line := tabwright.event_line(event):
        print(line)


async def main() -> None:
    """Run a task with at most ten minutes and twenty steps."""
    words, *files = sys.argv[1:]
    async with tabwright.open(tabwright.load_settings(*files)) as tw:
        with trio.fail_after(600):
            result = await tw.session().run_task(
                words, limits=tabwright.Limits(steps_max=20), report=print_event
            )
    print(result.answer if result.success else result.reason)


trio.run(main)
