"""``screenshot``: a screenshot of the page."""

from collections.abc import Mapping
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import ELEMENT, object_schema
from tabwright.mcp.page_results import picture_result
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.page_arguments import Rare, TabArguments
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, ImageFormat

BYTES, PNG_BYTES = 200_000, 700_000
"""The maximum size of a picture; as a message, a PNG of this size is just below 1 MiB."""

EXTENSIONS: Mapping[str, ImageFormat] = {
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
}
"""Picture formats by file extension."""


def picture_format(
    filename: str, requested: ImageFormat | None, default: ImageFormat
) -> ImageFormat:
    """Return the format of a picture: as requested, or else by the extension of its file.

    Args:
        filename: empty or without extension if it says nothing.
        requested: None if it was not given.
        default: if neither says anything.

    Raises:
        BadInput: no picture has this extension, or one of another format has it.
    """
    extension = filename.rpartition(".")[2].lower() if "." in filename else ""
    named = EXTENSIONS.get(extension)
    if extension and named is None:
        raise BadInput(
            f"A screenshot cannot be saved as {filename!r}.",
            advice="Use a filename that ends in .png, .jpg, .jpeg or .webp.",
        )
    if named and requested and named != requested:
        raise BadInput(
            f"{filename!r} is not the name of a {requested} file.",
            advice="Omit the format, or change the extension of filename.",
        )
    return requested or named or default


def with_extension(filename: str, image_format: ImageFormat) -> str:
    """Return a file name with an extension: its own, or that of the format."""
    return filename if "." in filename else f"{filename}.{image_format}"


@attrs.frozen(kw_only=True)
class ScreenshotArguments(TabArguments):
    """Arguments of `screenshot`."""

    ref: Annotated[str, Meta(description="Only this element.", extra_json_schema=ELEMENT)] = ""
    full: Annotated[bool, Meta(description="The whole page.")] = False
    marks: Annotated[bool, Meta(description="Draw the ref on each control.")] = False
    region: (
        Rare[
            Annotated[
                tuple[float, float, float, float],
                Meta(description="Only this part of the visible page: x, y, width, height."),
            ]
        ]
        | None
    ) = None
    if_changed: Rare[
        Annotated[bool, Meta(description="No picture if it is the same as the last one.")]
    ] = False
    format: (
        Rare[
            Annotated[
                ImageFormat,
                Meta(
                    description="Image format; PNG is sharper and larger. Default: by the "
                    "extension of filename, else jpeg."
                ),
            ]
        ]
        | None
    ) = None
    max_bytes: (
        Rare[
            Annotated[
                int,
                Meta(
                    ge=1000,
                    description="Maximum size in bytes; larger images are scaled down. Default "
                    "200000, for PNG 700000.",
                ),
            ]
        ]
        | None
    ) = None
    filename: Rare[
        Annotated[
            str,
            Meta(description="Save the picture in the download folder instead of returning it."),
        ]
    ] = ""

    @property
    def image_format(self) -> ImageFormat:
        """Return the format of the picture.

        Raises:
            BadInput: format and file name do not match.
        """
        return picture_format(self.filename, self.format, "jpeg")

    def request(self) -> Capture:
        """Return the request for the tab.

        Raises:
            BadInput: format and file name do not match.
        """
        bytes_max = self.max_bytes or (PNG_BYTES if self.image_format == "png" else BYTES)
        return Capture(
            self.ref,
            self.full,
            bytes_max,
            image_format=self.image_format,
            region=self.region,
            marks=self.marks,
        )


async def screenshot(arguments: ScreenshotArguments, context: ToolContext) -> ToolResult:
    """Take a picture, and return it or save it."""
    tabwright = context.tabwright
    picture = await tabwright.session(arguments.session).inspect(
        arguments.request(), tab=arguments.tab
    )
    if not arguments.filename:
        return picture_result(picture, shown=picture.is_changed or not arguments.if_changed)
    name = with_extension(arguments.filename, arguments.image_format)
    path = await save(tabwright, name, picture.data)
    result = picture_result(picture, shown=False)
    record = {**result.structured, "path": str(path)}
    return attrs.evolve(result, parts=(f"Saved to {path}.",), structured=record)


SCREENSHOT = Tool(
    name="screenshot",
    description=(
        "Take a picture of the visible page, the whole page or one element. A point such as "
        "shot1@120,45 can be used as a ref. To read, use snapshot."
    ),
    output_schema=object_schema(
        {
            "width": {"type": "integer"},
            "height": {"type": "integer"},
            "shot": {"type": "string", "description": "Id; shot1@120,45 is a point, as a ref."},
            "changed": {"type": "boolean", "description": "Whether it differs from the last one."},
        },
        required=["width", "height"],
    ),
    arguments=ScreenshotArguments,
    handler=screenshot,
    group="act",
    annotations=READS,
)

TOOLS = (SCREENSHOT,)
