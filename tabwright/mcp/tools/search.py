"""The tools ``web_search`` and ``google_ai_search``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.engines import GOOGLE_AI_MODE, EngineConfig
from tabwright.config.yaml_tables import WEB
from tabwright.mcp.arguments import JSONObject, object_schema, schema_of
from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult, failed
from tabwright.mcp.tools.page_arguments import Plain, Rare
from tabwright.protocol.ai_search import CONVERSATION, SearchResult
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.page_text import quoted
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


async def web_search(arguments: WebSearchArguments, context: ToolContext) -> ToolResult:
    """Search several engines."""
    from tabwright.search.serp.results import result_list  # noqa: PLC0415  (heavy)

    results = await context.tabwright.web_search(arguments.request(), progress=context.on_progress)
    return ToolResult(quoted(result_list(results)), attrs.asdict(results))


def web_search_tool(engines: EngineConfig) -> Tool[WebSearchArguments]:
    """The tool, with the engines that a call can name."""
    asked = {
        "items": {
            "type": "string",
            "enum": sorted(set(engines.paces) - {GOOGLE_AI_MODE, WEB}),
        },
        "default": list(engines.default),
        "description": f"else {', '.join(engines.default)}",
    }
    return Tool(
        name="web_search",
        description="Search several engines at once: one list, best first.",
        group="search",
        annotations=READS,
        arguments=WebSearchArguments,
        handler=web_search,
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


async def google_ai_search(arguments: AISearchArguments, context: ToolContext) -> ToolResult:
    """Ask Google AI Mode."""
    from tabwright.search.ai_mode.render import document  # noqa: PLC0415  (heavy)
    from tabwright.search.ai_mode.result import failure_message  # noqa: PLC0415  (heavy)

    language = arguments.language or context.tabwright.settings.search.language
    try:
        result = await context.tabwright.search(
            arguments.query,
            language=language,
            follow_up=arguments.follow_up,
            progress=context.on_progress,
        )
    except TabwrightError as error:
        return failed(quoted(failure_message(error, language)), error)
    text = document(result, follow_up=bool(arguments.follow_up))
    whose = f"Conversation: {result.conversation}" if result.conversation else ""
    return ToolResult((*quoted(text), whose), _record(result, blocks=arguments.blocks))


def _record(result: SearchResult, *, blocks: bool) -> JSONObject:
    from tabwright.search.ai_mode.render import to_record  # noqa: PLC0415  (heavy)

    record = to_record(result)
    return record if blocks else {key: record[key] for key in record if key != "blocks"}


def ai_search_tool(language: str) -> Tool[AISearchArguments]:
    """The tool; `language` is that of answers where a call names none."""
    told = {"description": f"else {language}", "default": language}
    return Tool(
        name="google_ai_search",
        description="Ask Google AI Mode: an answer with numbered sources.",
        group="search",
        annotations=READS,
        arguments=AISearchArguments,
        handler=google_ai_search,
        output_schema=RESULT,
        input_schema=schema_of(AISearchArguments, language=told),
    )


def tools(language: str, engines: EngineConfig) -> tuple[AnyTool, ...]:
    """Both; `language` is that of answers where a call names none."""
    return (ai_search_tool(language), web_search_tool(engines))
