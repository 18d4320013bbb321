"""``tabs``: the tabs of a session."""

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Address, Session, Tab
from tabwright.protocol.errors import BadInput
from tabwright.protocol.untrusted_text import quoted

TabAction: TypeAlias = Literal["list", "open", "switch", "close"]


@attrs.frozen(kw_only=True)
class TabsArguments:
    """Arguments of `tabs`."""

    action: TabAction = "list"
    tab: Annotated[Tab, Meta(description="Tab to switch to or close.")] | None = None
    url: Annotated[Address, Meta(description="URL to open.")] = ""
    session: Session = DEFAULT_SESSION

    def __attrs_post_init__(self) -> None:
        if self.action == "switch" and self.tab is None:
            raise BadInput("No tab is given.", advice="Set tab to its number.")


async def tabs(arguments: TabsArguments, context: ToolContext) -> ToolResult:
    """List the tabs, after one was opened, switched to or closed."""
    from tabwright.page.render import tabs_text  # noqa: PLC0415  (heavy)

    tabwright, session = context.tabwright, arguments.session
    if arguments.action == "open":
        await tabwright.session(session).enter(
            arguments.url, new_tab=True, progress=context.on_progress
        )
        listed = await tabwright.session(session).change_tabs()
    else:
        listed = await tabwright.session(session).change_tabs(arguments.action, arguments.tab)
    return ToolResult(quoted(tabs_text(listed)), {"tabs": [attrs.asdict(tab) for tab in listed]})


TABS = Tool(
    name="tabs",
    description="List the session's tabs, or open, switch to or close one.",
    output_schema=object_schema(
        {"tabs": {"type": "array", "items": {"type": "object"}}}, required=["tabs"]
    ),
    arguments=TabsArguments,
    handler=tabs,
    group="act",
    annotations=ToolAnnotations(),
)

TOOLS = (TABS,)
