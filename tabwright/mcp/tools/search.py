"""The tools ``web_search`` and ``google_ai_search``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.config.engines import GOOGLE_AI_MODE, EngineConfig
from tabwright.config.yaml_tables import WEB
from tabwright.mcp.arguments import object_schema, schema_of
from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult, failed
from tabwright.mcp.tools.page_arguments import Rare
from tabwright.protocol.ai_search import CONVERSATION
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.untrusted_text import quoted
from tabwright.protocol.web_search import (
    READ_MAX,
    READ_TOKENS,
    Category,
    SafeSearch,
    TimeRange,
    WebSearch,
)
from tabwright.text.languages import ENGLISH

RANKING = object_schema(
    {
        "engine": {"type": "string"},
        "rank": {
            "type": "integer",
            "description": "Position in that engine's results, from 1.",
        },
    },
    required=["engine", "rank"],
)

FOUND = object_schema(
    {
        "title": {"type": "string"},
        "url": {"type": "string"},
        "snippet": {"type": "string"},
        "date": {"type": "string"},
        "score": {"type": "number", "description": "Sum of 1 / (60 + rank) over the engines."},
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
        "intervention": {
            "type": "string",
            "description": "Id of a CAPTCHA that a person could solve.",
        },
        "paused_for_s": {
            "type": "number",
            "description": "Seconds in which the engine is not asked again.",
        },
    },
    required=["engine", "kind", "message", "retryable"],
)

NOTICE = object_schema(
    {
        "kind": {"type": "string"},
        "message": {"type": "string"},
        "engine": {"type": "string", "description": "Empty if it concerns all engines."},
        "unread": {"type": "integer"},
        "rows": {"type": "integer"},
    },
    required=["kind", "message", "engine"],
)

READ = object_schema(
    {
        "number": {"type": "integer", "description": "Place of the result in the list, from 1."},
        "url": {"type": "string"},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "notice": {"type": "string"},
        "shortened": {
            "type": "boolean",
            "description": "Whether the page has more relevant passages.",
        },
        "kind": {"type": "string", "description": "Kind of the error; empty if there is none."},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
    },
    required=["number", "url", "title", "text", "kind"],
)

RESULTS = object_schema(
    {
        "query": {"type": "string"},
        "engines": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Engines that were asked, the preferred one first.",
        },
        "page": {"type": "integer"},
        "results": {"type": "array", "items": FOUND, "description": "Results, best match first."},
        "failures": {
            "type": "array",
            "items": FAILURE,
            "description": "Engines that failed, and why.",
        },
        "notices": {
            "type": "array",
            "items": NOTICE,
            "description": "Limits of the results, and engines that list nothing.",
        },
        "read": {
            "type": "array",
            "items": READ,
            "description": "Relevant passages of the first results, if requested.",
        },
    },
    required=["query", "engines", "page", "results", "failures", "notices"],
)
"""The record of `web_search`."""


@attrs.frozen
class WebSearchArguments:
    """Arguments of `web_search`."""

    query: str
    engines: Rare[tuple[str, ...]] | None = None
    page: Rare[Annotated[int, Meta(ge=1, description="Page of results.")]] = 1
    limit: Annotated[int, Meta(ge=1, le=50, description="Number of results.")] = 10
    time_range: Annotated[TimeRange, Meta(description="Maximum age.")] | None = None
    language: Annotated[str, Meta(description="Language, e.g. pt-BR.")] | None = None
    read: Rare[
        Annotated[
            int,
            Meta(
                ge=0,
                le=READ_MAX,
                description="Number of the first results to read: returns the passages of their "
                "pages that are relevant to the query.",
            ),
        ]
    ] = 0
    read_tokens: Rare[
        Annotated[int, Meta(ge=1, description="Maximum tokens of these passages in total.")]
    ] = READ_TOKENS

    category: Rare[
        Annotated[
            Category,
            Meta(description="Kind of results; selects the engines if none are named."),
        ]
    ] = "web"
    region: (
        Rare[Annotated[str, Meta(description="Region of results: two letters, e.g. AT.")]] | None
    ) = None
    safe_search: (
        Rare[Annotated[SafeSearch, Meta(description="How much explicit content is left out.")]]
        | None
    ) = None
    site: Rare[
        Annotated[str, Meta(description="Only results of this host, e.g. docs.python.org.")]
    ] = ""
    filetype: Rare[Annotated[str, Meta(description="Only files of this type, e.g. pdf.")]] = ""

    def request(self) -> WebSearch:
        """Return the search request."""
        return WebSearch(
            self.query,
            self.engines,
            self.page,
            self.limit,
            self.time_range,
            self.language,
            self.read,
            self.read_tokens,
            self.category,
            self.region,
            self.safe_search,
            self.site,
            self.filetype,
        )


async def web_search(arguments: WebSearchArguments, context: ToolContext) -> ToolResult:
    """Search several engines."""
    from tabwright.search.serp.results import result_list  # noqa: PLC0415  heavy

    results = await context.tabwright.web_search(arguments.request(), progress=context.on_progress)
    language = arguments.language or context.tabwright.settings.search.language
    listed = result_list(results, language or ENGLISH)
    return ToolResult(quoted(listed), attrs.asdict(results))


def web_search_tool(engines: EngineConfig) -> Tool[WebSearchArguments]:
    """Return the tool with the engines of the configuration."""
    asked = {
        "items": {
            "type": "string",
            "enum": sorted(set(engines.paces) - {GOOGLE_AI_MODE, WEB}),
        },
        "default": list(engines.default),
        "description": f"Search engines; default: {', '.join(engines.default)}.",
    }
    return Tool(
        name="web_search",
        description=(
            "Search several web engines. Returns titles, URLs and snippets; read the pages with "
            "browse."
        ),
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
        "ai_answer": {
            "type": "string",
            "description": "Answer in Markdown; [1] refers to source 1.",
        },
        "sources": {"type": "array", "items": SOURCE},
        "error": {"type": "string"},
        "language": {"type": "string"},
        "warning": {"type": "string", "description": "Empty if nothing went wrong."},
        "continued": {
            "type": "boolean",
            "description": "Whether an open conversation was continued.",
        },
        "conversation": {
            "type": "string",
            "pattern": f"^({CONVERSATION})?$",
            "description": "Id of the conversation, for follow_up.",
        },
        "blocks": {
            "type": "array",
            "items": object_schema({"kind": {"type": "string"}}, required=["kind"]),
            "description": "Structure of the answer, if requested: paragraph, heading, "
            "list, table, code, quote, rule.",
        },
    },
    required=["success", "query", "ai_answer", "sources", "language", "warning"],
)
"""The record of `google_ai_search`."""


@attrs.frozen
class AISearchArguments:
    """Arguments of `google_ai_search`."""

    query: Annotated[str, Meta(description="Question.")]
    language: str | None = None
    follow_up: Annotated[
        bool | str,
        Meta(description='Continue a conversation: its id, or "true" for the latest.'),
    ] = False
    blocks: Rare[
        Annotated[bool, Meta(description="Also return the answer as structured blocks.")]
    ] = False


async def google_ai_search(arguments: AISearchArguments, context: ToolContext) -> ToolResult:
    """Ask Google AI Mode."""
    from tabwright.search.ai_mode.result import (  # noqa: PLC0415  (heavy)
        document,
        failure_sentence,
        to_record,
    )

    language = (await context.settings(arguments)).language
    try:
        result = await context.tabwright.search(
            arguments.query,
            language=language,
            follow_up=arguments.follow_up,
            progress=context.on_progress,
        )
    except TabwrightError as error:
        return failed((failure_sentence(error, language),), error)
    text = document(result, follow_up=bool(arguments.follow_up))
    whose = f"Conversation: {result.conversation}" if result.conversation else ""
    record = to_record(result)
    if not arguments.blocks:
        record = {key: value for key, value in record.items() if key != "blocks"}
    return ToolResult((*quoted(text), whose), record)


def ai_search_tool(language: str) -> Tool[AISearchArguments]:
    """Return the tool; `language` is the default language of answers."""
    described = {
        "description": "Language, e.g. en-US; use the user's.",
        "default": language,
    }
    return Tool(
        name="google_ai_search",
        title="Google AI search",
        description=(
            "Ask Google AI Mode a question. Returns an answer with sources; for results, "
            "use web_search."
        ),
        group="search",
        annotations=READS,
        arguments=AISearchArguments,
        handler=google_ai_search,
        output_schema=RESULT,
        input_schema=schema_of(AISearchArguments, language=described),
    )


def tools(language: str, engines: EngineConfig) -> tuple[AnyTool, ...]:
    """Return both tools; `language` is the default language of answers."""
    return (ai_search_tool(language), web_search_tool(engines))
