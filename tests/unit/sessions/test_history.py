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
def test_back_and_forth(steps, url, urls):
    history = after(*steps)
    assert (history.url, history.urls) == (url, urls)


@pytest.mark.parametrize("steps", [["back"], ["reload"], ["a", "back"], ["a", "forward"]])
def test_there_may_be_no_page_that_way(steps):
    with pytest.raises(BadInput, match="no page to go"):
        after(*steps)


@given(st.lists(st.sampled_from(["a", "b", "back", "forward", "reload"]), max_size=300))
def test_it_is_always_at_one_of_its_pages(steps):
    history = NavigationHistory()
    for step in steps:
        try:
            history = history.moved(step) if len(step) > 1 else history.gone_to(step)
        except BadInput:
            continue
        assert 0 <= history.place < len(history.urls) <= PAGES_MAX


def test_the_oldest_pages_are_forgotten():
    history = NavigationHistory()
    for number in range(PAGES_MAX + 5):
        history = history.gone_to(str(number))
    assert history.urls[0] == "5"
    assert history.url == str(PAGES_MAX + 4)
