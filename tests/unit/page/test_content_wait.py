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
WAITING = ReadSource(loading_s=20, idle_s=1.5)

EMPTY = ContentState(quiet=True, shown=0, waits=False, frames=False)
LOADING = ContentState(quiet=True, shown=10, waits=True, frames=False)
SHORT = ContentState(quiet=True, shown=20, waits=False, frames=False)
WHOLE = ContentState(quiet=True, shown=900, waits=False, frames=False)
PATIENT = attrs.evolve(WAITING, calm_s=0.5)
"""What a page is read with that lacks something over HTTP."""


def growing(until, every=0.3, state=WHOLE):
    """Return the changes of a page whose text grows."""
    steps = range(round(until / every) + 1)
    return [(n * every, attrs.evolve(state, shown=state.shown + n)) for n in steps]


async def waited(*changes, busy=(), repeats=(), request=WAITING):
    """Return the final state of the page, and the time until then in seconds.

    `changes` are the seconds from which the page shows a state, `busy` spans with requests, and
    `repeats` the times of those that a script sends again.
    """
    began = trio.current_time()

    async def read_state():
        await trio.sleep(STATE_S)
        at = trio.current_time() - began
        return [state for since, state in changes if since <= at][-1]

    def is_busy():
        at = trio.current_time() - began
        return any(start <= at < end for start, end in busy)

    def repeated_s():
        return max((began + at for at in repeats if began + at <= trio.current_time()), default=-9)

    state = await content_comes(read_state, is_busy, repeated_s, request)
    return state, round(trio.current_time() - began, 1)


async def test_page_that_shows_its_content_is_read_at_once(autojump_clock):
    assert await waited((0, WHOLE)) == (LoadState.WHOLE, STATE_S)


@pytest.mark.parametrize("state", [EMPTY, LOADING, SHORT])
async def test_content_that_is_requested_is_waited_for(autojump_clock, state):
    assert await waited((0, state), (9, WHOLE), busy=[(0, 9)]) == (LoadState.WHOLE, 9.2)


async def test_requests_one_after_the_other_are_waited_for(autojump_clock):
    changes = (0, LOADING), (7, WHOLE)
    assert await waited(*changes, busy=[(0, 3), (4, 7)]) == (LoadState.WHOLE, 7.2)


async def test_pending_request_is_waited_for_after_first_content(autojump_clock):
    assert await waited((0, EMPTY), (1, WHOLE), busy=[(0, 3.5)]) == (LoadState.WHOLE, 3.6)


async def test_state_from_before_a_response_is_not_taken_for_its_content(autojump_clock):
    changes = (0, WHOLE), (1.06, attrs.evolve(WHOLE, shown=990))
    assert await waited(*changes, busy=[(0, 1.04)]) == (LoadState.WHOLE, 1.2)


async def test_response_that_shows_nothing_does_not_end_the_wait_for_the_next(autojump_clock):
    changes = (0, WHOLE), (1, attrs.evolve(WHOLE, shown=950)), (5, attrs.evolve(WHOLE, shown=990))
    busy = [(0, 1), (1.2, 4), (4.4, 5)]
    state, at_s = await waited(*changes, busy=busy, request=PATIENT)
    assert state is LoadState.WHOLE
    assert 5.5 <= at_s < 6


async def test_endless_request_is_given_up_after_5_s_if_content_is_shown(autojump_clock):
    state, at_s = await waited((0, WHOLE), busy=[(0, 99)])
    assert state is LoadState.REQUESTING
    assert 5 <= at_s < 6


@pytest.mark.parametrize("lack", ["waits", "blanks", "frames"])
async def test_endless_request_is_that_of_missing_content_if_some_is_to_come(autojump_clock, lack):
    state, _ = await waited((0, attrs.evolve(WHOLE, shown=5000, **{lack: True})), busy=[(0, 99)])
    assert state is LoadState.LOADING


async def test_blank_value_is_awaited_for_a_moment_and_is_then_content(autojump_clock):
    blank = attrs.evolve(WHOLE, blanks=True)
    assert await waited((0, blank), (1.05, WHOLE)) == (LoadState.WHOLE, 1.1)
    state, at_s = await waited((0, blank))
    assert state is LoadState.WHOLE
    assert 1.5 <= at_s < 2


async def test_page_without_content_is_waited_for_up_to_20_s(autojump_clock):
    state, at_s = await waited((0, LOADING), busy=[(0, 99)])
    assert state is LoadState.LOADING
    assert 20 <= at_s < 21


async def test_short_page_that_requests_nothing_is_done_after_a_moment(autojump_clock):
    state, at_s = await waited((0, SHORT))
    assert state is LoadState.WHOLE
    assert 1.5 <= at_s < 2


@pytest.mark.parametrize("shown", [EMPTY, SHORT, LOADING])
async def test_short_page_that_repeats_its_request_is_waited_for(autojump_clock, shown):
    repeats = [0.7 * n for n in range(1, 7)]
    assert await waited((0, shown), (4.25, WHOLE), repeats=repeats) == (LoadState.WHOLE, 4.3)


async def test_short_page_that_repeats_its_request_for_ever_is_read_after_5_s(autojump_clock):
    state, at_s = await waited((0, SHORT), repeats=range(99))
    assert state is LoadState.WHOLE
    assert 5 <= at_s < 5.5


async def test_page_with_content_does_not_wait_for_repeated_requests(autojump_clock):
    assert await waited((0, WHOLE), repeats=[0]) == (LoadState.WHOLE, STATE_S)


async def test_persistent_placeholder_is_reported_as_stalled(autojump_clock):
    state, at_s = await waited((0, attrs.evolve(LOADING, shown=90)))
    assert state is LoadState.STALLED
    assert 1.5 <= at_s < 2


async def test_page_that_shows_only_a_placeholder_is_waited_for_up_to_5_s(autojump_clock):
    assert await waited((0, LOADING), (3.45, WHOLE)) == (LoadState.WHOLE, 3.5)
    state, at_s = await waited((0, LOADING))
    assert state is LoadState.STALLED
    assert 5 <= at_s < 5.5


async def test_content_that_comes_after_a_pause_is_awaited_if_some_is_lacking(autojump_clock):
    changes = (0, WHOLE), (1, attrs.evolve(WHOLE, shown=950)), (2, attrs.evolve(WHOLE, shown=990))
    busy = [(0, 1.05), (1.5, 2)]
    state, at_s = await waited(*changes, busy=busy, request=PATIENT)
    assert state is LoadState.WHOLE
    assert 2.5 <= at_s < 3
    assert await waited(*changes, busy=busy) == (LoadState.WHOLE, 1.2)


async def test_page_that_grows_during_the_first_look_is_waited_for(autojump_clock):
    changes = (0, attrs.evolve(WHOLE, grew=True)), (0.15, WHOLE)
    busy = [(0.5, 1)]
    state, at_s = await waited(*changes, busy=busy, request=PATIENT)
    assert state is LoadState.WHOLE
    assert 1.6 <= at_s < 2


async def test_page_that_lacks_something_and_does_not_grow_is_read_at_once(autojump_clock):
    assert await waited((0, WHOLE), request=PATIENT) == (LoadState.WHOLE, STATE_S)


async def test_page_that_requests_data_for_ever_after_growing_is_read(autojump_clock):
    polls = [(n * 0.5, n * 0.5 + 0.3) for n in range(80)]
    changes = (0, WHOLE), (1, attrs.evolve(WHOLE, shown=950))
    state, at_s = await waited(*changes, busy=polls, request=PATIENT)
    assert state is LoadState.WHOLE
    assert at_s < 7


async def test_text_that_grows_in_small_steps_is_read_at_its_end(autojump_clock):
    unquiet = attrs.evolve(WHOLE, quiet=False)
    state, at_s = await waited(*growing(6, state=unquiet), (6.1, attrs.evolve(WHOLE, shown=999)))
    assert state is LoadState.WHOLE
    assert 6.1 <= at_s < 6.5


async def test_text_of_a_short_page_that_grows_is_read_at_its_end(autojump_clock):
    state, at_s = await waited(*growing(3, state=SHORT))
    assert state is LoadState.WHOLE
    assert 4.5 <= at_s < 5


@pytest.mark.parametrize(
    "state", [attrs.evolve(WHOLE, grew=True), attrs.evolve(WHOLE, quiet=False)]
)
async def test_text_that_grows_for_ever_is_changing_after_10_s(autojump_clock, state):
    ending, at_s = await waited(*growing(40, state=state), request=PATIENT)
    assert ending is LoadState.CHANGING
    assert 10 <= at_s < 11


async def test_text_that_requests_prolong_for_ever_is_loading_after_10_s(autojump_clock):
    state, at_s = await waited(*growing(40), busy=[(0, 99)])
    assert state is LoadState.LOADING
    assert 10 <= at_s < 11


async def test_request_after_late_content_is_waited_for(autojump_clock):
    changes = (0, EMPTY), (7, WHOLE)
    assert await waited(*changes, busy=[(0, 9.85)]) == (LoadState.WHOLE, 10)


async def test_number_that_counts_up_is_waited_for_until_it_stands(autojump_clock):
    counting = attrs.evolve(WHOLE, quiet=False, counts=True)
    assert await waited((0, counting), (2.95, WHOLE)) == (LoadState.WHOLE, 3)
    state, at_s = await waited((0, counting))
    assert state is LoadState.CHANGING
    assert 10 <= at_s < 11


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
