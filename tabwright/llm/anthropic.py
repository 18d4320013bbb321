"""Anthropic's Messages API.

Source: https://platform.claude.com/docs/en/api/messages.
"""

import re
from base64 import b64encode
from typing import TypeAlias

import msgspec

from tabwright.llm.vendor import (
    OUTPUT_TOKENS_MAX,
    HTTPCall,
    ModelTraits,
    Piece,
    VendorEndpoint,
    VendorReply,
    system_text,
    turns,
)
from tabwright.llm.vendor_errors import decoded, empty, failed, refused
from tabwright.protocol.llm import ModelRequest, ModelResponse

JSON: TypeAlias = dict[str, object]

VERSION = "2023-06-01"

OVERFLOW = re.compile(r"prompt is too long|exceed context limit|request_too_large")

OUT_OF_ROOM = frozenset(("max_tokens", "model_context_window_exceeded"))


class _Block(msgspec.Struct, frozen=True):
    """A content block of a response.

    Attributes:
        text: of a text block.
        input: arguments of a tool call.
    """

    type: str = ""
    text: str | None = None
    input: dict[str, object] | None = None


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def all_input_tokens(self) -> int | None:
        """Input tokens, including those read from or written to the vendor's cache."""
        if self.input_tokens is None:
            return None
        kept = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return self.input_tokens + kept


class _Answer(msgspec.Struct, frozen=True):
    content: list[_Block] | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None

    @property
    def text(self) -> str:
        """The arguments of the first tool call as JSON, or all text if there is none."""
        blocks = self.content or []
        for block in blocks:
            if block.type == "tool_use" and block.input is not None:
                return msgspec.json.encode(block.input).decode()
        return "".join(block.text or "" for block in blocks if block.type == "text")


class AnthropicDialect:
    """The Messages API, with tools."""

    def call(self, question: ModelRequest, place: VendorEndpoint, traits: ModelTraits) -> HTTPCall:
        headers = (("x-api-key", place.key), ("anthropic-version", VERSION))
        system = system_text(question, traits)
        sampling = {} if traits.temperature is None else {"temperature": traits.temperature}
        body = {
            "model": place.name,
            "max_tokens": traits.output_tokens_max or OUTPUT_TOKENS_MAX,
            **({"system": system} if system else {}),
            "messages": [
                {"role": turn.speaker, "content": [_block(piece) for piece in turn.pieces]}
                for turn in turns(question)
            ],
            **sampling,
            **_tools(question, traits),
        }
        return HTTPCall(f"{place.base_url}/messages", headers, msgspec.json.encode(body))

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        if not reply.is_success:
            raise failed(reply, place, OVERFLOW)
        answer = decoded(reply, _Answer, place)
        cut = answer.stop_reason in OUT_OF_ROOM
        if answer.stop_reason == "refusal":
            raise refused(place, answer.text or "it gives no reason.")
        if not answer.text.strip():
            raise empty(place, cut=cut)
        usage = answer.usage or _Usage()
        counts = usage.all_input_tokens, usage.output_tokens
        return ModelResponse(answer.text, answer.model or "", *counts, cut)


def _block(piece: Piece) -> JSON:
    if isinstance(piece, str):
        return {"type": "text", "text": piece}
    data = b64encode(piece.data).decode()
    source = {"type": "base64", "media_type": piece.media_type, "data": data}
    return {"type": "image", "source": source}


def _tools(question: ModelRequest, traits: ModelTraits) -> JSON:
    if traits.tools == "none":
        return {}
    form = question.form
    tool = {"name": form.name, "description": form.description, "input_schema": form.schema}
    tools: JSON = {"tools": [tool]}
    if traits.tools == "forced":
        tools["tool_choice"] = {"type": "tool", "name": form.name}
    return tools
