"""Doing what a navigator says: its actions one by one, while they are about what it saw."""

import attrs

from tabwright.actors.agent.reins import Reins
from tabwright.agent.actions import AnyAction, CacheContent, Done, name_of, told
from tabwright.agent.events import Chronicle
from tabwright.agent.executor import Browser, Deed
from tabwright.agent.forms import Move
from tabwright.agent.history import History
from tabwright.agent.scenes import Scene
from tabwright.protocol.errors import BrowserUnavailable, TabwrightError


@attrs.frozen(eq=False)
class Doing:
    """The hands of one task."""

    _browser: Browser
    _history: History
    _chronicle: Chronicle
    _reins: Reins
    _actions_max: int

    async def do(self, move: Move, scene: Scene) -> Done | None:
        """Does the actions of a move; the one that ends the task, if it came to that.

        What came of them is in the history then, also where the rest was cancelled.

        Raises:
            BrowserUnavailable: there is none to be had.
            TabwrightError: not one of them could be done.
        """
        results: list[str] = []
        try:
            return await self._do_all(move.actions[: self._actions_max], scene, results)
        finally:
            if len(move.actions) > self._actions_max:
                results.append(f"At most {self._actions_max} actions are done in a step.")
            self._history.add(scene.text, move.json, "\n".join(results))

    async def _do_all(
        self, actions: tuple[AnyAction, ...], scene: Scene, results: list[str]
    ) -> Done | None:
        await self._reins.go()
        for number, action in enumerate(actions, 1):
            place = f"action {number} / {len(actions)}"
            try:
                deed = await self._do(action, scene)
            except BrowserUnavailable:
                raise
            except TabwrightError as error:
                results.append(f"{name_of(action)} failed: {self._browser.told(error)}")
                results.append(f"That was {place}: the rest is dropped.")
                if number == 1:
                    raise
                return None
            results.append(f"Result of {place}: {deed.told}")
            if isinstance(action, Done):
                return action
            if number < len(actions) and await self._is_new(deed, scene):
                results.append(f"Something new appeared after {place}: the rest is dropped.")
                return None
        return None

    async def _do(self, action: AnyAction, scene: Scene) -> Deed:
        with self._chronicle.act(told(action)) as account:
            deed = await self._done(action, scene)
            account.details = deed.told.partition("\n")[0]
            return deed

    async def _done(self, action: AnyAction, scene: Scene) -> Deed:
        match action:
            case Done():
                return Deed(action.text)
            case CacheContent():
                self._history.remember(action.content)
                return Deed("Remembered.")
            case _:
                return await self._browser.do(action, scene)

    async def _is_new(self, deed: Deed, scene: Scene) -> bool:
        """Whether there is more now than what the navigator has seen, once it may go on."""
        await self._reins.go()
        return deed.leads_on or await self._browser.shows_more_than(scene)
