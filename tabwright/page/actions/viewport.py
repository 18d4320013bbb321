"""Actions on the page as a whole: scroll, wait, answer a dialog, emulate a device."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import attrs
import trio

from tabwright.cdp.domains import emulation, network, page
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.action_runner import HELD_S, ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import ActionabilityReport, raise_not_actionable
from tabwright.page.frames import POLL_S, ElementHandle, FrameDocument, ResolvedElement
from tabwright.page.outline_text import escape_refs
from tabwright.page.targets import steps_of
from tabwright.page.user_scripts import SCRIPT_S
from tabwright.protocol.actions import (
    AnswerDialog,
    Emulate,
    Outcome,
    ScriptEnd,
    Scroll,
    StepCondition,
    WaitFor,
)
from tabwright.protocol.errors import BadInput, Effect, HintKind, TimeOut
from tabwright.protocol.locators import parse_locator
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.hints import advised

# Emulating a device.


def emulation_commands(
    request: Emulate, size: tuple[int, int] | None = None
) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands for the requested device.

    Args:
        request: the requested changes.
        size: see `AttachedPage`.
    """
    if request.viewport == (0, 0):
        yield emulation.set_size(size)
        yield emulation.set_touch(enabled=False)
    elif request.viewport is not None:
        width, height = request.viewport
        yield emulation.set_device(width, height, scale=request.scale, mobile=request.mobile)
        yield emulation.set_touch(enabled=request.mobile)
    if request.locale is not None:
        yield emulation.set_locale(request.locale.replace("-", "_"))
    if request.timezone is not None:
        yield emulation.set_timezone(request.timezone)
    if request.offline is not None:
        yield network.emulate_conditions(offline=request.offline)
    if request.dark is not None:
        scheme: JSON = {"name": "prefers-color-scheme", "value": "dark" if request.dark else ""}
        yield emulation.set_media("", [scheme])


def refused(request: Emulate, method: str) -> BadInput:
    """Return the error for a setting that the browser refuses.

    Args:
        request: the requested setting.
        method: the refused command.
    """
    if method == emulation.set_timezone("").method:
        return BadInput(
            f"{request.timezone!r} is not a time zone.", advice="Use a name such as Europe/Berlin."
        )
    if method == emulation.set_locale("").method:
        return BadInput(
            f"{request.locale!r} is not a locale.", advice="Use a locale such as de-DE."
        )
    return BadInput("The browser does not accept that value.", advice="Change one value at a time.")


def emulation_text(request: Emulate) -> str:
    """Return the changes, in words."""
    parts = [
        _viewport(request) if request.viewport is not None else "",
        f"locale {request.locale or 'as before'}" if request.locale is not None else "",
        f"time zone {request.timezone or 'as before'}" if request.timezone is not None else "",
        ("offline" if request.offline else "online") if request.offline is not None else "",
        ("dark" if request.dark else "light") if request.dark is not None else "",
    ]
    return f"Now emulated: {', '.join(filter(None, parts)) or 'no change'}."


def _viewport(request: Emulate) -> str:
    width, height = request.viewport or (0, 0)
    if not width:
        return "the default size"
    return f"{width}x{height}" + (" on a telephone" if request.mobile else "")


POLL_MS = 500
"""Milliseconds between two checks of a page without changes: a frame loads without them."""

POLL_SHARE = 4
"""The pause after a check, in multiples of its duration: a large page is not kept busy."""

SECONDS_MAX = 300.0

WHOLE_PAGE = 0
"""A value in place of the number of an element."""


@attrs.frozen(kw_only=True)
class _Scrolled:
    """The position of a scrollable area: pixels before the view, in all, and in the view."""

    sideways: bool = False
    problem: str = ""
    detail: str = ""
    top: float = 0
    height: float = 0
    view: float = 0

    def __str__(self) -> str:
        left = max(0, self.height - self.top - self.view)
        if left < 1 and self.top < 1:
            return "There is nothing to scroll: everything is visible."
        first, last = ("left", "right") if self.sideways else ("top", "bottom")
        ends = f"the {first}" if self.top < 1 else f"the {last}" if left < 1 else ""
        before, after = ("to the left", "to the right") if self.sideways else ("above", "below")
        place = f"{self.top:.0f} px {before}, {left:.0f} px {after}"
        return f"Scrolled: at {ends}, {place}." if ends else f"Scrolled: {place}."


@performs(Scroll)
async def scroll(runner: ActionRunner, request: Scroll) -> Outcome:
    goal = request.goal
    if goal == "text" and not request.text:
        raise BadInput("No text is given.", advice="Set text.")
    if request.ref:
        element = await runner.targets.find(request.ref)
    elif goal == "element":
        raise BadInput("No element is given.", advice="Set ref.")
    else:
        element = ElementHandle(await runner.documents.main(), WHOLE_PAGE)
    options: JSON = {"to": goal, "x": request.x, "y": request.y, "text": request.text}
    scrolled = await runner.documents.call_on(element, "scroll", options, answer=_Scrolled)
    if scrolled.problem:
        if scrolled.problem == "no text":
            raise BadInput(
                ("The page has no text ", Quoted(repr(request.text)), "."),
                **advised(HintKind.FIND_TEXT),
            )
        raise_not_actionable(
            ActionabilityReport(problem=scrolled.problem, detail=scrolled.detail), request.ref
        )
    may_load_more = goal in {"by", "bottom"}
    move = ActionPlan(
        str(scrolled),
        trio.lowlevel.checkpoint,
        may_be_late=may_load_more,
        is_plain=True,
        has_own_effect=True,
    )
    return await runner.act(move)


@performs(WaitFor)
async def wait_for(runner: ActionRunner, request: WaitFor) -> Outcome:
    seconds = min(request.limit_s, SECONDS_MAX)
    options: dict[str, JSON] = {
        "text": list(request.text),
        "gone": request.gone,
        "selector": request.selector,
        "url": request.url,
    }
    wanted: dict[str, JSON] = {name: value for name, value in options.items() if value}
    text = ", ".join(f"{name} {_alternatives(value)}" for name, value in wanted.items())
    if request.selector:
        wanted["selector"] = steps_of(parse_locator(request.selector))

    async def wait() -> None:
        """Wait at most `seconds`; cancellation changes nothing in the page.

        Raises:
            TimeOut: the conditions were not met.
        """
        with trio.move_on_after(seconds) as waiting:
            if wanted:
                await _until(runner, wanted)
            elif request.idle:
                await runner.requests.rests()
            else:
                await trio.sleep_forever()
        if waiting.cancelled_caught and (wanted or request.idle):
            late = TimeOut(
                (f"Not fulfilled within {seconds:g} s: ", Quoted(text or "idle"), "."),
                **advised(HintKind.WAIT_LONGER),
            )
            late.effect = Effect.NONE
            raise late

    idle = "the page is idle" if request.idle else f"{seconds:g} s are over"
    move = ActionPlan(f"Waited: {text or idle}.", wait, held_s=seconds + 1, is_plain=not wanted)
    return await runner.act(move)


def _alternatives(value: JSON) -> str:
    return " or ".join(map(repr, value)) if isinstance(value, list) else repr(value)


@attrs.frozen
class _Showing:
    """The wait conditions that a document meets."""

    text: bool
    gone: bool
    selector: bool


async def condition_holds(runner: ActionRunner, condition: StepCondition) -> bool:
    """Return whether the page meets a condition, without waiting; variables are not looked at.

    Raises:
        BadInput: a target is not valid.
        CDPError, PageFailed: the page does not respond.
    """
    given: dict[str, JSON] = {
        "text": [condition.text] if condition.text else [],
        "gone": condition.gone,
        "url": condition.url,
    }
    wanted: dict[str, JSON] = {name: value for name, value in given.items() if value}
    if wanted:
        documents = (await runner.documents.main(), *await runner.documents.frames())
        if not await _holds(runner, documents, wanted):
            return False
    visible, hidden = condition.visible, condition.hidden
    return (not visible or await _is_visible(runner, visible)) and not (
        hidden and await _is_visible(runner, hidden)
    )


async def _is_visible(runner: ActionRunner, target: str) -> bool:
    documents, steps = await runner.targets.search(target)
    for document in documents:
        if await runner.documents.call(document, "isVisible", steps, answer=bool):
            return True
    return False


async def _until(runner: ActionRunner, wanted: dict[str, JSON]) -> None:
    """Check the page and its frames on each change, and at least every `POLL_MS`."""
    while True:
        began = trio.current_time()
        with suppress(CommandFailed):  # the document is gone, and the next one is loading
            documents = (await runner.documents.main(), *await runner.documents.frames())
            changed = trio.Event()
            async with background_nursery() as watching:
                for document in documents:  # first, so that no change is missed meanwhile
                    watching.start_soon(_set_at_change, runner, document, changed)
                if await _holds(runner, documents, wanted):
                    return
                cost = trio.current_time() - began
                with trio.move_on_after(POLL_MS / 1000):
                    await changed.wait()
                    await trio.sleep_until(began + cost + max(POLL_S, cost * POLL_SHARE))
            continue
        await trio.sleep(POLL_S)


async def _set_at_change(
    runner: ActionRunner, document: FrameDocument, changed: trio.Event
) -> None:
    with suppress(CommandFailed, trio.TooSlowError):
        await runner.documents.call(document, "changed", POLL_MS, answer=bool)
    changed.set()


async def _holds(
    runner: ActionRunner, documents: Sequence[FrameDocument], wanted: dict[str, JSON]
) -> bool:
    url = wanted.get("url")
    if isinstance(url, str):
        place = await runner.documents.call(documents[0], "place", answer=ResolvedElement)
        if url not in place.url:
            return False
    showing = [
        found
        for document in documents
        if (found := await _showing(runner, document, wanted, owned=document is not documents[0]))
    ]
    return (
        ("text" not in wanted or any(one.text for one in showing))
        and ("selector" not in wanted or any(one.selector for one in showing))
        and not any(one.gone for one in showing)
    )


async def _showing(
    runner: ActionRunner, document: FrameDocument, wanted: JSON, *, owned: bool
) -> _Showing | None:
    """Check a document; return None if its frame has just disappeared or does not respond."""
    try:
        return await runner.documents.call(document, "shows", wanted, answer=_Showing)
    except (CommandFailed, trio.TooSlowError):
        if not owned:
            raise
        return None


@performs(AnswerDialog, dialog=True)
async def answer_dialog(runner: ActionRunner, request: AnswerDialog) -> Outcome:
    dialog = runner.dialogs.open
    if dialog is None:
        dialogs = runner.dialogs.next_answered()
        if not dialogs:
            raise BadInput("No dialog is open.", advice="Continue with the next action.")
        questions = ", then ".join(f'{one.kind} "{escape_refs(one.message)}"' for one in dialogs)
        return await runner.act(
            ActionPlan(f"Answered immediately: {questions}.", trio.lowlevel.checkpoint)
        )
    text = dialog.preset if request.text is None else request.text
    runner.dialogs.closed()
    script: ScriptEnd | None = None

    async def answer() -> None:
        """Close the dialog (`Page.handleJavaScriptDialog`), and wait for the script behind it."""
        nonlocal script
        await runner.session.execute(page.handle_dialog(accept=request.accept, text=text))
        script = await runner.scripts.resumed(dialog)

    answered = "Accepted" if request.accept else "Dismissed"
    stays = dialog.kind == "beforeunload" and not request.accept
    message = "the page stays" if stays else escape_refs(dialog.message)
    summary = f"{answered} the {dialog.kind}: {message}"
    if runner.last is None:  # its content before could not be seen
        await answer()
        return await runner.act(ActionPlan(summary, trio.lowlevel.checkpoint))
    outcome = await runner.act(ActionPlan(summary, answer, held_s=HELD_S + SCRIPT_S))
    if script is None:
        return outcome
    masked = runner.secrets.masked
    return attrs.evolve(outcome, script=ScriptEnd(masked(script.json), masked(script.failure)))


@performs(Emulate)
async def emulate(runner: ActionRunner, request: Emulate) -> Outcome:

    async def pretend() -> None:
        """Send the requested changes, all at once (domain Emulation)."""
        try:
            await runner.session.execute_all(list(emulation_commands(request, runner.size)))
        except CommandFailed as error:
            raise refused(request, error.method) from error

    return await runner.act(ActionPlan(emulation_text(request), pretend, is_plain=True))
