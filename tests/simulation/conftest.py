from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import attrs
import pytest

from tabwright import Tabwright
from tabwright.actors.kit.tracing import TraceRecord
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.proxy import ProxyChoice
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeBrowser, FakeSite, Fault, fake_launcher
from tests.support.failures import no_request_fails


@attrs.frozen
class Simulated:
    """A client on fake browsers, the browsers it has started, and its trace."""

    tabwright: Tabwright
    browsers: list[FakeBrowser]
    trace: list[TraceRecord]

    @property
    def pages(self) -> int:
        return sum(len(browser.targets) for browser in self.browsers)


OpenClient = Callable[..., AbstractAsyncContextManager[Simulated]]


@pytest.fixture
def open_client() -> OpenClient:
    @asynccontextmanager
    async def opened(
        site: FakeSite,
        *faults: Fault,
        has_screen: bool = True,
        headed: bool = False,
        proxy: Callable[[], ProxyChoice] = ProxyChoice,
        **settings: object,
    ) -> AsyncGenerator[Simulated]:
        browsers: list[FakeBrowser] = []
        trace: list[TraceRecord] = []
        launcher = fake_launcher(
            site,
            Random(1),
            *faults,
            on_start=browsers.append,
            has_screen=has_screen,
            headed=headed,
            proxy=proxy,
        )
        environment = simulated_environment(launcher, Random(1), trace.append)
        # One searching tab, so that searches wait for each other, unless a test says otherwise.
        chosen = override(**{"pool__max_tabs": 1, "view__address": None, **settings})
        with no_request_fails():
            async with open_tabwright(settings_from(chosen), environment) as tabwright:
                yield Simulated(tabwright, browsers, trace)

    return opened
