"""The fake browser itself: commands in, replies and events out, in Chromium's order."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TypeVar

import trio

from tabwright.testing.fake.link import (
    METHOD_NOT_FOUND,
    SERVER_ERROR,
    Blocked,
    CommandRefused,
    FakeCommand,
    FakeLink,
    FakeWire,
    FaultKind,
    Faults,
    Later,
    Result,
    Silence,
)
from tabwright.testing.fake.pages import FakePages
from tabwright.testing.fake.site import FakeSite
from tabwright.testing.fake.targets import FakeTarget, FakeTargets

MethodT = TypeVar("MethodT")

BEHIND_DIALOGS = (
    "Input.",
    "Page.createIsolatedWorld",
    "Runtime.callFunctionOn",
    "Runtime.evaluate",
)
"""What waits for the answer to the dialog that the page has opened."""

LATENCY_MAX_S = 0.01
"""A command takes up to this long, by chance."""


class FakeBrowser:
    """One run of a browser, whose tasks live in `nursery`. Start `run` there, talk to its `link`.

    Args:
        nursery: cancelling it ends the browser.
        site: what there is to be found.
        random: draws the latencies.
        faults: what goes wrong.
        visible: whether it has windows.
        worker: which worker it was started for.
    """

    def __init__(  # noqa: PLR0913  (what makes one run)
        self,
        nursery: trio.Nursery,
        site: FakeSite,
        random: Random,
        faults: Faults | None = None,
        *,
        visible: bool = False,
        worker: int = 0,
    ) -> None:
        self.link = FakeLink()
        self._random = random
        self._faults = faults or Faults()
        self._wire = FakeWire(self.link, nursery)
        self.visible = visible
        self.worker = worker
        self._targets = FakeTargets(self._wire, site, visible=visible)
        self._pages = FakePages(self._wire, site, self._targets)

    @property
    def targets(self) -> Mapping[str, FakeTarget]:
        """Every target that is open, by id."""
        return self._targets.by_id

    @property
    def is_alive(self) -> bool:
        """Whether it still serves."""
        return not self.link.is_cut

    async def run(self) -> None:
        """Serves the link until it is cut or cancelled."""
        try:
            async for frame in self.link.commands:
                await trio.sleep(self._random.uniform(0, LATENCY_MAX_S))
                self._serve(frame)
        except trio.ClosedResourceError:
            pass
        self.link.cut()

    def die(self) -> None:
        """Ends without a word, as by SIGKILL."""
        self.link.cut()

    def crash(self, target: FakeTarget) -> None:
        """The renderer of a page dies."""
        self._pages.crash(target)

    def _serve(self, frame: bytes) -> None:
        message = json.loads(frame)
        session_id = message.get("sessionId", "")
        command = FakeCommand(message["id"], message["method"], message["params"], session_id)
        self._answer(command, lambda: self._harmed(command))

    def _answer(self, command: FakeCommand, result: Callable[[], Result]) -> None:
        """Replies with the result, once it is there."""
        try:
            self._wire.reply(command, result=result())
        except Silence:
            return
        except CommandRefused as refused:
            self._wire.reply(command, error={"code": refused.code, "message": str(refused)})
        except Later as later:
            self._wire.later(later.delay_s, partial(self._answer, command, later.answer))
        except Blocked as blocked:
            target = self._targets.of_session(command.session_id)
            target.blocked.append(partial(self._answer, command, blocked.answer))

    def _harmed(self, command: FakeCommand) -> Result:
        self._harm(command)
        return self._result(command)

    def _harm(self, command: FakeCommand) -> None:
        match self._faults.fault_for(command.method):
            case None:
                return
            case FaultKind.ERROR:
                raise CommandRefused(SERVER_ERROR, "a planned fault")
            case FaultKind.CRASH if not command.session_id:
                self.crash(self._targets.named_by(command.params))
                return
            case FaultKind.CRASH:
                self.crash(self._targets.of_session(command.session_id))
            case FaultKind.DETACH:
                self._targets.detach(self._targets.of_session(command.session_id))
            case FaultKind.CUT:
                self._wire.cut()
            case FaultKind.GARBLE:
                self._wire.garble()
            case FaultKind.MUTE:
                pass
        raise Silence

    def _result(self, command: FakeCommand) -> Result:
        if not command.session_id:
            return _method(self._targets.methods, command.method)(command.params)
        target = self._targets.of_session(command.session_id)
        method = _method(self._pages.methods, command.method)
        if target.hangs or (target.crashed and command.method != "Inspector.enable"):
            raise Silence
        if target.dialog and command.method.startswith(BEHIND_DIALOGS):
            raise Blocked(lambda: self._result(command))
        return method(target, command.params)


def _method(methods: Mapping[str, MethodT], name: str) -> MethodT:
    if name not in methods:
        raise CommandRefused(METHOD_NOT_FOUND, f"'{name}' wasn't found")
    return methods[name]
