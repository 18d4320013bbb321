"""``browse``: one page as text."""

import attrs

from tabwright.actors.tools.tool import Tool, object_schema
from tabwright.protocol.pages import PageFormat

PAGE = object_schema(
    {
        "url": {"type": "string", "description": "After all redirects."},
        "title": {"type": "string"},
        "language": {"type": "string"},
        "format": {"type": "string"},
        "text": {"type": "string"},
        "cut": {"type": "boolean", "description": "Whether the page was longer."},
    },
    required=["url", "title", "language", "format", "text", "cut"],
)
"""What reading a page gives."""


@attrs.frozen
class BrowseArguments:
    """What `browse` takes."""

    url: str
    format: PageFormat = "markdown"


def browse_tool() -> Tool[BrowseArguments]:
    """The tool."""
    return Tool(
        name="browse",
        title="Read a web page",
        description=(
            "Open a URL in a browser with cookies of its own, let its scripts run, and give its "
            "main content as text. Links in it are absolute."
        ),
        input_schema=object_schema(
            {
                "url": {"type": "string", "description": "An absolute http or https URL."},
                "format": {
                    "type": "string",
                    "enum": ["markdown", "text", "html"],
                    "default": "markdown",
                    "description": "What the text is written in.",
                },
            },
            required=["url"],
        ),
        output_schema=PAGE,
        arguments=BrowseArguments,
    )
