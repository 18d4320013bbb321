"""Navigations followed by events: whose events they are, and the page that loads."""

import pytest
import trio

from tabwright.cdp.domains import network, page
from tabwright.cdp.wire import Event
from tabwright.page.navigation import NavigationWatcher
from tabwright.protocol.snapshot import LoadedPage
from tabwright.protocol.urls import Bounds

HERE, THERE = "https://here.example/", "https://there.example/"


def starts(loader: str, url: str) -> Event:
    return page.FrameStartedNavigating("frame", url, loader, "differentDocument")


def answers(loader: str, url: str, status: int = 200) -> Event:
    head = network.ResponseInfo(url=url, status=status, headers={}, mime_type="text/html")
    return network.ResponseReceived(request_id=loader, type="Document", response=head)


def is_there(loader: str) -> Event:
    return page.LifecycleEvent("frame", loader, "init")


def is_parsed(loader: str) -> Event:
    return page.LifecycleEvent("frame", loader, "DOMContentLoaded")


async def follow(*events: Event) -> tuple[NavigationWatcher, LoadedPage]:
    """Navigate to `THERE` with these events; return the watcher and the loaded page."""
    give, reported = trio.open_memory_channel[Event](len(events))
    for event in events:
        give.send_nowait(event)
    give.close()
    loading = NavigationWatcher(THERE, "frame", Bounds(), bytes_max=1000, egress=None)
    loading.begin(page.Navigated("frame", "ours"))
    return loading, await loading.follow(reported)


async def come_to(*events: Event) -> LoadedPage:
    return (await follow(*events))[1]


async def test_navigation_reaches_the_requested_page():
    came = await come_to(starts("ours", THERE), answers("ours", THERE), is_parsed("ours"))
    assert came == LoadedPage(THERE, 200, "text/html")


async def test_script_navigation_before_the_document_is_parsed_is_followed():
    end = THERE + "end"
    on = (starts("on", end), answers("on", end, 404), is_parsed("on"))
    ours = (starts("ours", THERE), answers("ours", THERE), is_there("ours"))
    loading, came = await follow(*ours, *on)
    assert not loading.overtaken
    assert came == LoadedPage(end, 404, "text/html")


@pytest.mark.parametrize(
    "its_end", [network.LoadingFailed("old", "net::ERR_ABORTED"), is_parsed("old")]
)
async def test_earlier_page_navigation_is_not_mistaken_for_the_requested_one(its_end):
    old = (starts("old", HERE), its_end)
    ours = (starts("ours", THERE), answers("ours", THERE), is_parsed("ours"))
    assert await come_to(*old, *ours) == LoadedPage(THERE, 200, "text/html")


@pytest.mark.parametrize(
    "its_end", [is_there("ours"), network.LoadingFailed("ours", "net::ERR_ABORTED")]
)
async def test_navigation_is_overtaken_by_a_page_navigation_before_it_commits(its_end):
    ours = (starts("ours", THERE), answers("ours", THERE))
    loading, _ = await follow(*ours, starts("old", HERE), answers("old", HERE), its_end)
    assert loading.overtaken
    loading.begin(page.Navigated("frame", "again"))
    assert not loading.overtaken
    give, reported = trio.open_memory_channel[Event](9)
    again = (starts("again", THERE), answers("again", THERE), is_there("again"))
    for event in (answers("old", HERE), is_parsed("old"), *again, is_parsed("again")):
        give.send_nowait(event)
    assert await loading.follow(reported) == LoadedPage(THERE, 200, "text/html")
    assert not loading.overtaken
