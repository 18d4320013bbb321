"""User scripts: a dialog interrupts one, and its answer includes the script's end."""

from collections.abc import Callable

import attrs
import pytest
import trio
import trio.testing

from tabwright.cdp.domains.page import DialogOpening
from tabwright.cdp.errors import CommandFailed
from tabwright.page.events.dialogs import Dialogs
from tabwright.page.user_scripts import UserScripts
from tabwright.protocol.actions import ScriptEnd
from tabwright.protocol.errors import PageFailed

pytestmark = pytest.mark.usefixtures("autojump_clock")


@attrs.define(eq=False)
class Script:
    """A fake script that opens a dialog and waits until it is answered."""

    dialogs: Dialogs
    end: Callable[[], str] = lambda: "1"
    answered: trio.Event = attrs.field(factory=trio.Event)
    stopped: bool = False

    async def work(self) -> str:
        self.dialogs.take(DialogOpening(message="?", type="confirm"))
        try:
            await self.answered.wait()
        except trio.Cancelled:
            self.stopped = True
            raise
        return self.end()


@attrs.define(eq=False)
class Stand:
    dialogs: Dialogs = attrs.field(factory=Dialogs)
    terminated: int = 0
    scripts: UserScripts = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.dialogs.asked = True
        self.scripts = UserScripts(self.dialogs, self.terminate)

    async def terminate(self) -> None:
        self.terminated += 1

    async def interrupt(self, script: Script) -> None:
        """Run a script until it opens its dialog."""
        with self.dialogs.until_open():
            await self.scripts.run(script.work)

    async def answer(self, script: Script) -> ScriptEnd | None:
        dialog = self.dialogs.open
        assert dialog is not None
        self.dialogs.closed()
        script.answered.set()
        return await self.scripts.resumed(dialog)


@pytest.fixture
async def stand(nursery):
    opened = Stand()
    nursery.start_soon(opened.scripts.attend)
    return opened


def thrown() -> str:
    raise PageFailed("It threw.")


def lost() -> str:
    raise CommandFailed("Runtime.evaluate", -32000, "Execution context was destroyed.")


async def test_value_of_interrupted_script_is_returned_with_the_answer(stand):
    script = Script(stand.dialogs)
    await stand.interrupt(script)
    assert await stand.answer(script) == ScriptEnd(json="1")


@pytest.mark.parametrize(("end", "why"), [(thrown, "It threw."), (lost, "destroyed")])
async def test_failure_of_interrupted_script_is_returned_with_the_answer(stand, end, why):
    script = Script(stand.dialogs, end)
    await stand.interrupt(script)
    ended = await stand.answer(script)
    assert why in ended.failure
    assert ended.json == ""


async def test_interrupted_script_that_does_not_end_is_terminated(stand):
    script = Script(stand.dialogs)
    await stand.interrupt(script)
    dialog = stand.dialogs.open
    stand.dialogs.closed()
    ended = await stand.scripts.resumed(dialog)
    await trio.testing.wait_all_tasks_blocked()
    assert ended.failure
    assert (script.stopped, stand.terminated) == (True, 1)


async def test_answer_to_another_dialog_forgets_the_interrupted_script(stand):
    script = Script(stand.dialogs)
    await stand.interrupt(script)
    stand.dialogs.closed()
    stand.dialogs.take(DialogOpening(message="?", type="confirm"))
    assert await stand.answer(script) is None


async def test_next_script_takes_the_place_of_the_interrupted_one(stand):
    first, second = Script(stand.dialogs), Script(stand.dialogs, lambda: "2")
    await stand.interrupt(first)
    stand.dialogs.closed()
    await stand.interrupt(second)
    assert await stand.answer(second) == ScriptEnd(json="2")
    await trio.testing.wait_all_tasks_blocked()
    assert first.stopped


async def test_cancelled_script_without_a_dialog_is_stopped(stand):
    script = Script(stand.dialogs)
    stand.dialogs.asked = False  # its dialog is answered at once
    with trio.move_on_after(1):
        await stand.scripts.run(script.work)
    await trio.testing.wait_all_tasks_blocked()
    assert script.stopped
