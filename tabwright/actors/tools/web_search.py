"""``web_search``: the result pages of several engines as one list."""

from collections.abc import Sequence

from tabwright.actors.tools.tool import Tool, object_schema
from tabwright.protocol.result_pages import TIME_RANGES
from tabwright.protocol.web_search import WebSearch

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


def web_search_tool(engines: Sequence[str], default: Sequence[str]) -> Tool[WebSearch]:
    """The tool.

    Args:
        engines: whom a call may name.
        default: who is asked where it names nobody.
    """
    return Tool(
        name="web_search",
        title="Web search",
        description=(
            "Search the result pages of several engines side by side. Gives one list, best first, "
            "and says which engine ranks each result where. An engine that fails is told of beside "
            "the results."
        ),
        input_schema=object_schema(
            {
                "query": {"type": "string", "description": "Search terms."},
                "engines": {
                    "type": "array",
                    "items": {"type": "string", "enum": list(engines)},
                    "default": list(default),
                    "description": "Whom to ask.",
                },
                "page": {
                    "type": "integer",
                    "default": 1,
                    "minimum": 1,
                    "description": "From which of the engines' pages the list is made.",
                },
                "limit": {
                    "type": "integer",
                    "default": 10,
                    "minimum": 1,
                    "maximum": 50,
                    "description": "Results at most; more than 10 take each engine several "
                    "requests, at its own pace.",
                },
                "time_range": {
                    "type": "string",
                    "enum": list(TIME_RANGES),
                    "description": "Only results of the last day, week, month or year.",
                },
                "language": {
                    "type": "string",
                    "description": "Language of results, as de or pt-BR; a wish.",
                },
            },
            required=["query"],
        ),
        output_schema=RESULTS,
        arguments=WebSearch,
    )
