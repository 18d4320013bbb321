"""The state with which another process takes over a session."""

from types import SimpleNamespace

import pytest
import trio

from tabwright.protocol.errors import BadInput
from tabwright.protocol.session_data import SleepingPage
from tabwright.sessions.moving import decoded
from tabwright.sessions.session import NamedSession


def open_tab(*, reads_in_s: float) -> SimpleNamespace:
    """Return a fake open tab that takes `reads_in_s` to read its state."""

    async def read_state() -> SleepingPage:
        await trio.sleep(reads_in_s)
        return SleepingPage(url="https://a.example/")

    return SimpleNamespace(live=True, open=True, read_state=read_state)


async def test_unresponsive_page_does_not_block_the_state_of_other_pages(autojump_clock) -> None:
    session = SimpleNamespace(tabs=[(1, open_tab(reads_in_s=9)), (2, open_tab(reads_in_s=0.1))])
    pages = dict[int, SleepingPage]()
    with trio.move_on_after(1):
        await NamedSession.read_pages(session, pages)
    assert list(pages) == [2]


@pytest.mark.parametrize(
    "state", ["{", "[]", '{"tabs":[]}', '{"saved":{"cookies":[]},"live":true,"settings":{}}']
)
def test_state_of_unknown_format_is_refused(state: str) -> None:
    with pytest.raises(BadInput):
        decoded(state)


def test_missing_state_decodes_to_none() -> None:
    assert decoded("") is None
