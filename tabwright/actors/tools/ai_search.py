"""``google_ai_search``: a question to Google AI Mode."""

import attrs

from tabwright.actors.tools.tool import Tool, object_schema

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
    follow_up: bool = False
    blocks: bool = False


def ai_search_tool(language: str) -> Tool[AISearchArguments]:
    """The tool; `language` is that of answers where a call names none."""
    return Tool(
        name="google_ai_search",
        title="Google AI Mode search",
        description=(
            "Ask Google AI Mode a question. Gives the answer as Markdown with numbered sources. "
            "With follow_up=true the question continues the open conversation."
        ),
        input_schema=object_schema(
            {
                "query": {"type": "string", "description": "The question, in any language."},
                "language": {
                    "type": "string",
                    "default": language,
                    "description": "Language of the answer: zh-CN, en-US, ja-JP, ko-KR, de-DE, "
                    "fr-FR or another hl code.",
                },
                "follow_up": {
                    "type": "boolean",
                    "default": False,
                    "description": "Ask in the conversation that is open, if one is.",
                },
                "blocks": {
                    "type": "boolean",
                    "default": False,
                    "description": "Give the answer as structured blocks too, for programs.",
                },
            },
            required=["query"],
        ),
        output_schema=RESULT,
        arguments=AISearchArguments,
    )
