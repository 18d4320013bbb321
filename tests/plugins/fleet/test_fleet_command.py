"""The `queue` command and the fleet table."""

import json
from random import Random

import attrs
import pytest

from tabwright import Tabwright
from tabwright.browser.sources import ManySources, Sources
from tabwright.cli.status_tables import fleet_text
from tabwright.config.loader import override, settings_from
from tabwright.environment import Environment
from tabwright.plugins.fleet.fleet_command import reading_tabs_max, show_queue, usage_of
from tabwright.plugins.fleet.page_jobs import PageJob
from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.protocol.errors import Unanswered, Undelivered
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.jobs import JobLimits, NewJob, QueueState, WorkerReport

KEYS = ("aa11", "ab22", "cc33")


@pytest.fixture
async def dead_letters(fleet_settings: FleetSettings) -> None:
    """Put three failed jobs into the queue as dead letters."""
    async with open_redis(fleet_settings, Random(1)) as redis:
        queue = RedisJobQueue(redis, JobLimits(attempts=1, lease_s=3600))
        for key in KEYS:
            job = PageJob(f"https://{key}.example/", ReadOptions())
            payload = '{"url": 1}' if key == "cc33" else json.dumps(attrs.asdict(job))
            await queue.put("b", [NewJob(key, payload)])
        for one in await queue.lease(3, retry=True):
            await queue.fail(one, f"error of {one.key}\x1b[31m")


async def queue(fleet_settings: FleetSettings, action, *keys: str, as_json: bool = False) -> int:
    environment = Environment()
    return await show_queue(fleet_settings, environment, action, keys, as_json=as_json)


async def test_list_shows_dead_letters_with_url_and_error(
    fleet_settings, dead_letters, capsys
) -> None:
    assert await queue(fleet_settings, "list") == 0
    out = capsys.readouterr().out
    assert "3 dead" in out
    assert "https://aa11.example/" in out
    assert "error of cc33" in out
    assert "\x1b" not in out


async def test_list_as_json_has_all_fields(fleet_settings, dead_letters, capsys) -> None:
    assert await queue(fleet_settings, "list", as_json=True) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["dead"], record["waiting"], record["utilisation"]) == (3, 0, 0)
    assert {one["key"] for one in record["dead_letters"]} == set(KEYS)


async def test_retry_and_drop_affect_only_named_dead_letters(
    fleet_settings, dead_letters, capsys
) -> None:
    assert await queue(fleet_settings, "retry", "a") == 0
    assert await queue(fleet_settings, "drop", "all") == 0
    capsys.readouterr()
    await queue(fleet_settings, "list", as_json=True)
    record = json.loads(capsys.readouterr().out)
    assert (record["dead"], record["waiting"]) == (0, 2)


@pytest.mark.parametrize(
    ("action", "keys"), [("retry", ()), ("drop", ("zz",)), ("list", ("aa11",))]
)
async def test_wrong_keys_are_refused(action, keys, fleet_settings, dead_letters, capsys) -> None:
    assert await queue(fleet_settings, action, *keys) == 2
    capsys.readouterr()
    await queue(fleet_settings, "list", as_json=True)
    assert json.loads(capsys.readouterr().out)["dead"] == 3


async def test_missing_redis_is_a_failure_with_one_line(capsys) -> None:
    settings = FleetSettings(
        redis="redis://127.0.0.1:9",
        name="x",
        worker=None,
        lease_s=30,
        outage_max_s=60,
        drain_s=20,
        reads_pages=False,
    )
    assert await queue(settings, "list") == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("loss", [Undelivered, Unanswered])
async def test_usage_covers_only_own_process_when_supervisor_is_unavailable(
    loss, monkeypatch
) -> None:
    async def pool(_self) -> None:
        raise loss("The supervisor crashed.")

    monkeypatch.setattr(Tabwright, "pool", pool)
    used = await usage_of(object.__new__(Tabwright))
    assert used.memory_bytes > 0
    assert used.browsers == 0


@pytest.mark.parametrize(
    ("workers", "sources"), [(3, None), (1, ManySources(3, lambda _local: Sources((), ())))]
)
def test_reading_tab_limit_is_multiplied_by_number_of_browsers(workers, sources) -> None:
    settings = settings_from(override(pool__max_reading_tabs=4, pool__workers=workers))
    assert reading_tabs_max(settings, Environment(sources=sources)) == 4 * 3


def test_fleet_text_shows_workers_within_terminal_width() -> None:
    workers = (
        WorkerReport(name="box-1", capacity=8, in_work=8, done=412, memory_bytes=611_000_000),
        WorkerReport(name="box-2", capacity=8, is_draining=True),
    )
    text = fleet_text(QueueState(118, 8, 1, 4.0, workers), 100)
    assert "118 waiting" in text
    assert "50%" in text
    assert "box-2 (stopping)" in text
    assert "611 MB" in text
    assert max(map(len, fleet_text(QueueState(118, 8, 1, 4.0, workers), 40).splitlines())) <= 40


def test_fleet_text_reports_missing_workers() -> None:
    assert "No worker" in fleet_text(QueueState(), 80)
