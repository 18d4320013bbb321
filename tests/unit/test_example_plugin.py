"""The plugin of `examples/plugin`, installed without a network, and used by its entry point."""

import os
import subprocess
import sys
import tomllib
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest
import trio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.content.formats import formats
from tabwright.plugin import foreign_places
from tabwright.testing import FakePage, FakeSite, fake_launcher, simulated_environment
from tabwright.testing.demo import text_of

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugin"
URL = "https://a.example/team.ics"
CALENDAR = """BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART:20261202T090000Z
SUMMARY:Review
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20261201T120000
SUMMARY:Lunch in town
END:VEVENT
END:VCALENDAR
"""
SITE = FakeSite(pages={URL: FakePage(CALENDAR, mime_type="text/calendar")})


@pytest.fixture
def installed_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of packages with the example, as pip leaves it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, places in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in places.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    for module in EXAMPLE.glob("*.py"):
        (tmp_path / module.name).write_text(module.read_text())
    monkeypatch.syspath_prepend(str(tmp_path))
    foreign_places.cache_clear()
    yield tmp_path
    foreign_places.cache_clear()
    formats.cache_clear()
    sys.modules.pop("tabwright_calendars", None)


def tabwright(place: Path, *arguments: str) -> str:
    paths = os.pathsep.join(filter(None, (str(place), os.environ.get("PYTHONPATH"))))
    ended = subprocess.run(
        [sys.executable, "-m", "tabwright", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, "XDG_CONFIG_HOME": str(place)},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@asynccontextmanager
async def client(**settings: object) -> AsyncGenerator[Client]:
    random = Random(0)
    environment = simulated_environment(fake_launcher(SITE, random), random)
    chosen = settings_from(override(**settings))
    async with open_tabwright(chosen, environment) as opened, trio.open_nursery() as nursery:
        async with Client(MCPGateway(opened, nursery).server) as connected:
            yield connected


def test_example_is_short() -> None:
    lines = [line for path in EXAMPLE.glob("*.*") for line in path.read_text().splitlines()]
    assert len([line for line in lines if line]) <= 75


def test_installed_plugin_is_shown_with_its_parts_and_how_to_enable_it(installed_at) -> None:
    shown = tabwright(installed_at, "config", "plugins")
    assert "off: add calendars to plugins.enabled" in shown
    own = [line.strip() for line in shown.partition("\ncalendars\n")[2].splitlines()]
    assert own == ["commands: agenda", "tools: find_events", "tool groups: calendars"]


def test_command_of_an_installed_plugin_runs(installed_at) -> None:
    (installed_at / "team.ics").write_text(CALENDAR)
    printed = tabwright(installed_at, "agenda", str(installed_at / "team.ics"))
    assert printed == "20261201T120000 Lunch in town\n20261202T090000Z Review\n"
    assert "agenda" in tabwright(installed_at, "--help")


async def test_tool_is_offered_only_if_its_plugin_is_enabled(installed_at, autojump_clock) -> None:
    asked = {"url": URL, "word": "Lunch"}
    async with client() as opened:
        with pytest.raises(MCPError, match="Unknown tool: find_events"):
            await opened.call_tool("find_events", asked)
    for groups in (None, ("read", "calendars")):  # without a choice, it is only not listed
        async with client(plugins__enabled=("calendars",), mcp__tools=groups) as opened:
            listed = [tool.name for tool in (await opened.list_tools()).tools]
            answer = text_of(await opened.call_tool("find_events", asked))
        assert ("find_events" in listed) is (groups is not None)
        assert "20261201T120000 Lunch in town" in answer
        assert "Review" not in answer


async def test_format_is_read_only_if_its_plugin_is_enabled(installed_at, autojump_clock) -> None:
    asked = {"url": URL}
    async with client() as opened:
        assert "BEGIN:VEVENT" in text_of(await opened.call_tool("browse", asked))
    async with client(plugins__enabled=("calendars",)) as opened:
        read = text_of(await opened.call_tool("browse", asked))
    assert "20261201T120000 Lunch in town\n20261202T090000Z Review" in read
    assert "BEGIN:VEVENT" not in read
