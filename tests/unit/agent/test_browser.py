"""The browser of an agent, on sessions with scripted answers."""

import attrs
import pytest

from tabwright.agent.actions import (
    ACTIONS,
    CloseTab,
    GetDropdownOptions,
    GoBack,
    OpenTab,
)
from tabwright.agent.executor import NO_PAGE, AgentBrowser
from tabwright.agent.prompts import BrowserObservation
from tabwright.config.secrets import Secrets
from tabwright.protocol.actions import (
    BackgroundEvents,
    Click,
    Dialog,
    Outcome,
    TabInfo,
    Type,
    Upload,
)
from tabwright.protocol.errors import (
    BadInput,
    BrowserMissing,
    PageFailed,
    SessionMissing,
    TabLost,
)
from tabwright.protocol.inspection import Capture, Choice, ListedControl, OutlineText, PageLocation
from tabwright.protocol.snapshot import Thumbnail

TABS = (TabInfo(1, "", ""), TabInfo(2, "https://a.example/", "A", current=True))
PAGE = OutlineText("[1.5] button", controls=(ListedControl("1.5", "button", "Buy"),))
PICTURE = Thumbnail(0, "", "", "image/jpeg", b"x", 1, 1)
SCENE = BrowserObservation(tabs=TABS, page=PAGE)
NONE = frozenset[str]()


def upload_path(path: str) -> str:
    if not path.startswith("/uploads/"):
        raise BadInput(f"{path} is not in a directory for uploads.")
    return path


@pytest.fixture
def browser(sessions_with):
    def opened(secrets=None, named=NONE, **answers):
        sessions = sessions_with(**answers)
        return AgentBrowser(sessions, "s", Secrets(secrets or {}), named, upload_path), sessions

    return opened


async def test_observation_uses_current_tab(browser):
    eyes, sessions = browser(picture=PICTURE)
    assert await eyes.observe(0) == SCENE
    assert await eyes.observe(1000) == attrs.evolve(SCENE, picture=PICTURE)
    assert {one[-1] for one in sessions.asked if one[0] == "inspect"} == {2}
    assert sessions.asked[-1] == ("inspect", Capture(bytes_max=1000), 2)


@pytest.mark.parametrize(
    ("next_offset", "above", "seen"), [(120, 700, True), (120, 0, False), (None, 700, False)]
)
async def test_observation_of_scrolled_long_page_shows_viewport(browser, next_offset, above, seen):
    whole = attrs.evolve(
        PAGE, next_offset=next_offset, above=above, meanwhile=BackgroundEvents(opened=("Ad",))
    )
    part = OutlineText("[1.90] button", controls=(ListedControl("1.90", "button", "Last"),))
    eyes, _ = browser(outline=lambda arguments: part if arguments.view.viewport else whole)
    scene = await eyes.observe(0)
    assert scene.page == (attrs.evolve(part, meanwhile=whole.meanwhile) if seen else whole)
    assert not await eyes.shows_more_than(scene)


async def test_observation_succeeds_when_screenshot_fails(browser):
    eyes, _ = browser(picture=PageFailed("It hangs."))
    assert await eyes.observe(1000) == SCENE


async def test_open_dialog_replaces_the_page_in_observation(browser):
    dialog = Dialog("alert", "Hello")
    eyes, _ = browser(look=PageLocation("", "", dialog))
    assert await eyes.observe(0) == BrowserObservation(tabs=TABS, dialog=dialog)


async def test_failed_observation_explains_the_trouble(browser):
    eyes, _ = browser({"KEY": "secret value"}, outline=TabLost("It has secret value."))
    assert "The tab was lost. It has {{KEY}}." in (await eyes.observe(0)).trouble
    eyes, _ = browser(tabs=SessionMissing("There is none."))
    assert (await eyes.observe(0)).trouble == NO_PAGE
    eyes, _ = browser(look=BrowserMissing("There is none."))
    with pytest.raises(BrowserMissing):
        await eyes.observe(0)


async def test_file_in_an_allowed_folder_is_uploaded(browser):
    hands, sessions = browser(upload=Outcome("Gave a file."))
    await hands.do(ACTIONS["upload_file"](index="1.5", path="/uploads/a.txt"), SCENE)
    assert sessions.asked == [("act", Upload("1.5", ("/uploads/a.txt",)), 2)]


async def test_upload_outside_allowed_folders_sends_nothing_to_the_page(browser):
    hands, sessions = browser(upload=Outcome("Gave a file."))
    with pytest.raises(BadInput):
        await hands.do(ACTIONS["upload_file"](index="1.5", path="/etc/passwd"), SCENE)
    assert sessions.asked == []


@pytest.mark.parametrize("index", ["1.6", "[1.6]", "[*1.6]"])
async def test_click_on_a_file_field_is_refused(browser, index):
    hands, sessions = browser()
    page = attrs.evolve(PAGE, controls=(ListedControl("1.6", "file", "Photo"),))
    with pytest.raises(BadInput, match="is a file field"):
        await hands.do(ACTIONS["click_element"](index=index), attrs.evolve(SCENE, page=page))
    assert sessions.asked == []


async def test_navigation_dialog_and_tab_actions_are_marked_as_page_changes(browser):
    hands, sessions = browser(
        click=Outcome("Clicked."), enter=Outcome("Came."), options=(Choice("r", "Red"),)
    )
    assert not (await hands.do(ACTIONS["click_element"](index="1.5"), SCENE)).leads_on
    assert sessions.asked == [("act", Click("1.5"), 2)]
    assert not (await hands.do(GetDropdownOptions(index="1.5"), SCENE)).leads_on
    for action in (GoBack(), OpenTab(url="https://a.example/"), CloseTab(tab_id=1)):
        assert (await hands.do(action, SCENE)).leads_on
    assert sessions.asked[-3:] == [
        ("enter", "back", False),
        ("enter", "https://a.example/", True),
        ("change_tabs", "close", 1),
    ]
    for outcome in (Outcome("", dialog=Dialog("alert", "")), Outcome("", tabs=TABS)):
        hands, _ = browser(click=outcome)
        assert (await hands.do(ACTIONS["click_element"](index="1.5"), SCENE)).leads_on


async def test_added_elements_are_noticed_and_removed_ones_are_not(browser):
    more = attrs.evolve(PAGE, controls=(*PAGE.controls, ListedControl("1.6", "button", "Pay")))
    gone, moved = attrs.evolve(PAGE, controls=()), attrs.evolve(PAGE, url="https://b.example/")
    for page, expected in ((PAGE, False), (more, True), (gone, False), (moved, True)):
        eyes, _ = browser(outline=page)
        assert await eyes.shows_more_than(SCENE) is expected
    eyes, _ = browser(outline=TabLost(""))
    assert await eyes.shows_more_than(SCENE)


async def test_only_secrets_that_the_task_names_are_typed(browser):
    secrets = {"MINE": "one two three", "OTHER": "four five six"}
    hands, sessions = browser(secrets, frozenset({"MINE"}), type=Outcome("Typed."))
    await hands.do(ACTIONS["input_text"](index="1.5", text="{{MINE}}"), SCENE)
    assert sessions.asked == [("act", Type("1.5", "{{MINE}}", literal=True), 2)]
    with pytest.raises(BadInput, match="does not mention the secret OTHER"):
        await hands.do(ACTIONS["input_text"](index="1.5", text="{{MINE}}{{OTHER}}"), SCENE)
    assert len(sessions.asked) == 1


async def test_double_braces_are_literal_text_without_secrets(browser):
    hands, _ = browser(type=Outcome("Typed."))
    assert (
        await hands.do(ACTIONS["input_text"](index="1.5", text="{{OTHER}}"), SCENE)
    ).text == "Typed."
