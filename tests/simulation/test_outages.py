"""Networks and browsers that fail in the middle of a search, in virtual time."""

import pytest
import trio

from tabwright.protocol.errors import BrowserDied, NavigationFailed, PageFailed, TimeOut
from tabwright.protocol.proxy import Proxy, ProxyChoice
from tabwright.testing.fake import FakeAnswer, FakeSite, Fault, FaultKind

ANSWER = FakeAnswer(paragraphs=("One.", "Two."))
RESET = "net::ERR_CONNECTION_RESET"
OLD, NEW = (ProxyChoice(Proxy("http", "127.0.0.1", port)) for port in (7890, 10809))


async def test_search_is_retried_once_after_network_error(open_client, autojump_clock):
    site = FakeSite(answer=ANSWER, outages=[RESET])
    async with open_client(site) as world:
        assert (await world.tabwright.search("A?")).ai_answer
        assert len(world.browsers) == 1


async def test_network_error_is_not_retried_twice(open_client, autojump_clock):
    site = FakeSite(answer=ANSWER, outages=[RESET, RESET, RESET])
    async with open_client(site) as world:
        with pytest.raises(NavigationFailed, match=RESET):
            await world.tabwright.search("A?")
        assert site.outages == [RESET]


async def test_a_proxy_that_changed_is_used_by_a_new_browser(open_client, autojump_clock):
    site = FakeSite(answer=ANSWER, outages=[RESET])
    choices = [OLD, NEW]

    def proxy() -> ProxyChoice:
        return choices[0] if site.outages else choices[1]

    async with open_client(site, proxy=proxy) as world:
        assert (await world.tabwright.search("A?")).ai_answer
        assert len(world.browsers) == 2
        assert (await world.tabwright.search("B?")).ai_answer
        assert len(world.browsers) == 2


async def test_navigation_error_names_proxy_that_no_longer_responds(open_client, autojump_clock):
    site = FakeSite(answer=ANSWER, outages=[RESET, RESET])

    def proxy() -> ProxyChoice:
        return OLD if len(site.outages) > 1 else ProxyChoice()

    async with open_client(site, proxy=proxy) as world:
        with pytest.raises(NavigationFailed, match=r"127\.0\.0\.1:7890 no longer responds"):
            await world.tabwright.search("A?")


@pytest.mark.parametrize(
    ("harm", "method", "error"),
    [
        (FaultKind.CUT, "Runtime.callFunctionOn", BrowserDied),
        (FaultKind.CRASH, "Runtime.callFunctionOn", PageFailed),
        (FaultKind.DETACH, "Runtime.callFunctionOn", PageFailed),
        (FaultKind.MUTE, "Page.navigate", TimeOut),
    ],
)
async def test_each_fault_raises_its_own_error_and_next_search_works(
    harm, method, error, open_client, autojump_clock
):
    async with open_client(FakeSite(answer=ANSWER), Fault(harm, method)) as world:
        with pytest.raises(error):
            await world.tabwright.search("A?")
        assert (await world.tabwright.search("B?")).ai_answer


@pytest.mark.parametrize("at_s", [0.3, 0.55, 0.7, 0.85, 1.0])
async def test_browser_death_between_polls_is_reported_as_browser_death(
    at_s, open_client, autojump_clock
):
    async with open_client(FakeSite(answer=ANSWER)) as world, trio.open_nursery() as nursery:

        async def kill() -> None:
            while not world.pages:
                await trio.sleep(0.01)
            await trio.sleep(at_s)
            world.browsers[-1].die()

        nursery.start_soon(kill)
        with pytest.raises(BrowserDied):
            await world.tabwright.search("A?")
