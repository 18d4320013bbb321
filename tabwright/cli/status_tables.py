"""Tables of the status of a server: its browsers, tabs, sites, tasks, sessions and fleet."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from tabwright.cli.output import cut, span, table
from tabwright.control.transport import Overview, PastError, ServerStatus
from tabwright.mcp.tools.interventions import queue_text
from tabwright.protocol.browser_pool import (
    PoolState,
    TabUse,
    WorkerState,
)
from tabwright.protocol.jobs import QueueState, WorkerReport
from tabwright.protocol.rate_limit import RateShare, SiteRate
from tabwright.text.lines import NAMED_MAX, strip_invisible

SITE_MAX = 24

SOURCES = ("Source", "Kind", "Host", "> Browsers", "Left alone")

BROWSERS = ("Browser", "Use", "Product", "Window", "> Tabs", "> Memory")


def pool_text(status: ServerStatus, columns: int) -> str:
    """Return the status as lines of at most `columns` columns."""
    pool = status.pool
    tabs = [
        (str(tab.number), str(tab.worker), tab.use, span(status.now_s - tab.since_s), tab.purpose)
        for tab in pool.tabs
    ]
    sites = [_site(rate) for rate in status.rates if _is_in_use(rate)]
    parts = [
        list(_limits(pool)),
        list(_share(status.share)),
        table(SOURCES, _sources(pool)),
        table(BROWSERS, [_worker(one) for one in pool.workers]),
        table(["Tab", "Browser", "Use", "> For", "Purpose"], tabs),
        table(["Site", "> Running", "> Waiting", "> Today", "> Next request", "> Paused"], sites),
    ]
    return "\n\n".join("\n".join(cut(line, columns) for line in lines) for lines in parts if lines)


def _limits(pool: PoolState) -> Iterator[str]:
    held = sum(tab.use is TabUse.HELD for tab in pool.tabs)
    yield f"Tabs that can search, per browser: {pool.max_tabs}"
    yield f"Tabs held for interventions: {held}"
    yield f"Waiting for a tab: {pool.waiting}"
    for engine, tabs in pool.lowered_max_tabs.items():
        yield f"Tabs that can search with {engine}, which blocked searches: {tabs}"
    if pool.lowered_max_tabs:
        yield "`tabwright top --reset` restores the limits."


def _share(share: RateShare | None) -> Iterator[str]:
    if share is not None and share.is_whole:
        yield f"Rates of sites: shared by {share.processes} processes"
    elif share is not None:
        yield f"Redis does not respond: this server keeps to 1/{share.processes} of each rate."


def _sources(pool: PoolState) -> list[Sequence[str]]:
    """Return a row for each source; none if all browsers are on this machine."""
    if not any(one.host for one in pool.sources):
        return []
    return [
        (
            str(one.number),
            one.kind,
            one.host,
            f"{one.in_use}/{one.capacity}",
            f"for {span(one.resting_s)}: {one.why}" if one.resting_s else one.why,
        )
        for one in pool.sources
    ]


def _worker(worker: WorkerState) -> Sequence[str]:
    window = ("yes" if worker.visible else "no") if worker.product else ""
    memory = f"{worker.memory_bytes / 1e6:.0f} MB" if worker.memory_bytes else ""
    product = worker.product or "not running"
    return str(worker.number), worker.use, product, window, str(worker.tabs), memory


def _site(rate: SiteRate) -> Sequence[str]:
    limit = "" if rate.daily_limit is None else f"/{rate.daily_limit}"
    return (
        # The end of a host name is most significant.
        rate.site if len(rate.site) <= SITE_MAX else f"…{rate.site[1 - SITE_MAX :]}",
        str(rate.in_work),
        str(rate.waiting),
        f"{rate.today}{limit}",
        f"in {span(rate.next_start_in_s)}" if rate.next_start_in_s else "now",
        f"for {span(rate.paused_for_s)}" if rate.paused_for_s else "no",
    )


def _is_in_use(rate: SiteRate) -> bool:
    """Return whether a site was requested today, or is in use."""
    return any((rate.in_work, rate.waiting, rate.today, rate.next_start_in_s, rate.paused_for_s))


# The overview of a server.

SESSIONS = ("Session", "> Pages", "> Idle", "Tier", "Page")
TASKS = ("Task", "> Step", "Session", "", "What")


def overview_text(seen: Overview, columns: int) -> str:
    """Return the overview as lines of at most `columns` columns."""
    head = f"up {span(seen.up_s)}, {seen.memory_bytes / 1e6:.0f} MB"
    waiting = [one for one in seen.queue if one.state.is_open]
    tasks = [
        (
            one.id,
            f"{one.step}/{one.steps_max}",
            one.session,
            "paused" if one.paused else "",
            strip_invisible(one.task),
        )
        for one in seen.tasks
    ]
    sessions = [
        (
            one.name,
            str(one.pages),
            span(one.idle_s),
            str(one.tier or ""),
            strip_invisible(one.title) or strip_invisible(one.url),
        )
        for one in seen.sessions
    ]
    parts = [
        fleet_text(seen.fleet, columns).splitlines() if seen.fleet else [],
        queue_text(waiting).splitlines() if waiting else [],
        table(TASKS, tasks),
        table(SESSIONS, sessions),
        list(_errors(seen.errors)),
    ]
    below = "\n\n".join("\n".join(cut(line, columns) for line in part) for part in parts if part)
    return "\n\n".join(filter(None, (head, pool_text(seen.status, columns), below)))


WORKERS = ("Worker", "> In work", "> Capacity", "> Done", "> Failed", "> Browsers", "> Memory")


def fleet_text(state: QueueState, columns: int) -> str:
    """Return the jobs and workers of a fleet as lines of at most `columns` columns."""
    oldest = f" (the oldest for {span(state.oldest_s)})" if state.oldest_s else ""
    numbers = (
        f"Jobs: {state.waiting} waiting{oldest}, {state.running} running, {state.dead} dead;"
        f" utilisation {state.utilisation:.0%}"
    )
    rows = list(map(_fleet_worker, state.workers))
    lines = [numbers, *(["", *table(WORKERS, rows)] if rows else ["No worker is running."])]
    return "\n".join(cut(line, columns) for line in lines)


def _fleet_worker(worker: WorkerReport) -> Sequence[str]:
    counts = (worker.in_work, worker.capacity, worker.done, worker.failed, worker.browsers)
    stopping = " (stopping)" if worker.is_draining else ""
    memory = f"{worker.memory_bytes / 1e6:.0f} MB"
    return (f"{worker.name}{stopping}", *map(str, counts), memory)


def _errors(errors: Sequence[PastError]) -> Iterator[str]:
    if errors:
        yield "Last errors"
    for one in errors[-NAMED_MAX:]:
        at = datetime.fromtimestamp(one.at).astimezone()
        yield f"{at:%H:%M:%S}  {one.source}  {strip_invisible(' '.join(one.text.split()))}"
