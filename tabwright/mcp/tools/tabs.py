"""``tabs``, ``upload`` and ``downloads``: the tabs of a session, and files."""

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import ACTS, READS, Tool, ToolAnnotations
from tabwright.mcp.tools.actions import OUTCOME
from tabwright.mcp.tools.page_arguments import (
    DEFAULT_SESSION,
    Address,
    Plain,
    Ref,
    Session,
    Tab,
    TabArguments,
)
from tabwright.protocol.errors import BadInput

TabAction: TypeAlias = Literal["list", "open", "switch", "close"]


@attrs.frozen(kw_only=True)
class TabsArguments:
    """What `tabs` takes."""

    action: TabAction = "list"
    tab: Tab | None = None
    url: Plain[Annotated[Address, Meta(description="for open")]] = ""
    session: Session = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action == "switch" and self.tab is None:
            raise BadInput("No tab is named.", advice="Give its number.")


@attrs.frozen(kw_only=True)
class UploadArguments(TabArguments):
    """What `upload` takes."""

    ref: Ref
    paths: tuple[str, ...]


@attrs.frozen(kw_only=True)
class DownloadArguments(TabArguments):
    """What `download` takes."""


def tabs_tool() -> Tool[TabsArguments]:
    """The tool that has to do with tabs."""
    return Tool(
        name="tabs",
        description="The session's tabs.",
        output_schema=object_schema(
            {"tabs": {"type": "array", "items": {"type": "object"}}}, required=["tabs"]
        ),
        arguments=TabsArguments,
        group="act",
        effects=ToolAnnotations(),
    )


def upload_tool() -> Tool[UploadArguments]:
    """The tool that gives files."""
    return Tool(
        name="upload",
        description="Give files to a field or button.",
        output_schema=OUTCOME,
        arguments=UploadArguments,
        group="files",
        effects=ACTS,
    )


def download_tool() -> Tool[DownloadArguments]:
    """The tool that lists files."""
    return Tool(
        name="download",
        description="Wait for the files that the page gives, and list them.",
        output_schema=object_schema(
            {"downloads": {"type": "array", "items": {"type": "object"}}}, required=["downloads"]
        ),
        arguments=DownloadArguments,
        group="files",
        effects=READS,
    )
