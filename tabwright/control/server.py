"""The control socket of a running server: its user asks for its status, answers interventions.

A client connects to the socket, sends one line of JSON-RPC 2.0, and gets one line back:

==================  =============================  ======================
method              params                         result
==================  =============================  ======================
``interventions``   none                           a list of `Intervention`
``answer``          those of `AnswerRequest`  the `Intervention`
``pool``            none                           a `ServerStatus`
``reset_back_off``  none                           null
``overview``        none                           an `Overview`
``tasks``           none                           a list of `TaskState`
``change_task``     those of `TaskRequest`          the `TaskState`
``view``            those of `ViewRequest`         a `ViewLink`
``log_in``          those of `LogInRequest`        whether it was used
==================  =============================  ======================

Every server has one, and there is no setting for it: only processes of the same user can reach the
socket, and these could do more to the server than these methods.
"""

import logging
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import attrs
import msgspec
import trio

from tabwright.browser.watchdogs import OwnProcesses
from tabwright.client import Tabwright
from tabwright.concurrency.lines import LineReader, LineTooLong
from tabwright.concurrency.timers import STALL_S
from tabwright.control.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    error_line,
    is_json,
)
from tabwright.control.transport import (
    AnswerRequest,
    ControlRequest,
    LastErrors,
    LogInRequest,
    Overview,
    ServerStatus,
    TaskRequest,
    ViewLink,
    ViewRequest,
    failure_line,
    noted_errors,
    open_listener,
    refusal_line,
    result_line,
)
from tabwright.protocol.errors import BadInput, FleetUnavailable, TabwrightError
from tabwright.protocol.interventions import Intervention
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.tasks import Tasks, TaskState
from tabwright.protocol.untrusted_text import Quoted
from tabwright.sessions.store import SessionFiles, sessions_folder

CLIENTS_MAX = 64
"""The maximum number of clients at the same time; browsers need file descriptors, too."""

_log = logging.getLogger("tabwright.control")


@attrs.frozen(eq=False)
class Served:
    """The data of a server for its clients.

    Attributes:
        tabwright: as its operator sees it: with all tabs and rates.
        users: the active users of the server by their names; empty for the operator alone.
        errors: its latest errors.
        began_s: when it began to serve, on the clock of trio.
    """

    tabwright: Tabwright
    users: "ActiveUsers"
    errors: LastErrors
    began_s: float = attrs.field(factory=trio.current_time)

    def everybody(self) -> Iterator[tuple[str, Tabwright]]:
        """Yield the operator and the users, each with the prefix of its ids."""
        yield "", self.tabwright
        for name, tabwright in self.users().items():
            yield f"{name}/", tabwright

    def find(self, prefixed_id: str) -> tuple[Tabwright, str]:
        """Return whose an id is, and the id without its prefix.

        Raises:
            BadInput: there is no such user.
        """
        name, slash, plain_id = prefixed_id.rpartition("/")
        for prefix, tabwright in self.everybody():
            if prefix == f"{name}{slash}":
                return tabwright, plain_id
        raise BadInput(("There is no active user ", Quoted(repr(name)), "."))


ActiveUsers: TypeAlias = Callable[[], Mapping[str, Tabwright]]
"""Returns the active users of a server, besides its operator, by name."""

Method: TypeAlias = Callable[[Served, msgspec.Raw], Awaitable[object]]


def nobody_else() -> Mapping[str, Tabwright]:
    """Return no user: the server has one, who is its operator."""
    return {}


async def serve_control(tabwright: Tabwright, users: ActiveUsers = nobody_else) -> None:
    """Serve the control socket until cancelled; the socket is removed with it.

    The ids and sessions of other users begin with their name and a slash.

    If there can be no socket, a warning is logged, and tabwright continues without it. Start it in
    the block of `open_tabwright`: ``nursery.start_soon(serve_control, tabwright)``.
    """
    try:
        with open_listener() as listener, noted_errors() as errors:
            await trio.serve_listeners(_Clients(Served(tabwright, users, errors)).meet, [listener])
    except* OSError as errors:
        problem = errors.exceptions[0]
        reason = (isinstance(problem, OSError) and problem.strerror) or problem
        _log.warning("`tabwright top` and `view` cannot reach this server: %s", reason)


@attrs.frozen(eq=False)
class _Clients:
    """The connected clients."""

    _served: Served
    _places: trio.Semaphore = attrs.field(factory=lambda: trio.Semaphore(CLIENTS_MAX), init=False)

    async def meet(self, client: trio.SocketStream) -> None:
        """Answer one client; disconnect it if there are too many."""
        try:
            self._places.acquire_nowait()
        except trio.WouldBlock:
            return
        try:
            line = None
            with trio.move_on_after(STALL_S):
                line = await LineReader(client).receive()
            if line is None:
                return
            answer = await _answer(self._served, line)
            answer = self._served.tabwright.parts.secrets.masked(answer.decode()).encode()
            with trio.move_on_after(STALL_S):
                await client.send_all(answer + b"\n")
        except LineTooLong:
            _log.debug("A client sent a line that is too long.")
        except trio.BrokenResourceError:
            _log.debug("A client closed the connection before its answer.")
        except Exception:  # noqa: BLE001  (a bug here must not end the server)
            _log.exception("Answering a client failed")
        finally:
            self._places.release()


async def _answer(served: Served, line: bytes) -> bytes:
    if not is_json(line):
        return error_line(PARSE_ERROR, "not JSON")
    try:
        request = msgspec.json.decode(line, type=ControlRequest)
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        return error_line(INVALID_REQUEST, str(error))
    method = METHODS.get(request.method)
    if method is None:
        return failure_line(request.id, METHOD_NOT_FOUND, f"There are {', '.join(METHODS)}.")
    return await _outcome(served, method, request)


async def _outcome(served: Served, method: Method, request: ControlRequest) -> bytes:
    try:
        return result_line(request.id, await method(served, request.params))
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        return failure_line(request.id, INVALID_PARAMS, str(error))
    except TabwrightError as error:
        return refusal_line(request.id, error)
    except Exception:  # noqa: BLE001  (a bug here must not end the server)
        _log.exception("%s failed", request.method)
        return failure_line(request.id, INTERNAL_ERROR, "Internal error; see the log of the server")


async def _interventions(served: Served, _params: msgspec.Raw) -> Sequence[Intervention]:
    return [
        attrs.evolve(one, id=f"{prefix}{one.id}")
        for prefix, tabwright in served.everybody()
        for one in await tabwright.interventions()
    ]


async def _answer_intervention(served: Served, params: msgspec.Raw) -> Intervention:
    asked = msgspec.json.decode(params, type=AnswerRequest)
    tabwright, plain_id = served.find(asked.id)
    answered = await tabwright.answer_intervention(plain_id, asked.answer)
    return attrs.evolve(answered, id=asked.id)


async def _tasks(served: Served, _params: msgspec.Raw) -> Sequence[TaskState]:
    return [
        attrs.evolve(one, id=f"{prefix}{one.id}")
        for prefix, tabwright in served.everybody()
        for one in await tabwright.parts.tasks.ask(Tasks.list)
    ]


async def _change_task(served: Served, params: msgspec.Raw) -> TaskState:
    asked = msgspec.json.decode(params, type=TaskRequest)
    tabwright, plain_id = served.find(asked.id)
    changed = await tabwright.parts.tasks.ask(Tasks.change, plain_id, asked.change)
    return attrs.evolve(changed, id=asked.id)


async def _pool(served: Served, _params: msgspec.Raw) -> ServerStatus:
    pool, rates = await served.tabwright.pool(), await served.tabwright.rates()
    share = await served.tabwright.rate_share()
    return ServerStatus(trio.current_time(), pool, rates, share)


async def _reset_back_off(served: Served, _params: msgspec.Raw) -> None:
    await served.tabwright.reset_back_off()


async def _overview(served: Served, params: msgspec.Raw) -> Overview:
    sessions = [
        attrs.evolve(one, name=f"{prefix}{one.name}")
        for prefix, tabwright in served.everybody()
        for one in await tabwright.list_sessions()
    ]
    fleet = None
    with suppress(FleetUnavailable):
        fleet = await served.tabwright.fleet()
    return Overview(
        status=await _pool(served, params),
        up_s=trio.current_time() - served.began_s,
        memory_bytes=OwnProcesses().memory_bytes(os.getpid()),
        queue=tuple(await _interventions(served, params)),
        sessions=tuple(sessions),
        tasks=tuple(await _tasks(served, params)),
        errors=served.errors.kept,
        fleet=fleet,
    )


async def _view(served: Served, params: msgspec.Raw) -> ViewLink:
    asked = msgspec.json.decode(params, type=ViewRequest)
    tabwright, _ = served.find(f"{asked.user}/" if asked.user else "")
    return ViewLink(await tabwright.view_link(asked.tab, valid_s=asked.valid_s), asked.valid_s)


async def _log_in(served: Served, params: msgspec.Raw) -> bool:
    """Add what a log-in has set in the file of a session to the open session of that name."""
    asked = msgspec.json.decode(params, type=LogInRequest)
    tabwright = served.tabwright
    files = SessionFiles(sessions_folder(tabwright.settings.session.dir))
    is_open = asked.session in {one.name for one in await tabwright.list_sessions()}
    if not is_open or str(files.path(asked.session).resolve()) != asked.path:
        return False
    saved = files.read(asked.session)
    if storage := tuple(one for one in saved.storage if one.origin in asked.origins):
        state = await tabwright.session(asked.session).storage_state()
        state = state.updated(StorageState(origins=storage))
        await tabwright.session(asked.session).set_storage_state(state)
    changed = {*asked.cookies}
    cookies = [one for one in saved.cookies if (one.name, one.domain, one.path) in changed]
    await tabwright.session(asked.session).change_cookies(put=cookies)
    return True


METHODS: Mapping[str, Method] = {
    "interventions": _interventions,
    "answer": _answer_intervention,
    "pool": _pool,
    "reset_back_off": _reset_back_off,
    "overview": _overview,
    "tasks": _tasks,
    "change_task": _change_task,
    "view": _view,
    "log_in": _log_in,
}
