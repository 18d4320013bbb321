"""``get_links`` and ``click_link``: where the page of a session leads."""

from collections.abc import Iterable
from typing import get_args

import attrs

from tabwright.actors.tools.page_schema import DEFAULT_SESSION, PAGE, session_schema
from tabwright.actors.tools.tool import Tool, object_schema
from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshots import Link, LinkKind
from tabwright.protocol.views import PageFormat

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

    session: str = DEFAULT_SESSION
    filter: str = ""
    kind: LinkKind | None = None

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

    session: str = DEFAULT_SESSION
    number: int | None = None
    text: str = ""
    url: str = ""
    format: PageFormat = "markdown"
    max_tokens: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.number is None and not self.text and not self.url:
            raise BadInput("No link is named.", advice="Give its number, its text or its url.")


def get_links_tool() -> Tool[GetLinksArguments]:
    """The tool that lists links."""
    return Tool(
        name="get_links",
        title="List the links of a page",
        description="List the links of the page that a session is at, numbered as in its text.",
        input_schema=session_schema(
            {
                "filter": {"type": "string", "description": "Only those with this in text or URL."},
                "kind": {
                    "type": "string",
                    "enum": list(get_args(LinkKind)),
                    "description": "Only those: navigation stands round the content, external "
                    "leads to another site, anchor within the page.",
                },
            }
        ),
        output_schema=LINKS,
        arguments=GetLinksArguments,
    )


def click_link_tool() -> Tool[ClickLinkArguments]:
    """The tool that follows one."""
    return Tool(
        name="click_link",
        title="Follow a link",
        description="Follow a link of the page that a session is at, and read where it leads.",
        input_schema=session_schema(
            {
                "number": {"type": "integer", "description": "Its number."},
                "text": {"type": "string", "description": "What it says, or a part of that."},
                "url": {"type": "string", "description": "Where it leads."},
            },
            "format",
            "max_tokens",
        ),
        output_schema=PAGE,
        arguments=ClickLinkArguments,
    )
