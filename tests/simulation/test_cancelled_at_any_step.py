"""A call that is cancelled at each of its steps in turn leaves nothing wrong behind."""

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import TabUse
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.sessions import Sessions
from tabwright.testing.determinism import run_seeded, simulated_environment
from tabwright.testing.fake import FakeBrowser, FakePage, FakeSite, fake_launcher
from tabwright.testing.fake.browser import FakeFetcher

A, B = "https://a.example/", "https://b.example/"
IN_TAB = ReadOptions(min_tier=2)

STEPS_MAX = 200
"""More than any of the calls has."""

STRIDE = 8


def page(title: str, **more: object) -> FakePage:
    text = f"Welcome to {title}, a page. " * 30
    return FakePage(f"<title>{title}</title><main><p>{text}</p></main>", **more)


class CancelAtStep(trio.abc.Instrument):
    """Cancels a scope after a number of steps of any tasks."""

    def __init__(self, scope: trio.CancelScope, left: int) -> None:
        self.scope = scope
        self.left = left

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.left -= 1
        if self.left == 0:
            self.scope.cancel()


@attrs.define(eq=False)
class Life:
    """A client in which one call is cancelled at one of its steps."""

    tabwright: Tabwright
    step: int
    browsers: list[FakeBrowser]
    fetchers: list[FakeFetcher]
    was_cancelled: bool = False

    async def ask(self, *request: object, **arguments: object) -> object:
        return await self.tabwright.parts.sessions.ask(*request, **arguments)

    async def cancelled(self, *request: object, **arguments: object) -> None:
        """Make a call that is cancelled at the step; allow time for its cleanup."""
        with trio.CancelScope() as scope:
            instrument = CancelAtStep(scope, self.step)
            trio.lowlevel.add_instrument(instrument)
            try:
                await self.ask(*request, **arguments)
            finally:
                trio.lowlevel.remove_instrument(instrument)
        self.was_cancelled = scope.cancelled_caught
        await trio.sleep(30)

    async def error_of(self, *request: object, **arguments: object) -> str:
        """Return the error of a call that is not cancelled, or an empty string."""
        try:
            with trio.fail_after(100):
                await self.ask(*request, **arguments)
        except (TabwrightError, trio.TooSlowError) as error:
            return f"{type(error).__name__}: {error}"
        return ""


async def live(check: Callable[[Life], Awaitable[object]], step: int, random: Random) -> Life:
    site = FakeSite(pages={A: page("A", stores={"k": "1"}), B: page("B")})
    browsers: list[FakeBrowser] = []
    fetchers: list[FakeFetcher] = []

    @asynccontextmanager
    async def fetching():
        fetchers.append(FakeFetcher(site))
        yield fetchers[-1]

    launcher = fake_launcher(site, random, on_start=browsers.append)
    environment = attrs.evolve(simulated_environment(launcher, random), fetching=fetching)
    settings = settings_from(override(acting__downloads=None, engines__failed_pages=None))
    async with open_tabwright(settings, environment) as tabwright:
        life = Life(tabwright, step, browsers, fetchers)
        await check(life)
    return life


async def a_visit(life: Life) -> None:
    await life.ask(Sessions.navigate, "s", A, reading=IN_TAB)
    await life.ask(Sessions.navigate, "s", A, reading=IN_TAB)
    await life.cancelled(Sessions.navigate, "s", B, reading=IN_TAB)
    assert [tab for tab in (await life.tabwright.pool()).tabs if tab.use is TabUse.READING] == []
    assert await life.error_of(Sessions.navigate, "s", B, reading=IN_TAB) == ""


async def a_visit_in_a_new_tab(life: Life) -> None:
    await life.ask(Sessions.navigate, "s", A, reading=IN_TAB)
    life.browsers[-1].die()
    await trio.sleep(20)
    await life.ask(Sessions.navigate, "s", B, reading=IN_TAB)
    await life.cancelled(Sessions.navigate, "s", B, reading=IN_TAB)
    assert [await life.error_of(Sessions.navigate, "s", B, reading=IN_TAB) for _ in range(2)] == [
        "",
        "",
    ]
    for target in life.browsers[-1].targets.values():
        scripts = target.arrival_scripts.values()
        assert sum("function restoreStorage(" in script for script in scripts) <= 1


async def a_closing(life: Life) -> None:
    await life.ask(Sessions.navigate, "s", A, reading=IN_TAB)
    (fetcher,) = life.fetchers
    fetcher._jars["s"] = (Cookie(name="login", value="Ann", domain="a.example"),)
    await life.cancelled(Sessions.close, "s", forget=True)
    if not await life.ask(Sessions.list):
        assert not fetcher._jars["s"]
        assert not (await life.tabwright.pool()).tabs


@pytest.mark.parametrize("call", [a_visit, a_visit_in_a_new_tab, a_closing])
@pytest.mark.parametrize("seed", range(1, 1 + STRIDE))
def test_call_cancelled_at_any_step_leaves_client_usable(call, seed):
    for step in range(seed, STEPS_MAX, STRIDE):
        if not run_seeded(lambda random, step=step: live(call, step, random), seed).was_cancelled:
            return
    pytest.fail("The call never came to its end.")
