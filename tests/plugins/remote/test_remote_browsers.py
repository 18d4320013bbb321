"""Browsers of remote services, by their protocols, each with a real Chromium."""

from contextlib import asynccontextmanager
from random import Random

import attrs
import pytest
import trio

from tabwright.browser.endpoint import SourceBusy
from tabwright.concurrency.timers import Backoff
from tabwright.config.loader import override, settings_from
from tabwright.plugins.remote import sources
from tabwright.plugins.remote.services import host_at
from tabwright.plugins.remote.settings import REMOTE_SETTINGS
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import BrowserUnavailable, Effect, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, OutlineView, TakeOutline
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

IN_TAB = ReadOptions(min_tier=2)
PAGE = """<title>Shop</title><main><h1>Shop</h1><p>Everything that the shop sells.</p>
<button onclick="document.title = 'sold'">Buy</button></main>"""
TEST_S = 240
"""Far more than any test needs: one that reaches it hangs."""

services = pytest.mark.parametrize("kind", ["browserless", "steel", "grid"])


@attrs.frozen
class Site:
    """A site whose page ``/slow`` never arrives.

    Attributes:
        waiting: set when it was requested.
    """

    url: str
    waiting: trio.Event


@asynccontextmanager
async def limited_site():
    waiting = trio.Event()

    async def answer(exchange: Exchange) -> None:
        if exchange.path == "/slow":
            waiting.set()
            await trio.sleep_forever()
        await exchange.answer(html(PAGE))

    with trio.fail_after(TEST_S):
        async with open_server(answer, []) as port:
            yield Site(f"http://127.0.0.1:{port}", waiting)


async def press(agent) -> str:
    outline = await agent.session("shop").inspect(TakeOutline(OutlineView()))
    await agent.session("shop").act(Click(outline.controls[0].ref))
    return (await agent.session("shop").inspect(Evaluate("document.title"))).json


async def until(condition) -> None:
    while not condition():
        await trio.sleep(0.05)


@pytest.mark.parametrize(
    "kind",
    [
        "local",
        pytest.param("cdp", marks=pytest.mark.smoke),
        "browserless",
        "steel",
        pytest.param("grid", marks=pytest.mark.smoke),
    ],
)
async def test_page_is_read_and_acted_on_in_a_browser_of_each_kind(kind, open_service, open_agent):
    async with limited_site() as site, open_service(kind) as service:
        async with open_agent(service.source, acting__scripts=True) as agent:
            page = await agent.read(f"{site.url}/", IN_TAB)
            assert "Everything that the shop sells." in page.text
            await agent.session("shop").enter(f"{site.url}/")
            assert "sold" in await press(agent)
            (state,) = (await agent.pool()).sources
            assert state.kind == kind
            assert 0 < state.in_use <= state.capacity
            assert kind == "local" or state.in_use == len(service.sessions)
        await until(lambda: kind == "cdp" or not service.sessions)


async def test_dead_cdp_browser_is_replaced_by_another_source(open_service, open_agent):
    async with limited_site() as site, open_service("cdp") as first, open_service("cdp") as other:
        async with open_agent(first.source, other.source) as agent:
            await agent.session("shop").enter(f"{site.url}/")
            (session,) = first.sessions.values()
            session.kill()
            page = await agent.read(f"{site.url}/", IN_TAB)
            assert page.text
            while [one.in_use for one in (await agent.pool()).sources] != [0, 1]:
                await trio.sleep(0.05)
        assert other.sessions


@services
@pytest.mark.nightly
async def test_remote_browser_death_fails_the_call_and_the_next_call_works(
    kind, open_service, open_agent
):
    async with limited_site() as site, open_service(kind) as service:
        source = {**service.source, "browsers": 1}  # a second one would be dead too
        async with open_agent(source) as agent, trio.open_nursery() as nursery:
            errors = []

            async def read() -> None:
                try:
                    await agent.read(f"{site.url}/slow", IN_TAB)
                except TabwrightError as error:
                    errors.append(error)

            await agent.read(f"{site.url}/", IN_TAB)
            nursery.start_soon(read)
            await site.waiting.wait()
            for session in service.sessions.values():
                session.kill()
            await until(lambda: errors)
            assert errors[0].retryable
            assert (await agent.read(f"{site.url}/", IN_TAB)).text
        await until(lambda: not service.sessions)


@services
@pytest.mark.parametrize(("status", "retryable"), [(401, False), (408, True), (500, True)])
async def test_service_error_is_reported_without_disclosing_the_token(
    kind, status, retryable, open_service, open_agent
):
    async with limited_site() as site, open_service(kind) as service:
        service.status = status
        async with open_agent(service.source) as agent:
            with pytest.raises(BrowserUnavailable) as caught:
                await agent.read(f"{site.url}/", IN_TAB)
    error = caught.value
    assert (error.retryable, error.effect) == (retryable, Effect.NONE)
    assert f"{kind} 127.0.0.1:{service.port}" in error.message
    assert "hunter2" not in str(error)


@services
@pytest.mark.parametrize("status", [429, 503])
async def test_service_that_stays_busy_is_reported_as_busy(
    kind, status, open_service, open_agent, monkeypatch
):
    monkeypatch.setattr(sources, "REST", Backoff(first_s=90, max_s=90))  # too long to be waited for
    async with limited_site() as site, open_service(kind) as service:
        service.status = status
        async with open_agent(service.source) as agent:
            with pytest.raises(SourceBusy) as caught:
                await agent.read(f"{site.url}/", IN_TAB)
            assert caught.value.retryable


@services
async def test_full_service_is_bypassed_for_another(kind, open_service, open_agent):
    async with limited_site() as site, open_service(kind) as full, open_service(kind) as other:
        full.capacity = 0
        async with open_agent(full.source, other.source) as agent:
            assert (await agent.read(f"{site.url}/", IN_TAB)).text
            first, second = (await agent.pool()).sources
            assert "429" in first.why
            assert (first.in_use, second.in_use) == (0, 1)


@pytest.mark.parametrize("kind", ["steel", "grid"])
async def test_browser_whose_request_is_cancelled_is_given_back(kind, open_service):
    with trio.fail_after(TEST_S):
        async with open_service(kind) as service:
            service.answers = trio.Event()
            settings = settings_from(override(remote__sources=[service.source]))
            [chosen] = REMOTE_SETTINGS.of(settings).sources
            source = host_at(chosen, settings.browser, Random(1))

            async def acquire() -> None:
                async with source.acquire():
                    pytest.fail("it was cancelled before")

            async with trio.open_nursery() as nursery:
                nursery.start_soon(acquire)
                await until(lambda: service.sessions)
                nursery.cancel_scope.cancel()
                service.answers.set()  # the answer comes after the cancellation
            await until(lambda: not service.sessions)
        assert service.started == 1
