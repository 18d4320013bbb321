"""Inspecting a page: its outline, elements, console, downloads and requests; printing it."""

import base64

import attrs
import trio

from tabwright.cdp.domains import network, page
from tabwright.cdp.errors import CommandFailed, SessionEnded, TargetCrashed
from tabwright.cdp.wire import JSON
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.events.network_log import SENT_MAX, WEB_SOCKET, LoggedRequest
from tabwright.page.frames import ANSWER_S, ResolvedElement
from tabwright.page.outline_text import diff_outlines
from tabwright.page.outline_view import written
from tabwright.page.screenshot import PICTURE_S, mask_secret_fields
from tabwright.protocol.actions import ConsoleEntry, Download, NetworkEntry
from tabwright.protocol.errors import BadInput, HintKind
from tabwright.protocol.inspection import (
    AwaitDownload,
    FindElements,
    FoundElements,
    ListDownloads,
    ListRequests,
    Locate,
    LocateOnPage,
    OutlineText,
    PageLocation,
    Print,
    ReadBody,
    ReadConsole,
    ReadRequest,
    RequestDetails,
    TakeOutline,
)
from tabwright.protocol.locators import parse_locator
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import ABOUT_BLANK
from tabwright.text.hints import advised

BEGINS_S = 5.0
"""Seconds for a download to begin; Chromium reports it after the end of its navigation."""


@answers(LocateOnPage, dialog=True, anywhere=True)
async def locate_on_page(runner: ActionRunner, request: LocateOnPage) -> PageLocation:
    if request.settles:
        await runner.settle()
    last = runner.last
    where = ResolvedElement(last.url, last.title) if last else ResolvedElement(ABOUT_BLANK, "")
    if not runner.is_empty:
        with runner.dialogs.until_open():
            where = await runner.documents.ask_main("place", answer=ResolvedElement)
    return PageLocation(
        where.url, where.title, runner.dialogs.open, runner.console.counts(), runner.person_acts
    )


@answers(TakeOutline)
async def outline(runner: ActionRunner, request: TakeOutline) -> OutlineText:
    before, view = runner.last, request.view
    element = None
    if request.ref:
        element = await runner.targets.find(request.ref)
    elif request.selector:
        element = await runner.targets.find(request.selector)
    if element is not None:
        view = attrs.evolve(view, whole=True)
    # Whether field values are needed in full; a list of changes needs no more than their beginning.
    is_whole = not request.diff and (view.whole or bool(view.query))
    options: dict[str, JSON] = {
        "hidden": request.hidden,
        "whole": is_whole,
        "boxes": request.boxes,
        "searches": bool(view.query),
    }
    if element is not None:
        taken = await runner.outliner.take({**options, "ref": element.number}, element.document)
    elif request.hidden or request.boxes or is_whole:
        taken = await runner.outliner.take(options)
    else:
        taken = await runner.outline()
    is_all = False
    if before is None or before.generation != taken.generation:
        text = written(taken, view)
    elif request.diff:
        changes, others = diff_outlines(before, taken, view.max_tokens)
        notes = others if changes else ("(No changes.)",)
        is_all = not others
        text = OutlineText(changes, taken.url, taken.title, notes=notes)
    else:
        text = written(taken, view, taken.refs - before.refs)
    runner.documents.show(None if is_all else text.text)
    return attrs.evolve(text, meanwhile=runner.events.meanwhile()) if request.events else text


@answers(Locate)
async def locate(runner: ActionRunner, request: Locate) -> str:
    return (await runner.targets.find(request.locator)).ref


@answers(FindElements)
async def find(runner: ActionRunner, request: FindElements) -> FoundElements:
    return await runner.targets.find_all(parse_locator(request.locator))


@answers(Print)
async def print_page(runner: ActionRunner, request: Print) -> bytes:
    command = page.print_to_pdf(landscape=request.landscape, background=request.background)
    with trio.fail_after(PICTURE_S):
        async with mask_secret_fields(runner):
            return base64.b64decode((await runner.session.execute(command)).data)


@answers(ReadConsole, dialog=True)
async def console(runner: ActionRunner, request: ReadConsole) -> tuple[ConsoleEntry, ...]:
    return runner.console.entries(request.level, request.after, this_page=request.this_page)


@answers(ListDownloads, dialog=True)
async def downloads(runner: ActionRunner, _request: ListDownloads) -> tuple[Download, ...]:
    with trio.move_on_after(ANSWER_S):
        await runner.files.rests()
    return runner.files.listed


@answers(AwaitDownload, dialog=True)
async def download(runner: ActionRunner, _request: AwaitDownload) -> Download | None:
    if runner.files.folder or runner.files.problem:
        with trio.move_on_after(BEGINS_S):
            await runner.files.begins()
        with trio.move_on_after(ANSWER_S):
            await runner.files.ends()
    return runner.files.of_navigation


@answers(ListRequests, dialog=True)
async def requests(runner: ActionRunner, request: ListRequests) -> tuple[NetworkEntry, ...]:
    return runner.requests.listed(request)


@answers(ReadRequest, dialog=True)
async def request_details(runner: ActionRunner, request: ReadRequest) -> RequestDetails:
    return runner.requests.details(_known(runner, request.number))


@answers(ReadBody, dialog=True)
async def body(runner: ActionRunner, request: ReadBody) -> bytes:
    known = _known(runner, request.number)
    if request.sent:
        return await _sent_body(known)
    if known.entry.kind == WEB_SOCKET:
        return runner.requests.frames_of(known).encode()
    if known.redirected:
        raise BadInput(
            f"Request {request.number} was redirected, so its body is not available.",
            advice="Read the request that followed.",
        )
    failures: list[CommandFailed | SessionEnded | TargetCrashed] = []
    # A move of a frame to another process is reported late, and with it the owner of its document.
    for session in dict.fromkeys((known.session, *runner.documents.sessions)):
        try:
            got = await session.execute(network.get_response_body(known.id))
        except (CommandFailed, SessionEnded, TargetCrashed) as error:
            failures.append(error)
        else:
            return base64.b64decode(got.body) if got.base64_encoded else got.body.encode()
    raise BadInput(("The body is not available: ", Quoted(failures[0].text), ".")) from failures[0]


async def _sent_body(known: LoggedRequest) -> bytes:
    """Return the body of a request: a short one is remembered, the browser has a long one."""
    if not known.has_body:
        raise BadInput(f"Request {known.entry.number} was sent without a body.")
    if known.sent_body and len(known.sent_body) < SENT_MAX:
        return known.sent_body
    if known.redirected:
        raise BadInput(
            f"Request {known.entry.number} was redirected, so its body is not available."
        )
    try:
        got = await known.session.execute(network.get_request_post_data(known.id))
    except (CommandFailed, SessionEnded, TargetCrashed) as error:
        raise BadInput(("The body is not available: ", Quoted(error.text), ".")) from error
    return base64.b64decode(got.post_data) if got.base64_encoded else got.post_data.encode()


def _known(runner: ActionRunner, number: int) -> LoggedRequest:
    known = runner.requests.find(number)
    if known is None:
        raise BadInput(f"There is no request {number}.", **advised(HintKind.LIST_REQUESTS))
    return known
