"""The example programs, and clean embedding: no process left, no wrapped errors."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

import attrs
import httpx2
import pytest
import trio
import yaml

from tabwright import ReadOptions, Settings, Tabwright, serve
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.testing.replica import Site, open_site
from tabwright.testing.replica.server import Exchange, html, open_server
from tabwright.testing.scripted_model import Replies, open_scripted_model

IN_TAB = ReadOptions(min_tier=2)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


async def run(example: str, *arguments: str, **environment: str) -> str:
    done = await trio.run_process(
        [sys.executable, str(EXAMPLES / example), *arguments],
        capture_stdout=True,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environment},
    )
    return done.stdout.decode()


async def test_documentation_shows_what_the_fake_browser_example_prints() -> None:
    printed = await run("fake_browser.py", "7")
    shown = (EXAMPLES.parent / "docs" / "howto" / "test-with-fake-browser.md").read_text()
    assert without_numbers(f"fake_browser.py 7\n{printed}```") in without_numbers(shown)


def without_numbers(text: str) -> str:
    """Mask all numbers, which change with every step that is added."""
    return re.sub(r"\d+(\.\d+)?", "N", text)


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_the_embedding_example_reads_a_page(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(yaml.safe_dump({"network": {"allow_private": True}}))
    async with open_site() as site:
        printed = await run("embed.py", site.url("/table"), str(config))
    assert printed.startswith("Tides at three harbours\n\n# Tides at three harbours\n")
    assert "| North | 0.4 | 3.9 |" in printed


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_task_example_prints_each_step_and_the_answer(tmp_path: Path) -> None:
    go = {"action": [{"go_to_url": {"url": ""}}], "current_state": {}}
    done = {"action": [{"done": {"text": "0.4 m", "success": True}}], "current_state": {}}
    plan, verdict = {"done": False, "next_steps": "Look."}, {"is_valid": True, "reason": "Seen."}
    config = tmp_path / "settings.yaml"
    async with open_site() as site:
        go["action"][0]["go_to_url"]["url"] = site.url("/table")
        output = [Replies(json.dumps(one)) for one in (plan, go, done, verdict)]
        async with open_scripted_model(output) as model:
            models = {"provider": "custom", "name": "m", "base_url": model.base_url}
            options = {"models": models, "network": {"allow_private": True}}
            config.write_text(yaml.safe_dump(options))
            printed = await run("task.py", "How low is the tide in the north?", str(config))
    assert f"Came to {site.url('/table')}" in printed
    assert printed.endswith("\n0.4 m\n")


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_the_acting_example_fills_in_and_sends_a_form(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(yaml.safe_dump({"network": {"allow_private": True}}))

    async def answer(exchange: Exchange) -> None:
        page = FORM if exchange.path == "/" else f"<title>Found</title>{exchange.query.get('q')}"
        await exchange.answer(html(page))

    async with open_server(answer, []) as port:
        printed = await run("act.py", f"http://127.0.0.1:{port}/", str(config))
    assert 'searchbox "Words"' in printed
    assert '= "text 0"' in printed
    assert 'Clicked button "Search".' in printed
    assert f"http://127.0.0.1:{port}/found?q=text+0" in printed


async def test_script_example_reads_pages_and_reports_what_failed() -> None:
    allowed = {"TABWRIGHT_NETWORK__ALLOW_PRIVATE": "true"}
    async with open_site() as site:
        printed = await run(
            "script.py", site.url("/table"), "http://127.0.0.1:1/", "not a URL", **allowed
        )
    assert printed.startswith("Tides at three harbours\n\n# Tides at three harbours\n")
    assert "http://127.0.0.1:1/ " in printed
    assert "not a URL " in printed


async def test_fastapi_example_reads_pages_and_ends_with_its_server(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(yaml.safe_dump({"network": {"allow_private": True}}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = [sys.executable, str(EXAMPLES / "fastapi_app.py"), str(port), str(config)]
    async with open_site() as site, trio.open_nursery() as nursery:
        server = await nursery.start(
            partial(trio.run_process, program, check=False, capture_stderr=True)
        )
        here = f"http://127.0.0.1:{port}/read"
        async with httpx2.AsyncClient() as client:
            with trio.fail_after(60):
                while not (answer := await got(client, here, url=site.url("/table"))):
                    await trio.sleep(0.1)
            refused = await client.get(here, params={"url": "http://127.0.0.1:1/"})
        server.terminate()
    assert answer.json()["title"] == "Tides at three harbours"
    assert refused.status_code == 502
    assert server.returncode in {-signal.SIGTERM, 0}


async def got(client: httpx2.AsyncClient, server: str, **params: str) -> httpx2.Response | None:
    """Return the response of a server, or None if it has not started."""
    try:
        return await client.get(server, params=params)
    except httpx2.ConnectError:
        return None


@pytest.mark.nightly  # of random worlds: tests/simulation/test_worlds.py
async def test_the_same_seed_gives_the_same_run_of_the_fake_browser() -> None:
    first = await run("fake_browser.py", "7", PYTHONHASHSEED="1")
    assert first == await run("fake_browser.py", "7", PYTHONHASHSEED="2")
    assert first != await run("fake_browser.py", "8")
    assert "page_failed, retryable: True" in first
    assert "Take a coat. Rain by noon." in first


FORM = """<!doctype html><title>Search</title><form action="/found">
<label>Words <input type=search name=q></label><button>Search</button></form>"""


class HostError(Exception):
    """Raised by the program around the client."""


class Processes(Protocol):
    """The parts of the `processes` fixture that are used here."""

    def family(self, leaders: set[int]) -> set[int]: ...

    async def gone(self, pids: set[int]) -> bool: ...


def browsers_of_ours() -> set[int]:
    """Return the ids of this process's children that are browsers."""
    found = set[str]()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            children = (thread / "children").read_text().split()
            found.update(pid for pid in children if "--user-data-dir=" in command_line(pid))
    return {int(pid) for pid in found}


def command_line(pid: str) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


@attrs.define
class Host:
    """A program that embeds the client.

    Attributes:
        others: the leading processes of the browsers that tests share.
        browsers: the leading processes of the browsers that it started.
        family: all processes of these browsers.
    """

    site: Site
    settings: Settings
    processes: Processes
    others: set[int] = attrs.field(factory=browsers_of_ours)
    browsers: set[int] = attrs.field(factory=set[int])
    family: set[int] = attrs.field(factory=set[int])

    async def start_browser(self, tabwright: Tabwright) -> None:
        """Read a page, and record the browser processes that it started."""
        page = await tabwright.read(self.site.url("/article"), IN_TAB)
        assert "Structured concurrency" in page.text
        self.browsers = browsers_of_ours() - self.others
        self.family = self.processes.family(self.browsers)
        assert len(self.browsers) == 1
        assert len(self.family) > 1

    async def left_nothing(self) -> bool:
        """Return whether no browser is left, and soon none of their processes."""
        left = browsers_of_ours() - self.others
        return not left and await self.processes.gone(self.family)


@pytest.fixture
async def host(processes: Processes) -> AsyncGenerator[Host]:
    async with open_site() as site:
        yield Host(site, settings_from(override(network__allow_private=True)), processes)


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_an_error_of_the_host_comes_out_unwrapped_and_leaves_no_browser(host: Host) -> None:
    error = HostError()
    with pytest.raises(HostError) as caught:
        async with open_tabwright(host.settings) as tabwright:
            await host.start_browser(tabwright)
            raise error
    assert caught.value is error
    assert error.__cause__ is error.__context__ is None
    assert await host.left_nothing()


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_host_error_beside_a_hanging_page_is_the_only_one_raised(host: Host) -> None:
    with pytest.RaisesGroup(HostError):  # the group is the host's own nursery's: nothing is added
        async with open_tabwright(host.settings) as tabwright, trio.open_nursery() as nursery:
            await host.start_browser(tabwright)
            nursery.start_soon(tabwright.read, host.site.url("/never"), IN_TAB)
            await until_asked(host.site, "/never")
            raise HostError
    assert await host.left_nothing()


@pytest.mark.own_browser
@pytest.mark.chromium
@pytest.mark.parametrize("path", ["/article", "/never"])
async def test_a_cancelled_nursery_of_the_host_leaves_no_browser(host: Host, path: str) -> None:
    cancelled = False

    async def work() -> None:
        nonlocal cancelled
        async with open_tabwright(host.settings) as tabwright:
            await host.start_browser(tabwright)
            try:
                await tabwright.read(host.site.url(path), IN_TAB)
                await trio.sleep_forever()
            except trio.Cancelled:
                cancelled = True
                raise

    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        await until_asked(host.site, path)
        while not host.family:
            await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    assert cancelled
    assert await host.left_nothing()


@pytest.mark.own_browser
@pytest.mark.chromium
async def test_a_client_can_be_started_in_the_nursery_of_the_host(host: Host) -> None:
    async with trio.open_nursery() as nursery:
        tabwright = await nursery.start(serve, host.settings)
        await host.start_browser(tabwright)
        nursery.cancel_scope.cancel()
    assert await host.left_nothing()


async def until_asked(site: Site, path: str) -> None:
    with trio.fail_after(60):
        while not any(seen.path == path for seen in site.log):
            await trio.sleep(0.01)
