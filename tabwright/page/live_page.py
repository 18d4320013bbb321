"""A page as a person watches it and acts in it, beside the agent that uses it."""

import base64
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Literal, TypeAlias

import attrs
import trio

from tabwright.cdp.domains import accessibility, dom, emulation, page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.concurrency.timers import IdleTimer
from tabwright.page.action_runner import ActionRunner
from tabwright.page.ax_tree import accessible_nodes
from tabwright.page.events.dialogs import SequencedBuffer
from tabwright.page.frames import ANSWER_S, LATEST_MAX, REPORT_S
from tabwright.page.live_masks import cover_secrets, uncover_secrets
from tabwright.page.open_page import AttachedPage
from tabwright.page.outline_text import ENTRY_MAX
from tabwright.page.screencast import Screencast
from tabwright.protocol.actions import Dialog
from tabwright.protocol.browser_pool import TabState
from tabwright.protocol.errors import BadInput, PageFailed, PersonActing
from tabwright.protocol.snapshot import AccessibleNode
from tabwright.protocol.urls import Bounds, checked_url

PICTURE_S = 5.0
"""Seconds for a small picture of a page; one behind others may not be drawn at all."""

WAIT_S = 15.0
"""Seconds that an action waits for the page to be handed back before it is refused."""

EventKind: TypeAlias = Literal["action", "navigation", "console", "dialog", "person"]


@attrs.frozen
class LiveEvent:
    """Something that happened in a page.

    Attributes:
        number: counts from 1 in each tab.
        text: what happened; may contain text of the page, but no secrets.
    """

    number: int
    kind: EventKind
    text: str


@attrs.frozen
class LiveLocation:
    """The location of a page."""

    url: str
    title: str


class LivePage:
    """A page for the people that watch it; one of them at a time can take it over.

    Meanwhile the actions of its agent wait, and are refused after `WAIT_S` seconds.

    Args:
        opened: the page.
        runner: the runner of the agent's actions in it.
        idleness: of its tab; a page that a person has taken over is in use.
        bounds: where a person can send it.
        state: returns the lease of its tab.

    Attributes:
        screencast: its picture.
        person: the person who has taken it over; empty if none has.
        help: why a person is asked to act in it; empty if none is.
        intervention: the id of the intervention that asks; empty if there is none.
        outcome: how that ended; empty before.
    """

    def __init__(
        self,
        opened: AttachedPage,
        runner: ActionRunner,
        idleness: IdleTimer,
        bounds: Bounds,
        state: Callable[[], TabState],
    ) -> None:
        self.state = state
        self.screencast = Screencast(opened.session, self._check, partial(uncover_secrets, runner))
        self.person = ""
        self.help = ""
        self.intervention = ""
        self.outcome = ""
        self._opened = opened
        self._session = opened.session
        self._runner = runner
        self._idleness = idleness
        self._bounds = bounds
        self._events = SequencedBuffer[LiveEvent](LATEST_MAX)
        self._console_seen = 0
        self._chooser: int | None = None
        self._in_use = ExitStack()
        self._asked_before = False
        self._checking = trio.Lock()
        self._clean_since: float | None = 0.0
        self._handed_back = trio.Event()
        self._handed_back.set()

    async def attend(self) -> None:
        """Take pictures and note file choosers while the page exists."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.screencast.attend)
            with suppress(CDPError), self._session.subscribe(page.FileChooserOpened) as events:
                async for event in events:
                    if self.person:
                        self._chooser = event.backend_node_id

    # The view of the page.

    @property
    def dialog(self) -> Dialog | None:
        """Return the open dialog."""
        return self._runner.dialogs.open

    @property
    def wants_files(self) -> bool:
        """Return whether the page waits for files that the person chooses."""
        return self._chooser is not None

    def note(self, kind: EventKind, text: str) -> None:
        """Record an event."""
        short = self._runner.secrets.masked(text)[:ENTRY_MAX]
        self._events.add(LiveEvent(self._events.last + 1, kind, short))

    def events_after(self, number: int) -> tuple[LiveEvent, ...]:
        """Return the remembered events with a higher number."""
        for entry in self._runner.console.entries("info", self._console_seen):
            self._console_seen = entry.number
            self.note("console", f"{entry.level}: {entry.text}")
        return self._events.between(number, self._events.last)

    async def location(self) -> LiveLocation:
        """Return where the page is.

        Raises:
            CDPError: the page is gone.
        """
        root = self._opened.running.connection.root
        info = (await root.execute(target.get_target_info(self._opened.frame_id))).target_info
        masked = self._runner.secrets.masked
        return LiveLocation(masked(info.url), masked(info.title))

    async def outline(self) -> tuple[AccessibleNode, ...]:
        """Return the accessibility tree, without secrets.

        Raises:
            CDPError: the page is gone.
            TooSlowError: it does not respond, for example because of a dialog.
        """
        with trio.fail_after(REPORT_S):
            tree = await self._session.execute(accessibility.get_full_tree())
        masked = self._runner.secrets.masked
        return tuple(
            attrs.evolve(node, name=masked(node.name), value=masked(node.value))
            for node in accessible_nodes(tree)
        )

    async def thumbnail(self, width: int) -> bytes:
        """Return a small JPEG of the view; empty if there is none.

        Raises:
            CDPError: the page is gone.
        """
        with trio.move_on_after(PICTURE_S):
            with suppress(PageFailed, trio.TooSlowError, CommandFailed):
                clean_since = await self._cover()
                if clean_since is None:
                    return b""
                metrics = await self._session.execute(page.get_layout_metrics())
                view = metrics.css_visual_viewport
                clip: dict[str, JSON] = {
                    "x": view.page_x,
                    "y": view.page_y,
                    "width": view.client_width,
                    "height": view.client_height,
                    "scale": min(1, width / max(view.client_width, 1)),
                }
                command = page.capture_screenshot("jpeg", 50, clip)
                data = (await self._session.execute(command)).data
                if await self._cover() == clean_since:
                    return base64.b64decode(data)
        return b""

    async def _check(self) -> float | None:
        with trio.move_on_after(REPORT_S):
            with suppress(PageFailed, trio.TooSlowError):
                return await self._cover()
        return None

    async def _cover(self) -> float | None:
        """Cover what shows a secret; see `Screencast.check` for what is returned.

        One caller may have covered what is in the picture of another.
        """
        async with self._checking:
            before, self._clean_since = self._clean_since, None
            checked_at = await cover_secrets(self._runner)
            if checked_at is not None:
                self._clean_since = checked_at if before is None else before
            return self._clean_since

    # Taking it over.

    async def agents_turn(self) -> None:
        """Wait until no person acts in the page.

        Raises:
            PersonActing: somebody still does after `WAIT_S` seconds.
        """
        with trio.move_on_after(WAIT_S):
            await self._handed_back.wait()
            return
        raise PersonActing

    async def take_over(self, person: str) -> None:
        """Let only this person act in the page.

        Raises:
            BadInput: another person does.
            CDPError: the page is gone.
        """
        if self.person == person:
            return
        if self.person:
            raise BadInput("Another person has taken over this tab.")
        self.person, self._runner.person_acts = person, True
        self._handed_back = trio.Event()
        self._in_use.enter_context(self._idleness.interrupted())
        self._asked_before, self._runner.dialogs.asked = self._runner.dialogs.asked, True
        self.note("person", "A person has taken over.")
        for command in (
            emulation.set_focused(enabled=True),
            page.intercept_file_chooser(enabled=True),
            page.bring_to_front(),
        ):
            with suppress(CommandFailed):  # an old browser may lack one
                await self._session.execute(command)
        front = self._opened.running.contexts.front
        front[self._opened.context_id] = self._opened.frame_id

    def hand_back(self, person: str) -> None:
        """Let the agent act again, if this person has taken the page over."""
        if not person or self.person != person:
            return
        self.person, self._runner.person_acts, self._chooser = "", False, None
        self._runner.dialogs.asked = self._asked_before
        self._in_use.close()
        self._handed_back.set()
        self.note("person", "The tab was handed back.")

    def ask_for_help(self, intervention: str, why: str) -> None:
        """Report that a person is needed."""
        self.intervention, self.help, self.outcome = intervention, why, ""

    def end_help(self, text: str) -> None:
        """Report that no person is needed any more, and hand the page back."""
        self.intervention, self.help, self.outcome = "", "", text
        self.note("person", text)
        self.hand_back(self.person)

    # The actions of a person.

    async def send(self, commands: Sequence[CDPCommand[Nothing]]) -> None:
        """Send input events to the page, in order.

        Raises:
            CDPError: the page is gone.
        """
        with trio.move_on_after(ANSWER_S):
            # A command fails where the page is leaving its document.
            with self._runner.dialogs.until_open(), suppress(CommandFailed):
                await self._session.execute_all(commands)

    async def answer_dialog(self, *, accept: bool, text: str) -> None:
        """Answer the open dialog.

        Raises:
            CDPError: the page is gone.
        """
        with suppress(CommandFailed):  # it was answered meanwhile
            await self._session.execute(page.handle_dialog(accept=accept, text=text))

    async def choose_files(self, paths: Sequence[str]) -> None:
        """Choose files for the page that waits for them; none if the person chooses none.

        Raises:
            CDPError: the page is gone.
        """
        chooser, self._chooser = self._chooser, None
        if chooser is not None and paths:
            with suppress(CommandFailed):  # the field is gone
                await self._session.execute(dom.set_files_of(paths, chooser))

    async def go(self, where: str) -> None:
        """Go to a URL, or ``back``, ``forward`` or ``reload``.

        Raises:
            BadInput: the URL is not allowed.
            CDPError: the page is gone.
        """
        match where:
            case "back" | "forward":
                command: CDPCommand[object] = runtime.evaluate(f"history.{where}()")
            case "reload":
                command = page.reload()
            case url:
                command = page.navigate(checked_url(url, self._bounds))
        with trio.move_on_after(ANSWER_S), suppress(CommandFailed):
            await self._session.execute(command)
