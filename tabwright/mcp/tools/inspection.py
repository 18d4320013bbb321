"""Tools for debugging a page: ``evaluate``, ``console`` and ``network``."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.page_results import evaluation_result
from tabwright.mcp.tool import ACTS, READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.actions import OUTCOME
from tabwright.mcp.tools.files import save
from tabwright.mcp.tools.page_arguments import MaxTokens, Offset, Rare, Ref, TabArguments
from tabwright.protocol.actions import ConsoleLevel
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Evaluate, Evaluation, ListRequests, ReadConsole
from tabwright.protocol.untrusted_text import plain
from tabwright.text.lines import verbatim
from tabwright.text.token_budget import opening, stretch

NETWORK_TOKENS = 2000

_LIST: JSONObject = {"type": "array", "items": {"type": "object"}}


EARLIER = "Include those of earlier pages."

UNSAVED = "The value was not saved: a dialog interrupted the script."


@attrs.frozen(kw_only=True)
class EvaluateArguments(TabArguments):
    """Arguments of `evaluate`."""

    script: Annotated[
        str, Meta(description="JavaScript expression; with ref, a function that takes the element.")
    ]
    ref: Ref = ""
    refs: Rare[
        Annotated[tuple[str, ...], Meta(description="Further elements, as further arguments.")]
    ] = ()
    filename: Rare[
        Annotated[str, Meta(description="Save the value under this name in the download folder.")]
    ] = ""

    def request(self) -> Evaluate:
        """Return the request for the tab."""
        return Evaluate(self.script, self.ref, self.refs)


async def evaluate(arguments: EvaluateArguments, context: ToolContext) -> ToolResult:
    """Run a script in the page, if the user allows it."""
    tabwright = context.tabwright
    settings = await context.settings(arguments)
    if not settings.acting.scripts:
        raise BadInput(
            "Scripts are not allowed.",
            advice="The user can set acting.scripts: true.",
        )
    evaluation = await tabwright.session(arguments.session).inspect(
        arguments.request(), tab=arguments.tab
    )
    if arguments.filename:
        if evaluation.outcome.dialog is not None:
            evaluation = _noted(evaluation, UNSAVED)
        else:
            value = tabwright.parts.secrets.masked(evaluation.json)
            try:
                path = await save(tabwright, arguments.filename, value)
            except BadInput as refusal:  # the script has run: its value is returned instead
                evaluation = _noted(evaluation, f"The value was not saved. {refusal}")
            else:
                return evaluation_result(evaluation, value, context.names, 0, path=path)
    given = tabwright.parts.secrets.masked(verbatim(evaluation.json))  # before it is cut
    budget = settings.reading.outline_tokens_max
    return evaluation_result(
        evaluation, given, context.names, budget, "return less from the script"
    )


def _noted(evaluation: Evaluation, note: str) -> Evaluation:
    """Return the evaluation with one more note."""
    outcome = evaluation.outcome
    return attrs.evolve(evaluation, outcome=attrs.evolve(outcome, notes=(*outcome.notes, note)))


EVALUATE = Tool(
    name="evaluate",
    description=(
        "Run JavaScript in the page and return its value as JSON, if the user allows scripts."
    ),
    output_schema=object_schema(
        {
            "json": {"type": "string", "description": "The value as JSON, unless it was saved."},
            "path": {"type": "string", "description": "Path of the file."},
            "outcome": OUTCOME,
        },
        required=[],
    ),
    arguments=EvaluateArguments,
    handler=evaluate,
    group="debug",
    annotations=ACTS,
)


@attrs.frozen(kw_only=True)
class ConsoleArguments(TabArguments):
    """Arguments of `console`."""

    level: Annotated[ConsoleLevel, Meta(description="Lowest level to return.")] = "info"
    after: Annotated[int, Meta(description="Return only entries after this number.")] = 0
    earlier: Rare[Annotated[bool, Meta(description=EARLIER)]] = False
    issues: Annotated[
        bool,
        Meta(
            description="Problems that the browser has found instead: cookies, mixed content, "
            "CORS, CSP, forms, deprecated features."
        ),
    ] = False

    def request(self) -> ReadConsole:
        """Return the request for the tab."""
        return ReadConsole(self.level, self.after, this_page=not self.earlier)


async def console(arguments: ConsoleArguments, context: ToolContext) -> ToolResult:
    """List console messages and uncaught errors, or what the browser has found."""
    if arguments.issues:
        return await _issues(arguments, context)
    from tabwright.page.render import console_parts  # noqa: PLC0415  (heavy)

    entries = await context.tabwright.session(arguments.session).inspect(
        arguments.request(), tab=arguments.tab
    )
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    record = {"entries": [attrs.asdict(one) for one in entries]}
    return ToolResult(console_parts(entries, budget, context.names), record)


async def _issues(arguments: ConsoleArguments, context: ToolContext) -> ToolResult:
    from tabwright.page.issues import ReadBrowserIssues  # noqa: PLC0415  (heavy)

    found = await context.tabwright.session(arguments.session).inspect(
        ReadBrowserIssues(), tab=arguments.tab
    )
    lines = [
        f"{one.code}{f' ({one.count}x)' if one.count > 1 else ''}: "
        + ", ".join(f"{name} {value}" for name, value in one.details)
        for one in found
    ]
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    record = {"issues": [{**attrs.asdict(one), "details": dict(one.details)} for one in found]}
    return ToolResult(opening("\n".join(lines) or "(No issues.)", budget), record)


CONSOLE = Tool(
    name="console",
    description="List the page's console messages and uncaught errors.",
    output_schema=object_schema({"entries": _LIST, "issues": _LIST}, required=[]),
    arguments=ConsoleArguments,
    handler=console,
    group="debug",
    annotations=READS,
)


@attrs.frozen(kw_only=True)
class NetworkArguments(TabArguments):
    """Arguments of `network`."""

    filter: Annotated[str, Meta(description="Text in the URL.")] = ""
    kind: Annotated[str, Meta(description="Resource type, e.g. Document, Fetch or WebSocket.")] = ""
    failed: Annotated[bool, Meta(description="Only failures.")] = False
    earlier: Annotated[bool, Meta(description=EARLIER)] = False
    request: (
        Annotated[
            int,
            Meta(ge=1, description="Number of a request: show its headers and sent body."),
        ]
        | None
    ) = None
    body: (
        Annotated[
            int,
            Meta(
                ge=1,
                description="Number of a request: show its response body or frames.",
            ),
        ]
        | None
    ) = None
    filename: Annotated[
        str, Meta(description="Save the body under this name in the download folder.")
    ] = ""
    max_tokens: MaxTokens = NETWORK_TOKENS
    offset: Rare[Offset] = 0

    def __attrs_post_init__(self) -> None:
        if self.body is not None and self.request is not None:
            raise BadInput("Both request and body were given.", advice="Omit one of them.")
        if self.filename and self.body is None:
            raise BadInput("filename requires body.", advice="Set body, or omit filename.")

    @property
    def tokens(self) -> int:
        """Return the token limit of the answer."""
        return self.max_tokens or NETWORK_TOKENS

    def listing(self) -> ListRequests:
        """Return the request for the list."""
        return ListRequests(self.filter, self.kind, self.failed, this_page=not self.earlier)


async def network(arguments: NetworkArguments, context: ToolContext) -> ToolResult:
    """List requests, or show one of them or its response body."""
    if arguments.body is not None:
        return await _body(arguments, arguments.body, context)
    if arguments.request is not None:
        return await _request(arguments, arguments.request, context)
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)
    from tabwright.page.render import requests_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.session(arguments.session).inspect(
        arguments.listing(), tab=arguments.tab
    )
    record = {"requests": [without_empty(attrs.asdict(one)) for one in listed]}
    parts = requests_parts(listed, arguments.tokens, arguments.offset, context.names)
    return ToolResult(parts, record)


async def _body(arguments: NetworkArguments, number: int, context: ToolContext) -> ToolResult:
    from tabwright.mcp.request_details import (  # noqa: PLC0415  (heavy)
        RequestDetailsReader,
        text_of,
    )

    one = RequestDetailsReader(context.tabwright, arguments.session, number, arguments.tab)
    data = await one.body()
    if arguments.filename:
        return await one.saved(arguments.filename, data)
    text = text_of(data)
    if text is None:
        return await one.binary(data)
    parts = stretch(one.shown(text), arguments.offset, arguments.tokens)
    return ToolResult(parts, {"body": plain(parts)})


async def _request(arguments: NetworkArguments, number: int, context: ToolContext) -> ToolResult:
    from tabwright.mcp.request_details import RequestDetailsReader  # noqa: PLC0415  (heavy)
    from tabwright.page.render import details_record  # noqa: PLC0415  (heavy)

    one = RequestDetailsReader(context.tabwright, arguments.session, number, arguments.tab)
    details = await one.details()
    parts = stretch(await one.whole(details), arguments.offset, arguments.tokens)
    return ToolResult(parts, {"request": details_record(details)})


NETWORK = Tool(
    name="network",
    description="List the page's network requests and WebSockets, or show one's headers or body.",
    output_schema=object_schema(
        {
            "requests": _LIST,
            "request": {"type": "object", "description": "The request with its headers."},
            "body": {"type": "string"},
            "size_bytes": {"type": "integer", "description": "Size of a body that is not text."},
            "path": {"type": "string", "description": "Path of the file."},
        },
        required=[],
    ),
    arguments=NetworkArguments,
    handler=network,
    group="debug",
    annotations=READS,
)


TOOLS = (EVALUATE, CONSOLE, NETWORK)
