"""The tables of what can be done on a page: who does an action, who answers an inspection."""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeAlias, TypeVar

import attrs

from tabwright.page.action_runner import ActionRunner
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT, AnswerT_co
from tabwright.protocol.inspection import Inspection

ActionT = TypeVar("ActionT", bound=Action)
InspectionT = TypeVar("InspectionT", bound=Inspection[Any])

Perform: TypeAlias = Callable[[ActionRunner, ActionT], Awaitable[Outcome]]
Answer: TypeAlias = Callable[[ActionRunner, InspectionT], Awaitable[AnswerT]]


@attrs.frozen
class Performer(Generic[AnswerT_co]):
    """A function for one kind of value, and when it can be called; see `ActionRunner.ready`."""

    function: Callable[[ActionRunner, Any], Awaitable[AnswerT_co]]
    dialog: bool = False
    anywhere: bool = False

    async def __call__(self, runner: ActionRunner, value: object) -> AnswerT_co:
        """Make the page ready, and call the function.

        Raises:
            TabwrightError: see `ActionRunner.ready`, and the value.
        """
        async with runner.ready(dialog=self.dialog, anywhere=self.anywhere):
            return await self.function(runner, value)


PERFORMERS: dict[type[Any], Performer[Outcome]] = {}
ANSWERERS: dict[type[Any], Performer[Any]] = {}


def performs(
    kind: type[ActionT], *, dialog: bool = False
) -> Callable[[Perform[ActionT]], Perform[ActionT]]:
    """Have the decorated function perform every action of a kind.

    Args:
        kind: one of `Action`.
        dialog: whether it can be done while a dialog is open.
    """

    def enter(function: Perform[ActionT]) -> Perform[ActionT]:
        """Put the function into the table."""
        PERFORMERS[kind] = Performer(function, dialog)
        return function

    return enter


def answers(
    kind: type[InspectionT], *, dialog: bool = False, anywhere: bool = False
) -> Callable[[Answer[InspectionT, AnswerT]], Answer[InspectionT, AnswerT]]:
    """Have the decorated function answer every inspection of a kind.

    Args:
        kind: the inspection; the function returns what its type says.
        dialog: whether it can be answered while a dialog is open.
        anywhere: whether it shows nothing of the page, and so can be answered wherever that is.
    """

    def enter(function: Answer[InspectionT, AnswerT]) -> Answer[InspectionT, AnswerT]:
        """Put the function into the table."""
        ANSWERERS[kind] = Performer(function, dialog, anywhere)
        return function

    return enter
