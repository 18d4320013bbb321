"""The runner of a page's actions: their shared state, and each action through to its outcome."""

import re
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import attrs
import trio

from tabwright.cdp.domains import page, runtime
from tabwright.cdp.domains.input import Button
from tabwright.cdp.errors import CDPError
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.events.collector import EventDelta, PageEventCollector
from tabwright.page.events.dialogs import Dialogs
from tabwright.page.frames import (
    ANSWER_S,
    FrameDocument,
    FrameManager,
    FrameUnresponsive,
    StaleElement,
)
from tabwright.page.isolated_worlds import UNDO_S
from tabwright.page.navigation import watch_navigation
from tabwright.page.open_page import AttachedPage, TabDependencies
from tabwright.page.outline import Outline
from tabwright.page.outline_text import diff_outlines, escape_refs, truncate
from tabwright.page.outline_view import written
from tabwright.page.outliner import Outliner
from tabwright.page.picture_points import PicturePoints
from tabwright.page.settle import SettleResult, StabilityWaiter
from tabwright.page.targets import ActionTarget, TargetFinder
from tabwright.page.user_scripts import UserScripts
from tabwright.protocol.actions import Action, Dialog, Outcome
from tabwright.protocol.actor import AnswerT, AnswerT_co
from tabwright.protocol.errors import (
    BadInput,
    Hint,
    HintKind,
    NavigationFailed,
    PageFailed,
    TabwrightError,
)
from tabwright.protocol.inspection import Inspection, OutlineView, PageTool
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import ABOUT_BLANK, check_place
from tabwright.text.hints import advised

CHANGES_TOKENS = 400
"""Maximum tokens of the changes after an action; a snapshot shows the rest."""

SHOWN_MAX = 4
"""Maximum number of remembered outlines, for requests to elements that have disappeared."""

HANGS_MAX = 2
"""Hangs in a row, with no success in between, from which no page recovers."""

HELD_S = 10.0
"""Seconds for a page to process the input of an action."""

NO_EFFECT = "No change in the outline, and no request."
"""The note about an action that should have an effect and shows none."""

ERROR_PAGE = "chrome-error:"
"""The URL of a tab in place of a page that did not load."""

_REASON = re.compile(r"ERR_[A-Z_]+")

ADVICE = {
    "ERR_NAME_NOT_RESOLVED": "Check the spelling of the host name, and the network.",
    "HTTP status 401": "It requires a user name and a password.",
}
"""The next step for the reasons that have a specific one."""

Work: TypeAlias = Callable[[], Awaitable[None]]


@attrs.frozen
class ActionPlan:
    """The plan of an action.

    Attributes:
        description: what the completed action did, in a sentence.
        work: performs it.
        held_s: seconds for the page to process it: a page that its scripts block for longer hangs.
        looks_only: whether the page may well not change, so that it is checked first.
        gives_files: whether it gives the page files that it asks for.
        may_be_late: whether it should have an effect: a page without a visible effect yet is
            waited for briefly.
        is_plain: whether `description` contains no text of a page.
        has_own_effect: whether `description` is about an effect that no outline shows, such as the
            position of a scrolled page.
        submits_in: the document in which it may submit a form.
    """

    description: str
    work: Work
    held_s: float = HELD_S
    looks_only: bool = False
    gives_files: bool = False
    may_be_late: bool = False
    is_plain: bool = False
    has_own_effect: bool = False
    submits_in: FrameDocument | None = None


@attrs.frozen
class PointerState:
    """The last point of the mouse in the view, in CSS pixels, and the button that is held."""

    x: float = 0
    y: float = 0
    held: Button = "none"


class ActionObserver(Protocol):
    """Sees the actions of a page, for example to record them."""

    def performing(self, action: object, /) -> AbstractContextManager[None]:
        """Note an action, or an inspection, that the block performs."""
        ...

    async def note(self, target: str, found: ActionTarget, /) -> None:
        """Note an element that the current action has named."""
        ...


class ActionRunner:
    """One page with actions.

    Args:
        opened: the page.
        dependencies: its dependencies.
        dialogs: the dialogs that it opens.
        working: the scope of each piece of work.
        place: the URL of the page's current document.

    Attributes:
        size: of the page without a device; see `AttachedPage`.
        secret_fields: the refs of the fields into which a secret was typed.
        password_fields: those of the fields for passwords that were used while the page was
            recorded.
        pointer: the state of the mouse, as the last action with it has left it.
        person_acts: whether a person has taken over the page.
        scripts: runs those of the user.
        listed_tools: the tools of the page as last listed; none are listed during a dialog.
        observer: sees the actions, if the page is recorded.
    """

    def __init__(
        self,
        opened: AttachedPage,
        dependencies: TabDependencies,
        dialogs: Dialogs,
        working: Callable[[], AbstractContextManager[None]],
        place: Callable[[], str],
    ) -> None:
        self.session = opened.session
        self.size = opened.size
        self.bounds = dependencies.settings.network.bounds
        self.secrets = dependencies.secrets
        self.documents = FrameManager(
            opened.session, opened.frame_id, dependencies.documents, self.bounds, self.secrets
        )
        self.outliner = Outliner(self.documents, self.bounds, self.secrets)
        self.points = PicturePoints(self.documents, dependencies.documents)
        self.dialogs = dialogs
        self.secret_fields: set[str] = set()
        self.password_fields: set[str] = set()
        self.observer: ActionObserver | None = None
        self.targets = TargetFinder(self.documents, self.points, self._note)
        self.pointer = PointerState()
        self.person_acts = False
        self.listed_tools: tuple[PageTool, ...] = ()
        self.collector = PageEventCollector(
            opened, self.documents, dialogs, dependencies.settings.acting
        )
        self.scripts = UserScripts(dialogs, self.end_scripts)
        self.events = EventDelta(self.collector, dialogs)
        self.console = self.collector.console
        self.requests = self.collector.requests
        self.files = self.collector.files
        self._page = opened
        self._settings = dependencies.settings.network
        self._working = working
        self._place = place
        self._settling = StabilityWaiter(self.documents, self.requests)
        self._shown = deque[Outline](maxlen=SHOWN_MAX)
        self._mute = trio.Event()
        self._hangs = 0

    async def _note(self, target: str, found: ActionTarget) -> None:
        if self.observer is not None:
            await self.observer.note(target, found)

    @asynccontextmanager
    async def ready(self, *, dialog: bool = False, anywhere: bool = False) -> AsyncGenerator[None]:
        """Reserve the page for an action, and prepare it at the first call.

        Args:
            dialog: whether the action is possible while a dialog is open.
            anywhere: whether the action reveals nothing of the page, and so is allowed at any URL.

        Raises:
            BadInput: a dialog is open and has to be answered first, or the URL of the page is not
                allowed.
            BrowserDied, PageFailed: the page is gone, or hangs.
        """
        with self._working():
            async with self._explaining():
                with trio.fail_after(ANSWER_S):
                    await self.collector.ready()
                self.dialogs.asked = True
                if self.dialogs.open and not dialog:
                    raise _unanswered(self.dialogs.open)
                if not anywhere:
                    check_place(self._place(), self._settings.bounds)
                if not self.dialogs.open:
                    # A page behind others renders no frames, and a screenshot of it takes a minute.
                    front, here = self._page.running.contexts.front, self._page.context_id
                    is_in_front = front.get(here, self._page.frame_id) == self._page.frame_id
                    if self._page.own or not is_in_front:  # the user may have left it
                        with trio.fail_after(ANSWER_S):
                            await self.session.execute(page.bring_to_front())
                    front[here] = self._page.frame_id
                yield

    @asynccontextmanager
    async def _explaining(self) -> AsyncGenerator[None]:
        """Add the changes to an error about a missing element, and stop scripts that hang the page.

        Raises:
            ElementGone, PageFailed: with the reason.
        """
        try:
            yield
            self._hangs = 0
        except StaleElement as gone:
            if since := await self._since_then(gone):
                gone.add("\nSince then:\n", Quoted(since))
                gone.advise(**advised(HintKind.SEE_ALL_CHANGES))
            raise
        except FrameUnresponsive as error:
            raise PageFailed(
                "A frame of the page does not respond.", advice="Continue in the rest of the page."
            ) from error
        except trio.TooSlowError as error:
            self._hangs += 1
            if not await self.end_scripts() or self._hangs >= HANGS_MAX:
                self._mute.set()
                await trio.sleep_forever()  # the crash in progress ends this
            raise PageFailed(
                "The page hung, so its scripts were stopped.",
                **advised(HintKind.LEAVE_PAGE),
            ) from error

    async def _since_then(self, gone: StaleElement) -> str:
        """Return the changes since an element last existed, if the page can list them."""
        had = [one for one in self._shown if gone.ref.strip("[]*") in one.refs]
        with suppress(TabwrightError, CDPError, trio.TooSlowError):
            after = await self.outline()
            if had and had[-1].generation == after.generation:
                changes, omitted = diff_outlines(had[-1], after, CHANGES_TOKENS)
                self.documents.show(changes if omitted else None)
                return changes
        return ""

    async def attend(self) -> None:
        """Listen to the page from the first action on; fail if it stops responding for good.

        Raises:
            PageFailed: the page no longer responds, whatever is done.
        """
        async with background_nursery() as hearing:
            hearing.start_soon(self.collector.attend)
            hearing.start_soon(self.scripts.attend)
            await self._mute.wait()
            raise PageFailed("The page no longer responds.")

    async def end_scripts(self) -> bool:
        """Terminate the scripts that run in the page now; work that they have started may continue.

        Return whether the page still responds to commands. Cancellation waits for the end of the
        command, at most `UNDO_S` seconds.
        """
        with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
            for session in tuple(self.documents.sessions):
                await session.execute(runtime.terminate_execution())
            return True
        return False

    async def outline(self) -> Outline:
        """Return the outline of the whole page, the base of the next changes.

        Raises:
            BadInput: the page has opened a dialog.
            PageFailed, CDPError: the outline is not available.
        """
        taken = await self._outline()
        if taken is None:
            raise _unanswered(self.dialogs.open)
        return taken

    async def inspect(self, work: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        """Return what `work` reads of the page.

        Raises:
            BadInput: a dialog blocks the page.
            PageFailed: the page hangs.
        """
        async with self.ready():
            with self.dialogs.until_open():
                return await work()
        raise _unanswered(self.dialogs.open)

    async def _outline(self) -> Outline | None:
        """Return the outline, or None if the page opens a dialog."""
        taken = None
        with self.dialogs.until_open():
            taken = await self.outliner.take({})
            self._shown.append(taken)
        return taken

    @property
    def last(self) -> Outline | None:
        """Return the latest outline."""
        return self._shown[-1] if self._shown else None

    @property
    def is_empty(self) -> bool:
        """Return whether the tab is new, and nothing was loaded in it or done with it."""
        is_used = self._page.adopted or self.documents.were_used
        return not is_used and self._place() == ABOUT_BLANK

    async def settle(self) -> None:
        """Wait until the page has settled.

        Raises:
            BadInput, NavigationFailed, PageFailed: the outcome of a navigation of the page.
        """
        await self._done(ActionPlan("", trio.lowlevel.checkpoint), "")
        self.events.pass_over_console()

    async def act(self, move: ActionPlan) -> Outcome:
        """Perform an action, wait until the page has settled, and report the changes.

        If the page opens a dialog, the wait ends.

        Raises:
            BadInput, NavigationFailed, PageFailed: the action or a resulting navigation failed.
                Once the action is done, no error states that it had no effect.
            CDPError: the page is gone.
        """
        before = self.last or await self.outline()
        begun = self.requests.begun
        done = False

        async def work() -> None:
            nonlocal done
            await move.work()
            done = True

        try:
            watched = attrs.evolve(move, work=work)
            self.requests.forget_waiting()
            self.collector.asks_for_files = False
            began = self.events.now()
            if watched.looks_only or watched.may_be_late:
                await self._settling.stirred()
            rest = await self._done(watched, before.url)
            outcome = Outcome(
                watched.description, before.url, before.title, is_plain=watched.is_plain
            )
            if rest is None:
                return self.events.add_events(outcome, began)
            if watched.submits_in and rest.loaded is None and not self.dialogs.open:
                outcome = await self._with_unsent_form(outcome, watched.submits_in)
            if self.collector.asks_for_files and not watched.gives_files:
                outcome = attrs.evolve(outcome, notes=(Hint(HintKind.GIVE_FILES),))
            changed = await self._with_changes(
                attrs.evolve(outcome, navigated=rest.loaded, busy=rest.busy), before
            )
            changed = attrs.evolve(changed, dialog=self.dialogs.open)
            return _with_effect(self.events.add_events(changed, began), move)
        except TabwrightError as error:
            if done or self.requests.begun > begun:
                error.sent()
            raise

    async def _with_unsent_form(self, outcome: Outcome, document: FrameDocument) -> Outcome:
        """Return the outcome with the field that kept a form from being submitted, if one did.

        Chromium shows that in a bubble, which no document contains (HTML, section 4.10.21.3).
        """
        problem = ""
        gone = (CDPError, FrameUnresponsive)  # the document is gone, or hangs
        with self.dialogs.until_open(), suppress(*gone):
            problem = await self.documents.call(document, "unsent", answer=str)
        if not problem:
            return outcome
        text = f"{outcome.description} The form was not submitted: {escape_refs(truncate(problem))}"
        return attrs.evolve(outcome, description=text.strip(), is_plain=False)

    async def _with_changes(self, outcome: Outcome, before: Outline) -> Outcome:
        """Return the outcome with the page's URL and changes, unless a dialog blocks the page."""
        after = await self._outline()
        if after is None:
            return outcome
        if after.url.startswith(ERROR_PAGE):
            words = " ".join(
                part for line in after.lines for part in line.parts if isinstance(part, str)
            )
            found, page_gone = _REASON.search(words), outcome.navigated
            url, status = (page_gone.url, page_gone.status) if page_gone else ("", 0)
            reason = f"HTTP status {status}" if status else found[0] if found else ""
            raise NavigationFailed(
                (
                    "The page ",
                    Quoted(escape_refs(url)),
                    " did not load (",
                    Quoted(reason or "no reason given"),
                    ").",
                ),
                advice=ADVICE.get(
                    reason, "Navigate elsewhere, or reload to return to the previous page."
                ),
            )
        return with_changes(outcome, before, after)

    async def close_popups(self, targets: Iterable[str]) -> None:
        """Close the pages that it has opened and that are not adopted."""
        with self._working():
            await self._page.running.pop_ups.close(targets)

    async def _done(self, move: ActionPlan, url: str) -> SettleResult | None:
        """Perform the action; return how the page settled, or None if nothing in it has changed."""
        async with watch_navigation(self._page, url, self._settings, BadInput) as (loading, events):
            settled: SettleResult | None = SettleResult(busy=True)
            opened = self.collector.opened.last
            with self.dialogs.until_open():
                with trio.fail_after(move.held_s):
                    await move.work()
                if move.looks_only and not (
                    await self._settling.stirred() or self.collector.opened.last > opened
                ):
                    settled = None
                else:
                    settled = await self._settling.rest(
                        loading, events, may_be_late=move.may_be_late
                    )
        return settled


def with_changes(outcome: Outcome, before: Outline | None, after: Outline) -> Outcome:
    """Return the outcome with the page's URL, and what changed since an earlier outline.

    A page that has another document, or no earlier outline, is shown from its beginning.
    """
    if before is not None and after.generation == before.generation:
        changes, notes = diff_outlines(before, after, CHANGES_TOKENS)
        changes = "\n".join(filter(None, (*_changed_head(before, after), changes)))
    else:
        page = written(after, OutlineView(max_tokens=CHANGES_TOKENS))
        changes, notes = page.text, page.notes
    return attrs.evolve(
        outcome, url=after.url, title=after.title, changes=changes, notes=(*outcome.notes, *notes)
    )


def _changed_head(before: Outline, after: Outline) -> Iterator[str]:
    """Return lines about the title and the URL of a document that has changed them."""
    if after.title != before.title:
        yield f"+ Title: {escape_refs(truncate(after.title))}"
    if after.url != before.url:
        yield f"+ URL: {escape_refs(truncate(after.url))}"


def _with_effect(outcome: Outcome, move: ActionPlan) -> Outcome:
    """Return the outcome with a note if the action should have an effect and shows none."""
    has_effect = (
        move.has_own_effect
        or outcome.navigated
        or outcome.changes
        or outcome.requests
        or outcome.dialogs
        or outcome.dialog
        or outcome.opened
        or outcome.downloads
        or outcome.errors
        or outcome.notes
        or outcome.busy
    )
    missing = move.may_be_late and not has_effect
    return attrs.evolve(outcome, notes=(NO_EFFECT,)) if missing else outcome


def _unanswered(dialog: Dialog | None) -> BadInput:
    """Return the error for an action while a dialog is open."""
    text = Quoted(escape_refs(truncate(dialog.message))) if dialog else ""
    shown = (f': {dialog.kind} "', text, '"') if dialog else ()
    return BadInput(
        ("The page is blocked by a dialog", *shown, "."), **advised(HintKind.ANSWER_DIALOG)
    )


# The tables of actions and inspections: which function handles which type.

ActionT = TypeVar("ActionT", bound=Action)
InspectionT = TypeVar("InspectionT", bound=Inspection[Any])

Perform: TypeAlias = Callable[[ActionRunner, ActionT], Awaitable[Outcome]]
Answer: TypeAlias = Callable[[ActionRunner, InspectionT], Awaitable[AnswerT]]


@attrs.frozen
class Performer(Generic[AnswerT_co]):
    """A function for one type of request, and the conditions for it; see `ActionRunner.ready`."""

    function: Callable[[ActionRunner, Any], Awaitable[AnswerT_co]]
    dialog: bool = False
    anywhere: bool = False

    async def __call__(self, runner: ActionRunner, value: object) -> AnswerT_co:
        """Prepare the page, and call the function.

        Raises:
            TabwrightError: see `ActionRunner.ready` and the request.
        """
        async with runner.ready(dialog=self.dialog, anywhere=self.anywhere):
            observer = runner.observer
            with observer.performing(value) if observer else nullcontext():
                return await self.function(runner, value)


PERFORMERS: dict[type[Any], Performer[Outcome]] = {}
ANSWERERS: dict[type[Any], Performer[Any]] = {}


def performs(
    kind: type[ActionT], *, dialog: bool = False
) -> Callable[[Perform[ActionT]], Perform[ActionT]]:
    """Register the decorated function for every action of a type.

    Args:
        kind: a type of `Action`.
        dialog: whether the action is possible while a dialog is open.
    """

    def enter(function: Perform[ActionT]) -> Perform[ActionT]:
        """Add the function to the table."""
        PERFORMERS[kind] = Performer(function, dialog)
        return function

    return enter


def answers(
    kind: type[InspectionT], *, dialog: bool = False, anywhere: bool = False
) -> Callable[[Answer[InspectionT, AnswerT]], Answer[InspectionT, AnswerT]]:
    """Register the decorated function for every inspection of a type.

    Args:
        kind: the inspection; its type defines the type of the answer.
        dialog: whether the inspection is possible while a dialog is open.
        anywhere: whether it reveals nothing of the page, and so is allowed at any URL.
    """

    def enter(function: Answer[InspectionT, AnswerT]) -> Answer[InspectionT, AnswerT]:
        """Add the function to the table."""
        ANSWERERS[kind] = Performer(function, dialog, anywhere)
        return function

    return enter
