"""Tools that a page offers to agents (WebMCP): those of its documents, and calls of them."""

from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import attrs
import msgspec
import trio

from tabwright.cdp.domains import web_mcp
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.wire import Raw
from tabwright.page.action_runner import ActionPlan, ActionRunner, answers
from tabwright.page.events.collector import FrameTool
from tabwright.page.frames import ResolvedElement
from tabwright.page.isolated_worlds import UNDO_S
from tabwright.page.outline_text import escape_refs, truncate
from tabwright.protocol.errors import BadInput, PageFailed, having_sent
from tabwright.protocol.inspection import CallPageTool, Evaluation, ListPageTools, PageTool
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import check_place

CALL_S = 60.0
"""Seconds for a tool of a page to respond."""

INTERRUPTED = "The tool has returned no result: its call was cancelled because of the dialog."

TOOLS_MAX = 64
"""Maximum number of tools of one page that are listed."""

TEXT_MAX = 4000
"""Maximum characters of a description or a schema; a tool with a longer one is not listed."""


@answers(ListPageTools, dialog=True, anywhere=True)
async def list_page_tools(runner: ActionRunner, _request: ListPageTools) -> tuple[PageTool, ...]:
    with runner.dialogs.until_open():
        runner.listed_tools = tuple(tool for tool, _ in await _listed(runner))[:TOOLS_MAX]
    offered = {one.tool.name for one in runner.collector.page_tools}
    return tuple(one for one in runner.listed_tools if one.name in offered)


async def _listed(runner: ActionRunner) -> list[tuple[PageTool, FrameTool]]:
    offered = tuple(runner.collector.page_tools)
    if not offered:
        return []
    documents = [await runner.documents.main()]
    if any(one.tool.frame_id != documents[0].frame_id for one in offered):
        documents += await runner.documents.frames()
    origins = dict[str, str]()
    for document in documents:
        place = await runner.documents.call(document, "place", answer=ResolvedElement)
        with suppress(BadInput):
            check_place(place.url, runner.bounds)
            parts = urlsplit(place.url)
            origins[document.frame_id] = f"{parts.scheme}://{parts.netloc}"
    return [
        (_page_tool(one, origins[one.tool.frame_id], runner.documents.masked), one)
        for one in offered
        if one.tool.frame_id in origins and _is_short(one.tool)
    ]


def _page_tool(offered: FrameTool, origin: str, masked: Callable[[str], str]) -> PageTool:
    tool = offered.tool
    return PageTool(
        name=tool.name,
        description=masked(tool.description),
        origin=origin,
        input_schema=masked(bytes(tool.input_schema).decode()),
        read_only=tool.annotations is not None and tool.annotations.read_only,
    )


def _is_short(tool: web_mcp.OfferedTool) -> bool:
    texts = (tool.name, tool.description, bytes(tool.input_schema).decode())
    return all(len(text) <= TEXT_MAX for text in texts)


@answers(CallPageTool)
async def call_page_tool(runner: ActionRunner, request: CallPageTool) -> Evaluation:
    wanted = (request.name, request.origin)
    offered = [one for tool, one in await _listed(runner) if (tool.name, tool.origin) == wanted]
    if not offered:
        raise BadInput(
            ("The page does not offer the tool ", Quoted(request.name), "."),
            advice="List the tools again: they change with the page.",
        )
    try:
        msgspec.json.decode(request.arguments, type=dict[str, object])
    except msgspec.DecodeError as error:
        raise BadInput("The arguments are not a JSON object.") from error
    given = Raw(request.arguments.encode())
    output = ""

    async def call() -> None:
        """Call the tool, and cancel the call if it is cancelled.

        Raises:
            PageFailed: the tool failed, or did not respond within `CALL_S` seconds.
        """
        nonlocal output
        output = await _respond(offered[0], given)

    plan = ActionPlan("Called the tool of the page.", call, held_s=CALL_S + 1, is_plain=True)
    outcome = await runner.act(plan)
    if not output:
        outcome = attrs.evolve(outcome, notes=(*outcome.notes, INTERRUPTED))
    return Evaluation(output or "null", outcome)


async def _respond(offered: FrameTool, given: Raw) -> str:
    session, tool = offered.session, offered.tool
    with session.subscribe(web_mcp.ToolResponded) as responses:
        try:
            begun = await session.execute(web_mcp.invoke_tool(tool.frame_id, tool.name, given))
        except CommandFailed as error:
            raise BadInput(
                ("The tool was not called: ", Quoted(error.text), "."),
                advice="Check the arguments against its schema.",
            ) from error
        responded = False
        with having_sent():
            try:
                with trio.move_on_after(CALL_S):
                    async for response in responses:
                        if response.invocation_id == begun.invocation_id:
                            responded = True
                            return _output(response)
            finally:
                if not responded:
                    with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
                        await session.execute(web_mcp.cancel_invocation(begun.invocation_id))
            raise PageFailed(
                f"The tool of the page did not respond within {CALL_S:g} s.",
                advice="Look at the page: it may wait for something.",
            )


def _output(response: web_mcp.ToolResponded) -> str:
    if response.status != "Completed":
        what = escape_refs(truncate(response.error_text))
        raise PageFailed(
            ("The tool of the page failed: ", Quoted(what or response.status), "."), retryable=False
        )
    return bytes(response.output).decode()
