"""Inspection tools: ``browser_snapshot``, ``browser_take_screenshot`` and more."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from mimetypes import guess_extension
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.page_results import picture_result
from tabwright.mcp.tool import READS, ToolContext, ToolResult
from tabwright.mcp.tools import inspection
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.navigation import show_outline
from tabwright.mcp.tools.screenshot import PNG_BYTES, picture_format, with_extension
from tabwright.plugins.playwright.targets import (
    PlaywrightInspection,
    Target,
    excerpts,
    holding,
    matching,
    ref_of,
)
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.actions import ConsoleEntry, ConsoleLevel, NetworkEntry
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import (
    Capture,
    ImageFormat,
    ListRequests,
    OutlineView,
    Print,
    ReadConsole,
    TakeOutline,
)
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.untrusted_text import plain, quoted
from tabwright.text.token_budget import beginning, opening

if TYPE_CHECKING:
    from tabwright.mcp.request_details import RequestDetailsReader

BODIES = frozenset({"request-body", "response-body"})
"""Parts of a request that are written into a file as bytes."""

TALKS = frozenset({"Fetch", "WebSocket", "XHR"})
"""Kinds of requests that are always listed; others, including documents, only if they failed.

The list is that of playwright-mcp, which does not know WebSockets.
"""

SIDE_MAX = 1568
"""The maximum side in pixels of a picture for a model, which scales larger ones down."""

AREA_MAX = 1_205_862
"""The maximum area in pixels of such a picture: 1.15 times 1024 by 1024."""


def file_name(what: str, ending: str) -> str:
    """Return the name of a file that the client has not named: with the current time."""
    stem = f"{what}-{datetime.now(UTC):%Y-%m-%dT%H-%M-%S-%f}"[:-3]
    return f"{stem}Z.{ending}"


def _tokens(arguments: PlaywrightInspection, context: ToolContext) -> int:
    """Return the token limit of the answer; a file has none."""
    return 0 if arguments.filename else context.tabwright.settings.reading.outline_tokens_max


async def _shown_or_saved(
    result: ToolResult, arguments: PlaywrightInspection, context: ToolContext
) -> ToolResult:
    """Return the result; if a file is named, save the picture or else the text in that file."""
    if not arguments.filename:
        return result
    data: str | bytes = context.tabwright.parts.secrets.masked(plain(result.parts))
    for picture in result.images:
        data = picture.data
    path = await save(context.tabwright, arguments.file, data)
    return ToolResult(f"Saved to {path}.", {"path": str(path)})


class BrowserSnapshot(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_snapshot`, and an offset to continue at."""

    target: Target = ""
    depth: Annotated[float, Meta(gt=0, description="levels of groups")] | None = None
    boxes: bool = False
    offset: Annotated[int, Meta(ge=0, description="offset to continue from")] = 0


async def snapshot(arguments: BrowserSnapshot, context: ToolContext) -> ToolResult:
    """Show the page as an outline."""
    ref = await ref_of(context.tabwright, arguments.target)
    depth = math.ceil(arguments.depth) if arguments.depth else None
    view = OutlineView(_tokens(arguments, context), arguments.offset, depth=depth)
    request = TakeOutline(view, ref, boxes=arguments.boxes)
    outline = await show_outline(context, DEFAULT_SESSION, request)
    return await _shown_or_saved(outline, arguments, context)


SNAPSHOT = playwright_tool(
    "browser_snapshot", "Return the page's outline, with refs.", BrowserSnapshot, snapshot, READS
)


class BrowserFind(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_find`."""

    text: str = ""
    regex: str = ""


async def find(arguments: BrowserFind, context: ToolContext) -> ToolResult:
    """Find a text in the outline of the page."""
    if bool(arguments.text) == bool(arguments.regex):
        raise BadInput("Neither text nor regex is given.", advice="Give either text or regex.")
    whole = TakeOutline(OutlineView(max_tokens=0, whole=True))
    taken = await context.tabwright.session(DEFAULT_SESSION).inspect(whole)
    lines = taken.text.split("\n")
    if arguments.regex:
        found = await matching(arguments.regex, lines)
    else:
        found = holding(arguments.text, lines)
    if not found:
        nothing = ToolResult("(Nothing found.)", {"found": 0})
        return await _shown_or_saved(nothing, arguments, context)
    count = "1 line" if len(found) == 1 else f"{len(found)} lines"
    shown = opening(excerpts(lines, found), _tokens(arguments, context), "narrow the search")
    parts = (f"Found in {count}:\n", *shown)
    return await _shown_or_saved(ToolResult(parts, {"found": len(found)}), arguments, context)


FIND = playwright_tool("browser_find", "Find text in the page's outline.", BrowserFind, find, READS)


class BrowserTakeScreenshot(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_take_screenshot`."""

    target: Target = ""
    element: str = ""
    type: (
        Annotated[ImageFormat, Meta(description="default: by the extension of filename, else png")]
        | None
    ) = None
    full_page: bool = False
    scale: Literal["css", "device"] = "css"

    def request(self, ref: str) -> Capture:
        """Return the request for the tab; a picture for a file can have any size.

        Raises:
            BadInput: type and file name do not match, or both target and fullPage are given.
        """
        if self.target and self.full_page:
            raise BadInput("fullPage cannot be combined with target.", advice="Omit one of them.")
        size, area = ((0, 0), 0) if self.filename else ((PNG_BYTES, SIDE_MAX), AREA_MAX)
        css, kind = self.scale == "css", self.image_format
        return Capture(ref, self.full_page, *size, image_format=kind, css=css, area_max=area)

    @property
    def image_format(self) -> ImageFormat:
        """Return the format of the picture.

        Raises:
            BadInput: type and file name do not match.
        """
        return picture_format(self.filename, self.type, "png")

    @property
    def file(self) -> str:
        """The file name with its extension."""
        return with_extension(self.filename, self.image_format)


async def take_screenshot(arguments: BrowserTakeScreenshot, context: ToolContext) -> ToolResult:
    """Take a screenshot; a picture in the answer is also saved in a file."""
    arguments.request("")  # before the element is looked up
    request = arguments.request(await ref_of(context.tabwright, arguments.target))
    picture = await context.tabwright.session(DEFAULT_SESSION).inspect(request, blank=True)
    result = picture_result(picture)
    if arguments.filename or context.tabwright.settings.acting.downloads is None:
        return await _shown_or_saved(result, arguments, context)
    name = file_name("page", arguments.image_format)
    path = await save(context.tabwright, name, picture.data)
    record = {**result.structured, "path": str(path)}
    return attrs.evolve(result, parts=(*result.parts, f"Saved to {path}."), structured=record)


TAKE_SCREENSHOT = playwright_tool(
    "browser_take_screenshot",
    "Take a screenshot of the page or of an element.",
    BrowserTakeScreenshot,
    take_screenshot,
    READS,
)


class BrowserEvaluate(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_evaluate`."""

    function: Annotated[str, Meta(description="() => {…}, or element => {…} with a target")]
    target: Target = ""
    element: str = ""

    @property
    def script(self) -> str:
        """The script to run: with a target the function itself, otherwise a call of it."""
        if self.target:
            return self.function
        made = f"const made = ({self.function});"
        return f"(() => {{ {made} return typeof made === 'function' ? made() : made; }})()"


async def evaluate(arguments: BrowserEvaluate, context: ToolContext) -> ToolResult:
    """Run a script in the page."""
    ref = await ref_of(context.tabwright, arguments.target)
    ours = inspection.EvaluateArguments(script=arguments.script, ref=ref)
    return await _shown_or_saved(await inspection.evaluate(ours, context), arguments, context)


EVALUATE = playwright_tool(
    "browser_evaluate", "Run JavaScript in the page.", BrowserEvaluate, evaluate
)


class BrowserConsoleMessages(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_console_messages`."""

    level: ConsoleLevel = "info"
    all: bool = False


async def console_messages(arguments: BrowserConsoleMessages, context: ToolContext) -> ToolResult:
    """List the messages and uncaught errors of scripts."""
    from tabwright.page.render import console_parts  # noqa: PLC0415  (heavy)

    this_page = not arguments.all
    request = ReadConsole(arguments.level, this_page=this_page)
    entries = await context.tabwright.session(DEFAULT_SESSION).inspect(request)
    every = await context.tabwright.session(DEFAULT_SESSION).inspect(
        ReadConsole(this_page=this_page)
    )
    parts = console_parts(entries, _tokens(arguments, context), context.names)
    record = {"entries": [attrs.asdict(one) for one in entries]}
    result = ToolResult((*_console_total(every, len(entries)), *parts), record)
    return await _shown_or_saved(result, arguments, context)


def _console_total(entries: Sequence[ConsoleEntry], shown: int) -> tuple[str, ...]:
    """Return the number of messages, and of those at the requested level; nothing if none."""
    if not entries:
        return ()
    levels = Counter(one.level for one in entries)
    errors, warnings = levels["error"], levels["warning"]
    return (f"Messages: {len(entries)} (errors: {errors}, warnings: {warnings}), shown: {shown}.",)


CONSOLE_MESSAGES = playwright_tool(
    "browser_console_messages",
    "List console messages and errors.",
    BrowserConsoleMessages,
    console_messages,
    READS,
)


class BrowserNetworkRequests(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_network_requests`."""

    static: Annotated[bool, Meta(description="also images, fonts, styles and scripts")] = False
    filter: Annotated[str, Meta(description="a regular expression")] = ""


async def network_requests(arguments: BrowserNetworkRequests, context: ToolContext) -> ToolResult:
    """List the requests of the page."""
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)
    from tabwright.page.render import requests_parts  # noqa: PLC0415  (heavy)

    known = await context.tabwright.session(DEFAULT_SESSION).inspect(ListRequests())
    listed = [one for one in known if arguments.static or not _is_static(one)]
    hidden = len(known) - len(listed)
    if arguments.filter:
        urls = [one.url for one in listed]
        listed = [listed[place] for place in await matching(arguments.filter, urls)]
    record = {"requests": [without_empty(attrs.asdict(one)) for one in listed]}
    parts = requests_parts(listed, _tokens(arguments, context), names=context.names)
    if hidden and not (listed and arguments.filter):
        parts = (*parts, f"(Static requests left out: {hidden}. static=true lists them.)")
    return await _shown_or_saved(ToolResult(parts, record), arguments, context)


def _is_static(one: NetworkEntry) -> bool:
    return one.kind not in TALKS and not one.failure and 0 < one.status < ERROR_STATUS_MIN


NETWORK_REQUESTS = playwright_tool(
    "browser_network_requests",
    "List the page's network requests.",
    BrowserNetworkRequests,
    network_requests,
    READS,
)


class BrowserNetworkRequest(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_network_request`."""

    index: Annotated[int, Meta(ge=1)]
    part: Literal["request-headers", "request-body", "response-headers", "response-body"] | None = (
        None
    )


async def network_request(arguments: BrowserNetworkRequest, context: ToolContext) -> ToolResult:
    """Show one request, or a part of it."""
    from tabwright.mcp.request_details import RequestDetailsReader  # noqa: PLC0415  (heavy)
    from tabwright.page.render import header_lines  # noqa: PLC0415  (heavy)

    one = RequestDetailsReader(context.tabwright, DEFAULT_SESSION, arguments.index)
    if arguments.part in BODIES:
        return await _body(one, arguments, context)
    details = await one.details()
    match arguments.part:
        case "request-headers":
            text = one.shown("\n".join(header_lines(details.sent)))
        case "response-headers":
            text = one.shown("\n".join(header_lines(details.received)))
        case _:
            text = "\n\n".join((await one.whole(details), await _answer_body(one)))
    result = _cut(text or "(No headers.)", arguments, context)
    return await _shown_or_saved(result, arguments, context)


async def _answer_body(one: "RequestDetailsReader") -> str:
    """Return the response body as a part of the details of a request."""
    from tabwright.mcp.request_details import text_or_size  # noqa: PLC0415  (heavy)

    try:
        data = await one.body()
    except BadInput as refusal:
        return refusal.message
    return one.shown(text_or_size(data))


async def _body(
    one: "RequestDetailsReader", arguments: BrowserNetworkRequest, context: ToolContext
) -> ToolResult:
    from tabwright.mcp.request_details import text_of  # noqa: PLC0415  (heavy)

    sent = arguments.part == "request-body"
    data = await one.body(sent=sent)
    if arguments.filename:
        return await one.saved(arguments.filename, data)
    text = text_of(data)
    if text is None:
        return await _binary_body(one, data, sent=sent)
    return _cut(one.shown(text), arguments, context)


async def _binary_body(one: "RequestDetailsReader", data: bytes, *, sent: bool) -> ToolResult:
    """Return a body that is not text; save it with a generated name if there is a folder for it."""
    from tabwright.page.outline_text import escape_refs  # noqa: PLC0415  (heavy)

    if one.tabwright.settings.acting.downloads is None:
        return await one.binary(data, sent=sent)
    kind = "" if sent else (await one.details()).request.media_type
    name = f"{'request' if sent else 'response'}-{one.number}{guess_extension(kind) or '.bin'}"
    saved = await one.saved(name, data)
    return attrs.evolve(saved, parts=(*quoted(escape_refs(kind)), *saved.parts))


def _cut(text: str, arguments: BrowserNetworkRequest, context: ToolContext) -> ToolResult:
    shown, cut = beginning(text, _tokens(arguments, context))
    more = (f"({cut} more characters: give a filename for all of it.)",) if cut else ()
    return ToolResult((*quoted(shown), *more), {"body": shown})


NETWORK_REQUEST = playwright_tool(
    "browser_network_request",
    "Show one network request in full, by its number.",
    BrowserNetworkRequest,
    network_request,
    READS,
)


class BrowserPdfSave(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_pdf_save`."""


async def pdf_save(arguments: BrowserPdfSave, context: ToolContext) -> ToolResult:
    """Save the page as a PDF file."""
    data = await context.tabwright.session(DEFAULT_SESSION).inspect(Print())
    path = await save(context.tabwright, arguments.filename or file_name("page", "pdf"), data)
    return ToolResult(f"Saved the page as PDF to {path}.", {"path": str(path)})


PDF_SAVE = playwright_tool(
    "browser_pdf_save", "Save the page as PDF.", BrowserPdfSave, pdf_save, READS, group="files"
)


class BrowserRunCodeUnsafe(PlaywrightInspection, frozen=True, kw_only=True):
    """Arguments of `browser_run_code_unsafe`."""

    code: str = ""


async def run_code_unsafe(_arguments: BrowserRunCodeUnsafe, _context: ToolContext) -> ToolResult:
    """Refuse: Playwright code is not supported."""
    raise BadInput(
        "Playwright code is not run here.",
        advice="Use browser_evaluate to run a script in the page, or the other tools.",
    )


RUN_CODE_UNSAFE = playwright_tool(
    "browser_run_code_unsafe", "Not available here.", BrowserRunCodeUnsafe, run_code_unsafe
)
