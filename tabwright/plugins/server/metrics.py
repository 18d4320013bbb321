"""Figures of a server for its operator, in the text format of Prometheus."""

import os
from collections.abc import Collection, Iterable
from math import nan

import mcp_types as mcp
import trio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from tabwright.browser.watchdogs import OwnProcesses
from tabwright.client import Tabwright
from tabwright.config.settings import PoolSettings
from tabwright.protocol.browser_pool import PoolState, TabUse
from tabwright.protocol.errors import FleetUnavailable

SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
"""The upper bounds that calls are counted by."""

OTHER = "other"
"""Stands for tools of pages and for unknown ones, whose names a client or a page chooses."""

Context = ServerRequestContext[dict[str, object]]


class ServerMetrics:
    """The figures of a server.

    Those of calls are counted as the calls end; the others are read when they are asked for.

    Args:
        tools: the names of the tools.
    """

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = frozenset(tools)
        own = self._registry = CollectorRegistry()
        self._calls = Histogram(
            "tabwright_call_seconds",
            "Time of calls of tools, by their end: ok, failed or cancelled.",
            ("tool", "end"),
            buckets=SECONDS,
            registry=own,
        )
        self._refused = Counter(
            "tabwright_refused_calls", "Calls refused because too many were running.", registry=own
        )
        self._running = Gauge("tabwright_running_calls", "Calls that are running.", registry=own)
        self._users = Gauge("tabwright_users", "Active users.", registry=own)
        self._sessions = Gauge("tabwright_sessions", "Open sessions.", registry=own)
        self._tabs = Gauge("tabwright_tabs", "Tabs by use.", ("use",), registry=own)
        self._waiting = Gauge("tabwright_waiting_leases", "Waits for a tab.", registry=own)
        self._utilisation = Gauge(
            "tabwright_utilisation", "Largest share of tabs in use, from 0 to 1.", registry=own
        )
        self._memory = Gauge(
            "tabwright_memory_bytes",
            "Memory of the server and its browsers.",
            ("of",),
            registry=own,
        )
        self._starts = Gauge(
            "tabwright_browser_starts", "Starts of browsers, restarts included.", registry=own
        )
        source = ("source", "kind", "host")
        self._capacity = Gauge(
            "tabwright_source_capacity", "Browsers that a source can run.", source, registry=own
        )
        self._source_browsers = Gauge(
            "tabwright_source_browsers", "Running browsers by source.", source, registry=own
        )
        self._resting = Gauge(
            "tabwright_source_resting",
            "Whether a source is left alone after failures, 1 or 0.",
            source,
            registry=own,
        )
        self._interventions = Gauge(
            "tabwright_interventions", "CAPTCHAs that wait for a person.", registry=own
        )
        self._jobs = Gauge(
            "tabwright_fleet_jobs",
            "Jobs of the fleet by state: waiting, running or dead.",
            ("state",),
            registry=own,
        )
        self._oldest = Gauge(
            "tabwright_fleet_oldest_job_seconds", "Wait of the oldest waiting job.", registry=own
        )
        self._fleet_workers = Gauge(
            "tabwright_fleet_workers", "Workers of the fleet that are running.", registry=own
        )
        self._fleet_utilisation = Gauge(
            "tabwright_fleet_utilisation",
            "Jobs in work, as a share of the capacity of all workers.",
            registry=own,
        )
        self._share = Gauge(
            "tabwright_rate_share",
            "Part of the rates of sites that this process keeps to: 1, or less without Redis.",
            registry=own,
        )

    async def measure(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Count a call of a tool; this is a middleware of the SDK's server."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        name = (ctx.params or {}).get("name")
        tool = name if isinstance(name, str) and name in self._tools else OTHER
        began_s, end = trio.current_time(), "failed"
        try:
            result = await call_next(ctx)
            match result:
                case mcp.CallToolResult(is_error=True) | {"isError": True}:
                    pass
                case _:
                    end = "ok"
        except trio.Cancelled:
            end = "cancelled"
            raise
        finally:
            self._calls.labels(tool, end).observe(trio.current_time() - began_s)
        return result

    def note_refusal(self) -> None:
        """Count a call that was refused because too many were running."""
        self._refused.inc()

    async def text(
        self, operator: Tabwright, users: Iterable[Tabwright], running_calls: int
    ) -> bytes:
        """Return all figures.

        Args:
            operator: sees all tabs.
            users: the active users, including the operator if active.
            running_calls: how many calls are running.
        """
        pool, active = await operator.pool(), tuple(users)
        self._running.set(running_calls)
        self._users.set(len(active))
        self._sessions.set(sum([len(await one.list_sessions()) for one in active]))
        for use in TabUse:
            self._tabs.labels(use.value).set(sum(tab.use is use for tab in pool.tabs))
        self._waiting.set(pool.waiting)
        self._utilisation.set(utilisation(pool, operator.settings.pool))
        self._memory.labels("server").set(OwnProcesses().memory_bytes(os.getpid()))
        self._memory.labels("browsers").set(sum(one.memory_bytes for one in pool.workers))
        self._starts.set(sum(one.starts for one in pool.workers))
        for one in pool.sources:
            labels = str(one.number), one.kind, one.host
            self._capacity.labels(*labels).set(one.capacity)
            self._source_browsers.labels(*labels).set(one.in_use)
            self._resting.labels(*labels).set(one.resting_s > 0)
        waiting = [
            one for user in active for one in await user.interventions() if one.state.is_open
        ]
        self._interventions.set(len(waiting))
        share = await operator.rate_share()
        self._share.set(share.part if share else 1)
        await self._measure_fleet(operator)
        return generate_latest(self._registry)

    async def _measure_fleet(self, operator: Tabwright) -> None:
        """Read the figures of the fleet; they are not numbers without one, or without Redis."""
        try:
            state = await operator.fleet()
        except FleetUnavailable:
            state = None
        self._jobs.labels("waiting").set(state.waiting if state else nan)
        self._jobs.labels("running").set(state.running if state else nan)
        self._jobs.labels("dead").set(state.dead if state else nan)
        self._oldest.set(state.oldest_s if state else nan)
        self._fleet_workers.set(len(state.workers) if state else nan)
        self._fleet_utilisation.set(state.utilisation if state else nan)


def utilisation(pool: PoolState, limits: PoolSettings) -> float:
    """Return the share of tabs in use, for the use that is nearest to its limit."""
    workers = len({one.number for one in pool.workers})
    most = {
        TabUse.SEARCHING: pool.max_tabs * workers,
        TabUse.READING: limits.max_reading_tabs * workers,
    }
    return max(sum(tab.use is use for tab in pool.tabs) / limit for use, limit in most.items())
