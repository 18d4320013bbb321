"""A CAPTCHA in place of a page to be read: a person is asked, then reading continues."""

import pytest
import trio

from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.progress import HumanNeededProgress, ProgressEvent
from tabwright.testing.fake import FakeBarrier, FakePage, FakeSite

URL = "https://shop.example/offer"
WALL = '<html><body><form id="challenge-form">Who are you?</form><script></script></body></html>'
OFFER = f"<html><body><h1>Offer</h1><p>{'Nine of ten are sold. ' * 30}</p></body></html>"
ASKING = ReadOptions(min_tier=2, asks_person=True)
SOLVED = InterventionState.SOLVED


def walled(solved_after_s: float | None) -> FakeSite:
    """Return a page behind a CAPTCHA, solved in the live view after a delay, or never."""
    barrier = FakeBarrier("captcha", solved_after_s, in_view=True)
    return FakeSite(pages={URL: FakePage(OFFER, barrier=barrier, barrier_html=WALL)})


@pytest.fixture
def open_viewed(open_client):
    """Return a function that opens a client with a live view and without a screen."""

    def opened(site, **settings):
        return open_client(site, has_screen=False, view__address="127.0.0.1:0", **settings)

    return opened


def served(world) -> None:
    world.tabwright.parts.view.shared.served_at("http://view.example", ())


async def states(world) -> list[InterventionState]:
    return [one.state for one in await world.tabwright.interventions()]


@pytest.mark.parametrize("session", ["", "mine"])
async def test_page_behind_a_captcha_is_read_once_a_person_has_solved_it(
    session, open_viewed, autojump_clock
):
    steps: list[ProgressEvent] = []
    async with open_viewed(walled(40.0)) as world:
        served(world)
        page = await world.tabwright.read(URL, ASKING, session=session, progress=steps.append)
        assert "Nine of ten" in page.text
        assert page.notice == ""
        assert await states(world) == [SOLVED]
        await trio.sleep(1)  # for the browser to close the tab of a page without a session
        assert len((await world.tabwright.pool()).tabs) == (1 if session else 0)
    (asked,) = (step for step in steps if isinstance(step, HumanNeededProgress))
    assert asked.url.startswith("http://view.example/view#")
    assert asked.within_s == 300


async def test_page_captcha_is_listed_and_can_be_skipped(open_viewed, autojump_clock):
    async with open_viewed(walled(None)) as world:
        served(world)

        async def skip() -> None:
            while not (listed := await world.tabwright.interventions()):
                await trio.sleep(1)
            (waiting,) = listed
            assert (waiting.site, waiting.held) == ("shop.example", True)
            await world.tabwright.answer_intervention(waiting.id, "skip")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(skip)
            page = await world.tabwright.read(URL, ASKING)
        assert "Who are you?" in page.text
        assert "CAPTCHA" in page.notice
        assert await states(world) == [InterventionState.SKIPPED]


async def test_captcha_is_only_noted_when_reading_may_not_ask_a_person(open_viewed, autojump_clock):
    async with open_viewed(walled(40.0)) as world:
        served(world)
        page = await world.tabwright.read(URL, ReadOptions(min_tier=2))
        assert "CAPTCHA" in page.notice
        assert trio.current_time() < 40
        assert await states(world) == []


async def test_captcha_is_only_noted_without_screen_and_live_view(open_client, autojump_clock):
    async with open_client(walled(40.0), has_screen=False) as world:
        page = await world.tabwright.read(URL, ASKING)
        assert "CAPTCHA" in page.notice
        assert await states(world) == []


@pytest.mark.parametrize(
    ("ending", "state"),
    [
        ("expired", InterventionState.EXPIRED),
        ("declined", InterventionState.CANCELLED),
        ("cancelled", InterventionState.CANCELLED),
    ],
)
async def test_page_intervention_ends_when_its_reading_ends(
    ending, state, open_viewed, autojump_clock
):
    scope = trio.CancelScope()

    def heed(step: ProgressEvent) -> None:
        if isinstance(step, HumanNeededProgress) and ending != "expired":
            (step.decline if ending == "declined" else scope.cancel)()

    async with open_viewed(walled(None), search__person_timeout_s=60) as world:
        served(world)
        with scope:
            page = await world.tabwright.read(URL, ASKING, progress=heed)
            assert "CAPTCHA" in page.notice
        assert scope.cancelled_caught == (ending == "cancelled")
        assert trio.current_time() < 90
        await trio.sleep(1)
        assert await states(world) == [state]
        assert (await world.tabwright.pool()).tabs == ()


async def test_each_concurrent_reading_of_a_site_has_its_own_captcha_tab(
    open_viewed, autojump_clock
):
    async with open_viewed(walled(40.0)) as world:
        served(world)
        texts: list[str] = []

        async def read() -> None:
            texts.append((await world.tabwright.read(URL, ASKING)).text)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            nursery.start_soon(read)
        assert all("Nine of ten" in text for text in texts)
        assert await states(world) == [SOLVED, SOLVED]


async def test_captcha_beyond_held_tab_limit_is_only_noted(open_viewed, autojump_clock):
    other = "https://other.example/"
    site = walled(40.0)
    wall = FakePage(OFFER, barrier=FakeBarrier("captcha", None), barrier_html=WALL)
    site = FakeSite(pages={**site.pages, other: wall})
    async with open_viewed(site, pool__max_held_tabs=1) as world:
        served(world)
        notices: dict[str, str] = {}

        async def read(url: str) -> None:
            notices[url] = (await world.tabwright.read(url, ASKING)).notice

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read, URL)
            while SOLVED not in await states(world):
                if "in_progress" in await states(world) and other not in notices:
                    await read(other)
                await trio.sleep(1)
        assert notices[URL] == ""
        assert "CAPTCHA" in notices[other]
        assert sorted(await states(world)) == [InterventionState.CANCELLED, SOLVED]
