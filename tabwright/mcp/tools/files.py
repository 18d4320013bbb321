"""``upload``, ``download`` and ``pdf``: files for a page, and files from a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.settings import Settings
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import ACTS, READS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.actions import OUTCOME
from tabwright.mcp.tools.page_arguments import Ref, TabArguments
from tabwright.protocol.actions import Upload
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ListDownloads, Print
from tabwright.text.file_errors import file_problem


@attrs.frozen(kw_only=True)
class UploadArguments(TabArguments):
    """Arguments of `upload`."""

    ref: Ref
    paths: Annotated[
        tuple[str, ...],
        Meta(
            description="Absolute paths of files in the download folder or in acting.upload_roots."
        ),
    ]


async def upload(arguments: UploadArguments, context: ToolContext) -> ToolResult:
    """Choose files for a file field or an upload button."""
    settings = context.tabwright.settings
    paths = tuple(allowed_path(path, settings) for path in arguments.paths)
    outcome = await context.tabwright.act(
        Upload(arguments.ref, paths),
        session=arguments.session,
        tab=arguments.tab,
        progress=context.on_progress,
    )
    return outcome_result(outcome, context.names)


def allowed_path(path: str, settings: Settings) -> str:
    """Return the absolute path of a file that can be uploaded. It blocks.

    Raises:
        BadInput: it does not exist, or is not in a directory that the settings allow.
    """
    from tabwright.page.events.downloads import downloads_folder  # noqa: PLC0415  (heavy)

    downloads = downloads_folder(settings.acting.downloads)
    own = (str(downloads),) if downloads else ()
    return uploadable(path, (*settings.acting.upload_roots, *own))


UPLOAD = Tool(
    name="upload",
    description="Choose files for a file field or an upload button.",
    output_schema=OUTCOME,
    arguments=UploadArguments,
    handler=upload,
    group="files",
    annotations=ACTS,
)


@attrs.frozen(kw_only=True)
class DownloadArguments(TabArguments):
    """Arguments of `download`."""


async def download(arguments: DownloadArguments, context: ToolContext) -> ToolResult:
    """Wait for running downloads and list the files."""
    from tabwright.page.render import downloads_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.inspect(
        ListDownloads(), session=arguments.session, tab=arguments.tab
    )
    record = {"downloads": [attrs.asdict(one) for one in listed]}
    budget = (await context.settings(arguments)).acting.max_tokens
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


@attrs.frozen(kw_only=True)
class PdfArguments(TabArguments):
    """Arguments of `pdf`."""

    landscape: Annotated[bool, Meta(description="Landscape instead of portrait.")] = False

    def request(self) -> Print:
        """Return the request for the tab."""
        return Print(self.landscape)


async def pdf(arguments: PdfArguments, context: ToolContext) -> ToolResult:
    """Save the page as a PDF file."""
    from tabwright.mcp.request_details import save  # noqa: PLC0415  (heavy)

    data = await context.tabwright.inspect(
        arguments.request(), session=arguments.session, tab=arguments.tab
    )
    path = await save(context.tabwright, "page.pdf", data)
    return ToolResult(f"Saved to {path} ({len(data)} bytes).", {"path": str(path)})


PDF = Tool(
    name="pdf",
    description="Save the page as a PDF file in the download folder and return its path.",
    output_schema=object_schema({"path": {"type": "string"}}, required=["path"]),
    arguments=PdfArguments,
    handler=pdf,
    group="files",
    annotations=ToolAnnotations(),
)

TOOLS = (UPLOAD, DOWNLOAD, PDF)


def uploadable(path: str, roots: Sequence[str]) -> str:
    """Return the path of a file that can be uploaded, with its links resolved. It blocks.

    A file is allowed if it is in one of `roots` or is itself one of them. Inside a root, hidden
    files and folders (such as ``.env`` and ``.git``) and files with several hard links, whose other
    names may be anywhere, are allowed only if they are listed as roots.

    Raises:
        BadInput: the file is not allowed, or does not exist.
    """
    if "\0" in path:
        raise BadInput("The path contains a NUL character.", advice="Check the path.")
    try:
        return str(_permitted(path, roots))
    except (OSError, RuntimeError) as error:  # too long, a loop of links, an unknown home
        raise BadInput(file_problem(error, path), advice="Check the path.") from error


def _permitted(path: str, roots: Sequence[str]) -> Path:
    resolved = Path(path).expanduser().resolve()
    listed = [Path(root).expanduser().resolve() for root in roots]
    inside = [resolved.relative_to(root) for root in listed if resolved.is_relative_to(root)]
    if not inside:
        raise BadInput(
            f"{path} is not in a directory for uploads.",
            advice=f"Files can be in {', '.join(map(str, listed)) or 'no directory'}: the user "
            "can set acting.upload_roots.",
        )
    if all(any(part.startswith(".") for part in below.parts) for below in inside):
        raise BadInput(
            f"{path} is hidden, and hidden files are not uploaded.",
            advice="The user can list it in acting.upload_roots.",
        )
    if not resolved.is_file():
        raise BadInput(f"There is no file {path}.", advice="Check the path.")
    if resolved not in listed and resolved.stat().st_nlink > 1:
        raise BadInput(
            f"{path} has a second name (a hard link), and such files are not uploaded.",
            advice="Upload a copy of it, or let the user list it in acting.upload_roots.",
        )
    return resolved
