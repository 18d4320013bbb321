"""What the wire forms of all vendors have in common."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.llm import Completion, Question

Tools: TypeAlias = Literal["forced", "offered", "none"]
"""How an answer is had by the tool of its form: told to call it, free to, or in text alone."""


@attrs.frozen(kw_only=True)
class Place:
    """Where a model is, and who may ask it.

    Attributes:
        vendor: how errors call whoever runs it.
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
class Manner:
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
class Call:
    """A POST of JSON.

    Attributes:
        headers: with the key; they show in no repr.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)


@attrs.frozen
class Reply:
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


class Dialect(Protocol):
    """The wire form of a vendor."""

    def call(self, question: Question, place: Place, manner: Manner) -> Call:
        """How the question is put."""
        ...

    def completion(self, reply: Reply, place: Place) -> Completion:
        """What the model has said.

        Raises:
            ModelFailed: nothing that can be used, and why.
        """
        ...
