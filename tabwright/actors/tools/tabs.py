"""``tabs``, ``upload`` and ``downloads``: the tabs of a session, and files."""

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.actors.tools.acting import OUTCOME, Ref
from tabwright.actors.tools.page_schema import DEFAULT_SESSION
from tabwright.actors.tools.schema import schema_of
from tabwright.actors.tools.tool import READS, Effects, Tool, object_schema
from tabwright.protocol.errors import BadInput

TabAction: TypeAlias = Literal["list", "open", "switch", "close"]


@attrs.frozen(kw_only=True)
class TabsArguments:
    """What `tabs` takes."""

    action: TabAction = "list"
    tab: int | None = None
    url: Annotated[str, Meta(description="for open")] = ""
    session: str = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action == "switch" and self.tab is None:
            raise BadInput("No tab is named.", advice="Give its number.")


@attrs.frozen(kw_only=True)
class UploadArguments:
    """What `upload` takes."""

    ref: Ref
    paths: tuple[str, ...]
    session: str = DEFAULT_SESSION
    tab: int | None = None


@attrs.frozen(kw_only=True)
class DownloadArguments:
    """What `downloads` takes."""

    session: str = DEFAULT_SESSION
    tab: int | None = None


def tabs_tool() -> Tool[TabsArguments]:
    """The tool that has to do with tabs."""
    return Tool(
        name="tabs",
        title="List, open, switch or close tabs",
        description="List, open, switch or close the tabs of a session.",
        input_schema=schema_of(TabsArguments),
        output_schema=object_schema(
            {"tabs": {"type": "array", "items": {"type": "object"}}}, required=["tabs"]
        ),
        arguments=TabsArguments,
        group="act",
        effects=Effects(),
    )


def upload_tool() -> Tool[UploadArguments]:
    """The tool that gives files."""
    return Tool(
        name="upload",
        title="Upload files",
        description="Give files to a field, or to a button that asks for them.",
        input_schema=schema_of(UploadArguments),
        output_schema=OUTCOME,
        arguments=UploadArguments,
        group="files",
        effects=Effects(destructive=True),
    )


def download_tool() -> Tool[DownloadArguments]:
    """The tool that lists files."""
    return Tool(
        name="download",
        title="List downloads",
        description="The files that the page has given, once they are there, with their paths.",
        input_schema=schema_of(DownloadArguments),
        output_schema=object_schema(
            {"downloads": {"type": "array", "items": {"type": "object"}}}, required=["downloads"]
        ),
        arguments=DownloadArguments,
        group="files",
        effects=READS,
    )
