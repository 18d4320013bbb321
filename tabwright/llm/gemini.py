"""Google's Gemini API.

Source: https://ai.google.dev/api/generate-content. The key is sent in a header, never in the URL.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard
from urllib.parse import quote

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
from tabwright.llm.vendor_errors import decoded, empty, failed, refused, unreadable
from tabwright.protocol.llm import ModelRequest, ModelResponse

# JSON schemas as Gemini accepts them: a subset of OpenAPI 3.0.
#
# Source: https://ai.google.dev/api/caching#Schema. Unsupported keywords are omitted: the model then
# has more freedom than the schema, but its answer is validated in any case.

Schema: TypeAlias = dict[str, object]

KEPT = (
    "title",
    "description",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
)
"""Equivalent keywords in Gemini's subset."""

NULL = "null"


def gemini_schema(schema: Mapping[str, object]) -> Schema:
    """Translate a schema into Gemini's subset, as far as it can be expressed.

    A recursive schema ends where the recursion begins.
    """
    return _Translation(schema).of(schema, frozenset())


class _Translation:
    """The translation of one schema; `inside` are the references that enclose the current part."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root

    def of(self, schema: Mapping[str, object], inside: frozenset[str]) -> Schema:
        """Translate a part; a reference that is in `inside` ends it."""
        place = schema.get("$ref")
        if isinstance(place, str):
            if place in inside:
                return {}
            found: object = self._root
            for name in place.removeprefix("#").split("/")[1:]:
                found = found.get(name) if _is_mapping(found) else None
            beside = {name: value for name, value in schema.items() if name != "$ref"}
            schema = {**found, **beside} if _is_mapping(found) else beside
            inside |= {place}
        types = schema.get("type")
        listed = types if _is_list(types) else [types]
        kinds = [kind for kind in listed if isinstance(kind, str)]
        kept = {name: schema[name] for name in KEPT if name in schema}
        kept |= self._type(schema, kinds)
        if NULL in kinds:
            kept["nullable"] = True
        return kept | self._parts(schema, kept, inside) | self._choice(schema, inside)

    def _type(self, schema: Mapping[str, object], kinds: list[str]) -> Schema:
        real = [kind for kind in kinds if kind != NULL]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if _is_list(values):
            words = [value for value in values if isinstance(value, str)]
            if words:  # only strings can be enumerated
                return {"type": "string", "enum": words}
        if len(real) > 1:
            return {"anyOf": [{"type": kind} for kind in real]}
        return {"type": real[0]} if real else {}

    def _parts(self, schema: Mapping[str, object], kept: Schema, inside: frozenset[str]) -> Schema:
        """Add the keywords of objects and arrays."""
        inner = schema.get("properties")
        if kept.get("type") == "object" and _is_mapping(inner) and inner:
            properties = {name: self._one(value, inside) for name, value in inner.items()}
            wanted = schema.get("required")
            required = [name for name in wanted if name in inner] if _is_list(wanted) else []
            return {"properties": properties, **({"required": required} if required else {})}
        if kept.get("type") == "array":
            return {"items": self._one(schema.get("items"), inside)}
        return {}

    def _choice(self, schema: Mapping[str, object], inside: frozenset[str]) -> Schema:
        options = schema.get("anyOf", schema.get("oneOf"))
        if not _is_list(options):
            return {}
        real = [self._one(one, inside) for one in options if not _is_null(one)]
        nullable: Schema = {"nullable": True} if any(map(_is_null, options)) else {}
        if len(real) == 1:
            return {**real[0], **nullable}
        return {"anyOf": real, **nullable} if real else nullable

    def _one(self, schema: object, inside: frozenset[str]) -> Schema:
        return self.of(schema, inside) if _is_mapping(schema) else {}


def _is_null(schema: object) -> bool:
    return _is_mapping(schema) and schema.get("type") == NULL


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


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
"""Finish reasons that mean a blocked answer."""


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
        """The arguments of the first call as JSON, or else the text without thoughts."""
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
        """Output tokens, including those of thoughts."""
        if self.candidates_token_count is None:
            return None
        return self.candidates_token_count + (self.thoughts_token_count or 0)


class _Answer(_Shape, frozen=True):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback = _Feedback()
    usage_metadata: _Usage = _Usage()
    model_version: str = ""


class GeminiDialect:
    """The method ``generateContent``, with a function to call."""

    def call(self, question: ModelRequest, place: VendorEndpoint, traits: ModelTraits) -> HTTPCall:
        name = quote(place.name.removeprefix("models/"), safe="")
        url = f"{place.base_url}/models/{name}:generateContent"
        system = system_text(question, traits)
        limits = {
            "temperature": traits.temperature,
            "maxOutputTokens": traits.output_tokens_max,
        }
        body = msgspec.json.encode(
            {
                **({"systemInstruction": {"parts": [{"text": system}]}} if system else {}),
                "contents": [
                    {
                        "role": "user" if turn.speaker == "user" else "model",
                        "parts": [_part(piece) for piece in turn.pieces],
                    }
                    for turn in turns(question)
                ],
                "generationConfig": {
                    name: value for name, value in limits.items() if value is not None
                },
                **_tools(question, traits),
            }
        )
        return HTTPCall(url, (("x-goog-api-key", place.key),), body)

    def completion(self, reply: VendorReply, place: VendorEndpoint) -> ModelResponse:
        if not reply.is_success:
            raise failed(reply, place, OVERFLOW)
        answer = decoded(reply, _Answer, place)
        if answer.prompt_feedback.block_reason:
            raise refused(place, f"{answer.prompt_feedback.block_reason}.")
        candidate = answer.candidates[0] if answer.candidates else _Candidate()
        usage = answer.usage_metadata
        if candidate.finish_reason in UNWANTED:
            raise refused(place, f"{candidate.finish_reason}.")
        if candidate.finish_reason == MALFORMED:
            raise unreadable(place, "the model called its function incorrectly")
        if not candidate.content.text.strip():
            raise empty(place, cut=candidate.finish_reason == OUT_OF_ROOM)
        return ModelResponse(
            candidate.content.text,
            answer.model_version,
            usage.prompt_token_count,
            usage.output_tokens,
            candidate.finish_reason == OUT_OF_ROOM,
        )


def _part(piece: Piece) -> JSON:
    if isinstance(piece, str):
        return {"text": piece}
    data = b64encode(piece.data).decode()
    return {"inlineData": {"mimeType": piece.media_type, "data": data}}


def _tools(question: ModelRequest, traits: ModelTraits) -> JSON:
    if traits.tools == "none":
        return {}
    form = question.form
    function = {
        "name": form.name,
        "description": form.description,
        "parameters": gemini_schema(form.schema),
    }
    tools: JSON = {"tools": [{"functionDeclarations": [function]}]}
    if traits.tools == "forced":
        calling = {"mode": "ANY", "allowedFunctionNames": [form.name]}
        tools["toolConfig"] = {"functionCallingConfig": calling}
    return tools
