"""The state of a page that is lost with its tab: reading and restoring it."""

from importlib.resources import files

import attrs

from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.scripts import read_answer
from tabwright.page.web_storage import call_in_document
from tabwright.protocol.page_state import Lost, ReadPageState, RestorePageState, SleepingPage

_FUNCTION = (
    files(__package__ or "").joinpath("js").joinpath("page_state.js").read_text(encoding="utf-8")
)

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
    read = read_answer(await call_in_document(runner, _FUNCTION, ("",), READ_S), _Answer)
    return SleepingPage(read.url, read.origin, read.session, read.webStorage, read.lost)


@answers(RestorePageState)
async def restore_page_state(runner: ActionRunner, request: RestorePageState) -> tuple[Lost, ...]:
    """See `RestorePageState`."""
    values = (request.state.content,)
    return read_answer(await call_in_document(runner, _FUNCTION, values, RESTORE_S), _Answer).lost
