"""The pytest plugin: its fixtures, and what it costs those who do not use them."""

import subprocess
import sys

import pytest

from tabwright import Tabwright, TabwrightError
from tabwright.testing import FakePage, FakeSite, Fault, FaultKind, SimulatedTabwright

URL = "https://news.example/"


def test_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, tabwright.testing.pytest_plugin;"
        "print(*{'trio', 'attrs', 'msgspec', 'tabwright.app', 'tabwright.testing.fake'}"
        " & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # pytest itself imports attrs, if it is installed, with other plugins only.
    assert done.stdout.split() == []


async def heading(tabwright: Tabwright) -> str:
    return (await tabwright.browse(URL)).text


def test_world_shows_the_pages_of_the_fake_site(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright
) -> None:
    fake_site.pages[URL] = FakePage("<main><h1>News</h1><p>It rains.</p></main>")
    assert "It rains." in tabwright_world.run(heading)
    trace = list(tabwright_world.trace)
    assert "It rains." in tabwright_world.run(heading)
    assert tabwright_world.trace == trace


def test_world_injects_the_given_faults(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright
) -> None:
    fake_site.pages[URL] = FakePage("<title>News</title>", says=("It rains.",))

    async def enter(tabwright: Tabwright) -> None:
        await tabwright.enter(URL, session="s")

    tabwright_world.run(enter)
    [browser] = tabwright_world.browsers
    assert not browser.is_alive
    with pytest.raises(TabwrightError):
        tabwright_world.run(enter, Fault(FaultKind.CRASH, "Page.navigate"))
