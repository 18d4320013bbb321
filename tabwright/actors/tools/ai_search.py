"""``google_ai_search``: a question to Google AI Mode."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.actors.tools.schema import object_schema, schema_of
from tabwright.mcp.tool import READS, Tool
from tabwright.mcp.tools.page_arguments import Rare
from tabwright.protocol.ai_search import CONVERSATION

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
