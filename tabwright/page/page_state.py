"""The state of a page that is lost with its tab: reading and restoring it."""

import attrs
import trio

from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.frames import call_in_document
from tabwright.page.scripts import load_script, read_answer
from tabwright.protocol.session_data import Lost, ReadPageState, RestorePageState, SleepingPage

_FUNCTION = load_script("page_state")

READ_S = 2.0
"""Seconds for the page to report its state; it takes milliseconds unless the page hangs."""

RESTORE_S = 5.0
"""Seconds to restore the state of a page, which can react to the values of its fields."""


@attrs.frozen
class _Answer:
    webStorage: str = attrs.field(repr=False)  # noqa: N815  (keeps it out of the wire log)
    url: str
    lost: tuple[Lost, ...]
    origin: str = ""
    session: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)


@answers(ReadPageState)
async def read_page_state(runner: ActionRunner, _request: ReadPageState) -> SleepingPage:
    """See `ReadPageState`."""
    document = await runner.documents.main()
    with trio.fail_after(READ_S):
        answer = await call_in_document(document, _FUNCTION, "")
    read = read_answer(answer, _Answer)
    return SleepingPage(read.url, read.origin, read.session, read.webStorage, read.lost)


@answers(RestorePageState)
async def restore_page_state(runner: ActionRunner, request: RestorePageState) -> tuple[Lost, ...]:
    """See `RestorePageState`."""
    document = await runner.documents.main()
    with trio.fail_after(RESTORE_S):
        answer = await call_in_document(document, _FUNCTION, request.state.content)
    return read_answer(answer, _Answer).lost
