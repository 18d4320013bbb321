"""Google's Gemini.

Source: https://ai.google.dev/api/generate-content. The key goes in a header, never in the URL.
"""

import re
from base64 import b64encode
from typing import TypeAlias
from urllib.parse import quote

import msgspec

from tabwright.llm.vendor import Call, Manner, Place, Reply
from tabwright.llm.vendor_errors import empty, failed, refused, unreadable
from tabwright.models.gemini_schema import gemini_schema
from tabwright.models.replies import decoded
from tabwright.models.turns import Piece, system_text, turns
from tabwright.protocol.llm import Completion, Question

JSON: TypeAlias = dict[str, object]

OVERFLOW = re.compile(r"input token count|exceeds the maximum number of tokens")

OUT_OF_ROOM = "MAX_TOKENS"
MALFORMED = "MALFORMED_FUNCTION_CALL"
UNWANTED = frozenset(
    (
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
    )
)
"""Reasons for which an answer ends that the model may not give."""


class _Shape(msgspec.Struct, frozen=True, rename="camel"):
    """A part of a reply; attributes are the vendor's names in snake case."""


class _FunctionCall(_Shape, frozen=True):
    args: dict[str, object] = {}


class _Part(_Shape, frozen=True):
    text: str | None = None
    thought: bool | None = None
    function_call: _FunctionCall | None = None


class _Content(_Shape, frozen=True):
    parts: list[_Part] = []

    @property
    def text(self) -> str:
        """The arguments of the first call, as JSON; otherwise what was said and not thought."""
        for part in self.parts:
            if part.function_call:
                return msgspec.json.encode(part.function_call.args).decode()
        return "".join(part.text or "" for part in self.parts if not part.thought)


class _Candidate(_Shape, frozen=True):
    content: _Content = _Content()
    finish_reason: str = ""


class _Feedback(_Shape, frozen=True):
    block_reason: str | None = None


class _Usage(_Shape, frozen=True):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None

    @property
    def output_tokens(self) -> int | None:
        """With what it thought."""
        if self.candidates_token_count is None:
            return None
        return self.candidates_token_count + (self.thoughts_token_count or 0)


class _Answer(_Shape, frozen=True):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback = _Feedback()
    usage_metadata: _Usage = _Usage()
    model_version: str = ""


class GeminiDialect:
    """``generateContent``, with a function to call."""

    def call(self, question: Question, place: Place, manner: Manner) -> Call:
        """See `Dialect`."""
        name = quote(place.name.removeprefix("models/"), safe="")
        url = f"{place.base_url}/models/{name}:generateContent"
        body = msgspec.json.encode(_body(question, manner))
        return Call(url, (("x-goog-api-key", place.key),), body)

    def completion(self, reply: Reply, place: Place) -> Completion:
        """See `Dialect`."""
        if not reply.is_success:
            raise failed(reply, place, OVERFLOW)
        answer = decoded(reply, _Answer, place)
        if answer.prompt_feedback.block_reason:
            raise refused(place, f"{answer.prompt_feedback.block_reason}.")
        candidate = answer.candidates[0] if answer.candidates else _Candidate()
        usage = answer.usage_metadata
        return Completion(
            _text(candidate, place),
            answer.model_version,
            usage.prompt_token_count,
            usage.output_tokens,
            candidate.finish_reason == OUT_OF_ROOM,
        )


def _text(candidate: _Candidate, place: Place) -> str:
    if candidate.finish_reason in UNWANTED:
        raise refused(place, f"{candidate.finish_reason}.")
    if candidate.finish_reason == MALFORMED:
        raise unreadable(place, "the model has called its function in a wrong way")
    if not candidate.content.text.strip():
        raise empty(place, cut=candidate.finish_reason == OUT_OF_ROOM)
    return candidate.content.text


def _body(question: Question, manner: Manner) -> JSON:
    system = system_text(question, manner)
    return {
        **({"systemInstruction": {"parts": [{"text": system}]}} if system else {}),
        "contents": [
            {
                "role": "user" if turn.speaker == "user" else "model",
                "parts": [_part(piece) for piece in turn.pieces],
            }
            for turn in turns(question)
        ],
        "generationConfig": _generation(manner),
        **_tools(question, manner),
    }


def _part(piece: Piece) -> JSON:
    if isinstance(piece, str):
        return {"text": piece}
    data = b64encode(piece.data).decode()
    return {"inlineData": {"mimeType": piece.media_type, "data": data}}


def _generation(manner: Manner) -> JSON:
    limits = {
        "temperature": manner.temperature,
        "topP": manner.top_p,
        "maxOutputTokens": manner.output_tokens_max,
    }
    return {name: value for name, value in limits.items() if value is not None}


def _tools(question: Question, manner: Manner) -> JSON:
    if manner.tools == "none":
        return {}
    form = question.form
    function = {
        "name": form.name,
        "description": form.description,
        "parameters": gemini_schema(form.schema),
    }
    tools: JSON = {"tools": [{"functionDeclarations": [function]}]}
    if manner.tools == "forced":
        calling = {"mode": "ANY", "allowedFunctionNames": [form.name]}
        tools["toolConfig"] = {"functionCallingConfig": calling}
    return tools
