"""``get_links`` and ``click_link``: where the page of a session leads."""

from collections.abc import Iterable
from typing import Annotated, get_args

import attrs
from msgspec import Meta

from tabwright.actors.tools.schema import object_schema
from tabwright.mcp.tool import READS, Effects, Tool
from tabwright.mcp.tools.page_arguments import (
    DEFAULT_SESSION,
    PAGE,
    MaxTokens,
    Offset,
    Rare,
    Session,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.page_text import PageFormat
from tabwright.protocol.snapshot import Link, LinkKind

LINKS = object_schema(
    {
        "links": {
            "type": "array",
            "items": object_schema(
                {
                    "number": {"type": "integer"},
                    "text": {"type": "string"},
                    "url": {"type": "string"},
                    "kind": {"type": "string", "enum": list(get_args(LinkKind))},
                },
                required=["number", "text", "url", "kind"],
            ),
        }
    },
    required=["links"],
)
"""What the page leads to."""


@attrs.frozen(kw_only=True)
class GetLinksArguments:
    """What `get_links` takes."""

    session: Session = DEFAULT_SESSION
    filter: Annotated[str, Meta(description="in text or URL")] = ""
    kind: LinkKind | None = None
    offset: Rare[Offset] = 0

    def chosen(self, links: Iterable[Link]) -> tuple[Link, ...]:
        """The links that are asked for."""
        wanted = self.filter.casefold()
        return tuple(
            link
            for link in links
            if (self.kind is None or link.kind == self.kind)
            and (wanted in link.text.casefold() or wanted in link.url.casefold())
        )


@attrs.frozen(kw_only=True)
class ClickLinkArguments:
    """What `click_link` takes: one of three ways to name a link."""

    session: Session = DEFAULT_SESSION
    number: Annotated[int, Meta(ge=1)] | None = None
    text: Annotated[str, Meta(description="of it, or a part")] = ""
    url: str = ""
    format: PageFormat = "markdown"
    max_tokens: MaxTokens | None = None

    def __attrs_post_init__(self) -> None:
        if self.number is None and not self.text and not self.url:
            raise BadInput("No link is named.", advice="Give its number, its text or its url.")


def get_links_tool() -> Tool[GetLinksArguments]:
    """The tool that lists links."""
    return Tool(
        name="get_links",
        description="List the page's links, numbered as in its text.",
        group="forms",
        effects=READS,
        arguments=GetLinksArguments,
        output_schema=LINKS,
    )


def click_link_tool() -> Tool[ClickLinkArguments]:
    """The tool that follows one."""
    return Tool(
        name="click_link",
        description="Follow a link of the page, and read where it leads.",
        group="forms",
        effects=Effects(),
        arguments=ClickLinkArguments,
        output_schema=PAGE,
    )
