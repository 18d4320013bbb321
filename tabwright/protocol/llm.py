"""Requests to language models, and their answers."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.snapshot import Thumbnail

Speaker: TypeAlias = Literal["system", "user", "assistant"]

Part: TypeAlias = Literal["planner", "navigator", "validator", "extractor"]
"""The part of the agent that sends a request; each may have its own model and parameters."""


@attrs.frozen
class ChatMessage:
    """A message of a conversation with a model.

    Attributes:
        pictures: shown before the text; only in messages of a user.
    """

    speaker: Speaker
    text: str
    pictures: tuple[Thumbnail, ...] = ()


@attrs.frozen
class AnswerForm:
    """The required form of an answer.

    Attributes:
        name: letters, digits and ``_``; the name of the tool for models that answer by tools.
        description: what it is, in a sentence.
        schema: JSON schema of an object.
    """

    name: str
    description: str
    schema: Mapping[str, object]


@attrs.frozen
class ModelRequest:
    """A request to a model.

    Attributes:
        messages: the conversation, oldest first; a system message comes first.
        form: the required form of the answer. A model may not keep to it.
    """

    part: Part
    messages: tuple[ChatMessage, ...]
    form: AnswerForm


@attrs.frozen
class ModelResponse:
    """The answer of a model.

    Attributes:
        text: the answer; if the model called the tool of the form, the arguments as JSON.
        model: the model's own name; empty if unknown.
        input_tokens, output_tokens: as reported; None if not reported.
        cut: whether the answer was cut off at the output limit.
    """

    text: str
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cut: bool = False


class Model(Protocol):
    """Answers requests; several may run at the same time."""

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        """Send a request to the model. Cancellation drops the request.

        Raises:
            ModelFailed: there is no usable answer; it says why.
        """
        ...
