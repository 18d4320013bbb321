"""One request of a page for the tools that show it: headers and bodies, as text or as a file."""

import re

import attrs

from tabwright.client import Tabwright
from tabwright.mcp.tool import ToolResult
from tabwright.mcp.tools.files import save
from tabwright.page.outline_text import escape_refs
from tabwright.page.render import details_lines
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ReadBody, ReadRequest, RequestDetails
from tabwright.protocol.untrusted_text import quoted
from tabwright.text.lines import verbatim

_BINARY = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text has."""


@attrs.frozen(eq=False)
class RequestDetailsReader:
    """A request of a page by its number."""

    tabwright: Tabwright
    session: str
    number: int
    tab: int | None = None

    async def details(self) -> RequestDetails:
        """Return the request with its headers.

        Raises:
            BadInput: there is no such request.
        """
        return await self.tabwright.session(self.session).inspect(
            ReadRequest(self.number), tab=self.tab
        )

    async def body(self, *, sent: bool = False) -> bytes:
        """Return the body of the response, or of the request.

        Raises:
            BadInput: it is not kept, or there is none.
        """
        request = ReadBody(self.number, sent)
        return await self.tabwright.session(self.session).inspect(request, tab=self.tab)

    async def whole(self, details: RequestDetails) -> str:
        """Return the request, its headers, and the body that was sent with it, as text."""
        text = "\n".join(details_lines(details))
        if details.has_body:
            text = f"{text}\nRequest body:\n{await self.sent_text(details)}"
        return self.shown(text)

    async def sent_text(self, details: RequestDetails) -> str:
        """Return the body of the request as text, as far as it is kept."""
        try:
            data = await self.body(sent=True)
        except BadInput:
            beginning = details.body.decode("utf-8", "ignore")
            # The ellipsis also marks for `Secrets` that the text may end in the middle of one.
            kept = "" if not beginning or _BINARY.search(beginning) else f"{beginning}…\n"
            return f"{kept}(The rest was not kept.)"
        return text_or_size(data)

    def shown(self, text: str) -> str:
        """Return a text without secrets; it is not cut yet."""
        return self.tabwright.parts.secrets.masked(verbatim(text))

    async def binary(self, data: bytes, *, sent: bool = False) -> ToolResult:
        """Describe a body that is not text."""
        kind = "" if sent else (await self.details()).request.media_type
        note = f"({len(data)} bytes that are not text: set filename to save them)"
        return ToolResult((*quoted(escape_refs(kind)), note), {"size_bytes": len(data)})

    async def saved(self, name: str, data: bytes) -> ToolResult:
        """Write a body into the download folder, byte by byte unless there is a secret in its text.

        Raises:
            BadInput: it cannot be written.
        """
        text = text_of(data)
        masked = data if text is None else self.tabwright.parts.secrets.masked(text).encode()
        path = await save(self.tabwright, name, masked)
        return ToolResult(f"Saved to {path} ({len(masked)} bytes).", {"path": str(path)})


def text_or_size(data: bytes) -> str:
    """Return bytes as text, or their number if they are not text."""
    text = text_of(data)
    return f"({len(data)} bytes that are not text)" if text is None else text


def text_of(data: bytes) -> str | None:
    """Return bytes as text in UTF-8; None if they are not text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if _BINARY.search(text) else text
