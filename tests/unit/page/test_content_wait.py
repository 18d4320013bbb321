"""How long a page that may still load is waited for."""

import json

import attrs
import pytest
import trio

from tabwright.page.content_wait import ContentState, content_comes
from tabwright.page.scripts import read_answer
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.tab import ReadSource

LOOK_S = 0.1
WAITING = ReadSource(patience_s=20, idle_s=1.5)

EMPTY = ContentState(quiet=True, shown=0, waits=False, frames=False)
LOADING = ContentState(quiet=True, shown=10, waits=True, frames=False)
SHORT = ContentState(quiet=True, shown=20, waits=False, frames=False)
WHOLE = ContentState(quiet=True, shown=900, waits=False, frames=False)


async def waited(*changes, busy=(), request=WAITING):
    """Returns whether the content came, and when.

    `changes` are the seconds from which the page shows a state, `busy` spans with requests.
    """
    began = trio.current_time()

    async def look():
        await trio.sleep(LOOK_S)
        at = trio.current_time() - began
        return [state for since, state in changes if since <= at][-1]

    def is_busy():
        at = trio.current_time() - began
        return any(start <= at < end for start, end in busy)

    came = await content_comes(look, is_busy, request)
    return came, round(trio.current_time() - began, 1)


async def test_page_that_shows_its_content_is_read_at_once(autojump_clock):
    assert await waited((0, WHOLE)) == (True, LOOK_S)


@pytest.mark.parametrize("state", [EMPTY, LOADING, SHORT])
async def test_content_that_is_requested_is_waited_for(autojump_clock, state):
    assert await waited((0, state), (9, WHOLE), busy=[(0, 9)]) == (True, 9.1)


async def test_requests_one_after_the_other_are_waited_for(autojump_clock):
    changes = (0, LOADING), (7, WHOLE)
    assert await waited(*changes, busy=[(0, 3), (4, 7)]) == (True, 7.1)


async def test_second_part_is_waited_for_while_the_first_is_shown(autojump_clock):
    assert await waited((0, EMPTY), (1, WHOLE), busy=[(0, 3.5)]) == (True, 3.5)


async def test_request_that_never_ends_is_given_up_if_there_is_content(autojump_clock):
    came, at_s = await waited((0, WHOLE), busy=[(0, 99)])
    assert not came
    assert 5 <= at_s < 6


async def test_page_that_never_shows_content_has_all_its_patience(autojump_clock):
    came, at_s = await waited((0, LOADING), busy=[(0, 99)])
    assert not came
    assert 20 <= at_s < 21


async def test_short_page_that_requests_nothing_is_done_after_a_moment(autojump_clock):
    came, at_s = await waited((0, SHORT))
    assert came
    assert 1.5 <= at_s < 2


async def test_placeholder_that_stays_is_told(autojump_clock):
    came, at_s = await waited((0, LOADING))
    assert not came
    assert 1.5 <= at_s < 2


async def test_placeholder_beside_much_text_is_not_waited_for(autojump_clock):
    article = ContentState(quiet=True, shown=5000, waits=True, frames=False)
    assert await waited((0, article)) == (True, LOOK_S)
    came, at_s = await waited((0, article), busy=[(0, 99)])
    assert not came
    assert 5 <= at_s < 6


async def test_page_that_changes_all_the_time_is_read_after_a_moment(autojump_clock):
    came, at_s = await waited((0, attrs.evolve(WHOLE, quiet=False)))
    assert came
    assert 1.5 <= at_s < 2


async def test_text_that_is_waited_for_and_never_comes_is_told(autojump_clock):
    missing = attrs.evolve(WHOLE, found=False)
    came, at_s = await waited((0, missing), request=attrs.evolve(WAITING, idle_s=20))
    assert not came
    assert 20 <= at_s < 21


@pytest.mark.parametrize("answer", ["", "null", '{"quiet": 1}', json.dumps({"quiet": True})])
def test_answer_of_a_page_in_another_form_is_an_error(answer):
    with pytest.raises(PageFailed):
        read_answer(answer, ContentState)
