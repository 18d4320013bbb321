"""``screenshot``: a picture of the page."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import picture_result
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Plain, Rare, Ref, TabArguments
from tabwright.protocol.inspection import Capture, ImageFormat

BYTES, PNG_BYTES = 200_000, 700_000
"""Of a picture; a PNG of these is just below 1 MiB on its line."""


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


async def screenshot(arguments: ScreenshotArguments, context: ToolContext) -> ToolResult:
    """Take a picture."""
    picture = await context.tabwright.inspect(
        arguments.request(), session=arguments.session, tab=arguments.tab
    )
    return picture_result(picture)


SCREENSHOT = Tool(
    name="screenshot",
    description="A picture of what is seen, or of ref.",
    output_schema=object_schema(
        {"width": {"type": "integer"}, "height": {"type": "integer"}},
        required=["width", "height"],
    ),
    arguments=ScreenshotArguments,
    handler=screenshot,
    group="act",
    annotations=READS,
)

TOOLS = (SCREENSHOT,)
