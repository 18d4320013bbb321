"""The scripts of the user in a page: one that a dialog interrupts goes on once it is answered."""

from collections.abc import Awaitable, Callable

import attrs
import trio

from tabwright.cdp.errors import CDPError
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.events.dialogs import Dialogs
from tabwright.protocol.actions import Dialog, ScriptEnd
from tabwright.protocol.errors import PageFailed, TabwrightError

SCRIPT_S = 8.0
"""Seconds for a user's script to end, and for its promise to settle."""


@attrs.define(eq=False)
class _RunningScript:
    """A script that runs in the page.

    Attributes:
        work: runs it, and returns its value.
        value, failure: how it ended.
        dialog: the dialog that interrupts it; None if none does.
    """

    work: Callable[[], Awaitable[str]]
    value: str = ""
    failure: TabwrightError | CDPError | None = None
    dialog: Dialog | None = None
    ended: trio.Event = attrs.field(factory=trio.Event)
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    async def run(self) -> None:
        """Run the script, and record how it ended."""
        with self.scope:
            try:
                self.value = await self.work()
            except (TabwrightError, CDPError) as failure:
                self.failure = failure
        self.ended.set()


class UserScripts:
    """Runs the scripts of the user in one page.

    A script runs in a task of the tab and not of its caller, so that it is not lost with the call
    that a dialog ends. At most one script is interrupted: the next one takes its place.

    Args:
        dialogs: of the page.
        end_scripts: terminates the scripts that run in the page.
    """

    def __init__(self, dialogs: Dialogs, end_scripts: Callable[[], Awaitable[object]]) -> None:
        self._dialogs = dialogs
        self._end_scripts = end_scripts
        self._begin, self._begun = trio.open_memory_channel[_RunningScript](0)
        self._interrupted: _RunningScript | None = None

    async def attend(self) -> None:
        """Run the scripts, until cancelled; that ends them."""
        async with background_nursery() as running:
            async for script in self._begun:
                running.start_soon(script.run)

    async def run(self, work: Callable[[], Awaitable[str]]) -> str:
        """Return the value of a script.

        Cancellation ends the wait alone, and the browser may still run the script. If a dialog is
        open then, its end can be had by `resumed`.

        Raises:
            PageFailed: it did not end within `SCRIPT_S` seconds, and was terminated.
            TabwrightError, CDPError: those of the work.
        """
        self._forget()
        script = _RunningScript(work)
        await self._begin.send(script)
        return await self._end_of(script)

    async def resumed(self, answered: Dialog) -> ScriptEnd | None:
        """Return the end of the script that a dialog had interrupted, once it is answered.

        Return None if it had interrupted none. Cancellation is as in `run`.
        """
        script = self._interrupted
        if script is None or script.dialog is not answered:
            self._forget()
            return None
        self._interrupted = None
        try:
            return ScriptEnd(json=await self._end_of(script))
        except TabwrightError as failure:
            return ScriptEnd(failure=failure.message)
        except CDPError as failure:
            return ScriptEnd(failure=f"The script was lost: {failure}")

    def _forget(self) -> None:
        if self._interrupted is not None:
            self._interrupted.scope.cancel()
            self._interrupted = None

    async def _end_of(self, script: _RunningScript) -> str:
        try:
            with trio.move_on_after(SCRIPT_S) as waiting:
                await script.ended.wait()
        finally:
            if not script.ended.is_set():
                if self._dialogs.open:
                    script.dialog = self._dialogs.open
                    self._interrupted = script
                else:
                    script.scope.cancel()
        if waiting.cancelled_caught:
            await self._end_scripts()
            raise PageFailed(
                f"The script did not finish within {SCRIPT_S:g} s.",
                advice="Do less in one script, or do not wait for events that may never happen.",
                retryable=False,
            )
        if script.failure is not None:
            raise script.failure
        return script.value
