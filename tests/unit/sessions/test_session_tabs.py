"""The tabs of a session: their numbers, and the current tab."""

import attrs
import pytest

from tabwright.protocol.browser_pool import OpenPage
from tabwright.protocol.errors import BadInput, TabClosed
from tabwright.sessions.session_tab import TABS_MAX, SessionTabs
from tabwright.sessions.store import NavigationHistory


@attrs.define(eq=False)
class Given:
    """A fake tab that records only its location and whether it was given back."""

    back: bool = False
    history: NavigationHistory = attrs.field(
        factory=lambda: NavigationHistory(("https://a.example/",), 0)
    )

    target: str = ""
    open: bool = False
    closing: bool = False

    def give_back(self, *, closing=False):
        self.back = True
        self.closing = closing

    def set_location(self, url, title):
        self.history = NavigationHistory((url,), 0)


@pytest.fixture
def tabs():
    return SessionTabs(Given)


def numbers(tabs):
    return [number for number, _ in tabs]


def test_session_starts_with_one_current_tab(tabs):
    assert numbers(tabs) == [1]
    assert tabs[None] is tabs[1]


def test_added_tab_becomes_the_current_one(tabs):
    assert tabs.add() == 2
    assert tabs[None] is tabs[2]
    tabs.switch(1)
    assert tabs[None] is tabs[1]


def test_tab_numbers_are_never_reused(tabs):
    tabs.add()
    tabs.close(2)
    assert tabs.add() == 3
    tabs.close(None)
    tabs.close(None)
    assert numbers(tabs) == [4]


def test_closing_the_current_tab_selects_the_latest(tabs):
    tabs.add()
    tabs.add()
    third = tabs[3]
    tabs.close(None)
    assert third.back
    assert tabs.current == 2


def test_closing_another_tab_keeps_the_current_one(tabs):
    tabs.add()
    tabs.close(1)
    assert tabs.current == 2


def test_closing_the_last_tab_opens_a_new_one(tabs):
    first = tabs[1]
    tabs.close(None)
    assert numbers(tabs) == [2]
    assert tabs[None] is not first
    assert not tabs[None].back


def test_unknown_tab_number_is_refused_listing_open_tabs(tabs):
    tabs.add()
    for ask in (tabs.__getitem__, tabs.switch, tabs.close):
        with pytest.raises(BadInput, match=r"no tab 9.*1, 2"):
            ask(9)
    assert tabs.current == 2


def test_tab_limit_of_a_session_is_enforced(tabs):
    for _ in range(TABS_MAX - 1):
        tabs.add()
    with pytest.raises(BadInput, match="Close one"):
        tabs.add()
    assert len(numbers(tabs)) == TABS_MAX


def test_tab_closed_by_its_page_is_removed_from_the_session(tabs):
    tabs.add()
    second = tabs[2]
    for _ in range(2):  # its other users learn of it too
        with pytest.raises(TabClosed) as closed, tabs.losing(second):
            raise TabClosed
        assert closed.value.advice == "Tab 1 is now the current tab."
    assert numbers(tabs) == [1]
    assert second.back
    with pytest.raises(BadInput), tabs.losing(tabs[1]):
        raise BadInput("no")
    assert numbers(tabs) == [1]


def test_give_back_returns_all_tabs(tabs):
    tabs.add()
    tabs.give_back()
    assert all(tab.back for _, tab in tabs)


def opened(*targets):
    return [OpenPage(one, f"https://{one}.example/", one, leased=False) for one in targets]


def targets(tabs):
    return [tab.target for _, tab in tabs]


@pytest.fixture
def own_tabs():
    """The tabs of a session that has no page yet."""
    return SessionTabs(lambda: Given(history=NavigationHistory()))


def test_open_pages_of_the_user_become_tabs_and_the_first_is_current(own_tabs):
    own_tabs.follow(opened("a", "b"))
    assert targets(own_tabs) == ["a", "b"]
    assert own_tabs.current == 1


def test_tabs_follow_the_pages_of_the_user_and_keep_their_numbers(own_tabs):
    own_tabs.follow(opened("a", "b"))
    own_tabs.follow(opened("b", "c"))
    assert [(number, tab.target) for number, tab in own_tabs] == [(2, "b"), (3, "c")]


def test_page_held_by_another_lease_is_not_a_tab(own_tabs):
    own_tabs.follow([OpenPage("a", "https://a.example/", "", leased=True)])
    assert targets(own_tabs) == [""]


def test_page_of_the_user_is_closed_only_when_asked(own_tabs):
    own_tabs.follow(opened("a", "b"))
    first, second = own_tabs[1], own_tabs[2]
    own_tabs.close(1)
    own_tabs.give_back()
    assert (first.closing, second.closing) == (True, False)


def test_pages_of_the_user_do_not_count_as_tabs_that_the_session_opens(own_tabs):
    own_tabs.follow(opened(*map(str, range(TABS_MAX + 1))))
    assert own_tabs.add() == TABS_MAX + 2
