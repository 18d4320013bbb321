import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import BadInput
from tabwright.sessions.store import PAGES_MAX, NavigationHistory


def after(*steps):
    history = NavigationHistory()
    for step in steps:
        history = (
            history.moved(step) if step in {"back", "forward", "reload"} else history.gone_to(step)
        )
    return history


@pytest.mark.parametrize(
    ("steps", "url", "urls"),
    [
        (["a"], "a", ("a",)),
        (["a", "b", "back"], "a", ("a", "b")),
        (["a", "b", "back", "forward"], "b", ("a", "b")),
        (["a", "b", "back", "c"], "c", ("a", "c")),
        (["a", "b", "reload"], "b", ("a", "b")),
        (["a", "a"], "a", ("a", "a")),
    ],
)
def test_navigation_steps_give_expected_current_url_and_history(steps, url, urls):
    history = after(*steps)
    assert (history.url, history.urls) == (url, urls)


@pytest.mark.parametrize("steps", [["back"], ["reload"], ["a", "back"], ["a", "forward"]])
def test_history_step_without_a_page_to_go_to_is_rejected(steps):
    with pytest.raises(BadInput, match="no page to go"):
        after(*steps)


@given(st.lists(st.sampled_from(["a", "b", "back", "forward", "reload"]), max_size=300))
def test_history_position_always_stays_within_its_pages(steps):
    history = NavigationHistory()
    for step in steps:
        try:
            history = history.moved(step) if len(step) > 1 else history.gone_to(step)
        except BadInput:
            continue
        assert 0 <= history.place < len(history.urls) <= PAGES_MAX


def test_history_drops_the_oldest_pages_beyond_its_limit():
    history = NavigationHistory()
    for number in range(PAGES_MAX + 5):
        history = history.gone_to(str(number))
    assert history.urls[0] == "5"
    assert history.url == str(PAGES_MAX + 4)
