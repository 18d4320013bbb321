"""The state of a page: its form fields, web storage and IndexedDB, read, changed and restored."""

import attrs
import msgspec
import trio

from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.frames import ANSWER_S, REPORT_S, call_in_document
from tabwright.page.scripts import load_script, read_answer
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.session_data import (
    ChangeWebStorage,
    Lost,
    OriginDatabases,
    ReadDatabases,
    ReadPageState,
    RestoreDatabases,
    RestorePageState,
    SleepingPage,
)
from tabwright.protocol.tab import OriginStorage
from tabwright.protocol.untrusted_text import quoting

_PAGE_STATE = load_script("page_state")
_WEB_STORAGE = load_script("web_storage")
_DATABASES = load_script("indexed_db")

# The state that is lost with a page's tab: form fields, scroll positions, ``sessionStorage``.


@attrs.frozen
class _StateAnswer:
    webStorage: str = attrs.field(repr=False)  # noqa: N815  (keeps it out of the wire log)
    url: str
    lost: tuple[Lost, ...]
    origin: str = ""
    session: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)


@answers(ReadPageState)
async def read_page_state(runner: ActionRunner, _request: ReadPageState) -> SleepingPage:
    document = await runner.documents.main()
    with trio.fail_after(REPORT_S):
        answer = await call_in_document(document, _PAGE_STATE, "")
    read = read_answer(answer, _StateAnswer)
    return SleepingPage(read.url, read.origin, read.session, read.webStorage, read.lost)


@answers(RestorePageState)
async def restore_page_state(runner: ActionRunner, request: RestorePageState) -> tuple[Lost, ...]:
    document = await runner.documents.main()
    with trio.fail_after(ANSWER_S):
        answer = await call_in_document(document, _PAGE_STATE, request.state.content)
    return read_answer(answer, _StateAnswer).lost


# ``localStorage`` and ``sessionStorage``.


@attrs.frozen
class _StorageAnswer:
    webStorage: tuple[tuple[str, str], ...]  # noqa: N815  (keeps it out of the wire log)
    origin: str = ""
    problem: str = ""


@answers(ChangeWebStorage)
async def change_web_storage(runner: ActionRunner, request: ChangeWebStorage) -> OriginStorage:
    changes = {"clear": request.clear, "removed": request.removed, "put": request.put}
    wanted = msgspec.json.encode(changes).decode()
    document = await runner.documents.main()
    with trio.fail_after(ANSWER_S):
        answer = await call_in_document(document, _WEB_STORAGE, request.area, wanted)
    read = read_answer(answer, _StorageAnswer)
    match read.problem:
        case "large":
            raise BadInput(
                "The storage is too large to be shown.", advice="Read single items with a script."
            )
        case "full":
            raise PageFailed("The storage of the page is full.", retryable=False)
        case "denied":
            raise PageFailed("The page has no access to this storage.", retryable=False)
        case _:
            return OriginStorage(read.origin, read.webStorage)


# IndexedDB.

DATABASES_S = 30.0
"""Seconds for the page to read or to restore its databases."""


@attrs.frozen
class _DatabasesAnswer:
    webStorage: str  # noqa: N815  (keeps it out of the wire log)
    origin: str
    problem: str = ""


@answers(ReadDatabases)
async def read_databases(runner: ActionRunner, _request: ReadDatabases) -> OriginDatabases:
    read = await _databases(runner, "")
    return OriginDatabases(read.origin, read.webStorage)


@answers(RestoreDatabases)
async def restore_databases(runner: ActionRunner, request: RestoreDatabases) -> str:
    origin = (await change_web_storage(runner, ChangeWebStorage())).origin
    for one in request.saved:
        if one.origin == origin:
            await _databases(runner, one.databases)
    return origin


async def _databases(runner: ActionRunner, wanted: str) -> _DatabasesAnswer:
    document = await runner.documents.main()
    with trio.fail_after(DATABASES_S):
        answer = await call_in_document(document, _DATABASES, wanted)
    read = read_answer(answer, _DatabasesAnswer)
    if read.problem:
        raise PageFailed(
            quoting("IndexedDB of the page is not available: {reason}.", reason=read.problem),
            retryable=False,
        )
    return read
