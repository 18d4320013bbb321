"""Where an agent goes and what it looks at: ``browser_navigate``, ``browser_snapshot`` and more."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tabwright.mcp.playwright.targets import PlaywrightArguments, PlaywrightInspection, Target
from tabwright.mcp.tools.inspection import PNG_BYTES
from tabwright.mcp.tools.page_arguments import Address
from tabwright.protocol.actions import ConsoleLevel
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, ImageFormat

ENDINGS: Mapping[str, ImageFormat] = {
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
}
"""The formats of pictures by how names of files end."""

SIDE_MAX = 1568
"""Of a picture that a model is shown, in pixels: it is shown no more of larger ones."""

AREA_MAX = 1_205_862
"""Of such a picture, in pixels: 1.15 times 1024 by 1024; models scale larger ones down."""


class BrowserNavigate(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_navigate` takes."""

    url: Address


class BrowserNavigateBack(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_navigate_back` takes: nothing."""


class BrowserClose(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_close` takes: nothing."""


class BrowserTabs(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_tabs` takes."""

    action: Literal["list", "new", "close", "select"]
    index: Annotated[int, Meta(ge=0, description="as listed; else the current one")] | None = None
    url: Address = ""


class BrowserSnapshot(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_snapshot` takes, and an offset to go on from."""

    target: Target = ""
    depth: Annotated[float, Meta(gt=0, description="levels of groups")] | None = None
    boxes: bool = False
    offset: Annotated[int, Meta(ge=0, description="of the rest, where it was cut")] = 0


class BrowserFind(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_find` takes."""

    text: str = ""
    regex: str = ""


class BrowserTakeScreenshot(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_take_screenshot` takes."""

    target: Target = ""
    element: str = ""
    type: (
        Annotated[ImageFormat, Meta(description="default: by the extension of filename, else png")]
        | None
    ) = None
    full_page: bool = False
    scale: Literal["css", "device"] = "css"

    def request(self, ref: str) -> Capture:
        """What is asked of the tab: a file may be of any size.

        Raises:
            BadInput: the type and the name of the file do not fit, or target and fullPage.
        """
        if self.target and self.full_page:
            raise BadInput(
                "fullPage cannot be combined with target.", advice="Leave one of them out."
            )
        size, area = ((0, 0), 0) if self.filename else ((PNG_BYTES, SIDE_MAX), AREA_MAX)
        css, kind = self.scale == "css", self.image_format
        return Capture(ref, self.full_page, *size, image_format=kind, css=css, area_max=area)

    @property
    def image_format(self) -> ImageFormat:
        """The format of the picture.

        Raises:
            BadInput: the type and the name of the file do not fit.
        """
        ending = self.filename.rpartition(".")[2].lower() if "." in self.filename else ""
        named = ENDINGS.get(ending)
        if ending and named is None:
            raise BadInput(
                f"A picture cannot be written to {self.filename!r}.",
                advice="Let filename end in .png, .jpg, .jpeg or .webp.",
            )
        if named and self.type and named != self.type:
            raise BadInput(
                f"{self.filename!r} does not name a file of type {self.type}.",
                advice="Leave type out, or change the end of filename.",
            )
        return self.type or named or "png"

    @property
    def file(self) -> str:
        """The name of the file, with an ending."""
        return self.filename if "." in self.filename else f"{self.filename}.{self.image_format}"


class BrowserEvaluate(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_evaluate` takes."""

    function: Annotated[str, Meta(description="() => {…}, or element => {…} with a target")]
    target: Target = ""
    element: str = ""

    @property
    def script(self) -> str:
        """What is run: with a target the function itself, otherwise its call."""
        if self.target:
            return self.function
        made = f"const made = ({self.function});"
        return f"(() => {{ {made} return typeof made === 'function' ? made() : made; }})()"


class BrowserConsoleMessages(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_console_messages` takes."""

    level: ConsoleLevel = "info"
    all: bool = False


class BrowserNetworkRequests(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_network_requests` takes."""

    static: Annotated[bool, Meta(description="images, fonts, styles and scripts too")] = False
    filter: Annotated[str, Meta(description="a regular expression")] = ""


class BrowserNetworkRequest(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_network_request` takes."""

    index: Annotated[int, Meta(ge=1)]
    part: Literal["request-headers", "request-body", "response-headers", "response-body"] | None = (
        None
    )


class BrowserFileUpload(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_file_upload` takes."""

    paths: tuple[str, ...] = ()


class BrowserDrop(PlaywrightArguments, frozen=True, kw_only=True):
    """What `browser_drop` takes."""

    target: Target
    element: str = ""
    paths: tuple[str, ...] = ()
    data: Annotated[dict[str, str], Meta(description="by its media type")] = msgspec.field(
        default_factory=dict[str, str]
    )


class BrowserRunCodeUnsafe(PlaywrightInspection, frozen=True, kw_only=True):
    """What `browser_run_code_unsafe` takes."""

    code: str = ""
