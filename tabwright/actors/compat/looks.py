"""Where an agent goes and what it looks at: ``browser_navigate``, ``browser_snapshot`` and more."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tabwright.actors.compat.wishes import Look, Target, Wish
from tabwright.actors.tools.page_schema import Address
from tabwright.protocol.outcomes import ConsoleLevel


class BrowserNavigate(Wish, frozen=True, kw_only=True):
    """What `browser_navigate` takes."""

    url: Address


class BrowserNavigateBack(Wish, frozen=True, kw_only=True):
    """What `browser_navigate_back` takes: nothing."""


class BrowserClose(Wish, frozen=True, kw_only=True):
    """What `browser_close` takes: nothing."""


class BrowserTabs(Wish, frozen=True, kw_only=True):
    """What `browser_tabs` takes."""

    action: Literal["list", "new", "close", "select"]
    index: Annotated[int, Meta(ge=0, description="as listed; else the current one")] | None = None
    url: Address = ""


class BrowserSnapshot(Look, frozen=True, kw_only=True):
    """What `browser_snapshot` takes; there is no depth here, but an offset to go on from."""

    target: Target = ""
    depth: Annotated[float, Meta(gt=0)] | None = None
    boxes: bool = False
    offset: Annotated[int, Meta(ge=0, description="of the rest, where it was cut")] = 0


class BrowserFind(Look, frozen=True, kw_only=True):
    """What `browser_find` takes."""

    text: str = ""
    regex: str = ""


class BrowserTakeScreenshot(Look, frozen=True, kw_only=True):
    """What `browser_take_screenshot` takes."""

    target: Target = ""
    element: str = ""
    type: Literal["png", "jpeg", "webp"] | None = None
    full_page: bool = False
    scale: Literal["css", "device"] = "css"


class BrowserEvaluate(Look, frozen=True, kw_only=True):
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


class BrowserConsoleMessages(Look, frozen=True, kw_only=True):
    """What `browser_console_messages` takes."""

    level: ConsoleLevel = "info"
    all: bool = False


class BrowserNetworkRequests(Look, frozen=True, kw_only=True):
    """What `browser_network_requests` takes."""

    static: Annotated[bool, Meta(description="images, fonts, styles and scripts too")] = False
    filter: Annotated[str, Meta(description="a regular expression")] = ""


class BrowserNetworkRequest(Look, frozen=True, kw_only=True):
    """What `browser_network_request` takes."""

    index: Annotated[int, Meta(ge=1)]
    part: Literal["request-headers", "request-body", "response-headers", "response-body"] | None = (
        None
    )


class BrowserFileUpload(Wish, frozen=True, kw_only=True):
    """What `browser_file_upload` takes."""

    paths: tuple[str, ...] = ()


class BrowserDrop(Wish, frozen=True, kw_only=True):
    """What `browser_drop` takes."""

    target: Target
    element: str = ""
    paths: tuple[str, ...] = ()
    data: Annotated[dict[str, str], Meta(description="by its media type")] = msgspec.field(
        default_factory=dict[str, str]
    )


class BrowserRunCodeUnsafe(Look, frozen=True, kw_only=True):
    """What `browser_run_code_unsafe` takes."""

    code: str = ""
