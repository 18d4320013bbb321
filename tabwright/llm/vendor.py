"""The common interface to vendors' APIs."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Literal, Protocol, TypeAlias

import attrs
import msgspec

from tabwright.protocol.llm import ModelRequest, ModelResponse, Speaker
from tabwright.protocol.snapshot import Thumbnail

Tools: TypeAlias = Literal["forced", "offered", "none"]
"""How structured output is obtained: a forced tool, an optional tool, or text only."""


@attrs.frozen(kw_only=True)
class VendorEndpoint:
    """The endpoint of a model, with its key.

    Attributes:
        vendor: the name of its operator in errors.
        base_url: the common prefix of its URLs, without a trailing slash.
        name: the name of the model or, at Azure, of the deployment.
        key: not shown in a repr, and masked if a vendor repeats it; empty for none.
    """

    vendor: str
    base_url: str
    name: str
    key: str = attrs.field(default="", repr=False)


OUTPUT_TOKENS_MAX = 4096
"""The output limit for models that require one, if the settings have none."""


@attrs.frozen(kw_only=True)
class ModelTraits:
    """Parameters of a model; None leaves a parameter to the vendor's default.

    Attributes:
        temperature: how much replies vary.
        output_tokens_max: maximum length of an answer, including thoughts.
    """

    temperature: float | None = None
    output_tokens_max: int | None = None
    tools: Tools = "forced"


@attrs.frozen
class HTTPCall:
    """A POST request with a JSON body.

    Attributes:
        headers: including the key; not shown in a repr.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)


@attrs.frozen
class VendorReply:
    """A vendor's HTTP response.

    Attributes:
        headers: by lower-case name.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict[str, str])

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return self.status // 100 == 2  # noqa: PLR2004


class VendorAPI(Protocol):
    """A vendor's API: how requests are built and replies parsed."""

    def call(self, question: ModelRequest, place: VendorEndpoint, traits: ModelTraits) -> HTTPCall:
        """Build the HTTP call for a question."""
        ...

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        """Parse a reply into the model's response.

        Raises:
            ModelFailed: the reply is an error or cannot be used.
        """
        ...


# Conversations as vendors require them: a separate system text, and alternating speakers.

PARAGRAPH = "\n\n"

Piece: TypeAlias = str | Thumbnail


@attrs.frozen
class ChatTurn:
    """Consecutive messages of one speaker.

    Attributes:
        speaker: never the system.
        pieces: at least one; texts are not empty.
    """

    speaker: Speaker
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str | None:
        """The turn as one text; None if it contains pictures."""
        texts = [piece for piece in self.pieces if isinstance(piece, str)]
        return PARAGRAPH.join(texts) if len(texts) == len(self.pieces) else None


def turns(question: ModelRequest) -> Iterator[ChatTurn]:
    """Yield the turns without the system; some vendors refuse the same speaker twice in a row."""
    spoken: list[tuple[Speaker, Piece]] = []
    for message in question.messages:
        if message.speaker != "system":
            pieces: tuple[Piece, ...] = (*message.pictures, message.text)
            spoken.extend((message.speaker, piece) for piece in pieces if piece)
    for speaker, together in groupby(spoken, key=itemgetter(0)):
        yield ChatTurn(speaker, tuple(piece for _, piece in together))


def system_text(question: ModelRequest, traits: ModelTraits) -> str:
    """Return the system text, with the output format if no API parameter sets it."""
    texts = [message.text for message in question.messages if message.speaker == "system"]
    match traits.tools:
        case "forced":
            pass
        case "offered":
            texts.append(f"Answer by calling the tool {question.form.name} exactly once.")
        case "none":
            schema = msgspec.json.encode(question.form.schema).decode()
            texts.append(
                "Answer with one JSON object and nothing else. "
                f"{question.form.description} It must match this JSON schema: {schema}"
            )
    return PARAGRAPH.join(filter(None, texts))
