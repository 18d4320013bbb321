"""What a tool says to an MCP client, without the fences that are meant for its model."""

import mcp_types as mcp
import msgspec

from tabwright.content.documents import each_text
from tabwright.protocol.page_text import unmarked


def text_of(result: mcp.CallToolResult) -> str:
    """The texts of a tool's answer, one after the other."""
    texts = [part.text for part in result.content if isinstance(part, mcp.TextContent)]
    return "\n".join(map(unmarked, texts))


def unfenced(text: str) -> str:
    """A text with words of pages, without the fences around these.

    Raises:
        AssertionError: it has none.
    """
    bare = unmarked(text)
    if bare == text:
        raise AssertionError(f"There is no fence in {text!r}.")
    return bare


def record_of(result: mcp.CallToolResult) -> dict[str, object]:
    """The record of an answer whose client has asked for it; empty for none."""
    return msgspec.convert(each_text(result.structured_content or {}, unmarked), dict[str, object])
