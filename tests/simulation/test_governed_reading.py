"""Reading pauses for hosts that refuse it; a failed start fails for all waiting reads."""

import attrs
import pytest
import trio

from tabwright.protocol.errors import BrowserUnavailable, NavigationFailed, RateLimited
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.reader.page_reader import CHANGED
from tabwright.testing.fake import FakePage, FakeSite, Fault, FaultKind

IN_TAB = ReadOptions(min_tier=2)
URL = "https://news.example/a"
OTHER_URL = "https://other.example/"
TEXT = FakePage("<title>News</title><main><p>Text.</p></main>")
REFUSED = {403, 429, 503}
HOSTS = [f"https://host-{number}.example/" for number in range(8)]
"""At each of them few pages are read at the same time, and a start is waited for by more."""


def refusing(status: int, **headers: str) -> FakeSite:
    """Return a site where one host refuses one of its pages, and allows all others."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    page = FakePage(status=status, headers=named)
    return FakeSite(pages={URL: page, "https://news.example/b": TEXT, OTHER_URL: TEXT})


@pytest.mark.parametrize("status", sorted(REFUSED))
async def test_host_is_not_visited_until_its_retry_after_has_passed(
    status, open_client, autojump_clock
):
    async with open_client(site := refusing(status, Retry_After="120")) as world:
        with pytest.raises(NavigationFailed, match=f"HTTP status {status}"):
            await world.tabwright.read(URL, IN_TAB)
        visits = len(site.visits)
        with pytest.raises(RateLimited, match=r"news\.example has refused .* 2 min more") as caught:
            await world.tabwright.read("https://news.example/b", IN_TAB)
        assert caught.value.retry_after_s == pytest.approx(120, abs=1)
        assert len(site.visits) == visits
        assert (await world.tabwright.read(OTHER_URL, IN_TAB)).title == "News"
        await trio.sleep(caught.value.retry_after_s)
        assert (await world.tabwright.read("https://news.example/b", IN_TAB)).title == "News"


async def test_host_pause_applies_to_unicode_and_punycode_spelling(open_client, autojump_clock):
    page = FakePage(status=429, headers={"Retry-After": "60"})
    site = FakeSite(
        pages={"https://b\u00fccher.example/": page, "https://xn--bcher-kva.example/": page}
    )
    async with open_client(site) as world:
        with pytest.raises(NavigationFailed):
            await world.tabwright.read("https://xn--bcher-kva.example/", IN_TAB)
        with pytest.raises(RateLimited):
            await world.tabwright.read("https://b\u00fccher.example/", IN_TAB)


@pytest.mark.parametrize("status", sorted(REFUSED))
async def test_refusal_without_retry_after_causes_no_pause(status, open_client, autojump_clock):
    async with open_client(site := refusing(status)) as world:
        for _ in range(3):
            with pytest.raises(NavigationFailed):
                await world.tabwright.read(URL, IN_TAB)
        assert len(site.visits) == 3


@pytest.mark.parametrize("status", [200, 404, 500])
async def test_retry_after_of_other_statuses_causes_no_pause(status, open_client, autojump_clock):
    site = FakeSite(pages={URL: FakePage(TEXT.html, status, headers={"Retry-After": "120"})})
    async with open_client(site) as world:
        for _ in range(2):
            try:
                assert (await world.tabwright.read(URL, IN_TAB)).title == "News"
            except NavigationFailed:
                assert status != 200
        assert len(site.visits) == 2


async def test_queued_reads_of_a_refusing_host_fail_as_rate_limited(open_client, autojump_clock):
    async with open_client(site := refusing(429, Retry_After="120")) as world:
        endings: list[str] = []

        async def read() -> None:
            try:
                await world.tabwright.read(URL, IN_TAB)
            except (NavigationFailed, RateLimited) as error:
                endings.append(error.kind)

        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(read)
    assert len(site.visits) == 4  # as many as may be at one host at the same time
    assert sorted(endings) == ["navigation_failed"] * 4 + ["rate_limited"] * 6


class Calls:
    """Reads of pages, with the time and outcome of each."""

    def __init__(self, tabwright) -> None:
        self.tabwright = tabwright
        self.endings: list[tuple[float, str]] = []

    async def read(self, number: int) -> None:
        """Read from the host of this number, after as many seconds."""
        await trio.sleep(number)
        try:
            await self.tabwright.read(HOSTS[number], IN_TAB)
        except BrowserUnavailable:
            ending = "unavailable"
        else:
            ending = "ok"
        self.endings.append((trio.current_time(), ending))


def mute(starts: int) -> list[Fault]:
    """Return faults by which the first browsers never report that they have started."""
    return [Fault(FaultKind.MUTE, "Browser.getVersion", nth) for nth in range(1, starts + 1)]


@pytest.fixture
def open_slow(open_client):
    """Return a function that opens a client whose first browsers start too late."""
    site = FakeSite(pages=dict.fromkeys(HOSTS, TEXT))
    settings = {"browser__start_timeout_s": 10.0, "pool__max_reading_tabs": len(HOSTS)}
    return lambda starts: open_client(site, *mute(starts), **settings)


async def test_callers_waiting_for_failed_browser_start_share_its_error(open_slow, autojump_clock):
    async with open_slow(1) as world:
        calls = Calls(world.tabwright)
        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(calls.read, number)
        assert [ending for _at_s, ending in calls.endings] == ["unavailable"] * 8
        assert calls.endings[-1][0] < 11
        assert len(world.browsers) == 1


async def test_later_calls_retry_failed_browser_start(open_slow, autojump_clock):
    async with open_slow(2) as world:
        calls = Calls(world.tabwright)
        for _ in range(3):
            await calls.read(0)
        assert [ending for _at_s, ending in calls.endings] == ["unavailable", "unavailable", "ok"]
        assert len(world.browsers) == 3


async def test_cancelled_browser_start_is_repeated_for_other_callers(open_slow, autojump_clock):
    async with open_slow(1) as world, trio.open_nursery() as nursery:
        calls = Calls(world.tabwright)
        nursery.start_soon(calls.read, 1)
        nursery.start_soon(calls.read, 2)
        with trio.move_on_after(5):
            await calls.read(0)
        assert calls.endings == []
    assert [ending for _at_s, ending in calls.endings] == ["ok", "ok"]
    assert len(world.browsers) == 2


async def test_page_changed_between_two_parts_of_reading_has_notice(open_client):
    lines = [f"<p>{f'Line {number} of a long page. ' * 5}</p>" for number in range(60)]
    site = FakeSite(pages={URL: FakePage("<title>T</title>" + "".join(lines))})
    async with open_client(site) as world:
        view = RenderOptions(max_tokens=500)
        first = await world.tabwright.read(URL, attrs.evolve(IN_TAB, view=view))
        assert first.truncation.next_offset
        rest = attrs.evolve(view, offset=first.truncation.next_offset)
        same = await world.tabwright.read(URL, attrs.evolve(IN_TAB, view=rest))
        site.pages[URL] = FakePage("<title>T</title>" + "".join(lines[5:]))
        other = await world.tabwright.read(URL, attrs.evolve(IN_TAB, view=rest))
        assert (same.notice, other.notice) == ("", CHANGED)
