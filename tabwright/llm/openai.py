"""The Chat Completions API of OpenAI and of many compatible vendors.

Source: https://platform.openai.com/docs/api-reference/chat. OpenRouter, DeepSeek, xAI, Groq and
Ollama use the same form; where their errors differ, both variants are parsed.
"""

import re
from base64 import b64encode
from http import HTTPStatus
from typing import Literal, TypeAlias
from urllib.parse import quote

import attrs
import msgspec

from tabwright.llm.vendor import (
    HTTPCall,
    ModelTraits,
    Piece,
    VendorEndpoint,
    VendorReply,
    system_text,
    turns,
)
from tabwright.llm.vendor_errors import decoded, empty, failed, refused
from tabwright.protocol.errors import ModelFailed
from tabwright.protocol.llm import ModelRequest, ModelResponse

JSON: TypeAlias = dict[str, object]

OVERFLOW = re.compile(
    r"context_length_exceeded|string_above_max_length|exceed_context_size"
    r"|max(imum)? (context|prompt) length|exceeds the available context size"
    r"|context size has been exceeded"
)

LengthField: TypeAlias = Literal["max_completion_tokens", "max_tokens"]
"""OpenAI's reasoning models accept only the first; most other vendors know only the second."""

OUT_OF_ROOM = "length"
FILTERED = "content_filter"
FAILURES = range(400, 600)
"""HTTP statuses that a router can report for an upstream vendor."""


class _Function(msgspec.Struct, frozen=True):
    arguments: str | dict[str, object] | None = None


class _ToolCall(msgspec.Struct, frozen=True):
    function: _Function | None = None


class _Text(msgspec.Struct, frozen=True):
    text: str | None = None


class _Message(msgspec.Struct, frozen=True):
    content: str | list[_Text] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None

    @property
    def text(self) -> str:
        """The arguments of the first call as JSON, or the text if there is none."""
        called = next((call.function for call in self.tool_calls or () if call.function), None)
        if called and called.arguments:
            given = called.arguments
            return given if isinstance(given, str) else msgspec.json.encode(given).decode()
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content)
        return self.content or ""


class _Error(msgspec.Struct, frozen=True):
    """The error of an upstream vendor, as a router reports it.

    Attributes:
        code: an HTTP status, if it is a number.
    """

    code: int | str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message = _Message()
    finish_reason: str | None = None
    error: _Error | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    model: str | None = None
    usage: _Usage | None = None
    error: _Error | None = None

    @property
    def fault(self) -> _Error | None:
        """The error in a reply whose status reports success."""
        return self.error or next((one.error for one in self.choices or () if one.error), None)


@attrs.frozen
class OpenAIDialect:
    """The Chat Completions API.

    Attributes:
        length_field: the parameter that limits the length of an answer.
    """

    length_field: LengthField = "max_tokens"

    def call(self, question: ModelRequest, place: VendorEndpoint, traits: ModelTraits) -> HTTPCall:
        bearer = (("Authorization", f"Bearer {place.key}"),) if place.key else ()
        body = {"model": place.name, **chat_body(question, traits, self.length_field)}
        return HTTPCall(f"{place.base_url}/chat/completions", bearer, msgspec.json.encode(body))

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        return chat_completion(reply, place)


def chat_body(question: ModelRequest, traits: ModelTraits, length_field: LengthField) -> JSON:
    """Return the request body without the model's name."""
    limits = {"temperature": traits.temperature, length_field: traits.output_tokens_max}
    given = {name: value for name, value in limits.items() if value is not None}
    system = system_text(question, traits)
    messages: list[JSON] = [{"role": "system", "content": system}] if system else []
    for turn in turns(question):
        # Plain text where possible: not every vendor accepts a list.
        content = [_part(piece) for piece in turn.pieces] if turn.text is None else turn.text
        messages.append({"role": turn.speaker, "content": content})
    return {"messages": messages, **given, **_tools(question, traits)}


def chat_completion(reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
    """Parse a reply into the model's response.

    Raises:
        ModelFailed: the reply is an error or cannot be used.
    """
    if not reply.is_success:
        raise _failed(reply, place)
    answer = decoded(reply, _Answer, place)
    if answer.fault:
        code = answer.fault.code
        status = code if isinstance(code, int) and code in FAILURES else HTTPStatus.BAD_GATEWAY
        raise _failed(attrs.evolve(reply, status=status), place)
    if not answer.choices:
        raise empty(place, cut=False)
    choice = answer.choices[0]
    cut = choice.finish_reason == OUT_OF_ROOM
    if choice.message.refusal or choice.finish_reason == FILTERED:
        raise refused(place, choice.message.refusal or "its content filter stopped the answer.")
    if not choice.message.text.strip():
        raise empty(place, cut=cut)
    usage = answer.usage or _Usage()
    return ModelResponse(
        choice.message.text,
        answer.model or "",
        usage.prompt_tokens,
        usage.completion_tokens,
        cut,
    )


def _failed(reply: VendorReply, place: VendorEndpoint) -> ModelFailed:
    return failed(reply, place, OVERFLOW)


def _part(piece: Piece) -> JSON:
    if isinstance(piece, str):
        return {"type": "text", "text": piece}
    data = b64encode(piece.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{piece.media_type};base64,{data}"}}


def _tools(question: ModelRequest, traits: ModelTraits) -> JSON:
    """Return the tool parameters; no ``tool_choice`` for optional tools, as some refuse it."""
    if traits.tools == "none":
        return {}
    form = question.form
    function = {"name": form.name, "description": form.description, "parameters": form.schema}
    tools: JSON = {"tools": [{"type": "function", "function": function}]}
    if traits.tools == "forced":
        tools["tool_choice"] = {"type": "function", "function": {"name": form.name}}
    return tools


# Azure: a deployment instead of a model.
#
# Source: https://learn.microsoft.com/azure/ai-services/openai/reference.

AZURE_VERSION = "2024-10-21"


class AzureDialect:
    """OpenAI's API, with the deployment in the URL and the key in the header ``api-key``."""

    def call(self, question: ModelRequest, place: VendorEndpoint, traits: ModelTraits) -> HTTPCall:
        path = f"/openai/deployments/{quote(place.name, safe='')}/chat/completions"
        url = f"{place.base_url}{path}?api-version={AZURE_VERSION}"
        body = chat_body(question, traits, "max_completion_tokens")
        return HTTPCall(url, (("api-key", place.key),), msgspec.json.encode(body))

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        return chat_completion(reply, place)
