"""Answers and errors as MCP results: masked, within a budget, with page text in fences.

Control characters from pages are made visible, and cannot steer a terminal.
"""

import re
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Literal

import attrs
import msgspec

from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.tool import ToolResult, failed
from tabwright.protocol.errors import ErrorPage, TabwrightError
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.untrusted_text import (
    Part,
    Parts,
    Quoted,
    Sentence,
    fence_untrusted,
    has_page_text,
    marked,
    quoted,
    text_of,
)
from tabwright.text.lines import verbatim
from tabwright.text.records import each_text
from tabwright.text.token_budget import count_tokens, cut, surely_fit

BYTES_MAX = 1 << 20
"""The maximum size of a whole result, with images and files."""

FAILURE_TOKENS_MAX = 1000
"""The token limit of an error, which may report changes of a page."""

NOTES_TOKENS = 200
"""Tokens reserved for our notes beside the text of a page."""

NONCE_BYTES = 4
"""The size of a fence's nonce: too large to guess in one try, but few tokens."""


# Results as on the wire. The order of the fields is that of the SDK.


class TextContent(msgspec.Struct, frozen=True):
    """A text for the model (MCP, TextContent)."""

    text: str
    type: Literal["text"] = "text"


class ImageContent(msgspec.Struct, frozen=True, rename="camel"):
    """A picture for the model (MCP, ImageContent).

    Attributes:
        data: the picture in base64.
    """

    meta: JSONObject = msgspec.field(name="_meta")
    data: str
    mime_type: str
    type: Literal["image"] = "image"


class CallResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The result of a call (MCP, CallToolResult)."""

    meta: JSONObject | None = msgspec.field(default=None, name="_meta")
    content: tuple[TextContent | ImageContent, ...]
    is_error: bool
    structured_content: JSONObject | None = None

    def as_json(self) -> dict[str, object]:
        """Return the JSON object."""
        return msgspec.convert(msgspec.to_builtins(self), dict[str, object])


def refused(error: TabwrightError) -> ToolResult:
    """Return the tool error for an error whose message can quote page text."""
    text = error.text.strip() if isinstance(error, ErrorPage) else ""
    return failed((Sentence(error.chunks), error.advice, *quoted(text)), error)


@attrs.frozen
class Renderer:
    """Renders answers as MCP results.

    Attributes:
        secrets: their values are masked.
        tokens_max: the maximum length of a result's text.
        structured: whether each result has structured content.
    """

    secrets: Secrets
    tokens_max: int
    structured: bool

    @classmethod
    def of(cls, secrets: Secrets, settings: Settings) -> "Renderer":
        """Return the renderer with the limits of the settings."""
        return cls(
            secrets,
            settings.reading.result_tokens_max,
            structured=settings.mcp.structured_content,
        )

    def result(
        self,
        result: ToolResult,
        schema: JSONObject,
        *,
        tokens_max: int = 0,
        structured: bool = False,
    ) -> CallResult:
        """Return the result of a call.

        Args:
            result: of the tool.
            schema: of its structured content.
            tokens_max: the limit requested by the call; 0 for none.
            structured: whether the call requested structured content, which is then complete.
        """
        nonce = _nonce()
        allowed = FAILURE_TOKENS_MAX if result.is_error else (tokens_max or self.tokens_max)
        parts = within_budget([self._clean(one) for one in result.parts], allowed + NOTES_TOKENS)
        meta: dict[str, object] = {}
        content: JSONObject | None = None
        if result.error is not None:
            meta["tabwright/error"] = each_text(result.error, self._brief)
        if structured or self.structured:
            record = each_text(result.structured, self._seen)
            content = fenced_record(record, schema, nonce)
            content = content if structured else shortened_record(content, BYTES_MAX // 2)
        elif known := facts(result.structured, schema):
            meta["tabwright/record"] = each_text(known, self._seen, names=False)
        if content or any(map(has_page_text, parts)):
            meta["tabwright/untrusted"] = nonce
        room = BYTES_MAX - _size(fence_untrusted(parts, nonce)) - _size(content) - _size(meta)
        pictures = _fitting(list(map(_shown, result.images)), room)
        if left := len(result.images) - len(pictures):
            parts = (*parts, f"({left} images omitted: the answer would be too large.)")
        text = TextContent(fence_untrusted(parts, nonce))
        return CallResult(
            meta=meta or None,
            content=(text, *pictures),
            is_error=result.is_error,
            structured_content=content,
        )

    def text(self, parts: Parts) -> str:
        """Return a text outside of results, such as a resource."""
        clean = within_budget([self._clean(one) for one in parts], self.tokens_max + NOTES_TOKENS)
        return fence_untrusted(clean, _nonce())

    def step(self, text: str) -> str:
        """Return a progress text for a client to show."""
        return cut(self._seen(text), self.tokens_max)

    def _clean(self, part: Part) -> Part:
        if isinstance(part, Sentence):
            return Sentence(tuple(map(self._clean_chunk, part.chunks)))
        return self._clean_chunk(part)

    def _clean_chunk(self, chunk: str | Quoted) -> str | Quoted:
        text = self._seen(text_of(chunk))
        return Quoted(text) if isinstance(chunk, Quoted) else text

    def _seen(self, text: str) -> str:
        return self.secrets.masked(verbatim(text))

    def _brief(self, text: str) -> str:
        return cut(self._seen(text), FAILURE_TOKENS_MAX)


def within_budget(parts: Sequence[Part], tokens_max: int) -> Parts:
    """Return the parts, with page text cut to the budget; a tool's own budget comes first."""
    if surely_fit(map(text_of, parts), tokens_max):
        return tuple(parts)
    own = (one for part in parts for one in _chunks(part) if isinstance(one, str))
    left = tokens_max - sum(map(count_tokens, own))
    shown: list[Part] = []
    for part in parts:
        chunks: list[str | Quoted] = []
        for chunk in _chunks(part):
            if isinstance(chunk, str):
                chunks.append(cut(chunk, tokens_max))
                continue
            text = cut(chunk.text, max(left, 1))
            left -= count_tokens(text)
            chunks.append(Quoted(text))
            if len(text) < len(chunk.text):
                more = len(chunk.text) - len(text)
                chunks.append(f"({more} more characters omitted: request less.)")
        shown += [Sentence(tuple(chunks))] if isinstance(part, Sentence) else chunks
    return tuple(shown)


def _chunks(part: Part) -> tuple[str | Quoted, ...]:
    return part.chunks if isinstance(part, Sentence) else (part,)


def _fitting(pictures: Sequence[ImageContent], room: int) -> list[ImageContent]:
    """Return as many pictures as fit; the first one is always included in the requested size."""
    kept: list[ImageContent] = []
    for picture in pictures:
        room -= len(picture.data)
        if room < 0 and kept:
            break
        kept.append(picture)
    return kept


def _size(value: object) -> int:
    return len(msgspec.json.encode(value)) if value else 0


def _shown(picture: Thumbnail) -> ImageContent:
    """Return a picture, with the number of its medium on the page in the metadata."""
    data = b64encode(picture.data).decode()
    return ImageContent({"tabwright/number": picture.number}, data, picture.media_type)


def _nonce() -> str:
    """Return a nonce generated after the text, so that no page has seen it."""
    return secrets.token_hex(NONCE_BYTES)


# Structured content for programs: our own values as they are, and page text in fences.
#
# The schema of a tool says which texts are ours: those of an enumeration, and those that have a
# pattern. Any other text may have been written by a page.

LISTED_MAX = 100
"""The maximum number of list items if structured content was not requested, and of completions."""


class _Schema(msgspec.Struct, rename={"names": "additionalProperties"}):
    """The relevant parts of a schema.

    Attributes:
        names: of the values of an object whose names come from a page.
    """

    properties: dict[str, "_Schema"] = {}
    items: "_Schema | None" = None
    enum: list[object] = []
    pattern: str = ""
    names: "_Schema | None" = None

    def is_ours(self, text: str) -> bool:
        """Return whether only tabwright can have written a text."""
        return text in self.enum or bool(self.pattern and re.fullmatch(self.pattern, text))


_ANY = _Schema()


def facts(record: object, schema: JSONObject) -> dict[str, object]:
    """Return the parts of a record that no page can have written: numbers, booleans, our words."""
    known = _facts(record, msgspec.convert(schema, _Schema))
    return msgspec.convert(known, dict[str, object]) if known else {}


def _facts(value: object, schema: _Schema) -> object:
    match value:
        case bool() | int() | float():
            return value
        case str():
            return value if schema.is_ours(value) else None
        case dict():
            pairs = msgspec.convert(value, dict[str, object])
            known = {
                name: _facts(pairs[name], inner)
                for name, inner in schema.properties.items()
                if name in pairs
            }
            return {name: one for name, one in known.items() if one is not None} or None
        case list():
            inner = msgspec.convert(value, list[object])[:LISTED_MAX]
            each = (_facts(one, schema.items or _ANY) for one in inner)
            return [one for one in each if one is not None] or None
        case _:
            return None


def fenced_record(record: object, schema: JSONObject, nonce: str) -> JSONObject:
    """Return the record with fence marks round each text that a page may have written."""
    whole = _fenced(record, msgspec.convert(schema, _Schema), nonce)
    return msgspec.convert(whole, dict[str, object])


def _fenced(value: object, schema: _Schema, nonce: str) -> object:
    match value:
        case str():
            return value if not value or schema.is_ours(value) else marked(value, nonce)
        case dict():
            pairs = msgspec.convert(value, dict[str, object])
            if schema.names is not None:
                return {
                    marked(name, nonce): _fenced(pairs[name], schema.names, nonce) for name in pairs
                }
            return {
                name: _fenced(one, schema.properties.get(name, _ANY), nonce)
                for name, one in pairs.items()
            }
        case list() | tuple():
            inner = msgspec.convert(value, list[object])
            return [_fenced(one, schema.items or _ANY, nonce) for one in inner]
        case _:
            return value


def shortened_record(record: object, bytes_max: int) -> Mapping[str, object]:
    """Return the record with lists and texts cut until it has at most `bytes_max` bytes."""
    whole = msgspec.convert(record, dict[str, object])
    length = bytes_max
    while len(msgspec.json.encode(whole)) > bytes_max and length:
        length //= 4
        whole = msgspec.convert(_shorter(record, length), dict[str, object])
    return whole


def _shorter(value: object, length: int) -> object:
    match value:
        case str() if len(value) > length:
            end = value.rfind("\n</untrusted ")
            return value[: max(length, 24)] + value[end:] if end > 0 else value[:length]
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {name: _shorter(one, length) for name, one in pairs}
        case list():
            return [
                _shorter(one, length)
                for one in msgspec.convert(value, list[object])[: length // 8 + 1]
            ]
        case _:
            return value
