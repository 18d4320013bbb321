"""How long to wait for the content of a page that may still be loading."""

import json

import attrs
import pytest
import trio

from tabwright.page.content_wait import ContentState, content_comes
from tabwright.page.scripts import read_answer
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.snapshot import LoadState
from tabwright.protocol.tab import ReadSource

STATE_S = 0.1
WAITING = ReadSource(patience_s=20, idle_s=1.5)

EMPTY = ContentState(quiet=True, shown=0, waits=False, frames=False)
LOADING = ContentState(quiet=True, shown=10, waits=True, frames=False)
SHORT = ContentState(quiet=True, shown=20, waits=False, frames=False)
WHOLE = ContentState(quiet=True, shown=900, waits=False, frames=False)


async def waited(*changes, busy=(), request=WAITING):
    """Return the final state of the page, and the time until then in seconds.

    `changes` are the seconds from which the page shows a state, `busy` spans with requests.
    """
    began = trio.current_time()

    async def read_state():
        await trio.sleep(STATE_S)
        at = trio.current_time() - began
        return [state for since, state in changes if since <= at][-1]

    def is_busy():
        at = trio.current_time() - began
        return any(start <= at < end for start, end in busy)

    state = await content_comes(read_state, is_busy, request)
    return state, round(trio.current_time() - began, 1)


async def test_page_that_shows_its_content_is_read_at_once(autojump_clock):
    assert await waited((0, WHOLE)) == (LoadState.WHOLE, STATE_S)


@pytest.mark.parametrize("state", [EMPTY, LOADING, SHORT])
async def test_content_that_is_requested_is_waited_for(autojump_clock, state):
    assert await waited((0, state), (9, WHOLE), busy=[(0, 9)]) == (LoadState.WHOLE, 9.1)


async def test_requests_one_after_the_other_are_waited_for(autojump_clock):
    changes = (0, LOADING), (7, WHOLE)
    assert await waited(*changes, busy=[(0, 3), (4, 7)]) == (LoadState.WHOLE, 7.1)


async def test_pending_request_is_waited_for_after_first_content(autojump_clock):
    assert await waited((0, EMPTY), (1, WHOLE), busy=[(0, 3.5)]) == (LoadState.WHOLE, 3.5)


async def test_endless_request_is_given_up_after_5_s_if_content_is_shown(autojump_clock):
    state, at_s = await waited((0, WHOLE), busy=[(0, 99)])
    assert state is LoadState.LOADING
    assert 5 <= at_s < 6


async def test_page_without_content_is_waited_for_up_to_20_s(autojump_clock):
    state, at_s = await waited((0, LOADING), busy=[(0, 99)])
    assert state is LoadState.LOADING
    assert 20 <= at_s < 21


async def test_short_page_that_requests_nothing_is_done_after_a_moment(autojump_clock):
    state, at_s = await waited((0, SHORT))
    assert state is LoadState.WHOLE
    assert 1.5 <= at_s < 2


async def test_persistent_placeholder_is_reported_as_stalled(autojump_clock):
    state, at_s = await waited((0, LOADING))
    assert state is LoadState.STALLED
    assert 1.5 <= at_s < 2


@pytest.mark.parametrize("shown", [SHORT, LOADING])
async def test_polling_page_is_loading_and_not_stalled(autojump_clock, shown):
    polls = [(second, second + 0.5) for second in range(40)]
    state, at_s = await waited((0, shown), busy=polls)
    assert state is LoadState.LOADING
    assert 20 <= at_s < 21


async def test_placeholder_beside_much_text_is_not_waited_for(autojump_clock):
    article = ContentState(quiet=True, shown=5000, waits=True, frames=False)
    assert await waited((0, article)) == (LoadState.WHOLE, STATE_S)
    state, at_s = await waited((0, article), busy=[(0, 99)])
    assert state is LoadState.LOADING
    assert 5 <= at_s < 6


async def test_page_that_changes_all_the_time_is_read_after_a_moment(autojump_clock):
    state, at_s = await waited((0, attrs.evolve(WHOLE, quiet=False)))
    assert state is LoadState.WHOLE
    assert 1.5 <= at_s < 2


async def test_awaited_text_that_never_appears_is_reported_as_loading(autojump_clock):
    missing = attrs.evolve(WHOLE, found=False)
    state, at_s = await waited((0, missing), request=attrs.evolve(WAITING, idle_s=20))
    assert state is LoadState.LOADING
    assert 20 <= at_s < 21


@pytest.mark.parametrize("answer", ["", "null", '{"quiet": 1}', json.dumps({"quiet": True})])
def test_malformed_content_state_is_an_error(answer):
    with pytest.raises(PageFailed):
        read_answer(answer, ContentState)
