from collections.abc import Callable
from functools import partial
from random import Random

import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from tabwright.app import open_tabwright
from tabwright.cdp.chromium.finding import find_browser
from tabwright.config.loader import settings_from
from tabwright.protocol.ai_search import SearchResult
from tabwright.protocol.errors import (
    BadInput,
    Barrier,
    BrowserUnavailable,
    NavigationFailed,
    PageFailed,
    SearchBlocked,
    TabwrightError,
    TimeOut,
)
from tabwright.search.ai_mode.result import document, failure, failure_text
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeAnswer, FakeSite, fake_launcher
from tabwright.text.languages import LANGUAGES

from .reading_back import read_document

SITE = FakeSite(answer=FakeAnswer(paragraphs=("One.", "Two.")))
EDGE = {
    "linux": ["/usr/bin/microsoft-edge", "/usr/bin/microsoft-edge-stable"],
    "darwin": ["/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    "win32": [
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
    ],
}
CHROME = {
    "linux": [
        "/usr/bin/google-chrome",
        "/usr/bin/google-chrome-stable",
        "/usr/bin/chromium-browser",
        "/usr/bin/chromium",
    ],
    "darwin": ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    "win32": [
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ],
}


# Feature: nodriver-migration, Property 9: Error Result Format
@given(
    kind=st.sampled_from(
        [
            BadInput,
            BrowserUnavailable,
            NavigationFailed,
            PageFailed,
            *(partial(SearchBlocked, barrier=barrier) for barrier in Barrier),
            TimeOut,
        ]
    ),
    message=st.text(min_size=1, max_size=40).filter(str.strip),
    language=st.sampled_from([*LANGUAGES, "pt-BR"]),
)
def test_a_failed_search_says_why(
    kind: Callable[[str], TabwrightError], message: str, language: str
) -> None:
    result = SearchResult(
        success=False, query="q", error=failure_text(kind(message), language), language=language
    )
    assert message.strip() in result.error
    assert document(result) == failure(result.error, language)
    assert result.error in document(result)
    assert read_document(document(result)) is None


@st.composite
def machines_with_both(draw: st.DrawFn) -> tuple[str, set[str], set[str]]:
    platform = draw(st.sampled_from(sorted(EDGE)))
    edge = draw(st.sets(st.sampled_from(EDGE[platform]), min_size=1))
    chrome = draw(st.sets(st.sampled_from(CHROME[platform]), min_size=1))
    return platform, edge, chrome


# Feature: nodriver-migration, Property 10: Browser Detection Priority
@given(machine=machines_with_both(), on_path=st.sampled_from(["nothing", "chrome"]))
def test_edge_is_preferred_where_both_are_installed(
    machine: tuple[str, set[str], set[str]], on_path: str
) -> None:
    platform, edge, chrome = machine
    installed = edge | chrome
    found = find_browser(
        platform=platform,
        exists=installed.__contains__,
        which=lambda _name: min(chrome) if on_path == "chrome" else None,
    )

    assert found.name == "edge"
    assert str(found.path) in edge


# Feature: nodriver-migration, Property 11: Session Activity Tracking
@given(
    pauses=st.lists(st.floats(0.0, 250.0), min_size=1, max_size=4),
    follow_ups=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_search_and_follow_up_update_last_activity_of_thread(
    pauses: list[float], follow_ups: list[bool]
) -> None:
    async def live() -> None:
        environment = simulated_environment(fake_launcher(SITE, Random(0)), Random(0))
        async with open_tabwright(settings_from(), environment) as tabwright:
            assert not await tabwright.threads()
            for pause_s, follow_up in zip(pauses, follow_ups, strict=False):
                await trio.sleep(pause_s)
                began_s = trio.current_time()
                await tabwright.search("A?", language="en-US", follow_up=follow_up)
                thread = (await tabwright.threads())[-1]
                assert began_s < thread.last_activity_s <= trio.current_time()
            await tabwright.close_threads()
            assert not await tabwright.threads()

    trio.run(live, clock=MockClock(autojump_threshold=0))
