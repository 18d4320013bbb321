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
from tabwright.page.frames import ElementHandle, FrameDocument, ResolvedElement
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


def emulation_commands(wish: Emulate) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands for the requested device."""
    if wish.viewport == (0, 0):
        yield emulation.clear_device()
        yield emulation.set_touch(enabled=False)
    elif wish.viewport is not None:
        width, height = wish.viewport
        yield emulation.set_device(width, height, scale=wish.scale, mobile=wish.mobile)
        yield emulation.set_touch(enabled=wish.mobile)
    if wish.locale is not None:
        yield emulation.set_locale(wish.locale.replace("-", "_"))
    if wish.timezone is not None:
        yield emulation.set_timezone(wish.timezone)
    if wish.offline is not None:
        yield network.emulate_conditions(offline=wish.offline)
    if wish.dark is not None:
        scheme: JSON = {"name": "prefers-color-scheme", "value": "dark" if wish.dark else ""}
        yield emulation.set_media("", [scheme])


def refused(wish: Emulate, method: str) -> BadInput:
    """Return the error for a setting that the browser refuses.

    Args:
        wish: the requested setting.
        method: the refused command.
    """
    if method == emulation.set_timezone("").method:
        return BadInput(
            f"{wish.timezone!r} is not a time zone.", advice="Use a name such as Europe/Berlin."
        )
    if method == emulation.set_locale("").method:
        return BadInput(f"{wish.locale!r} is not a locale.", advice="Use a locale such as de-DE.")
    return BadInput("The browser does not accept that value.", advice="Change one value at a time.")


def emulation_text(wish: Emulate) -> str:
    """Return the changes, in words."""
    parts = [
        _viewport(wish) if wish.viewport is not None else "",
        f"locale {wish.locale or 'as before'}" if wish.locale is not None else "",
        f"time zone {wish.timezone or 'as before'}" if wish.timezone is not None else "",
        ("offline" if wish.offline else "online") if wish.offline is not None else "",
        ("dark" if wish.dark else "light") if wish.dark is not None else "",
    ]
    return f"Now emulated: {', '.join(filter(None, parts)) or 'no change'}."


def _viewport(wish: Emulate) -> str:
    width, height = wish.viewport or (0, 0)
    if not width:
        return "the default size"
    return f"{width}x{height}" + (" on a telephone" if wish.mobile else "")


LOOK_MS = 500
"""Milliseconds between two checks of a page without changes: a frame loads without them."""

LOOK_PAUSE_S = 0.1
"""Seconds between two checks of a page that changes all the time."""

LOOK_SHARE = 4
"""The pause after a check, in multiples of its duration: a large page is not kept busy."""

SECONDS_MAX = 300.0

WHOLE_PAGE = 0
"""A value in place of the number of an element."""


@attrs.frozen(kw_only=True)
class _Scrolled:
    problem: str = ""
    detail: str = ""
    top: float = 0
    height: float = 0
    view: float = 0

    def __str__(self) -> str:
        left = max(0, self.height - self.top - self.view)
        if left < 1 and self.top < 1:
            return "There is nothing to scroll: everything is visible."
        ends = "the top" if self.top < 1 else "the bottom" if left < 1 else ""
        place = f"{self.top:.0f} px above, {left:.0f} px below"
        return f"Scrolled: at {ends}, {place}." if ends else f"Scrolled: {place}."


@performs(Scroll)
async def scroll(stage: ActionRunner, request: Scroll) -> Outcome:
    """See `Scroll`."""
    if request.ref:
        element = await stage.targets.find(request.ref)
    elif request.to == "element":
        raise BadInput("No element is given.", advice="Set ref.")
    else:
        element = ElementHandle(await stage.documents.main(), WHOLE_PAGE)
    wish: JSON = {"to": request.to, "x": request.x, "y": request.y, "text": request.text}
    scrolled = await stage.documents.call_on(element, "scroll", wish, answer=_Scrolled)
    if scrolled.problem:
        if scrolled.problem == "no text":
            raise BadInput(
                ("The page has no text ", Quoted(repr(request.text)), "."),
                **advised(HintKind.FIND_TEXT),
            )
        raise_not_actionable(
            ActionabilityReport(problem=scrolled.problem, detail=scrolled.detail), request.ref
        )
    may_load_more = request.to in {"by", "bottom"}
    move = ActionPlan(
        str(scrolled), trio.lowlevel.checkpoint, may_be_late=may_load_more, is_plain=True
    )
    return await stage.act(move)


@performs(WaitFor)
async def wait_for(stage: ActionRunner, request: WaitFor) -> Outcome:
    """See `WaitFor`."""
    seconds = min(request.seconds, SECONDS_MAX)
    wish: dict[str, JSON] = {
        "text": list(request.text),
        "gone": request.gone,
        "selector": request.selector,
        "url": request.url,
    }
    wanted: dict[str, JSON] = {name: value for name, value in wish.items() if value}
    said = ", ".join(f"{name} {_alternatives(value)}" for name, value in wanted.items())
    if request.selector:
        wanted["selector"] = steps_of(parse_locator(request.selector))

    async def wait() -> None:
        """Wait at most `seconds`; cancellation changes nothing in the page.

        Raises:
            TimeOut: the conditions were not met.
        """
        with trio.move_on_after(seconds) as waiting:
            if wanted:
                await _until(stage, wanted)
            elif request.idle:
                await stage.requests.rests()
            else:
                await trio.sleep_forever()
        if waiting.cancelled_caught and (wanted or request.idle):
            late = TimeOut(
                (f"Not fulfilled within {seconds:g} s: ", Quoted(said or "idle"), "."),
                **advised(HintKind.WAIT_LONGER),
            )
            late.effect = Effect.NONE
            raise late

    idle = "the page is idle" if request.idle else f"{seconds:g} s are over"
    move = ActionPlan(f"Waited: {said or idle}.", wait, held_s=seconds + 1, is_plain=not wanted)
    return await stage.act(move)


def _alternatives(value: JSON) -> str:
    return " or ".join(map(repr, value)) if isinstance(value, list) else repr(value)


@attrs.frozen
class _Showing:
    """The wait conditions that a document meets."""

    text: bool
    gone: bool
    selector: bool


async def condition_holds(stage: ActionRunner, condition: StepCondition) -> bool:
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
        documents = (await stage.documents.main(), *await stage.documents.frames())
        if not await _holds(stage, documents, wanted):
            return False
    visible, hidden = condition.visible, condition.hidden
    return (not visible or await _is_visible(stage, visible)) and not (
        hidden and await _is_visible(stage, hidden)
    )


async def _is_visible(stage: ActionRunner, target: str) -> bool:
    documents, steps = await stage.targets.search(target)
    for document in documents:
        if await stage.documents.call(document, "isVisible", steps, answer=bool):
            return True
    return False


async def _until(stage: ActionRunner, wanted: dict[str, JSON]) -> None:
    """Check the page and its frames on each change, and at least every `LOOK_MS`."""
    while True:
        began = trio.current_time()
        with suppress(CommandFailed):  # the document is gone, and the next one is loading
            documents = (await stage.documents.main(), *await stage.documents.frames())
            changed = trio.Event()
            async with background_nursery() as watching:
                for document in documents:  # first, so that no change is missed meanwhile
                    watching.start_soon(_set_at_change, stage, document, changed)
                if await _holds(stage, documents, wanted):
                    return
                cost = trio.current_time() - began
                with trio.move_on_after(LOOK_MS / 1000):
                    await changed.wait()
                    await trio.sleep_until(began + cost + max(LOOK_PAUSE_S, cost * LOOK_SHARE))
            continue
        await trio.sleep(LOOK_PAUSE_S)


async def _set_at_change(stage: ActionRunner, document: FrameDocument, changed: trio.Event) -> None:
    with suppress(CommandFailed, trio.TooSlowError):
        await stage.documents.call(document, "changed", LOOK_MS, answer=bool)
    changed.set()


async def _holds(
    stage: ActionRunner, documents: Sequence[FrameDocument], wanted: dict[str, JSON]
) -> bool:
    url = wanted.get("url")
    if isinstance(url, str):
        place = await stage.documents.call(documents[0], "place", answer=ResolvedElement)
        if url not in place.url:
            return False
    showing = [
        found
        for document in documents
        if (found := await _showing(stage, document, wanted, owned=document is not documents[0]))
    ]
    return (
        ("text" not in wanted or any(one.text for one in showing))
        and ("selector" not in wanted or any(one.selector for one in showing))
        and not any(one.gone for one in showing)
    )


async def _showing(
    stage: ActionRunner, document: FrameDocument, wanted: JSON, *, owned: bool
) -> _Showing | None:
    """Check a document; return None if its frame has just disappeared or does not respond."""
    try:
        return await stage.documents.call(document, "shows", wanted, answer=_Showing)
    except (CommandFailed, trio.TooSlowError):
        if not owned:
            raise
        return None


@performs(AnswerDialog, dialog=True)
async def answer_dialog(stage: ActionRunner, request: AnswerDialog) -> Outcome:
    """See `AnswerDialog`."""
    dialog = stage.dialogs.open
    if dialog is None:
        dialogs = stage.dialogs.next_answered()
        if not dialogs:
            raise BadInput("No dialog is open.", advice="Continue with the next action.")
        told = ", then ".join(f'{one.kind} "{escape_refs(one.message)}"' for one in dialogs)
        return await stage.act(
            ActionPlan(f"Answered immediately: {told}.", trio.lowlevel.checkpoint)
        )
    text = dialog.preset if request.text is None else request.text
    stage.dialogs.closed()
    script: ScriptEnd | None = None

    async def answer() -> None:
        """Close the dialog (`Page.handleJavaScriptDialog`), and wait for the script behind it."""
        nonlocal script
        await stage.session.execute(page.handle_dialog(accept=request.accept, text=text))
        script = await stage.scripts.resumed(dialog)

    answered = "Accepted" if request.accept else "Dismissed"
    said = f"{answered} the {dialog.kind}: {escape_refs(dialog.message)}"
    if stage.last is None:  # its content before could not be seen
        await answer()
        return await stage.act(ActionPlan(said, trio.lowlevel.checkpoint))
    outcome = await stage.act(ActionPlan(said, answer, held_s=HELD_S + SCRIPT_S))
    if script is None:
        return outcome
    masked = stage.secrets.masked
    return attrs.evolve(outcome, script=ScriptEnd(masked(script.json), masked(script.failure)))


@performs(Emulate)
async def emulate(stage: ActionRunner, request: Emulate) -> Outcome:
    """See `Emulate`."""

    async def pretend() -> None:
        """Send the requested changes, all at once (domain Emulation)."""
        try:
            await stage.session.execute_all(list(emulation_commands(request)))
        except CommandFailed as error:
            raise refused(request, error.method) from error

    return await stage.act(ActionPlan(emulation_text(request), pretend, is_plain=True))
