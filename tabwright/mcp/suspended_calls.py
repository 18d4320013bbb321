"""Calls that ended with a question to their client, which calls again with its answer.

Since the protocol of 2026-07-28 a server asks its client by ending the call (``input_required``).
"""

import secrets

import attrs
import mcp_types as mcp

from tabwright.mcp.call import RunningCall
from tabwright.mcp.client_requests import ClientRequest, name_of, request_for, take_answer
from tabwright.protocol.errors import BadInput

SUSPENDED_MAX = 16
"""The maximum number of calls that wait for their client's answer; each keeps its tabs."""


@attrs.define(eq=False)
class SuspendedCalls:
    """The calls that wait, by tickets that nobody can guess."""

    _calls: dict[str, tuple[object, RunningCall]] = attrs.field(
        factory=dict[str, tuple[object, RunningCall]], init=False
    )

    def suspend(
        self, arguments: object, call: RunningCall, question: ClientRequest
    ) -> mcp.InputRequiredResult:
        """Return a question to the client, which has to call again; the work continues."""
        ticket = secrets.token_urlsafe()  # only this client of this run may continue it
        self._calls[ticket] = arguments, call
        if len(self._calls) > SUSPENDED_MAX:
            _, oldest = self._calls.pop(next(iter(self._calls)))
            oldest.cancel()
        requests: mcp.InputRequests = {name_of(question): request_for(question)}
        return mcp.InputRequiredResult(input_requests=requests, request_state=ticket)

    def resume(self, arguments: object, params: mcp.CallToolRequestParams) -> RunningCall | None:
        """Return the call that the client continues with its answer, if any.

        Raises:
            BadInput: the call no longer exists.
        """
        if params.request_state is None:
            return None
        begun, call = self._calls.pop(params.request_state, (None, None))
        if call is None or call.question is None or begun != arguments:
            if call is not None:
                call.cancel()
            raise BadInput("That call has already ended.", advice="Call again.")
        take_answer(call.question, (params.input_responses or {}).get(name_of(call.question)))
        return call
