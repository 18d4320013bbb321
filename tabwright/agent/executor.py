"""The agent's access to the tabs of a session: observing, acting and pausing."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import attrs
import trio

from tabwright.agent.actions import (
    AnyAction,
    BrowserAction,
    CacheContent,
    Done,
    ExtractContent,
    GetDropdownOptions,
    NavigationAction,
    PageAction,
    TabAction,
    Wait,
    action_line,
    name_of,
    ref_in,
)
from tabwright.agent.events import DETAILS_MAX, TaskEventLog
from tabwright.agent.history import PromptHistory, TaskMemory
from tabwright.agent.model_calls import EXTRACTING, ModelCaller
from tabwright.agent.prompts import AGENT, BrowserObservation, extractor_prompt
from tabwright.agent.replies import NavigatorReply
from tabwright.config.secrets import NAME, Secrets
from tabwright.page.outline_text import truncate
from tabwright.page.render import options_parts, render_outcome, tabs_text
from tabwright.protocol.actions import Action, Click, Type, Upload, WaitFor
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    SessionMissing,
    TabwrightError,
)
from tabwright.protocol.inspection import (
    Capture,
    Inspection,
    ListOptions,
    LocateOnPage,
    OutlineText,
    OutlineView,
    TakeOutline,
)
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.untrusted_text import plain
from tabwright.text.token_budget import cut

OUTLINE_TOKENS = 6000
"""Maximum tokens of a page in each question to a model."""

WHOLE = OutlineView(OUTLINE_TOKENS)
SEEN = OutlineView(OUTLINE_TOKENS, viewport=True)

OPTIONS_TOKENS = 2000

READ = RenderOptions(max_tokens=40_000)
"""The text that the extractor reads; the limit of a request to its model may shorten it."""

EXTRACTED_TOKENS = 1500
"""Maximum tokens of a finding that is shown and remembered."""

NO_PAGE = "No page is open. Go to a URL, or search."

AnswerT = TypeVar("AnswerT")


@attrs.frozen
class ActionResult:
    """The result of an action.

    Attributes:
        text: the result in words; contains text of pages.
        leads_on: whether the page has changed to another, or a dialog blocks it.
    """

    text: str
    leads_on: bool = False


@attrs.frozen(eq=False)
class AgentBrowser:
    """The tabs of one session, as the agent uses them.

    Attributes:
        named: the secrets that the agent can type.
        upload_path: returns the path of a file that can be uploaded; raises `BadInput` for others.
    """

    sessions: Address[Sessions]
    session: str
    secrets: Secrets
    named: frozenset[str]
    upload_path: Callable[[str], str]

    async def observe(self, picture_bytes_max: int) -> BrowserObservation:
        """Return the state of the browser; if the page cannot be seen, the reason.

        Args:
            picture_bytes_max: maximum size of a picture of the page; 0 for no picture.

        Raises:
            BrowserUnavailable: no browser is available.
        """
        observation = BrowserObservation()
        try:
            observation = BrowserObservation(
                tabs=await self.sessions.ask(Sessions.change_tabs, self.session)
            )
            place = await self._inspect(LocateOnPage(settles=True), observation)
            if place.dialog:
                return attrs.evolve(observation, dialog=place.dialog)
            page = await self._page(observation, events=True)
            picture = await self._picture(observation, picture_bytes_max)
            return attrs.evolve(observation, page=page, picture=picture)
        except SessionMissing:
            return BrowserObservation(trouble=NO_PAGE)
        except BrowserUnavailable:
            raise
        except TabwrightError as error:
            return attrs.evolve(
                observation, trouble=f"The page cannot be read: {self.error_text(error)}"
            )

    async def do(self, action: BrowserAction, observation: BrowserObservation) -> ActionResult:
        """Perform an action on the page that was last observed.

        Raises:
            TabwrightError: the action failed.
        """
        match action:
            case PageAction():
                act = self._checked(action.request(observation.page), observation.page)
                outcome = await self.sessions.ask(
                    Sessions.act, self.session, act, tab=observation.tab
                )
                return ActionResult(
                    render_outcome(outcome, AGENT),
                    bool(outcome.navigated or outcome.dialog or outcome.tabs),
                )
            case NavigationAction():
                came = await self.sessions.ask(
                    Sessions.enter, self.session, action.target, new_tab=action.in_new_tab
                )
                return ActionResult(render_outcome(came, AGENT), leads_on=True)
            case TabAction():
                tabs = await self.sessions.ask(
                    Sessions.change_tabs, self.session, action.change, action.tab_id
                )
                return ActionResult(f"The tabs are now:\n{tabs_text(tabs)}", leads_on=True)
            case Wait():
                return await self._wait(action.duration_s, observation)
            case GetDropdownOptions():
                choices = await self._inspect(ListOptions(action.index), observation)
                return ActionResult(plain(options_parts(choices, OPTIONS_TOKENS)))

    def _checked(self, act: Action, page: OutlineText) -> Action:
        """Return an action that the task allows, with the path of its files.

        Raises:
            BadInput: it would type a secret that the task does not name, upload a file that must
                not be uploaded, or click a file field.
        """
        match act:
            case Type(text=text) if self.secrets and (more := {*NAME.findall(text)} - self.named):
                raise BadInput(
                    f"The task does not mention the secret {min(more)}, so it was not typed.",
                    advice="Continue without it, or end the task and say that it is missing.",
                )
            case Upload(paths=paths):
                return attrs.evolve(act, paths=tuple(map(self.upload_path, paths)))
            case Click(ref=ref, count=1, button="left"):
                roles = {control.ref: control.role for control in page.controls}
                if roles.get(ref_in(ref)) == "file":
                    raise BadInput(
                        f"Element {ref} is a file field.",
                        advice="Use upload_file, or end the task and say what is missing.",
                    )
                return act
            case _:
                return act

    async def _wait(self, seconds: float, observation: BrowserObservation) -> ActionResult:
        """Wait outside of the tab, so that others can read it, then report what has changed.

        Raises:
            TabwrightError: the page cannot be seen any more.
        """
        await trio.sleep(seconds)
        if (await self._inspect(LocateOnPage(), observation)).dialog:
            return ActionResult("A dialog has opened.", leads_on=True)
        outcome = await self.sessions.ask(
            Sessions.act, self.session, WaitFor(seconds=0), tab=observation.tab
        )
        outcome = attrs.evolve(outcome, description=f"Waited {seconds:g} s.")
        return ActionResult(render_outcome(outcome, AGENT), bool(outcome.navigated))

    async def read(self) -> PageText:
        """Return the text of the current page, or of its beginning if it is long.

        Raises:
            TabwrightError: the page cannot be read.
        """
        return await self.sessions.ask(Sessions.view, self.session, READ)

    async def shows_more_than(self, observation: BrowserObservation) -> bool:
        """Return whether the page is another than the one observed, or has more to act on."""
        try:
            page = await self._page(observation)
        except TabwrightError:
            return True
        refs = {control.ref for control in page.controls}
        return page.url != observation.page.url or not refs <= observation.refs

    def error_text(self, error: TabwrightError) -> str:
        """Return the text of an error for a model."""
        return truncate(self.secrets.masked(AGENT.error(error)), DETAILS_MAX)

    async def _inspect(
        self, inspection: Inspection[AnswerT], observation: BrowserObservation
    ) -> AnswerT:
        return await self.sessions.ask(
            Sessions.inspect, self.session, inspection, tab=observation.tab
        )

    async def _page(self, observation: BrowserObservation, *, events: bool = False) -> OutlineText:
        """Return the outline of the page; if it is too long and scrolled, of its visible part."""
        page = await self._inspect(TakeOutline(WHOLE, events=events), observation)
        if page.next_offset is None or not page.above:
            return page
        seen = await self._inspect(TakeOutline(SEEN), observation)
        return attrs.evolve(seen, meanwhile=page.meanwhile)

    async def _picture(self, observation: BrowserObservation, bytes_max: int) -> Thumbnail | None:
        """Return a picture of the page, or None if the page provides none."""
        if bytes_max:
            with suppress(TabwrightError):
                return await self._inspect(Capture(bytes_max=bytes_max), observation)
        return None


# Pausing and resuming a task.


def _set_event() -> trio.Event:
    event = trio.Event()
    event.set()
    return event


@attrs.define(eq=False)
class PauseControl:
    """The pause switch of a task; not paused at first."""

    _resumed: trio.Event = attrs.field(factory=_set_event)

    @property
    def paused(self) -> bool:
        """Return whether the task is paused, or will be before its next action."""
        return not self._resumed.is_set()

    def pause(self) -> bool:
        """Pause the task; return whether it was running."""
        if self.paused:
            return False
        self._resumed = trio.Event()
        return True

    def resume(self) -> bool:
        """Resume the task; return whether it was paused."""
        was_paused = self.paused
        self._resumed.set()
        return was_paused

    async def wait_resumed(self) -> bool:
        """Wait while the task is paused; return whether it was. Always a checkpoint."""
        await trio.lowlevel.checkpoint()
        was_paused = self.paused
        while self.paused:
            await self._resumed.wait()
        return was_paused


# Executing the actions of a navigator while they refer to the page that it saw.


@attrs.frozen(eq=False)
class ActionExecutor:
    """An executor of the actions of one task."""

    _browser: AgentBrowser
    _history: PromptHistory
    _log: TaskEventLog
    _models: ModelCaller
    _pause: PauseControl
    _actions_max: int

    async def do(self, move: NavigatorReply, observation: BrowserObservation) -> Done | None:
        """Perform the actions of a move; return the action that ends the task, if there is one.

        The results are added to the history, even if the remaining actions are cancelled.

        Raises:
            BrowserUnavailable: no browser is available.
            TabwrightError: all actions failed.
        """
        results: list[str] = []
        try:
            return await self._do_all(move.actions[: self._actions_max], observation, results)
        finally:
            if len(move.actions) > self._actions_max:
                results.append(f"At most {self._actions_max} actions are performed per step.")
            self._history.add(observation.text, move.json, "\n".join(results))

    async def _do_all(
        self, actions: tuple[AnyAction, ...], observation: BrowserObservation, results: list[str]
    ) -> Done | None:
        await self._pause.wait_resumed()
        for number, action in enumerate(actions, 1):
            place = f"action {number} / {len(actions)}"
            try:
                result = await self._do(action, observation)
            except BrowserUnavailable:
                raise
            except TabwrightError as error:
                results.append(f"{name_of(action)} failed: {self._browser.error_text(error)}")
                results.append(f"That was {place}, so the remaining actions were skipped.")
                if number == 1:
                    raise
                return None
            results.append(f"Result of {place}: {result.text}")
            if isinstance(action, Done):
                return action
            if number == len(actions):
                return None
            await self._pause.wait_resumed()
            if result.leads_on or await self._browser.shows_more_than(observation):
                results.append(
                    f"The page changed after {place}, so the remaining actions were skipped."
                )
                return None
        return None

    async def _do(self, action: AnyAction, observation: BrowserObservation) -> ActionResult:
        with self._log.act(action_line(action)) as event:
            match action:
                case Done():
                    result = ActionResult(action.text)
                case CacheContent():
                    self._history.remember(action.content)
                    result = ActionResult("Remembered.")
                case ExtractContent():
                    result = await self._extract(action)
                case _:
                    result = await self._browser.do(action, observation)
            event.details = result.text.partition("\n")[0]
            return result

    async def _extract(self, action: ExtractContent) -> ActionResult:
        """Let the extractor read the page; its findings are remembered.

        Raises:
            TabwrightError: the page cannot be read, or the model gives no usable answer.
        """
        page = await self._browser.read()
        await self._pause.wait_resumed()
        fence = self._history.fence
        seen = f"{page.url}\n{page.title}\n{page.text}"
        now = f"The question to the page: {fence.tamed(action.question)}"
        found = await self._models.think(
            EXTRACTING, TaskMemory(extractor_prompt(fence), now, seen, has_past=False)
        )
        content = cut(found.content, EXTRACTED_TOKENS)
        if not found.found or not content:
            return ActionResult(f"The page does not answer: {action.question}")
        self._history.remember(f"{page.url}: {content}")
        more = " Only the beginning of the page was read." if page.truncation else ""
        return ActionResult(f"Remembered.{more}\n{content}")
