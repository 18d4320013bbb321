"""What an agent looks at: ``screenshot``, ``evaluate``, ``console``, ``network``, and more."""

import re
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.tool import ACTS, LOOKS, READS, Tool, ToolAnnotations
from tabwright.mcp.tools.actions import OUTCOME, ActArguments
from tabwright.mcp.tools.page_arguments import MaxTokens, Offset, Plain, Rare, Ref, TabArguments
from tabwright.protocol.actions import ConsoleLevel, Emulate, Evaluate
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, ImageFormat, ListRequests, Print, ReadConsole

_LOCALE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")

NETWORK_TOKENS = 2000

BYTES, PNG_BYTES = 200_000, 700_000
"""Of a picture; a PNG of these is just below 1 MiB on its line."""

_LIST: JSONObject = {"type": "array", "items": {"type": "object"}}


@attrs.frozen(kw_only=True)
class ScreenshotArguments(TabArguments):
    """What `screenshot` takes."""

    ref: Ref = ""
    full: Plain[Annotated[bool, Meta(description="the whole page")]] = False
    format: Rare[Annotated[ImageFormat, Meta(description="PNG is sharp, and larger")]] = "jpeg"
    max_bytes: (
        Rare[
            Annotated[
                int, Meta(ge=1000, description="scaled down to fit; default 200000, PNG 700000")
            ]
        ]
        | None
    ) = None

    def request(self) -> Capture:
        """The request."""
        bytes_max = self.max_bytes or (PNG_BYTES if self.format == "png" else BYTES)
        return Capture(self.ref, self.full, bytes_max, image_format=self.format)


@attrs.frozen(kw_only=True)
class EvaluateArguments(TabArguments):
    """What `evaluate` takes."""

    script: Annotated[str, Meta(description="expression; with ref, function of the element")]
    ref: Ref = ""

    def request(self) -> Evaluate:
        """The request."""
        return Evaluate(self.script, self.ref)


@attrs.frozen(kw_only=True)
class ConsoleArguments(TabArguments):
    """What `console` takes."""

    level: ConsoleLevel = "info"
    after: Annotated[int, Meta(description="number of the last known")] = 0

    def request(self) -> ReadConsole:
        """The request."""
        return ReadConsole(self.level, self.after)


@attrs.frozen(kw_only=True)
class NetworkArguments(TabArguments):
    """What `network` takes."""

    filter: Annotated[str, Meta(description="in the URL")] = ""
    kind: Annotated[str, Meta(description="as Fetch")] = ""
    failed: bool = False
    request: Annotated[int, Meta(ge=1, description="headers and sent body of this one")] | None = (
        None
    )
    body: Annotated[int, Meta(ge=1, description="of the answer to this one")] | None = None
    filename: Annotated[str, Meta(description="for body, in the download folder")] = ""
    max_tokens: MaxTokens = NETWORK_TOKENS
    offset: Rare[Offset] = 0

    def __attrs_post_init__(self) -> None:
        if self.body is not None and self.request is not None:
            raise BadInput("Both request and body are given.", advice="Leave one out.")
        if self.filename and self.body is None:
            raise BadInput("A filename is for a body.", advice="Give body, or leave filename out.")

    @property
    def tokens(self) -> int:
        """What the answer may have."""
        return self.max_tokens or NETWORK_TOKENS

    def listing(self) -> ListRequests:
        """The request for the list."""
        return ListRequests(self.filter, self.kind, self.failed)


@attrs.frozen(kw_only=True)
class EmulateArguments(ActArguments):
    """What `emulate` takes."""

    viewport: Annotated[tuple[int, int], Meta(description="0, 0: the browser's own")] | None = None
    scale: Rare[Annotated[float, Meta(gt=0, le=5)]] = 1.0
    mobile: bool = False
    locale: Annotated[str, Meta(description="such as de-DE; or default")] | None = None
    timezone: Annotated[str, Meta(description="such as Europe/Berlin; or default")] | None = None
    offline: bool | None = None
    dark: bool | None = None

    def __attrs_post_init__(self) -> None:
        if self.locale and not _LOCALE.fullmatch(self.locale):
            raise BadInput(
                f"{self.locale!r} is not a locale.", advice="Give one such as de-DE, or default."
            )

    def request(self) -> Emulate:
        """The request."""
        return Emulate(
            self.viewport,
            self.scale,
            self.mobile,
            _unless_default(self.locale),
            _unless_default(self.timezone),
            self.offline,
            self.dark,
        )


def _unless_default(chosen: str | None) -> str | None:
    """What is asked of the tab: empty for the browser's own."""
    return "" if chosen == "default" else chosen


@attrs.frozen(kw_only=True)
class PdfArguments(TabArguments):
    """What `pdf` takes."""

    landscape: bool = False

    def request(self) -> Print:
        """The request."""
        return Print(self.landscape)


def screenshot_tool() -> Tool[ScreenshotArguments]:
    """The tool that takes pictures."""
    return Tool(
        name="screenshot",
        description="A picture of what is seen, or of ref.",
        output_schema=object_schema(
            {"width": {"type": "integer"}, "height": {"type": "integer"}},
            required=["width", "height"],
        ),
        arguments=ScreenshotArguments,
        group="act",
        effects=READS,
    )


def evaluate_tool() -> Tool[EvaluateArguments]:
    """The tool that runs scripts."""
    return Tool(
        name="evaluate",
        description="Run JavaScript in the page, if the user allows it.",
        output_schema=object_schema(
            {"json": {"type": "string", "description": "The value as JSON."}, "outcome": OUTCOME},
            required=["json"],
        ),
        arguments=EvaluateArguments,
        group="debug",
        effects=ACTS,
    )


def console_tool() -> Tool[ConsoleArguments]:
    """The tool that shows the console."""
    return Tool(
        name="console",
        description="What the page's scripts said and threw.",
        output_schema=object_schema({"entries": _LIST}, required=["entries"]),
        arguments=ConsoleArguments,
        group="debug",
        effects=READS,
    )


def network_tool() -> Tool[NetworkArguments]:
    """The tool that shows requests."""
    return Tool(
        name="network",
        description="The page's latest requests and WebSockets; or one with headers and what was"
        " sent; or the body, or the frames, of one.",
        output_schema=object_schema(
            {
                "requests": _LIST,
                "request": {"type": "object", "description": "With its headers."},
                "body": {"type": "string"},
                "size_bytes": {"type": "integer", "description": "Of a body that is not text."},
                "path": {"type": "string", "description": "Of the file."},
            },
            required=[],
        ),
        arguments=NetworkArguments,
        group="debug",
        effects=READS,
    )


def emulate_tool() -> Tool[EmulateArguments]:
    """The tool that changes the device."""
    return Tool(
        name="emulate",
        description="Change the page's device, place or network.",
        output_schema=OUTCOME,
        arguments=EmulateArguments,
        group="debug",
        effects=LOOKS,
    )


def pdf_tool() -> Tool[PdfArguments]:
    """The tool that prints."""
    return Tool(
        name="pdf",
        description="Put the page as PDF into the download folder.",
        output_schema=object_schema({"path": {"type": "string"}}, required=["path"]),
        arguments=PdfArguments,
        group="files",
        effects=ToolAnnotations(),
    )
