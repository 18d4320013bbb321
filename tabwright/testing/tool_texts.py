"""What a tool says to an MCP client, without the fences that are meant for its model."""

import mcp_types as mcp

from tabwright.protocol.untrusted import unmarked


def text_of(result: mcp.CallToolResult) -> str:
    """The texts of a tool's answer, one after the other.

    Raises:
        AssertionError: what pages say in it stands in no fence, so it is no answer of ours.
    """
    texts = [part.text for part in result.content if isinstance(part, mcp.TextContent)]
    if "tabwright/untrusted" in (result.meta or {}):
        texts = [unfenced(text) for text in texts]
    return "\n".join(texts)


def unfenced(text: str) -> str:
    """A text of pages without its fence.

    Raises:
        AssertionError: it stands in none.
    """
    inside = unmarked(text)
    if inside is None:
        raise AssertionError(f"There is no fence around {text!r}.")
    return inside
