"""The commands of a fleet: `fleet worker` does its jobs, and `fleet queue` shows them.

And what `read` and `crawl` need for letting workers read their pages.
"""

import os
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal, TypeAlias

import attrs
import msgspec
import trio

from tabwright._version import __version__
from tabwright.app import open_tabwright
from tabwright.browser.watchdogs import OwnProcesses
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import cut, json_text, print_outcome, table
from tabwright.cli.status_tables import fleet_text
from tabwright.client import Tabwright
from tabwright.concurrency.nursery import shielded
from tabwright.config.settings import Settings
from tabwright.environment import Environment, changed_by_plugins
from tabwright.plugins.fleet.page_jobs import PageJob, do_page_job
from tabwright.plugins.fleet.redis import FleetRedis, open_redis
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.settings import FLEET_SETTINGS, FleetSettings
from tabwright.plugins.fleet.worker import JobWorker, Usage
from tabwright.protocol.errors import (
    BadInput,
    SettingsError,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.jobs import DeadJob, JobLimits, JobQueue
from tabwright.text.lines import strip_invisible

QueueAction: TypeAlias = Literal["list", "retry", "drop"]

DEAD_MAX = 100
"""The maximum number of dead letters that are listed."""

ALL_MAX = 10_000
"""The maximum number of dead letters that are retried or dropped at once."""

ALL = "all"
"""Stands for all dead letters."""


# A worker.


async def run_worker(
    settings: Settings, environment: Environment, at_once: int | None, health: str | None
) -> int:
    """Do jobs until cancelled; then finish or give back those in work within `fleet.drain_s`.

    Returns the exit code.

    Args:
        settings: of the worker: its network, its browsers, its fleet.
        environment: of its actors.
        at_once: the number of jobs that are done at the same time; None for as many as tabs can
            read pages.
        health: the ``HOST:PORT`` to answer at whether the worker works; None for none.
    """
    capacity = at_once or reading_tabs_max(settings, environment)
    stopping = trio.Event()
    async with shielded(lambda _scope: stopping.set()):
        try:
            await _work(settings, environment, capacity, stopping, health)
        except TabwrightError as error:
            sys.stderr.write(f"{error}\n")
            is_wrong = isinstance(error, SettingsError)
            return ExitCode.WRONG_USE if is_wrong else ExitCode.FAILED
    return ExitCode.OK


def reading_tabs_max(settings: Settings, environment: Environment) -> int:
    """Return the number of tabs that can read pages at the same time, in all browsers."""
    many = changed_by_plugins(environment, settings).sources
    return settings.pool.max_reading_tabs * (many.browsers if many else settings.pool.workers)


async def _work(
    settings: Settings,
    environment: Environment,
    capacity: int,
    stopping: trio.Event,
    health: str | None,
) -> None:
    own, chance = FLEET_SETTINGS.of(settings), environment.system.random
    async with (
        open_redis(own, chance) as redis,
        open_tabwright(
            FLEET_SETTINGS.changed(settings, worker=redis.worker),
            environment,
        ) as tabwright,
    ):
        limits = JobLimits(lease_s=own.lease_s)
        worker = JobWorker(
            queue=RedisJobQueue(redis, limits),
            limits=limits,
            work=partial(do_page_job, tabwright.parts.reader),
            name=redis.worker,
            capacity=capacity,
            chance=chance,
            version=__version__,
            usage=partial(usage_of, tabwright),
        )
        _say(f"Worker {redis.worker}: {capacity} jobs at a time from {redis.place}")
        async with _opened_probes(health, worker):
            await worker.run(stopping, own.drain_s)


@asynccontextmanager
async def _opened_probes(health: str | None, worker: JobWorker) -> AsyncGenerator[None]:
    if health is None:
        yield
        return
    from tabwright.plugins.fleet.probes import open_probes

    async with open_probes(health, worker) as url:
        _say(f"Answering at {url}")
        yield


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def usage_of(tabwright: Tabwright) -> Usage:
    """Return what this process and its browsers use; without these while their actor restarts."""
    own = OwnProcesses().memory_bytes(os.getpid())
    try:
        pool = await tabwright.pool()
    except (Undelivered, Unanswered):
        return Usage(own)
    running = [one for one in pool.workers if one.product]
    return Usage(own + sum(one.memory_bytes for one in running), len(running))


# The queue, for people.


async def show_queue(
    settings: FleetSettings,
    environment: Environment,
    action: QueueAction,
    keys: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """Print the queue with its dead letters, or retry or drop these; return the exit code.

    Args:
        settings: of the fleet.
        environment: of this process.
        action: ``list``, ``retry`` or ``drop``.
        keys: the dead letters to retry or to drop, by their keys or the beginnings of these;
            ``all`` for all.
        as_json: whether to print JSON.
    """

    async def work() -> str:
        """Return the queue as text.

        Raises:
            BadInput: no dead letter has one of the keys.
            FleetUnavailable: Redis cannot be reached.
        """
        async with open_redis(settings, environment.system.random) as redis:
            queue = RedisJobQueue(redis)
            if action != "list":
                chosen = _chosen(await queue.dead(ALL_MAX), keys)
                change = queue.retry if action == "retry" else queue.drop
                number = await change(chosen)
                done = "Retrying" if action == "retry" else "Dropped"
                return json_text({action: chosen}) if as_json else f"{done} {number} jobs."
            if keys:
                raise BadInput("list accepts no key.")
            return await _listing(queue, redis, as_json=as_json)

    return await print_outcome(work, as_json=as_json)


async def _listing(queue: JobQueue, redis: FleetRedis, *, as_json: bool) -> str:
    state, letters = await queue.state(), await queue.dead(DEAD_MAX)
    if as_json:
        record = {**attrs.asdict(state), "utilisation": state.utilisation}
        record["dead_letters"] = [attrs.asdict(one) for one in letters]
        return json_text(record)
    columns = shutil.get_terminal_size().columns
    parts = [f"Queue {redis.name} at {redis.place}", fleet_text(state, columns)]
    if letters:
        rows = [(one.key[:8], _url_of(one), strip_invisible(one.error)) for one in letters]
        lines = table(("Dead", "URL", "Error"), rows)
        parts += ["\n".join(cut(line, columns) for line in lines), HINT]
    return "\n\n".join(parts)


HINT = "Act on one: tabwright fleet queue retry KEY (or drop KEY; all for all of them)"


def _chosen(letters: Sequence[DeadJob], keys: Sequence[str]) -> list[str]:
    """Return the keys of the dead letters that are named.

    Raises:
        BadInput: none are named, or no dead letter has one of the keys.
    """
    if not keys:
        raise BadInput("No key is named.", advice="Name the keys of dead letters, or all.")
    if ALL in keys:
        return [one.key for one in letters]
    for key in keys:
        if not any(one.key.startswith(key) for one in letters):
            raise BadInput(f"No dead letter has the key {key!r}.", advice="List them first.")
    return [one.key for one in letters if one.key.startswith(tuple(keys))]


def _url_of(letter: DeadJob) -> str:
    try:
        return strip_invisible(msgspec.json.decode(letter.payload, type=PageJob).url)
    except msgspec.MsgspecError:
        return ""
