"""The commands of a fleet: its workers, which read pages for other machines, and its queue."""

import argparse

from tabwright.cli.commands.command import CLICommand, add_browser, add_json, count, environment_of
from tabwright.config.settings import Settings


def add_worker(worker: argparse.ArgumentParser) -> None:
    """Add the options of `fleet worker`."""
    worker.add_argument(
        "--concurrency", type=count, metavar="N", help="pages to read at once (default: 8)"
    )
    worker.add_argument(
        "--health", metavar="HOST:PORT", help="answer /health, /ready and /metrics there"
    )


async def _worker(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.fleet.fleet_command import run_worker

    return await run_worker(settings, environment_of(settings), options.concurrency, options.health)


WORKER = CLICommand(
    "fleet worker",
    "Read pages for `read` and `crawl` with --queue on other machines.",
    _worker,
    (add_browser, add_worker),
    examples=(
        "tabwright fleet worker --queue redis://redis.example:6379",
        "tabwright fleet worker --queue redis://redis.example:6379 --concurrency 16",
    ),
)


QUEUE_ACTIONS = ("list", "retry", "drop")
"""The actions on dead letters."""


def add_queue_action(queue: argparse.ArgumentParser) -> None:
    """Add the arguments of `fleet queue`."""
    queue.add_argument("action", nargs="?", choices=QUEUE_ACTIONS, default="list")
    queue.add_argument("key", nargs="*", metavar="KEY", help="keys of dead letters, or all")


async def _queue(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.fleet.fleet_command import show_queue
    from tabwright.plugins.fleet.settings import FLEET_SETTINGS

    own, environment = FLEET_SETTINGS.of(settings), environment_of(settings)
    return await show_queue(own, environment, options.action, options.key, as_json=options.json)


QUEUE = CLICommand(
    "fleet queue",
    "Show the jobs and workers of a queue, and retry or drop jobs that were given up.",
    _queue,
    (add_queue_action, add_json),
    examples=(
        "tabwright fleet queue --queue redis://redis.example:6379",
        "tabwright fleet queue retry all --queue redis://redis.example:6379",
    ),
)


COMMANDS = (WORKER, QUEUE)
