"""The MCP client of a call by the official SDK: its capabilities, and questions to it.

Until the protocol of 2026-07-28 a question is a request of the server's; since then the call ends
with the question, and the client calls again with the answer.
"""

import secrets
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress

import attrs
import mcp_types as mcp
import msgspec
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from tabwright.mcp.client_questions import (
    ClientCapabilities,
    ClientRequest,
    ConfirmationQuestion,
    SamplingQuestion,
    capabilities_of,
)
from tabwright.mcp.tool_calls import RunningCall
from tabwright.protocol.errors import BadInput, ModelFault
from tabwright.protocol.llm import ChatMessage, ModelResponse
from tabwright.protocol.progress import HumanNeededProgress
from tabwright.protocol.untrusted_text import Quoted

CUT = "maxTokens"
"""The stop reason of a model that reached its output limit."""

OPENED = "accept"
"""The client's answer if its user will open the page, or confirms."""

NO_FIELDS: dict[str, object] = {"type": "object", "properties": {}}
"""The schema of a question that is only confirmed or declined."""


@attrs.frozen
class SDKClient:
    """The client of a request; see `tabwright.mcp.client_questions.CallClient`."""

    session: ServerSession

    @property
    def capabilities(self) -> ClientCapabilities:
        """Return what the client declares."""
        able = self.session.client_capabilities
        return capabilities_of(able.model_dump(by_alias=True, exclude_none=True) if able else {})

    @property
    def asked_by_result(self) -> bool:
        """Return whether it is asked by its call's result, and answers by a new call."""
        return not self.session.can_send_request

    async def report_progress(self, number: int, text: str, /) -> None:
        """Report a step of the call."""
        await self.session.report_progress(number, None, text)

    async def ask(self, question: ClientRequest, name: str, /) -> None:
        """Ask the client during a call, and deliver its answer."""
        match question:
            case HumanNeededProgress():
                with suppress(MCPError, ValidationError):  # the client failed; the window is open
                    shown = await self.session.elicit_url(
                        question.text, question.url, f"captcha-{name}"
                    )
                    take_answer(question, shown)
            case SamplingQuestion():
                await _ask_model(self.session, question)
            case ConfirmationQuestion():
                try:
                    answer = await self.session.elicit_form(question.text, NO_FIELDS)
                    take_answer(question, answer)
                except (MCPError, ValidationError):  # a client that fails counts as a refusal
                    question.take(confirmed=False)

    async def send_tools_changed(self) -> None:
        """Notify the client that the list of tools has changed."""
        await self.session.send_tool_list_changed()


def sampling_request(asked: SamplingQuestion) -> mcp.CreateMessageRequest:
    """Return the request to the client (MCP, `sampling/createMessage`)."""
    form, messages = asked.question.form, asked.question.messages
    texts = [one.text for one in messages if one.speaker == "system"]
    schema = msgspec.json.encode(form.schema).decode()
    format_rule = (
        f"Answer with one JSON object and nothing else. {form.description} Schema: {schema}"
    )
    params = mcp.CreateMessageRequestParams(
        messages=[turn for message in messages for turn in _turns(message)],
        system_prompt="\n\n".join((*texts, format_rule)),
        max_tokens=asked.output_tokens_max,
    )
    return mcp.CreateMessageRequest(params=params)


def take_model_answer(asked: SamplingQuestion, result: object) -> None:
    """Deliver the answer of the client's model; an answer without text is a failure."""
    if isinstance(result, mcp.CreateMessageResult | mcp.CreateMessageResultWithTools):
        parts = result.content if isinstance(result.content, list) else [result.content]
        texts = [part.text for part in parts if isinstance(part, mcp.TextContent)]
        if texts:
            cut = result.stop_reason == CUT
            asked.take(ModelResponse("\n".join(texts), result.model, cut=cut))
            return
    asked.fail("The client's model returned no text.", ModelFault.UNREADABLE)


def _turns(message: ChatMessage) -> Iterator[mcp.SamplingMessage]:
    """Convert a message for the client, with one picture at a time, which every client accepts."""
    if message.speaker == "system":
        return
    for picture in message.pictures:
        data = b64encode(picture.data).decode()
        shown = mcp.ImageContent(type="image", data=data, mime_type=picture.media_type)
        yield mcp.SamplingMessage(role="user", content=shown)
    text = mcp.TextContent(type="text", text=message.text)
    yield mcp.SamplingMessage(role=message.speaker, content=text)


def name_of(question: ClientRequest) -> str:
    """Return the key of the question in requests and answers."""
    match question:
        case HumanNeededProgress():
            return "captcha"
        case SamplingQuestion():
            return "model"
        case ConfirmationQuestion():
            return "confirmation"


def request_for(question: ClientRequest) -> mcp.ElicitRequest | mcp.CreateMessageRequest:
    """Return the request to put into the result of a call."""
    match question:
        case HumanNeededProgress():
            shown = mcp.ElicitRequestURLParams(message=question.text, url=question.url)
            return mcp.ElicitRequest(params=shown)
        case SamplingQuestion():
            return sampling_request(question)
        case ConfirmationQuestion():
            asked = mcp.ElicitRequestFormParams(message=question.text, requested_schema=NO_FIELDS)
            return mcp.ElicitRequest(params=asked)


def take_answer(question: ClientRequest, answer: object) -> None:
    """Deliver the client's answer; an invalid answer counts as none."""
    match question:
        case HumanNeededProgress():
            if not (isinstance(answer, mcp.ElicitResult) and answer.action == OPENED):
                question.decline()
        case SamplingQuestion():
            take_model_answer(question, answer)
        case ConfirmationQuestion():
            is_accepted = isinstance(answer, mcp.ElicitResult) and answer.action == OPENED
            question.take(confirmed=is_accepted)


async def _ask_model(session: ServerSession, wanted: SamplingQuestion) -> None:
    try:
        request = sampling_request(wanted)
        answer = await session.send_request(request, mcp.CreateMessageResultWithTools)
        take_model_answer(wanted, answer)
    except MCPError as error:  # its user declined, and is not asked again
        wanted.fail(
            ("The client did not let its model answer: ", Quoted(str(error)), "."),
            ModelFault.FORBIDDEN,
        )
    except ValidationError:
        wanted.fail("The client's model returned no text.", ModelFault.UNREADABLE)


# Calls that ended with a question to their client, which calls again with its answer.

SUSPENDED_MAX = 16
"""The maximum number of calls that wait for their client's answer; each keeps its tabs."""


@attrs.define(eq=False)
class SuspendedCalls:
    """The calls that wait, by unguessable tickets."""

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
