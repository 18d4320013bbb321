"""Doing an action on a page, and answering an inspection of it."""

from typing import cast

from tabwright.page import inspect
from tabwright.page.action_runner import ActionRunner
from tabwright.page.actions import field, fill_form, mouse, viewport
from tabwright.page.actions.performers import ANSWERERS, PERFORMERS
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Inspection

KINDS = (mouse, field, fill_form, viewport, inspect)
"""The modules that fill the tables as they are imported."""


async def perform(runner: ActionRunner, action: Action) -> Outcome:
    """Do an action. Cancellation stops what can still be stopped: a press that was made stays.

    Raises:
        BadInput: it is none.
        TabwrightError: see the action.
    """
    performer = PERFORMERS.get(type(action))
    if performer is None:
        raise BadInput(f"{type(action).__name__} is no action of a page.")
    return await performer(runner, action)


async def answer(runner: ActionRunner, inspection: Inspection[AnswerT]) -> AnswerT:
    """Answer an inspection.

    Raises:
        BadInput: it is none.
        TabwrightError: see the inspection.
    """
    answerer = ANSWERERS.get(type(inspection))
    if answerer is None:
        raise BadInput(f"{type(inspection).__name__} is no inspection of a page.")
    # The table holds functions with answers of all types. A test compares the type that each
    # returns with the one that its inspection names.
    return cast("AnswerT", await answerer(runner, inspection))
