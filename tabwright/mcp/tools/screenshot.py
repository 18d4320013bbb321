"""``screenshot``: a screenshot of the page."""

from collections.abc import Mapping
from typing import Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import ELEMENT, object_schema
from tabwright.mcp.page_results import picture_result
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.page_arguments import Rare, TabArguments
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, ImageFormat, Print

BYTES, PNG_BYTES = 200_000, 700_000
"""The maximum size of a picture; as a message, a PNG of this size is just below 1 MiB."""

PDF = ".pdf"

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
        raise wrong_extension(filename, requested)
    return requested or named or default


def wrong_extension(filename: str, requested: str) -> BadInput:
    """Return the error for a file name whose extension is not that of the format."""
    return BadInput(
        f"{filename!r} is not the name of a {requested} file.",
        advice="Omit the format, or change the extension of filename.",
    )


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
                Literal[ImageFormat, "pdf"],
                Meta(
                    description="Image format; PNG is sharper and larger. pdf saves the page as a "
                    "document. Default: by the extension of filename, else jpeg."
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

    landscape: Rare[Annotated[bool, Meta(description="For pdf: landscape format.")]] = False

    @property
    def is_document(self) -> bool:
        """Return whether the page is saved as a PDF file instead.

        Raises:
            BadInput: format and file name do not match.
        """
        named = self.filename.lower().endswith(PDF)
        if self.format and "." in self.filename and named != (self.format == "pdf"):
            raise wrong_extension(self.filename, self.format)
        return named or self.format == "pdf"

    @property
    def image_format(self) -> ImageFormat:
        """Return the format of the picture.

        Raises:
            BadInput: format and file name do not match.
        """
        requested = None if self.format == "pdf" else self.format
        return picture_format(self.filename, requested, "jpeg")

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
    """Take a picture, and return it or save it; or save the page as a PDF file."""
    tabwright = context.tabwright
    if arguments.is_document:
        document = await tabwright.session(arguments.session).inspect(
            Print(arguments.landscape), tab=arguments.tab
        )
        name = arguments.filename.removesuffix(PDF) or "page"
        path = await save(tabwright, f"{name}{PDF}", document)
        return ToolResult(f"Saved to {path} ({len(document)} bytes).", {"path": str(path)})
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
        "Take a picture of the page or an element. A point such as "
        "shot1@120,45 can be used as a ref. To read, use snapshot."
    ),
    output_schema=object_schema(
        {
            "width": {"type": "integer"},
            "height": {"type": "integer"},
            "shot": {"type": "string", "description": "Id; shot1@120,45 is a point, as a ref."},
            "changed": {"type": "boolean", "description": "Whether it differs from the last one."},
            "path": {"type": "string", "description": "Path of the file."},
        },
        required=[],
    ),
    arguments=ScreenshotArguments,
    handler=screenshot,
    group="act",
    annotations=READS,
)

TOOLS = (SCREENSHOT,)
