"""What an agent looks at: ``screenshot``, ``evaluate``, ``console``, ``network``, and more."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.actors.tools.acting import OUTCOME, ActArguments, Ref
from tabwright.actors.tools.page_schema import DEFAULT_SESSION
from tabwright.actors.tools.schema import schema_of
from tabwright.actors.tools.tool import READS, Effects, JSONObject, Tool, object_schema
from tabwright.protocol.acting import (
    Capture,
    ConsoleLevel,
    Emulate,
    Evaluate,
    ListRequests,
    Print,
    ReadConsole,
)

_LIST: JSONObject = {"type": "array", "items": {"type": "object"}}


@attrs.frozen(kw_only=True)
class ScreenshotArguments:
    """What `screenshot` takes."""

    session: str = DEFAULT_SESSION
    tab: int | None = None
    ref: Ref = ""
    full: Annotated[bool, Meta(description="the whole page")] = False
    max_bytes: Annotated[int, Meta(ge=1000, description="made smaller to fit")] = 200_000

    def request(self) -> Capture:
        """The request."""
        return Capture(self.ref, self.full, self.max_bytes)


@attrs.frozen(kw_only=True)
class EvaluateArguments:
    """What `evaluate` takes."""

    script: Annotated[str, Meta(description="an expression; with ref a function of the element")]
    session: str = DEFAULT_SESSION
    tab: int | None = None
    ref: str = ""

    def request(self) -> Evaluate:
        """The request."""
        return Evaluate(self.script, self.ref)


@attrs.frozen(kw_only=True)
class ConsoleArguments:
    """What `console` takes."""

    session: str = DEFAULT_SESSION
    tab: int | None = None
    level: ConsoleLevel = "info"
    after: Annotated[int, Meta(description="only entries with a greater number")] = 0

    def request(self) -> ReadConsole:
        """The request."""
        return ReadConsole(self.level, self.after)


@attrs.frozen(kw_only=True)
class NetworkArguments:
    """What `network` takes."""

    session: str = DEFAULT_SESSION
    tab: int | None = None
    filter: Annotated[str, Meta(description="only those with this in their URL")] = ""
    kind: Annotated[str, Meta(description="as Document, Fetch, Image")] = ""
    failed: bool = False
    body: Annotated[int, Meta(description="number of a request: its answer's body")] | None = None
    max_tokens: int = 2000

    def request(self) -> ListRequests:
        """The request."""
        return ListRequests(self.filter, self.kind, self.failed)


@attrs.frozen(kw_only=True)
class EmulateArguments(ActArguments):
    """What `emulate` takes."""

    viewport: Annotated[tuple[int, int], Meta(description="0, 0: the browser's own")] | None = None
    scale: Annotated[float, Meta(gt=0, le=5)] = 1.0
    mobile: bool = False
    locale: Annotated[str, Meta(description="as de-DE")] | None = None
    timezone: Annotated[str, Meta(description="as Europe/Berlin")] | None = None
    offline: bool | None = None
    dark: bool | None = None

    def request(self) -> Emulate:
        """The request."""
        return Emulate(
            self.viewport,
            self.scale,
            self.mobile,
            self.locale,
            self.timezone,
            self.offline,
            self.dark,
        )


@attrs.frozen(kw_only=True)
class PdfArguments:
    """What `pdf` takes."""

    session: str = DEFAULT_SESSION
    tab: int | None = None
    landscape: bool = False

    def request(self) -> Print:
        """The request."""
        return Print(self.landscape)


def screenshot_tool() -> Tool[ScreenshotArguments]:
    """The tool that takes pictures."""
    return Tool(
        name="screenshot",
        title="Take a picture",
        description="A picture of what is seen, of the whole page, or of an element.",
        input_schema=schema_of(ScreenshotArguments),
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
        title="Run a script",
        description="Run JavaScript in the page. Only where the user allows it.",
        input_schema=schema_of(EvaluateArguments),
        output_schema=object_schema(
            {"json": {"type": "string", "description": "The value as JSON."}, "outcome": OUTCOME},
            required=["json"],
        ),
        arguments=EvaluateArguments,
        group="debug",
        effects=Effects(destructive=True),
    )


def console_tool() -> Tool[ConsoleArguments]:
    """The tool that shows the console."""
    return Tool(
        name="console",
        title="Read the console",
        description="What the page's scripts said and threw.",
        input_schema=schema_of(ConsoleArguments),
        output_schema=object_schema({"entries": _LIST}, required=["entries"]),
        arguments=ConsoleArguments,
        group="debug",
        effects=READS,
    )


def network_tool() -> Tool[NetworkArguments]:
    """The tool that shows requests."""
    return Tool(
        name="network",
        title="List the page's requests",
        description="The page's latest requests with status, size and time, or the body of one.",
        input_schema=schema_of(NetworkArguments),
        output_schema=object_schema({"requests": _LIST, "body": {"type": "string"}}, required=[]),
        arguments=NetworkArguments,
        group="debug",
        effects=READS,
    )


def emulate_tool() -> Tool[EmulateArguments]:
    """The tool that changes the device."""
    return Tool(
        name="emulate",
        title="Emulate a device",
        description="Change the page's viewport, device, locale, time zone, colours or network.",
        input_schema=schema_of(EmulateArguments),
        output_schema=OUTCOME,
        arguments=EmulateArguments,
        group="debug",
        effects=Effects(idempotent=True),
    )


def pdf_tool() -> Tool[PdfArguments]:
    """The tool that prints."""
    return Tool(
        name="pdf",
        title="Print as PDF",
        description="Write the page as PDF into the download folder.",
        input_schema=schema_of(PdfArguments),
        output_schema=object_schema({"path": {"type": "string"}}, required=["path"]),
        arguments=PdfArguments,
        group="files",
        effects=Effects(),
    )
