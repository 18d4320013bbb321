"""The interface to vendors' APIs, and what they have in common."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Literal, Protocol, TypeAlias

import attrs
import msgspec

from tabwright.protocol.llm import ModelRequest, ModelResponse, Speaker
from tabwright.protocol.snapshot import Thumbnail

Tools: TypeAlias = Literal["forced", "offered", "none"]
"""How an answer is had by the tool of its form: told to call it, free to, or in text alone."""


@attrs.frozen(kw_only=True)
class VendorEndpoint:
    """Where a model is, and who may ask it.

    Attributes:
        vendor: the name of its operator in errors.
        base_url: what all its URLs begin with, without a slash at the end.
        name: the model's; at Azure, that of its deployment.
        key: shows in no repr, and is masked where a vendor repeats it; empty for none.
        api_version: of Azure.
    """

    vendor: str
    base_url: str
    name: str
    key: str = attrs.field(default="", repr=False)
    api_version: str = ""


@attrs.frozen(kw_only=True)
class ModelTraits:
    """How a model is to answer; what is None is not said, and the vendor's to choose.

    Attributes:
        temperature, top_p: how far it may stray from the likeliest word.
        output_tokens_max: of one answer, with what it thinks.
    """

    temperature: float | None = None
    top_p: float | None = None
    output_tokens_max: int | None = None
    tools: Tools = "forced"


@attrs.frozen
class HTTPCall:
    """A POST of JSON.

    Attributes:
        headers: with the key; they show in no repr.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)


@attrs.frozen
class VendorReply:
    """What a vendor answers.

    Attributes:
        headers: by their names in lower case.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict[str, str])

    @property
    def is_success(self) -> bool:
        """Whether its status says so."""
        return self.status // 100 == 2  # noqa: PLR2004


class VendorAPI(Protocol):
    """The wire form of a vendor."""

    def call(self, question: ModelRequest, place: VendorEndpoint, manner: ModelTraits) -> HTTPCall:
        """How the question is put."""
        ...

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        """What the model has said.

        Raises:
            ModelFailed: nothing that can be used, and why.
        """
        ...


# Conversations as vendors expect them: a separate system text, and speakers in turn.

PARAGRAPH = "\n\n"

Piece: TypeAlias = str | Thumbnail


@attrs.frozen
class ChatTurn:
    """All that one says before the other does.

    Attributes:
        speaker: never the system.
        pieces: at least one; no text among them is empty.
    """

    speaker: Speaker
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str | None:
        """All of it as one text; None where there are pictures."""
        texts = [piece for piece in self.pieces if isinstance(piece, str)]
        return PARAGRAPH.join(texts) if len(texts) == len(self.pieces) else None


def turns(question: ModelRequest) -> Iterator[ChatTurn]:
    """The conversation without the system: some vendors refuse a speaker twice in a row."""
    said: list[tuple[Speaker, Piece]] = []
    for message in question.messages:
        if message.speaker != "system":
            pieces: tuple[Piece, ...] = (*message.pictures, message.text)
            said.extend((message.speaker, piece) for piece in pieces if piece)
    for speaker, spoken in groupby(said, key=itemgetter(0)):
        yield ChatTurn(speaker, tuple(piece for _, piece in spoken))


def system_text(question: ModelRequest, manner: ModelTraits) -> str:
    """What the system says, and how to answer where the vendor is not told by other means."""
    said = [message.text for message in question.messages if message.speaker == "system"]
    return PARAGRAPH.join(filter(None, (*said, _tool_request(question, manner))))


def _tool_request(question: ModelRequest, manner: ModelTraits) -> str:
    match manner.tools:
        case "forced":
            return ""
        case "offered":
            return f"Answer by calling the tool {question.form.name} exactly once."
        case "none":
            schema = msgspec.json.encode(question.form.schema).decode()
            return (
                "Answer with one JSON object and nothing else. "
                f"{question.form.description} It must match this JSON schema: {schema}"
            )
