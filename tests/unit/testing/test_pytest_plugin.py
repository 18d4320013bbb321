"""The pytest plugin: its fixtures, and its cost for tests that do not use them."""

import subprocess
import sys

import pytest

from tabwright import BadInput, ReadOptions, Tabwright, TabwrightError
from tabwright.protocol.actions import Click
from tabwright.testing import FakeControl, FakePage, FakeSite, Fault, FaultKind, SimulatedTabwright

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
    return (await tabwright.read(URL)).text


def test_world_shows_the_pages_of_the_fake_site(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright
) -> None:
    fake_site.pages[URL] = FakePage("<main><h1>News</h1><p>It rains.</p></main>")
    assert "It rains." in tabwright_world.run(heading)
    trace = tabwright_world.trace
    assert "It rains." in tabwright_world.run(heading)
    assert tabwright_world.trace is not trace
    assert tabwright_world.trace == trace


def test_world_injects_the_given_faults(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright
) -> None:
    fake_site.pages[URL] = FakePage("<title>News</title>", says=("It rains.",))

    async def enter(tabwright: Tabwright) -> None:
        await tabwright.session("s").enter(URL)

    tabwright_world.run(enter)
    [browser] = tabwright_world.browsers
    assert not browser.is_alive
    with pytest.raises(TabwrightError):
        tabwright_world.run(enter, Fault(FaultKind.CRASH, "Page.navigate"))


@pytest.mark.parametrize(
    "locator", ['role=button[name="Order"]', "text=order", "label=Order", "role=button >> nth=0"]
)
def test_world_finds_a_control_by_a_locator(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright, locator: str
) -> None:
    controls = (FakeControl("Order", shows="Thank you."), FakeControl("Cancel order"))
    fake_site.pages[URL] = FakePage(says=("One lamp",), controls=controls)

    async def order(tabwright: Tabwright) -> str:
        await tabwright.session("s").enter(URL)
        return (await tabwright.session("s").act(Click(locator))).changes

    assert "Thank you." in tabwright_world.run(order)


@pytest.mark.parametrize("locator", ["role=link", "css=button", "role=button"])
def test_world_refuses_a_locator_without_exactly_one_match(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright, locator: str
) -> None:
    fake_site.pages[URL] = FakePage(controls=(FakeControl("Order"), FakeControl("Cancel")))

    async def order(tabwright: Tabwright) -> None:
        await tabwright.session("s").enter(URL)
        await tabwright.session("s").act(Click(locator))

    with pytest.raises(BadInput):
        tabwright_world.run(order)


def test_world_reports_the_faults_that_were_injected(
    fake_site: FakeSite, tabwright_world: SimulatedTabwright
) -> None:
    fake_site.pages[URL] = FakePage("<main><p>It rains.</p></main>")
    slow = Fault(FaultKind.DELAY, "Page.navigate", delay_s=1)
    never = Fault(FaultKind.CRASH, "Page.navigate", nth=99)

    async def read(tabwright: Tabwright) -> None:
        await tabwright.read(URL, ReadOptions(min_tier=2))

    tabwright_world.run(read, slow, never)
    assert tabwright_world.injected == [slow]
    tabwright_world.run(read)
    assert tabwright_world.injected == []
