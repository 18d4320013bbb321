"""Files for pages: ``browser_file_upload`` and ``browser_drop``.

An upload goes to the element that was clicked last on the page, so clicks and navigations are here,
too.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated

import attrs
import msgspec
import trio
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import AnyTool, ToolContext, ToolResult
from tabwright.mcp.tools.actions import choose_files
from tabwright.mcp.tools.navigation import open_page
from tabwright.mcp.tools.page_arguments import Address, TabArguments
from tabwright.plugins.playwright.actions import BrowserClick, act_with_outcome
from tabwright.plugins.playwright.tabs import tab_lines
from tabwright.plugins.playwright.targets import PlaywrightArguments, Target, ref_of
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.actions import Upload
from tabwright.protocol.errors import BadInput, Hint, HintKind
from tabwright.protocol.inspection import Evaluate
from tabwright.protocol.untrusted_text import quoted
from tabwright.text.file_errors import file_problem


class BrowserNavigate(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_navigate`."""

    url: Address


class BrowserNavigateBack(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_navigate_back`: nothing."""


class BrowserFileUpload(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_file_upload`."""

    paths: tuple[str, ...] = ()


@attrs.define(eq=False)
class LastClick:
    """The element that a client clicked last, which may have opened a file chooser."""

    _ref: str = attrs.field(default="", init=False)
    _is_chooser_open: bool = attrs.field(default=False, init=False)

    async def navigate(self, arguments: BrowserNavigate, context: ToolContext) -> ToolResult:
        """Go to a URL."""
        return await self._open(arguments.url, context)

    async def navigate_back(
        self, _arguments: BrowserNavigateBack, context: ToolContext
    ) -> ToolResult:
        """Go back."""
        return await self._open("back", context)

    async def click(self, arguments: BrowserClick, context: ToolContext) -> ToolResult:
        """Click an element.

        Raises:
            BadInput: a file chooser is open, in front of the page.
        """
        if self._is_chooser_open:
            raise BadInput(
                "A file chooser is open.",
                advice="Choose files with browser_file_upload, or close it with an empty list.",
            )
        self._ref = await ref_of(context.tabwright, arguments.target)
        aimed = msgspec.structs.replace(arguments, target=self._ref)
        outcome, result = await act_with_outcome(aimed, context)
        self._is_chooser_open = Hint(HintKind.GIVE_FILES) in outcome.notes
        return result

    async def upload(self, arguments: BrowserFileUpload, context: ToolContext) -> ToolResult:
        """Choose files for the file chooser that is open."""
        if not self._ref:
            raise BadInput(
                "No file chooser is open.", advice="First click the element that opens it."
            )
        if not arguments.paths:
            self._is_chooser_open = False
            return ToolResult("No files were given.")
        chosen = Upload(self._ref, arguments.paths)
        result = await choose_files(chosen, TabArguments(), context)
        self._is_chooser_open = False
        return result

    async def _open(self, url: str, context: ToolContext) -> ToolResult:
        self._ref, self._is_chooser_open = "", False
        budget = context.tabwright.settings.reading.outline_tokens_max
        shown = await open_page(context, DEFAULT_SESSION, url, budget)
        listed = await context.tabwright.session(DEFAULT_SESSION).change_tabs()
        others = quoted(tab_lines(listed)) if len(listed) > 1 else ()
        return attrs.evolve(shown, parts=(*shown.parts, *others))


def tools() -> tuple[AnyTool, AnyTool, AnyTool, AnyTool]:
    """Return a client's tools that navigate, go back, click, and upload to the last click."""
    last = LastClick()
    return (
        playwright_tool(
            "browser_navigate", "Open a URL and return its outline.", BrowserNavigate, last.navigate
        ),
        playwright_tool(
            "browser_navigate_back", "Go back.", BrowserNavigateBack, last.navigate_back
        ),
        playwright_tool("browser_click", "Click an element.", BrowserClick, last.click),
        playwright_tool(
            "browser_file_upload",
            "Choose files for the file chooser that is open.",
            BrowserFileUpload,
            last.upload,
        ),
    )


class BrowserDrop(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_drop`."""

    target: Target
    element: str = ""
    paths: tuple[str, ...] = ()
    data: Annotated[dict[str, str], Meta(description="by its media type")] = msgspec.field(
        default_factory=dict[str, str]
    )


async def drop(arguments: BrowserDrop, context: ToolContext) -> ToolResult:
    """Drop files or data from outside the page onto an element."""
    from tabwright.page.upload_paths import allowed_path  # noqa: PLC0415  (heavy)

    if not arguments.paths and not arguments.data:
        raise BadInput("Neither paths nor data is given.", advice="Give paths or data.")
    tabwright = context.tabwright
    ref = await ref_of(tabwright, arguments.target)
    paths = [allowed_path(path, tabwright.settings) for path in arguments.paths]
    files = await trio.to_thread.run_sync(read_files, paths)
    script = Evaluate(drop_script(arguments.data, files), ref)
    done = await tabwright.session(DEFAULT_SESSION).inspect(script, progress=context.on_progress)
    text = f"Dropped onto {arguments.element or ref}."
    return outcome_result(attrs.evolve(done.outcome, description=text), context.names)


DROP = playwright_tool(
    "browser_drop", "Drop files or data from outside the page onto an element.", BrowserDrop, drop
)


# The script that drops files or data on an element.

BYTES_MAX = 8_388_608
"""The maximum size of all files together, in bytes; they are embedded in the script."""

_SCRIPT = """element => {
  const carried = new DataTransfer();
  for (const [type, text] of Object.entries(%s)) carried.setData(type, text);
  for (const [name, type, text] of %s) {
    const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
    carried.items.add(new File([bytes], name, {type}));
  }
  const box = element.getBoundingClientRect();
  const init = {
    bubbles: true, cancelable: true, composed: true, dataTransfer: carried,
    clientX: box.x + box.width / 2, clientY: box.y + box.height / 2,
  };
  for (const what of ["dragenter", "dragover", "drop"])
    element.dispatchEvent(new DragEvent(what, init));
}"""


def drop_script(data: Mapping[str, str], files: Iterable[tuple[str, bytes]]) -> str:
    """Return a function that drops data and files on the element.

    Args:
        data: texts by their media types.
        files: names and contents.
    """
    listed = [
        (name, guess_type(name)[0] or "application/octet-stream", b64encode(held).decode())
        for name, held in files
    ]
    return _SCRIPT % (msgspec.json.encode(data).decode(), msgspec.json.encode(listed).decode())


def read_files(paths: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return names and contents of files.

    Raises:
        BadInput: they are too large, or cannot be read.
    """
    files = [Path(path) for path in paths]
    try:
        if sum(file.stat().st_size for file in files) > BYTES_MAX:
            raise BadInput(
                f"The files have more than {BYTES_MAX >> 20} MiB.", advice="Drop fewer files."
            )
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise BadInput(
            file_problem(error, error.filename or ", ".join(map(str, files))),
            advice="Check the paths.",
        ) from error
