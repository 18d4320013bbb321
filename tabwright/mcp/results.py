"""Answers and errors as MCP results: masked, within a budget, with the words of pages in fences.

Whatever a page has put into one, nothing in it goes unseen, or steers a terminal.
"""

import secrets
from base64 import b64encode
from collections.abc import Sequence

import attrs
import mcp_types as mcp
import msgspec

from tabwright.config.secrets import Secrets
from tabwright.content.documents import each_text, verbatim
from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.structured_content import facts, fenced_record, shortened_record
from tabwright.mcp.tool import ToolResult, failed
from tabwright.protocol.errors import ErrorPage, TabwrightError
from tabwright.protocol.page_text import Part, Parts, Quoted, fence_untrusted, quoted, text_of
from tabwright.protocol.snapshot import Thumbnail
from tabwright.text.token_budget import count_tokens, cut

FAILURE_TOKENS_MAX = 1000
"""Of what is said of a failure; it may say what has changed on a page."""

NOTES_TOKENS = 200
"""Beside the text of a page, for what we say of it."""

CHARACTERS_PER_TOKEN = 16
"""More than any text has that is none of white space alone."""

TOKENS_PER_CHARACTER = 3
"""More than any character has: what is short enough by this need not be counted."""

NONCE_BYTES = 4
"""Of the mark of a fence: more than can be guessed in one try, and few tokens."""


def refused(error: TabwrightError) -> ToolResult:
    """The tool error of an error in whose message there may be words of a page."""
    text = error.text.strip() if isinstance(error, ErrorPage) else ""
    return failed((*quoted(error.message), error.advice, *quoted(text)), error)


@attrs.frozen
class Renderer:
    """Makes MCP results of answers.

    Attributes:
        secrets: whose values are in none.
        tokens_max: what the text of one may have.
        bytes_max: what the whole of one may have.
        structured: whether there is a record in each.
    """

    secrets: Secrets
    tokens_max: int
    bytes_max: int
    structured: bool

    def result(
        self,
        result: ToolResult,
        schema: JSONObject,
        *,
        tokens_max: int = 0,
        structured: bool = False,
    ) -> mcp.CallToolResult:
        """The result of a call.

        Args:
            result: of the tool.
            schema: of its record.
            tokens_max: what the call has asked for; 0 where it has not.
            structured: whether it has asked for a record, which is then given whole.
        """
        nonce = _nonce()
        allowed = FAILURE_TOKENS_MAX if result.is_error else (tokens_max or self.tokens_max)
        parts = within_budget([self._clean(one) for one in result.parts], allowed + NOTES_TOKENS)
        record = each_text(result.structured, self._seen)
        meta: dict[str, object] = {}
        content: JSONObject | None = None
        if result.error is not None:
            meta["tabwright/error"] = each_text(result.error, self._brief)
        if structured or self.structured:
            content = fenced_record(record, schema, nonce)
            content = content if structured else shortened_record(content, self.bytes_max // 2)
        elif known := facts(record, schema):
            meta["tabwright/record"] = known
        if content or any(isinstance(one, Quoted) and one.text for one in parts):
            meta["tabwright/untrusted"] = nonce
        room = self.bytes_max - _size(fence_untrusted(parts, nonce)) - _size(content) - _size(meta)
        pictures = _fitting(list(map(_shown, result.images)), room)
        if left := len(result.images) - len(pictures):
            parts = (*parts, f"({left} images omitted: the answer would be too large.)")
        text = mcp.TextContent(type="text", text=fence_untrusted(parts, nonce))
        return mcp.CallToolResult(
            content=[text, *pictures],
            structured_content=content,
            is_error=result.is_error,
            _meta=meta or None,
        )

    def text(self, parts: Parts) -> str:
        """A text that stands for itself, such as a resource."""
        clean = within_budget([self._clean(one) for one in parts], self.tokens_max + NOTES_TOKENS)
        return fence_untrusted(clean, _nonce())

    def step(self, text: str) -> str:
        """What is told of a call at work, for a client to show."""
        return _cut(self._seen(text), self.tokens_max)

    def _clean(self, part: Part) -> Part:
        text = self._seen(text_of(part))
        return Quoted(text) if isinstance(part, Quoted) else text

    def _seen(self, text: str) -> str:
        return self.secrets.masked(verbatim(text))

    def _brief(self, text: str) -> str:
        return cut(self._seen(text), FAILURE_TOKENS_MAX)


def within_budget(parts: Sequence[Part], tokens_max: int) -> Parts:
    """The parts, those of pages cut where all would have more; a tool's own budget comes before."""
    if TOKENS_PER_CHARACTER * sum(len(text_of(one)) for one in parts) <= tokens_max:
        return tuple(parts)
    left = tokens_max - sum(count_tokens(one) for one in parts if isinstance(one, str))
    shown: list[Part] = []
    for part in parts:
        if isinstance(part, str):
            shown.append(_cut(part, tokens_max))
            continue
        is_countable = len(part.text) <= CHARACTERS_PER_TOKEN * left
        if is_countable and (count := count_tokens(part.text)) <= left:
            left -= count
            shown.append(part)
            continue
        text = _cut(part.text, max(left, 1))
        left -= count_tokens(text)
        shown.append(Quoted(text))
        if len(text) < len(part.text):
            more = len(part.text) - len(text)
            shown.append(f"({more} more characters omitted: request less.)")
    return tuple(shown)


def _cut(text: str, tokens_max: int) -> str:
    return cut(text[: CHARACTERS_PER_TOKEN * tokens_max], tokens_max)


def _fitting(pictures: Sequence[mcp.ImageContent], room: int) -> list[mcp.ImageContent]:
    """As many of the pictures as there is room for; the first of all is as large as was asked."""
    kept: list[mcp.ImageContent] = []
    for picture in pictures:
        room -= len(picture.data)
        if room < 0 and kept:
            break
        kept.append(picture)
    return kept


def _size(value: object) -> int:
    return len(msgspec.json.encode(value)) if value else 0


def _shown(picture: Thumbnail) -> mcp.ImageContent:
    """A picture; programs find in its metadata which of the page's media it is."""
    return mcp.ImageContent(
        type="image",
        data=b64encode(picture.data).decode(),
        mime_type=picture.media_type,
        _meta={"tabwright/number": picture.number},
    )


def _nonce() -> str:
    """Drawn when the text is there: no page has seen it."""
    return secrets.token_hex(NONCE_BYTES)
