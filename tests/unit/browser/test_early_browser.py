"""A browser that is launched early is taken at most once, and never left behind."""

import json
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tabwright.app import open_tabwright
from tabwright.browser.early_browser import (
    UNTAKEN_S,
    EarlyBrowser,
    early_browser,
    first_options,
    warm_up,
)
from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import target
from tabwright.cdp.errors import LinkLost
from tabwright.concurrency.grants import hold_grant
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import BrowserPool, BrowserUse, LeaseTab, TabUse
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeSite, fake_launcher

OPTIONS = LaunchOptions(visible=False, worker=0, kept=False)
OTHER = attrs.evolve(OPTIONS, worker=1)


@attrs.define
class CountingLauncher:
    """A launcher whose browsers are a worker and a number, and which counts them."""

    failure: Exception | None = None
    close_s: float = 0
    begun: int = 0
    ended: int = 0

    @asynccontextmanager
    async def open(self, options):
        await trio.sleep(1)
        if self.failure is not None:
            raise self.failure
        self.begun += 1
        try:
            yield (options.worker, self.begun)
        finally:
            self.ended += 1
            with trio.CancelScope(shield=True):
                await trio.sleep(self.close_s)


async def left_cold(_link):
    await trio.lowlevel.checkpoint()


@pytest.fixture
def launcher() -> CountingLauncher:
    return CountingLauncher()


@pytest.fixture
def early(launcher) -> EarlyBrowser:
    return EarlyBrowser(launcher, left_cold)


async def test_early_browser_is_used_once_and_closed_with_its_user(
    early, launcher, nursery, autojump_clock
):
    nursery.start_soon(early.run, OPTIONS)
    await trio.sleep(10)
    began_s = trio.current_time()
    async with early.open(OPTIONS) as first:
        assert (first, trio.current_time()) == ((0, 1), began_s)
        async with early.open(OPTIONS) as second:
            assert second == (0, 2)
        await trio.sleep(10 * UNTAKEN_S)
        assert launcher.ended == 1
    assert launcher.ended == 2
    async with early.open(OPTIONS) as third:
        assert third == (0, 3)


async def test_open_waits_for_an_early_launch_in_progress(early, launcher, nursery, autojump_clock):
    nursery.start_soon(early.run, OPTIONS)
    await wait_all_tasks_blocked()
    async with early.open(OPTIONS) as link:
        assert (link, launcher.begun) == ((0, 1), 1)


async def test_different_options_launch_a_new_browser_and_close_the_early_one(
    early, launcher, nursery, autojump_clock
):
    nursery.start_soon(early.run, OPTIONS)
    await trio.sleep(10)
    async with early.open(OTHER) as link:
        assert link == (1, 2)
    assert launcher.ended == 1


async def test_early_browser_that_is_never_used_is_closed(early, launcher, nursery, autojump_clock):
    nursery.start_soon(early.run, OPTIONS)
    await trio.sleep(UNTAKEN_S + 10)
    assert (launcher.begun, launcher.ended) == (1, 1)
    async with early.open(OPTIONS) as link:
        assert link == (0, 2)


async def test_no_browser_is_launched_early_after_that_of_a_worker(early, launcher, autojump_clock):
    async with early.open(OTHER) as link:
        assert link == (1, 1)
        await early.run(OPTIONS)
    assert launcher.begun == 1


@pytest.mark.parametrize("is_awaited", [True, False])
async def test_browser_is_warmed_up_unless_a_worker_waits(
    is_awaited, launcher, nursery, autojump_clock
):
    warmed = []

    async def warm(link):
        warmed.append(link)
        await trio.lowlevel.checkpoint()

    early = EarlyBrowser(launcher, warm)
    nursery.start_soon(early.run, OPTIONS)
    await wait_all_tasks_blocked()
    await trio.sleep(0 if is_awaited else 10)
    async with early.open(OPTIONS) as link:
        assert warmed == ([] if is_awaited else [link])


@pytest.mark.parametrize(
    "failure", [BrowserUnavailable("There is none."), OSError("No space left on device")]
)
async def test_failed_early_launch_is_reported_once(
    failure, early, launcher, nursery, autojump_clock
):
    launcher.failure = failure
    nursery.start_soon(early.run, OPTIONS)
    await wait_all_tasks_blocked()
    with pytest.raises(type(failure)) as raised:
        async with early.open(OPTIONS):
            pytest.fail("There is a browser.")
    assert raised.value is failure
    launcher.failure = None
    async with early.open(OPTIONS) as link:
        assert link == (0, 1)


async def test_cancelled_taker_leaves_no_browser(early, launcher, nursery, autojump_clock):
    nursery.start_soon(early.run, OPTIONS)
    await wait_all_tasks_blocked()
    with trio.move_on_after(0.5):
        async with early.open(OPTIONS):
            pytest.fail("There is a browser.")
    await trio.sleep(10)
    assert launcher.begun == launcher.ended


async def run_in(scope: trio.CancelScope, early: EarlyBrowser) -> None:
    with scope:
        await early.run(OPTIONS)


@pytest.mark.parametrize("after_s", [0.5, 10])
async def test_early_browser_in_use_survives_server_cancellation(
    after_s, early, launcher, nursery, autojump_clock
):
    server = trio.CancelScope()
    nursery.start_soon(run_in, server, early)
    await trio.sleep(after_s)
    async with early.open(OPTIONS) as link:
        server.cancel()
        await trio.sleep(10 * UNTAKEN_S)
        assert (link, launcher.ended) == ((0, 1), 0)
    assert launcher.ended == 1


async def test_awaited_early_launch_survives_server_cancellation(
    early, launcher, nursery, autojump_clock
):
    server = trio.CancelScope()
    nursery.start_soon(run_in, server, early)
    await wait_all_tasks_blocked()

    async def cancel_at_launch() -> None:
        await trio.sleep(0.5)
        server.cancel()

    nursery.start_soon(cancel_at_launch)
    async with early.open(OPTIONS) as link:
        assert (link, launcher.begun, launcher.ended) == ((0, 1), 1, 0)
    assert launcher.ended == 1


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_early_browser_that_is_being_closed_is_not_used(
    is_cancelled, early, launcher, nursery, autojump_clock
):
    launcher.close_s, server = 10, trio.CancelScope()
    nursery.start_soon(run_in, server, early)
    await trio.sleep(5 if is_cancelled else UNTAKEN_S + 5)
    if is_cancelled:
        server.cancel()
        await wait_all_tasks_blocked()
    assert (launcher.begun, launcher.ended) == (1, 1)
    async with early.open(OPTIONS) as link:
        assert link == (0, 2)


async def test_cancelled_launch_leaves_no_browser(early, launcher, autojump_clock):
    with trio.move_on_after(5):
        await early.run(OPTIONS)
    assert (launcher.begun, launcher.ended) == (1, 1)


@pytest.mark.parametrize(
    ("chosen", "is_early"),
    [
        ({}, True),
        ({"browser__cdp_endpoint": "127.0.0.1:9222"}, False),
    ],
)
def test_only_a_browser_of_this_machine_is_launched_early(chosen, is_early):
    settings = settings_from(override(**chosen))
    assert (early_browser(settings) is not None) == is_early


@pytest.mark.parametrize(
    ("headless", "use", "kept"),
    [
        (True, BrowserUse.PAGES, False),
        (True, BrowserUse.SEARCH, True),
        (False, BrowserUse.PAGES, True),
    ],
)
def test_first_options_depend_on_headless_setting_and_use(headless, use, kept):
    settings = settings_from(override(browser__headless=headless))
    assert first_options(settings, use) == attrs.evolve(OPTIONS, kept=kept)


@pytest.mark.parametrize(("private", "use"), [(True, BrowserUse.PAGES), (False, BrowserUse.SEARCH)])
async def test_first_tab_opens_in_the_early_browser(private, use, nursery, autojump_clock):
    random, started, settings = Random(0), [], settings_from()
    launcher = fake_launcher(FakeSite(), random, on_start=started.append)
    early = EarlyBrowser(launcher, left_cold)
    nursery.start_soon(early.run, first_options(settings, use))
    await wait_all_tasks_blocked()
    environment = attrs.evolve(simulated_environment(launcher, random), launcher=early)
    async with open_tabwright(settings, environment) as tabwright:
        request = partial(LeaseTab, use=TabUse.READING, purpose="a test", private=private)
        async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, request):
            assert len(started) == 1


@attrs.define(eq=False)
class SilentTransport:
    """A transport to a browser that notes commands and answers none.

    Attributes:
        is_lost: whether it is lost once a command was sent.
    """

    is_lost: bool = False
    sent: list[str] = attrs.field(factory=list)

    def send_nowait(self, frame):
        self.sent.append(json.loads(frame)["method"])
        return True

    async def receive(self):
        if self.is_lost:
            raise LinkLost("the browser closed the pipe")
        await trio.sleep_forever()


def link_over(transport, *, visible=False):
    return BrowserLink(transport, ours=True, last_words=trio.sleep_forever, visible=visible)


async def test_warm_browser_has_no_page_and_can_be_greeted(nursery):
    random = Random(0)
    async with fake_launcher(FakeSite(), random).open(OPTIONS) as link:
        await warm_up(link, timeout_s=5)
        connection = CDPConnection(link.link)
        nursery.start_soon(connection.run)
        known = await connection.root.execute(target.get_targets())
        assert known.target_infos == ()
        nursery.cancel_scope.cancel()


async def test_browser_with_windows_is_not_warmed_up():
    transport = SilentTransport()
    await warm_up(link_over(transport, visible=True), timeout_s=1)
    assert transport.sent == []


async def test_warming_up_a_silent_browser_fails_in_time(autojump_clock):
    with pytest.raises(BrowserUnavailable, match="not respond within 1 s"):
        await warm_up(link_over(SilentTransport()), timeout_s=1)


async def test_browser_that_is_lost_while_warm_is_left_to_its_worker(autojump_clock):
    transport = SilentTransport(is_lost=True)
    await warm_up(link_over(transport), timeout_s=1)
    assert transport.sent == ["Target.createTarget"]
