"""Requests to the MCP client during a call: its model (sampling), and its user (elicitation)."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeAlias

import attrs
import mcp_types as mcp
import msgspec
import outcome
import trio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ChatMessage, ModelRequest, ModelResponse
from tabwright.protocol.progress import HumanNeededProgress
from tabwright.protocol.untrusted_text import Message, Quoted

QUESTIONS_MAX = 10
"""The maximum number of questions by result in one call: the SDKs of clients stop after these."""

CUT = "maxTokens"
"""The stop reason of a model that reached its output limit."""


@attrs.define(eq=False)
class SamplingQuestion:
    """A question for the client's model.

    Attributes:
        output_tokens_max: the maximum length of the answer.
    """

    question: ModelRequest
    output_tokens_max: int
    _answer: outcome.Outcome[ModelResponse] | None = attrs.field(default=None, init=False)
    _answered: trio.Event = attrs.field(factory=trio.Event, init=False)

    def __str__(self) -> str:
        return f"The {self.question.part} thinks."

    @property
    def request(self) -> mcp.CreateMessageRequest:
        """Return the request to the client (MCP, `sampling/createMessage`)."""
        form, messages = self.question.form, self.question.messages
        said = [one.text for one in messages if one.speaker == "system"]
        schema = msgspec.json.encode(form.schema).decode()
        wish = f"Answer with one JSON object and nothing else. {form.description} Schema: {schema}"
        params = mcp.CreateMessageRequestParams(
            messages=[turn for message in messages for turn in _turns(message)],
            system_prompt="\n\n".join((*said, wish)),
            max_tokens=self.output_tokens_max,
        )
        return mcp.CreateMessageRequest(params=params)

    def take(self, result: object) -> None:
        """Accept the client's answer; an answer without text is a failure."""
        if isinstance(result, mcp.CreateMessageResult | mcp.CreateMessageResultWithTools):
            parts = result.content if isinstance(result.content, list) else [result.content]
            texts = [part.text for part in parts if isinstance(part, mcp.TextContent)]
            if texts:
                said = ModelResponse("\n".join(texts), result.model, cut=result.stop_reason == CUT)
                return self._settle(outcome.Value(said))
        return self.fail("The client's model returned no text.", ModelFault.UNREADABLE)

    def fail(self, message: Message, fault: ModelFault) -> None:
        """Fail the question with a reason."""
        advice = "Try again, or ask the user to set models.provider to another provider."
        self._settle(outcome.Error(ModelFailed(message, fault=fault, advice=advice)))

    async def answered(self) -> ModelResponse:
        """Wait for the answer.

        Raises:
            ModelFailed: there is none.
        """
        while self._answer is None:
            await self._answered.wait()
        return self._answer.unwrap()

    def _settle(self, answer: outcome.Outcome[ModelResponse]) -> None:
        if self._answer is None:
            self._answer = answer
            self._answered.set()


@attrs.define(eq=False)
class SamplingModel:
    """A `Model` that asks the client's model.

    Attributes:
        ask: sends a question to the client.
        timeout_s: the time limit of an answer; a disconnected client never answers.
        by_result: whether a call can ask at most `QUESTIONS_MAX` questions.
    """

    ask: Callable[[SamplingQuestion], None]
    output_tokens_max: int
    timeout_s: float
    by_result: bool
    _asked: int = attrs.field(default=0, init=False)

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        """See `Model`."""
        if self.by_result and self._asked == QUESTIONS_MAX:
            raise ModelFailed(
                f"A call can ask its client at most {QUESTIONS_MAX} times.",
                fault=ModelFault.MISSING,
                advice="Call run_task again with follow_up: true to continue.",
            )
        self._asked += 1
        wanted = SamplingQuestion(question, self.output_tokens_max)
        self.ask(wanted)
        with trio.move_on_after(self.timeout_s):
            return await wanted.answered()
        raise ModelFailed(
            f"The client's model did not answer within {self.timeout_s:g} s.",
            fault=ModelFault.MISSING if self.by_result else ModelFault.TRANSIENT,
            advice="Raise models.timeout_s.",
        )


@attrs.define(eq=False)
class ConfirmationQuestion:
    """A question for the client's user: whether to do something.

    Attributes:
        text: the question.
    """

    text: str
    _answer: bool | None = attrs.field(default=None, init=False)
    _answered: trio.Event = attrs.field(factory=trio.Event, init=False)

    def __str__(self) -> str:
        return "Waiting for the user to confirm."

    def take(self, *, confirmed: bool) -> None:
        """Accept the answer; the first counts."""
        if self._answer is None:
            self._answer = confirmed
            self._answered.set()

    async def confirmed(self, timeout_s: float) -> bool:
        """Wait for the answer; return False if there is none in time."""
        with trio.move_on_after(timeout_s):
            await self._answered.wait()
        return self._answer is True


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


# Asking a client to bring a page before its user, or to let its model think.
#
# Until the protocol of 2026-07-28 that is a request of the server's; since then the call ends with
# the question, and the client calls again with the answer.

ClientRequest: TypeAlias = HumanNeededProgress | SamplingQuestion | ConfirmationQuestion

OPENED = "accept"
"""The client's answer if its user will open the page, or confirms."""

NO_FIELDS: dict[str, object] = {"type": "object", "properties": {}}
"""The schema of a question that is only confirmed or declined."""


def asks_by_result(session: ServerSession) -> bool:
    """Return whether the client is asked by its call's result, and answers by a new call."""
    return not session.can_send_request


def can_be_asked(session: ServerSession, question: ClientRequest) -> bool:
    """Return whether the client declares that it answers such questions."""
    match question:
        case HumanNeededProgress():
            return _shows_urls(session)
        case SamplingQuestion():
            return thinks(session)
        case ConfirmationQuestion():
            return confirms(session)


def thinks(session: ServerSession) -> bool:
    """Return whether the client offers its model."""
    able = session.client_capabilities
    return able is not None and able.sampling is not None


def confirms(session: ServerSession) -> bool:
    """Return whether the client can ask its user a question."""
    able = session.client_capabilities
    if able is None or able.elicitation is None:
        return False
    return able.elicitation.form is not None or able.elicitation.url is None


def _shows_urls(session: ServerSession) -> bool:
    able = session.client_capabilities
    return able is not None and able.elicitation is not None and able.elicitation.url is not None


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
            return question.request
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
            question.take(answer)
        case ConfirmationQuestion():
            is_accepted = isinstance(answer, mcp.ElicitResult) and answer.action == OPENED
            question.take(confirmed=is_accepted)


async def ask_client(session: ServerSession, question: ClientRequest, name: str) -> None:
    """Ask the client during a call, and deliver its answer."""
    match question:
        case HumanNeededProgress():
            with suppress(MCPError, ValidationError):  # the client failed; the window is open
                shown = await session.elicit_url(question.text, question.url, f"captcha-{name}")
                take_answer(question, shown)
        case SamplingQuestion():
            kind = mcp.CreateMessageResultWithTools
            try:
                question.take(await session.send_request(question.request, kind))
            except MCPError as error:  # its user declined, and is not asked again
                question.fail(
                    ("The client did not let its model answer: ", Quoted(str(error)), "."),
                    ModelFault.FORBIDDEN,
                )
            except ValidationError:
                question.fail("The client's model returned no text.", ModelFault.UNREADABLE)
        case ConfirmationQuestion():
            try:
                take_answer(question, await session.elicit_form(question.text, NO_FIELDS))
            except (MCPError, ValidationError):  # a client that fails counts as a refusal
                question.take(confirmed=False)
