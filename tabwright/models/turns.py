"""Conversations as vendors want them: the system apart, and the speakers in turn."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import attrs
import msgspec

from tabwright.llm.vendor import Manner
from tabwright.protocol.llm import Message, Question, Speaker
from tabwright.protocol.snapshot import SmallPicture

PARAGRAPH = "\n\n"

Piece: TypeAlias = str | SmallPicture


@attrs.frozen
class Turn:
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


def turns(question: Question) -> Iterator[Turn]:
    """The conversation without the system: some vendors refuse a speaker twice in a row."""
    said = [piece for message in question.messages for piece in _pieces(message)]
    for speaker, spoken in groupby(said, key=itemgetter(0)):
        yield Turn(speaker, tuple(piece for _, piece in spoken))


def system_text(question: Question, manner: Manner) -> str:
    """What the system says, and how to answer where the vendor is not told by other means."""
    said = [message.text for message in question.messages if message.speaker == "system"]
    return PARAGRAPH.join(filter(None, (*said, _wish(question, manner))))


def _pieces(message: Message) -> Iterator[tuple[Speaker, Piece]]:
    """What somebody says, by whom; nobody says nothing."""
    if message.speaker == "system":
        return
    pieces: tuple[Piece, ...] = (*message.pictures, message.text)
    for piece in pieces:
        if piece:
            yield message.speaker, piece


def _wish(question: Question, manner: Manner) -> str:
    match manner.tools:
        case "forced":
            return ""
        case "offered":
            return f"Answer by calling the tool {question.form.name} once."
        case "none":
            schema = msgspec.json.encode(question.form.schema).decode()
            return (
                "Answer with one JSON object and nothing else. "
                f"{question.form.description} It has to fit this JSON schema: {schema}"
            )
