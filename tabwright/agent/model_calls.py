"""Model calls: a part of the agent asks its model and receives a value of its reply type."""

from collections.abc import Callable
from typing import Generic, TypeVar

import attrs
import msgspec
import trio

from tabwright.agent.history import PICTURE_TOKENS, REPLY_TOKENS_MAX, PromptHistory, TaskMemory
from tabwright.agent.prompts import repair_prompt
from tabwright.agent.replies import (
    EXTRACTOR,
    NAVIGATOR,
    PLANNER,
    VALIDATOR,
    Extraction,
    NavigatorReply,
    Plan,
    ValidatorReply,
    extraction_in,
    navigator_reply_in,
    plan_in,
    validator_reply_in,
)
from tabwright.protocol.errors import ModelFailed, ModelFault, TabwrightError
from tabwright.protocol.llm import AnswerForm, ChatMessage, Model, ModelRequest, ModelResponse, Part
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.token_budget import count_tokens, cut

INPUT_TOKENS = 128_000
"""Maximum tokens of a question, until a model reports that it was too long."""

TRIM = 0.6
"""The share of the tokens of a question that was too long, for the next attempt."""

TRIMS_MAX = 4

THINK_S = 600.0
"""Seconds for a model to answer; a model that is silent for longer is given up."""

ValueT = TypeVar("ValueT")


@attrs.frozen
class AgentPart(Generic[ValueT]):
    """A part of the agent: the schema of its reply, and the function that parses it."""

    part: Part
    form: AnswerForm
    read: Callable[[str], ValueT]


PLANNING: AgentPart[Plan] = AgentPart("planner", PLANNER, plan_in)
NAVIGATING: AgentPart[NavigatorReply] = AgentPart("navigator", NAVIGATOR, navigator_reply_in)
VALIDATING: AgentPart[ValidatorReply] = AgentPart("validator", VALIDATOR, validator_reply_in)
EXTRACTING: AgentPart[Extraction] = AgentPart("extractor", EXTRACTOR, extraction_in)


@attrs.define(eq=False)
class ModelCaller:
    """The model calls of one task.

    Attributes:
        input_tokens, output_tokens: tokens of all questions, as far as models report them.
    """

    _model: Model
    _history: PromptHistory
    _tokens_max: int = attrs.field(default=INPUT_TOKENS, init=False)
    input_tokens: int = 0
    output_tokens: int = 0

    async def think(self, role: AgentPart[ValueT], memory: TaskMemory) -> ValueT:
        """Ask; retry with a shorter question if it was too long, and once after an invalid reply.

        Raises:
            ModelFailed: there is no usable reply, with the reason.
        """
        for _ in range(TRIMS_MAX):
            question = self._question(role, memory)
            try:
                return await self._answered(role, question)
            except ModelFailed as failed:
                if failed.fault is not ModelFault.OVERFLOW:
                    raise
                tokens = sum(
                    count_tokens(one.text) + PICTURE_TOKENS * len(one.pictures)
                    for one in question.messages
                )
                self._tokens_max = int(
                    TRIM * min(self._tokens_max, tokens + _form_tokens(question.form))
                )
        return await self._answered(role, self._question(role, memory))

    def _question(self, role: AgentPart[ValueT], memory: TaskMemory) -> ModelRequest:
        room = self._tokens_max - _form_tokens(role.form)
        return ModelRequest(role.part, self._history.question(memory, room), role.form)

    async def _answered(self, role: AgentPart[ValueT], question: ModelRequest) -> ValueT:
        completion = await self._ask(question)
        try:
            return role.read(completion.text)
        except ModelFailed as unreadable:
            problem = "It was cut off. Answer more briefly. " if completion.cut else ""
            reply = cut(completion.text, REPLY_TOKENS_MAX) or "(nothing)"
            repair = ChatMessage("user", repair_prompt(problem + unreadable.message))
            messages = (*question.messages, ChatMessage("assistant", reply), repair)
            again = await self._ask(attrs.evolve(question, messages=messages))
            return role.read(again.text)

    async def _ask(self, question: ModelRequest) -> ModelResponse:
        try:
            with trio.fail_after(THINK_S):
                completion = await self._model.answer(question)
        except trio.TooSlowError as error:
            raise ModelFailed(
                f"The model did not respond within {THINK_S:g} s.",
                fault=ModelFault.TRANSIENT,
                advice="Try again later, or use another model.",
            ) from error
        except TabwrightError:
            raise
        except Exception as error:  # the user's own model: its fault ends one task only
            raise ModelFailed(
                (f"The model failed: {type(error).__name__}: ", Quoted(str(error))),
                fault=ModelFault.MISSING,
                advice="Fix it, or use another model.",
            ) from error
        self.input_tokens += completion.input_tokens or 0
        self.output_tokens += completion.output_tokens or 0
        return completion


def _form_tokens(form: AnswerForm) -> int:
    """Return the tokens of the reply schema, as sent to the model."""
    return count_tokens(form.description) + count_tokens(msgspec.json.encode(form.schema).decode())
