"""What an agent debugs a page with: ``evaluate``, ``console``, ``network`` and ``emulate``."""

import re
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.page_results import outcome_fields
from tabwright.mcp.tool import ACTS, LOOKS, READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.actions import OUTCOME, ActArguments, act
from tabwright.mcp.tools.page_arguments import MaxTokens, Offset, Rare, Ref, TabArguments
from tabwright.protocol.actions import ConsoleLevel, Emulate
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Evaluate, ListRequests, ReadConsole
from tabwright.protocol.page_text import plain, quoted
from tabwright.protocol.tab import Inspect
from tabwright.text.token_budget import beginning, stretch

_LOCALE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")

NETWORK_TOKENS = 2000

_LIST: JSONObject = {"type": "array", "items": {"type": "object"}}


@attrs.frozen(kw_only=True)
class EvaluateArguments(TabArguments):
    """What `evaluate` takes."""

    script: Annotated[str, Meta(description="expression; with ref, function of the element")]
    ref: Ref = ""

    def request(self) -> Evaluate:
        """The request."""
        return Evaluate(self.script, self.ref)


async def evaluate(arguments: EvaluateArguments, context: ToolContext) -> ToolResult:
    """Run a script in the page, if the user allows it."""
    from tabwright.content.documents import verbatim  # noqa: PLC0415  (heavy)
    from tabwright.page.render import outcome_parts  # noqa: PLC0415  (heavy)

    tabwright = context.tabwright
    if not tabwright.settings.acting.scripts:
        raise BadInput(
            "Scripts are not allowed here.",
            advice="The user may set acting.scripts: true.",
        )
    evaluation = await tabwright.in_tab(
        Inspect(arguments.request()), session=arguments.session, tab=arguments.tab
    )
    changes = outcome_parts(attrs.evolve(evaluation.outcome, said=""), context.names)
    given = tabwright.secrets.masked(verbatim(evaluation.json))  # before it is cut
    value, cut = beginning(given, tabwright.settings.acting.max_tokens)
    more = (f"({cut} more characters: let the script return less.)",) if cut else ()
    record = {"json": evaluation.json, "outcome": outcome_fields(evaluation.outcome)}
    return ToolResult((*quoted(value), *changes, *more), record)


EVALUATE = Tool(
    name="evaluate",
    description="Run JavaScript in the page, if the user allows it.",
    output_schema=object_schema(
        {"json": {"type": "string", "description": "The value as JSON."}, "outcome": OUTCOME},
        required=["json"],
    ),
    arguments=EvaluateArguments,
    handler=evaluate,
    group="debug",
    annotations=ACTS,
)


@attrs.frozen(kw_only=True)
class ConsoleArguments(TabArguments):
    """What `console` takes."""

    level: ConsoleLevel = "info"
    after: Annotated[int, Meta(description="number of the last known")] = 0

    def request(self) -> ReadConsole:
        """The request."""
        return ReadConsole(self.level, self.after)


async def console(arguments: ConsoleArguments, context: ToolContext) -> ToolResult:
    """List what scripts said and threw."""
    from tabwright.page.render import console_parts  # noqa: PLC0415  (heavy)

    entries = await context.tabwright.inspect(
        arguments.request(), session=arguments.session, tab=arguments.tab
    )
    budget = context.tabwright.settings.acting.max_tokens
    record = {"entries": [attrs.asdict(one) for one in entries]}
    return ToolResult(console_parts(entries, budget, context.names), record)


CONSOLE = Tool(
    name="console",
    description="What the page's scripts said and threw.",
    output_schema=object_schema({"entries": _LIST}, required=["entries"]),
    arguments=ConsoleArguments,
    handler=console,
    group="debug",
    annotations=READS,
)


@attrs.frozen(kw_only=True)
class NetworkArguments(TabArguments):
    """What `network` takes."""

    filter: Annotated[str, Meta(description="in the URL")] = ""
    kind: Annotated[str, Meta(description="as Fetch")] = ""
    failed: bool = False
    request: Annotated[int, Meta(ge=1, description="headers and sent body of this one")] | None = (
        None
    )
    body: Annotated[int, Meta(ge=1, description="of the answer to this one")] | None = None
    filename: Annotated[str, Meta(description="for body, in the download folder")] = ""
    max_tokens: MaxTokens = NETWORK_TOKENS
    offset: Rare[Offset] = 0

    def __attrs_post_init__(self) -> None:
        if self.body is not None and self.request is not None:
            raise BadInput("Both request and body are given.", advice="Leave one out.")
        if self.filename and self.body is None:
            raise BadInput("A filename is for a body.", advice="Give body, or leave filename out.")

    @property
    def tokens(self) -> int:
        """What the answer may have."""
        return self.max_tokens or NETWORK_TOKENS

    def listing(self) -> ListRequests:
        """The request for the list."""
        return ListRequests(self.filter, self.kind, self.failed)


async def network(arguments: NetworkArguments, context: ToolContext) -> ToolResult:
    """List requests, or show one of them, or the body of its answer."""
    if arguments.body is not None:
        return await _body(arguments, arguments.body, context)
    if arguments.request is not None:
        return await _request(arguments, arguments.request, context)
    from tabwright.content.render.json_record import without_empty  # noqa: PLC0415  (heavy)
    from tabwright.page.render import requests_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.inspect(
        arguments.listing(), session=arguments.session, tab=arguments.tab
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
    description="The page's latest requests and WebSockets; or one with headers and what was"
    " sent; or the body, or the frames, of one.",
    output_schema=object_schema(
        {
            "requests": _LIST,
            "request": {"type": "object", "description": "With its headers."},
            "body": {"type": "string"},
            "size_bytes": {"type": "integer", "description": "Of a body that is not text."},
            "path": {"type": "string", "description": "Of the file."},
        },
        required=[],
    ),
    arguments=NetworkArguments,
    handler=network,
    group="debug",
    annotations=READS,
)


@attrs.frozen(kw_only=True)
class EmulateArguments(ActArguments):
    """What `emulate` takes."""

    viewport: Annotated[tuple[int, int], Meta(description="0, 0: the browser's own")] | None = None
    scale: Rare[Annotated[float, Meta(gt=0, le=5)]] = 1.0
    mobile: bool = False
    locale: Annotated[str, Meta(description="such as de-DE; or default")] | None = None
    timezone: Annotated[str, Meta(description="such as Europe/Berlin; or default")] | None = None
    offline: bool | None = None
    dark: bool | None = None

    def __attrs_post_init__(self) -> None:
        if self.locale and not _LOCALE.fullmatch(self.locale):
            raise BadInput(
                f"{self.locale!r} is not a locale.", advice="Give one such as de-DE, or default."
            )

    def request(self) -> Emulate:
        """The request."""
        return Emulate(
            self.viewport,
            self.scale,
            self.mobile,
            _unless_default(self.locale),
            _unless_default(self.timezone),
            self.offline,
            self.dark,
        )


def _unless_default(chosen: str | None) -> str | None:
    """What is asked of the tab: empty for the browser's own."""
    return "" if chosen == "default" else chosen


EMULATE = Tool(
    name="emulate",
    description="Change the page's device, place or network.",
    output_schema=OUTCOME,
    arguments=EmulateArguments,
    handler=act,
    group="debug",
    annotations=LOOKS,
)

TOOLS = (EVALUATE, CONSOLE, NETWORK, EMULATE)
