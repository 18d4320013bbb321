"""The tools ``web_search`` and ``google_ai_search``."""

from collections.abc import Sequence
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema, schema_of
from tabwright.mcp.tool import READS, Tool
from tabwright.mcp.tools.page_arguments import Plain, Rare
from tabwright.protocol.ai_search import CONVERSATION
from tabwright.protocol.web_search import TimeRange, WebSearch

RANKING = object_schema(
    {
        "engine": {"type": "string"},
        "rank": {"type": "integer", "description": "Its place on the page of that engine, from 1."},
    },
    required=["engine", "rank"],
)

FOUND = object_schema(
    {
        "title": {"type": "string"},
        "url": {"type": "string"},
        "snippet": {"type": "string"},
        "date": {"type": "string"},
        "score": {"type": "number", "description": "The sum of 1 / (60 + rank)."},
        "rankings": {"type": "array", "items": RANKING},
    },
    required=["title", "url", "snippet", "score", "rankings"],
)

FAILURE = object_schema(
    {
        "engine": {"type": "string"},
        "kind": {"type": "string"},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
        "intervention": {"type": "string", "description": "What a person could solve, by its id."},
    },
    required=["engine", "kind", "message", "retryable"],
)

RESULTS = object_schema(
    {
        "query": {"type": "string"},
        "engines": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Those that were asked, best first.",
        },
        "page": {"type": "integer"},
        "results": {"type": "array", "items": FOUND, "description": "Best first."},
        "failures": {
            "type": "array",
            "items": FAILURE,
            "description": "Engines that gave nothing, and why.",
        },
    },
    required=["query", "engines", "page", "results", "failures"],
)
"""What a search gives."""


@attrs.frozen
class WebSearchArguments:
    """What `web_search` takes."""

    query: str
    engines: Rare[tuple[str, ...]] | None = None
    page: Rare[Annotated[int, Meta(ge=1, description="from which of the engines' pages")]] = 1
    limit: Plain[Annotated[int, Meta(ge=1, le=50, description="over 10 is slower")]] = 10
    time_range: TimeRange | None = None
    language: Plain[Annotated[str, Meta(description="as pt-BR")]] | None = None

    def request(self) -> WebSearch:
        """The request."""
        return WebSearch(
            self.query, self.engines, self.page, self.limit, self.time_range, self.language
        )


def web_search_tool(engines: Sequence[str], default: Sequence[str]) -> Tool[WebSearchArguments]:
    """The tool.

    Args:
        engines: whom a call may name.
        default: who is asked where it names nobody.
    """
    asked = {
        "items": {"type": "string", "enum": list(engines)},
        "default": list(default),
        "description": f"else {', '.join(default)}",
    }
    return Tool(
        name="web_search",
        description="Search several engines at once: one list, best first.",
        group="search",
        effects=READS,
        arguments=WebSearchArguments,
        output_schema=RESULTS,
        input_schema=schema_of(WebSearchArguments, engines=asked),
    )


# ``google_ai_search``: a question to Google AI Mode.

SOURCE = object_schema(
    {
        "title": {"type": "string"},
        "url": {"type": "string"},
        "snippet": {"type": "string"},
        "site": {"type": "string"},
    },
    required=["title", "url"],
)

RESULT = object_schema(
    {
        "success": {"type": "boolean"},
        "query": {"type": "string"},
        "ai_answer": {"type": "string", "description": "Markdown; [1] names source 1."},
        "sources": {"type": "array", "items": SOURCE},
        "error": {"type": "string"},
        "language": {"type": "string"},
        "warning": {"type": "string", "description": "Empty where all is as it was asked."},
        "continued": {
            "type": "boolean",
            "description": "Whether it was asked in the conversation that was open.",
        },
        "conversation": {
            "type": "string",
            "pattern": f"^({CONVERSATION})?$",
            "description": "Its id, for follow_up.",
        },
        "blocks": {
            "type": "array",
            "items": object_schema({"kind": {"type": "string"}}, required=["kind"]),
            "description": "The answer by structure, where asked for: paragraph, heading, "
            "list, table, code, quote, rule.",
        },
    },
    required=["success", "query", "ai_answer", "sources", "language", "warning"],
)
"""What a search gives."""


@attrs.frozen
class AISearchArguments:
    """What `google_ai_search` takes."""

    query: str
    language: str | None = None
    follow_up: Annotated[bool | str, Meta(description="conversation id, or true: the latest")] = (
        False
    )
    blocks: Rare[Annotated[bool, Meta(description="structured too, for programs")]] = False


def ai_search_tool(language: str) -> Tool[AISearchArguments]:
    """The tool; `language` is that of answers where a call names none."""
    told = {"description": f"else {language}", "default": language}
    return Tool(
        name="google_ai_search",
        description="Ask Google AI Mode: an answer with numbered sources.",
        group="search",
        effects=READS,
        arguments=AISearchArguments,
        output_schema=RESULT,
        input_schema=schema_of(AISearchArguments, language=told),
    )
