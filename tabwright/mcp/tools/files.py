"""``download``: files from a page, and those of the download folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import TabArguments
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ListDownloads
from tabwright.text.file_errors import file_problem

if TYPE_CHECKING:
    from tabwright.client import Tabwright


@attrs.frozen(kw_only=True)
class DownloadArguments(TabArguments):
    """Arguments of `download`."""


async def download(arguments: DownloadArguments, context: ToolContext) -> ToolResult:
    """Wait for running downloads and list the files."""
    from tabwright.page.render import downloads_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.session(arguments.session).inspect(
        ListDownloads(), tab=arguments.tab
    )
    record = {"downloads": [attrs.asdict(one) for one in listed]}
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    return ToolResult(downloads_parts(listed, budget), record)


DOWNLOAD = Tool(
    name="download",
    description="Wait for running downloads and list the downloaded files with their paths.",
    output_schema=object_schema(
        {"downloads": {"type": "array", "items": {"type": "object"}}}, required=["downloads"]
    ),
    arguments=DownloadArguments,
    handler=download,
    group="files",
    annotations=READS,
)


# The files of the download folder.


async def save(tabwright: "Tabwright", name: str, data: str | bytes) -> Path:
    """Write a new file into the download folder, and return its path.

    Raises:
        BadInput: it cannot be written.
    """
    import trio  # noqa: PLC0415  (heavy)

    from tabwright.page.events.downloads import save_file  # noqa: PLC0415  (heavy)

    return await trio.to_thread.run_sync(save_file, tabwright.settings.acting.downloads, name, data)


async def saved_file(tabwright: "Tabwright", name: str) -> bytes:
    """Return a file of the download folder.

    Raises:
        BadInput: it is not there, or cannot be read.
    """
    import trio  # noqa: PLC0415  (heavy)

    from tabwright.page.events.downloads import downloads_folder  # noqa: PLC0415  (heavy)

    folder = downloads_folder(tabwright.settings.acting.downloads)
    if folder is None:
        raise BadInput("There is no download folder.", advice="Set acting.downloads.")
    path = folder / Path(name).name
    try:
        return await trio.to_thread.run_sync(path.read_bytes)
    except OSError as error:
        raise BadInput(file_problem(error, path), advice="Name a file that was saved.") from error


TOOLS = (DOWNLOAD,)
