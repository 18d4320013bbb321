"""The marks between which texts with what pages say in them are handed to MCP clients."""

import re

_MARKED = re.compile(r"<untrusted (\w+)>\n(.*)\n</untrusted \1>", re.DOTALL)


def marked(text: str, nonce: str) -> str:
    """The text between marks.

    Args:
        text: with what pages say in it.
        nonce: letters and digits that no page can have written.
    """
    return f"<untrusted {nonce}>\n{text}\n</untrusted {nonce}>"


def unmarked(text: str) -> str | None:
    """The text that stands between marks; None where they are not there."""
    found = _MARKED.fullmatch(text)
    return found[2] if found else None
