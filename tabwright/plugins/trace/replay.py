"""Replaying a trace: the same actions on elements that are located again, without a model.

The file may come from anyone: it types no secrets but those that the caller gives, uploads no files
but those that the settings allow, and runs no scripts.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import attrs
import trio

from tabwright.client import Tabwright
from tabwright.concurrency.nursery import isolate_callback
from tabwright.config.secrets import NAME, Secrets
from tabwright.config.settings import Settings
from tabwright.page.actions.keyboard import escape_keys
from tabwright.page.upload_paths import allowed_path
from tabwright.plugins.trace.matching import ElementChoice, ScoredElement, choose, kindred_roles
from tabwright.plugins.trace.page_record import DescribeCandidates
from tabwright.plugins.trace.records import (
    RecordedTarget,
    ReplayCandidate,
    ReplayFailure,
    ReplayReport,
)
from tabwright.plugins.trace.steps import TraceStep, needed_secrets, steps_of, with_targets
from tabwright.plugins.trace.trace_file import Trace, read_trace
from tabwright.protocol.actions import FieldValue, Fill, SimpleAction, Type, Upload
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.sessions import Sessions, TabsAction

FIND_S = 5.0
"""Seconds for an element to appear."""

AGAIN_S = 0.2
"""Seconds between two searches for an element."""

CANDIDATES_MAX = 5
"""Maximum number of elements that a failure lists."""


class _NotClear(Exception):
    """No element of the page is clearly the recorded one."""

    def __init__(self, recorded: RecordedTarget, choice: ElementChoice) -> None:
        super().__init__(choice.problem)
        self.recorded = recorded
        self.choice = choice


@attrs.frozen(eq=False)
class TraceReplay:
    """The replay of traces in a session.

    Attributes:
        sessions: performs the actions.
        settings: those of the user.
        session: the name of the session.
        secrets: the values that the trace names; nothing else is typed instead of a name. A value
            ``{{NAME}}`` is that of the secrets of the settings, typed only into its site.
        progress: is called with each step.
        find_s: seconds for each element to appear.
    """

    sessions: Address[Sessions]
    settings: Settings
    session: str
    secrets: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)
    progress: OnProgress = ignore_progress
    find_s: float = FIND_S

    async def run(self, trace: Trace, url: str = "") -> ReplayReport:
        """Perform the steps of a trace in order, up to the first that fails.

        Cancellation stops the current action if it has not happened yet.

        Args:
            trace: the trace.
            url: see `steps_of`.

        Raises:
            BadInput: a secret is missing, or the trace has no valid steps.
        """
        steps = steps_of(trace, url)
        missing = [name for name in needed_secrets(steps) if name not in self.secrets]
        if missing:
            raise BadInput(
                f"The trace has only the names of these secrets: {', '.join(missing)}.",
                advice=f"Pass their values, for example with --secret {missing[0]}=VALUE.",
            )
        done = list[str]()
        for step in steps:
            try:
                if step.refusal:
                    raise BadInput(step.refusal, advice="Remove the step, or record it again.")
                await self._perform(step)
            except TabwrightError as error:
                return ReplayReport(tuple(done), self._failure(step, error.kind, str(error)))
            except _NotClear as unclear:
                failure = self._failure(step, "not_clear", f"{unclear}.")
                candidates = tuple(map(_candidate, unclear.choice.scored[:CANDIDATES_MAX]))
                failure = attrs.evolve(failure, candidates=candidates)
                return ReplayReport(tuple(done), failure)
            done.append(self._masked(step.text))
        return ReplayReport(tuple(done))

    def _failure(self, step: TraceStep, kind: str, message: str) -> ReplayFailure:
        text, why = self._masked(step.text), self._masked(message)
        return ReplayFailure(step.number, text, kind, f"{why[:1].upper()}{why[1:]}")

    def _masked(self, text: str) -> str:
        return Secrets(self.secrets).masked(text)

    async def _perform(self, step: TraceStep) -> None:
        """Perform a step.

        Raises:
            _NotClear: an element of it was not found, or not clearly.
            TabwrightError: it failed.
        """
        if step.action is not None:
            action = self._with_secrets(step.action)
            if isinstance(action, Upload):
                allowed = partial(_allowed_paths, action.paths, self.settings)
                action = attrs.evolve(action, paths=await trio.to_thread.run_sync(allowed))
            refs = [await self._find(step, one) for one in step.targets]
            action = with_targets(step, action, refs)
            await self.sessions.ask(
                Sessions.act, self.session, action, tab=step.tab, progress=self.progress
            )
        elif step.url:
            await self.sessions.ask(
                Sessions.enter,
                self.session,
                step.url,
                new_tab=step.new_tab,
                progress=self.progress,
            )
        else:
            change: TabsAction = "close" if step.closes else "switch"
            await self.sessions.ask(Sessions.change_tabs, self.session, change, step.tab)

    async def _find(self, step: TraceStep, recorded: RecordedTarget) -> str:
        """Return the ref of a recorded element, once it is clear which one it is.

        Raises:
            _NotClear: it is not clear within `find_s`.
        """
        element = recorded.element
        roles = kindred_roles(element.role)
        request = DescribeCandidates(roles, element.name, element.text, frames=element.frame)
        end = trio.current_time() + self.find_s
        while True:
            seen = await self.sessions.ask(Sessions.inspect, self.session, request, tab=step.tab)
            choice = choose(recorded, seen)
            if choice.element is not None:
                return choice.element.ref
            if trio.current_time() >= end:
                raise _NotClear(recorded, choice)
            await trio.sleep(AGAIN_S)

    def _with_secrets(self, action: SimpleAction) -> SimpleAction:
        """Return an action with the values of the secrets that it names."""
        match action:
            case Type(text=text):
                escape = str if action.literal else escape_keys
                return attrs.evolve(action, text=self._inserted(text, escape))
            case Fill(fields=fields):
                values = (
                    FieldValue(one.field, self._inserted(one.value))
                    if isinstance(one.value, str)
                    else one
                    for one in fields
                )
                return attrs.evolve(action, fields=tuple(values))
            case _:
                return action

    def _inserted(self, text: str, escape: Callable[[str], str] = str) -> str:
        def value(found: re.Match[str]) -> str:
            """Return the value of a name, or the name if the page is to look up its value."""
            given = self.secrets[found[1]]
            return given if given == found[0] else escape(given)

        return NAME.sub(value, text)


async def replay(  # noqa: PLR0913
    tabwright: Tabwright,
    path: Path | str,
    *,
    session: str,
    url: str = "",
    secrets: Mapping[str, str] | None = None,
    progress: OnProgress = ignore_progress,
) -> ReplayReport:
    """Repeat the actions of a trace in a session, without a model.

    Each element is found by its role, its name and its neighborhood. The replay stops where none is
    clearly the recorded one. Cancellation stops it within a step.

    Args:
        tabwright: performs the actions.
        path: the trace file.
        session: its name; a session that is not open is opened.
        url: replaces the URL of the first page, and its origin that of later ones; empty for the
            recorded one.
        secrets: values for the names that the trace has in place of what was typed.
        progress: is called with each step.

    Raises:
        BadInput: the file is not a trace, has no actions, or a secret is missing.
    """
    trace = await trio.to_thread.run_sync(read_trace, Path(path))
    with isolate_callback(progress) as on_progress:
        replaying = TraceReplay(
            tabwright.parts.sessions, tabwright.settings, session, secrets or {}, on_progress
        )
        return await replaying.run(trace, url)


def _allowed_paths(paths: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    return tuple(allowed_path(path, settings, folders=True) for path in paths)


def _candidate(scored: ScoredElement) -> ReplayCandidate:
    """Return a candidate for the report of a failure."""
    one = scored.element
    around = one.around[0] if one.around else ""
    return ReplayCandidate(one.ref, one.role, one.name, around, scored.score, scored.reason)
