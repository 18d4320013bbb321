"""Language models: what one is asked, and what it says."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.snapshot import Thumbnail

Speaker: TypeAlias = Literal["system", "user", "assistant"]

Part: TypeAlias = Literal["planner", "navigator", "validator"]
"""Who of the agent asks; each may have a model and parameters of its own."""


@attrs.frozen
class ChatMessage:
    """One turn of a conversation with a model.

    Attributes:
        pictures: what is shown with the text, before it; only of a user.
    """

    speaker: Speaker
    text: str
    pictures: tuple[Thumbnail, ...] = ()


@attrs.frozen
class AnswerForm:
    """What an answer has to look like.

    Attributes:
        name: of letters, digits and ``_``; stands for a tool where a model answers by tools.
        description: what it is, in a sentence.
        schema: JSON schema of an object.
    """

    name: str
    description: str
    schema: Mapping[str, object]


@attrs.frozen
class ModelRequest:
    """What a model is asked.

    Attributes:
        messages: the conversation, oldest first; the system's, if any, before all others.
        form: what the answer has to look like. A model may not keep to it.
    """

    part: Part
    messages: tuple[ChatMessage, ...]
    form: AnswerForm


@attrs.frozen
class ModelResponse:
    """What a model has said.

    Attributes:
        text: its answer; where it has called the tool of the form, the arguments as JSON.
        model: who has answered, by its own name; empty where nobody knows.
        input_tokens, output_tokens: what was counted; None where nobody says.
        cut: whether it ends because there was no more room for it.
    """

    text: str
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cut: bool = False


class Model(Protocol):
    """Answers questions; several may be asked at the same time."""

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        """Asks the model. Cancellation drops the question.

        Raises:
            ModelFailed: no answer, and why.
        """
        ...
