"""Metrics of a server: its fleet, and its browser sources."""

from collections.abc import Mapping

import attrs
import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from tabwright.config.loader import settings_from
from tabwright.config.settings import Settings
from tabwright.plugins.server.metrics import ServerMetrics
from tabwright.protocol.browser_pool import LOCAL, PoolState, SourceState, WorkerState
from tabwright.protocol.errors import FleetUnavailable
from tabwright.protocol.jobs import QueueState, WorkerReport

BUSY = QueueState(
    waiting=118,
    running=12,
    dead=1,
    oldest_s=4.5,
    workers=(
        WorkerReport(name="w1", capacity=8, in_work=8),
        WorkerReport(name="w2", capacity=8, in_work=4),
    ),
)
SOURCES = (
    SourceState(1, LOCAL, "", capacity=2, in_use=1),
    SourceState(2, "grid", "grid.example:4444", capacity=4, in_use=0, resting_s=9.0),
)


@attrs.define(eq=False)
class Operator:
    """A fake `Tabwright` that the metrics are read from.

    Attributes:
        state: of the fleet; None without one; an error while Redis is unavailable.
    """

    state: QueueState | FleetUnavailable | None = None
    sources: tuple[SourceState, ...] = ()
    settings: Settings = attrs.field(factory=settings_from)

    async def pool(self) -> PoolState:
        await trio.lowlevel.checkpoint()
        return PoolState(3, 0, (WorkerState(0, "", False, 0),), (), self.sources)

    async def rate_share(self) -> None:
        await trio.lowlevel.checkpoint()

    async def fleet(self) -> QueueState | None:
        await trio.lowlevel.checkpoint()
        if isinstance(self.state, FleetUnavailable):
            raise self.state
        return self.state


async def figures(operator: Operator, metrics: ServerMetrics | None = None) -> Mapping[str, float]:
    """Return the metrics by name and label values, in the order of the labels."""
    text = await (metrics or ServerMetrics([])).text(operator, [], 0)
    return {
        " ".join((one.name, *(one.labels[key] for key in sorted(one.labels)))): one.value
        for family in text_string_to_metric_families(text.decode())
        for one in family.samples
    }


async def test_fleet_metrics_match_its_queue_and_workers() -> None:
    found = await figures(Operator(BUSY))
    assert found["tabwright_fleet_jobs waiting"] == 118
    assert found["tabwright_fleet_jobs running"] == 12
    assert found["tabwright_fleet_jobs dead"] == 1
    assert found["tabwright_fleet_oldest_job_seconds"] == 4.5
    assert found["tabwright_fleet_workers"] == 2
    assert found["tabwright_fleet_utilisation"] == 0.75


@pytest.mark.parametrize("state", [None, FleetUnavailable("Redis is away.")], ids=["none", "away"])
async def test_fleet_metrics_are_nan_while_the_fleet_is_absent(state) -> None:
    metrics = ServerMetrics([])
    await figures(Operator(BUSY), metrics)
    found = await figures(Operator(state), metrics)
    fleet = [value for name, value in found.items() if name.startswith("tabwright_fleet_")]
    assert len(fleet) == 6
    assert all(value != value for value in fleet)  # noqa: PLR0124  (NaN)


async def test_source_metrics_are_labelled_by_host_kind_and_number() -> None:
    found = await figures(Operator(sources=SOURCES))
    assert found["tabwright_source_capacity  local 1"] == 2
    assert found["tabwright_source_browsers  local 1"] == 1
    assert found["tabwright_source_resting  local 1"] == 0
    assert found["tabwright_source_capacity grid.example:4444 grid 2"] == 4
    assert found["tabwright_source_resting grid.example:4444 grid 2"] == 1
