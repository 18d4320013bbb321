"""The MCP client of a call, and questions to its model (sampling) and its user (elicitation).

`tabwright.mcp.sdk_client` asks them by the SDK.
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import attrs
import msgspec
import outcome
import trio

from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import ModelRequest, ModelResponse
from tabwright.protocol.progress import HumanNeededProgress
from tabwright.protocol.untrusted_text import Message

QUESTIONS_MAX = 10
"""The maximum number of questions by result in one call: the SDKs of clients stop after these."""


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

    def take(self, response: ModelResponse) -> None:
        """Accept the client's answer; the first counts."""
        self._settle(outcome.Value(response))

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


ClientRequest: TypeAlias = HumanNeededProgress | SamplingQuestion | ConfirmationQuestion


# The client, as the calls of its tools see it.


class _Elicitation(msgspec.Struct, frozen=True):
    form: Mapping[str, object] | None = None
    url: Mapping[str, object] | None = None


class ClientCapabilities(msgspec.Struct, frozen=True):
    """The capabilities of a client that calls depend on (MCP, ClientCapabilities).

    Attributes:
        extensions: the settings of each extension, by its name.
    """

    extensions: Mapping[str, object] | None = None
    sampling: Mapping[str, object] | None = None
    elicitation: _Elicitation | None = None

    @property
    def thinks(self) -> bool:
        """Return whether the client offers its model."""
        return self.sampling is not None

    @property
    def confirms(self) -> bool:
        """Return whether the client can ask its user a question."""
        able = self.elicitation
        return able is not None and (able.form is not None or able.url is None)

    @property
    def shows_urls(self) -> bool:
        """Return whether the client can show its user a page."""
        return self.elicitation is not None and self.elicitation.url is not None

    def can_be_asked(self, question: ClientRequest) -> bool:
        """Return whether the client declares that it answers such questions."""
        match question:
            case HumanNeededProgress():
                return self.shows_urls
            case SamplingQuestion():
                return self.thinks
            case ConfirmationQuestion():
                return self.confirms


def capabilities_of(declared: object) -> ClientCapabilities:
    """Return the capabilities of a declaration; none if it is malformed."""
    try:
        return msgspec.convert(declared, ClientCapabilities)
    except msgspec.ValidationError:
        return ClientCapabilities()


class CallClient(Protocol):
    """The client of a call."""

    @property
    def capabilities(self) -> ClientCapabilities:
        """Return what the client declares."""
        ...

    @property
    def asked_by_result(self) -> bool:
        """Return whether it is asked by its call's result, and answers by a new call."""
        ...

    async def report_progress(self, number: int, text: str, /) -> None:
        """Report a step of the call, if the client wants to know; see MCP, progress."""
        ...

    async def ask(self, question: ClientRequest, name: str, /) -> None:
        """Ask the client during a call, and deliver its answer.

        Args:
            question: to its model or its user.
            name: of the call.
        """
        ...

    async def send_tools_changed(self) -> None:
        """Notify the client that the list of tools has changed."""
        ...
